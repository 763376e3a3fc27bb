package demo

import (
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/simulator/host"
	"github.com/nasight/nasight/simulator/model"
)

// hosts are the directories in which the hosts' sources are.
type hosts struct {
	directory string
	fleet     *model.Fleet
}

func (h *hosts) windows() string { return filepath.Join(h.directory, "windows") }

func (h *hosts) of(name string, windows bool) string {
	if windows {
		return filepath.Join(h.windows(), name)
	}
	return filepath.Join(h.directory, "linux", name)
}

// driver is the one whose link speed is the network cap of a VM.
const driver = "gve"

// write writes every host as it is now.
func (h *hosts) write(machines []*host.Machine) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, machine := range machines {
		if machine == nil {
			continue
		}
		group.Go(func() error {
			if !machine.Windows {
				machine.NICs[0].Driver = driver
			}
			return machine.Write(h.of(machine.Name, machine.Windows))
		})
	}
	return group.Wait()
}

// configured are the Linux hosts as serve is told of them.
func (h *hosts) configured() []config.Host {
	var out []config.Host
	for _, described := range h.fleet.Hosts {
		if described.OS != model.Linux || described.Unread {
			continue
		}
		root := h.of(described.Name, false)
		out = append(out, config.Host{
			Name: described.Name, Procfs: filepath.Join(root, "proc"), Sysfs: filepath.Join(root, "sys"),
			Netlink: filepath.Join(root, "netlink"), Modprobe: filepath.Join(root, "etc", "modprobe.d"),
		})
	}
	return out
}

// anyWindows tells whether there is a Windows host.
func (h *hosts) anyWindows() bool {
	for _, described := range h.fleet.Hosts {
		if described.OS == model.Windows {
			return true
		}
	}
	return false
}
