package main

import (
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/nasight/nasight/cli"
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/diagnose"
	"github.com/nasight/nasight/fleet"
)

// hostFlags say which host is read, and by which collectors.
type hostFlags struct {
	Procfs     string `name:"path.procfs" default:"/proc" help:"The proc file system to read."`
	Sysfs      string `name:"path.sysfs" default:"/sys" help:"The sys file system to read."`
	Modprobe   string `name:"path.modprobe" default:"/etc/modprobe.d" help:"The module settings to read, where they exist."`
	Netlink    string `name:"path.netlink" placeholder:"DIR" help:"Recorded socket-diagnosis replies to read; without it this machine's kernel is asked."`
	Host       string `name:"host" placeholder:"NAME" help:"Value of the host label; the host's name if not set."`
	ConfigFile string `name:"config.file" placeholder:"FILE" help:"Configuration to take providers, ports and thresholds from."`
	NoDefaults bool   `name:"collector.disable-defaults" help:"Run only the collectors that are switched on."`
	kong.Plugins

	switches cli.Switches
}

func newHostFlags() hostFlags {
	switches := cli.NewSwitches(list.Entries())
	return hostFlags{Plugins: kong.Plugins{switches.Target()}, switches: switches}
}

// options are what the configuration and the switches ask of a diagnosis.
func (h *hostFlags) hostOptions() (diagnose.Options, error) {
	settings := config.Default()
	if h.ConfigFile != "" {
		loaded, err := config.Load(h.ConfigFile)
		if err != nil {
			return diagnose.Options{}, usageError("%w", err)
		}
		settings = loaded
	}
	entries, err := collectors.Select(list.Entries(), collectors.Selection{Set: h.switches.Set(), DisableDefaults: h.NoDefaults})
	if err != nil {
		return diagnose.Options{}, usageError("%w", err)
	}
	return diagnose.Options{
		Entries: entries,
		Collectors: collectors.Settings{
			Ports: settings.Session.Ports, SessionCap: settings.Session.Cap, NetworkCaps: settings.NetworkCap.Caps(),
		},
		Detectors: settings.Detection.Settings(),
		Provider:  func(server, name string) fleet.Provider { return settings.ProviderOf(server, name) },
		Cloud:     settings.Cloud,
	}, nil
}

// root opens the host's directories.
func (h *hostFlags) root() (collectors.Root, func() error, error) {
	name := h.Host
	if name == "" {
		var err error
		if name, err = os.Hostname(); err != nil {
			return collectors.Root{}, nil, usageError("cannot tell this host's name, set --host: %w", err)
		}
	}
	root, closeRoot, err := collectors.OpenRoot(name, collectors.Paths{
		Procfs: h.Procfs, Sysfs: h.Sysfs, Modprobe: h.Modprobe, Netlink: h.Netlink,
	})
	if err != nil {
		return root, nil, usageError("%w", err)
	}
	return root, closeRoot, nil
}

// kernel is the release of the host's kernel, empty where its procfs does not tell.
func kernel(root collectors.Root) string {
	data, err := collectors.Read(root.Procfs, "sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
