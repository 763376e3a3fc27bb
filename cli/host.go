package cli

import (
	"fmt"
	"os"

	"github.com/nasight/nasight/collectors"
)

// HostFlags say which host is read, and under which name. They are embedded in a command's flags.
type HostFlags struct {
	Procfs   string `name:"path.procfs" default:"/proc" help:"The proc file system to read."`
	Sysfs    string `name:"path.sysfs" default:"/sys" help:"The sys file system to read."`
	Modprobe string `name:"path.modprobe" default:"/etc/modprobe.d" help:"The module settings to read, where they exist."`
	Netlink  string `name:"path.netlink" placeholder:"DIR" help:"Recorded socket-diagnosis replies to read; without it this machine's kernel is asked."`
	Host     string `name:"host" placeholder:"NAME" help:"Value of the host label; the host's name if not set."`
}

// Paths are the directories to read.
func (f HostFlags) Paths() collectors.Paths {
	return collectors.Paths{Procfs: f.Procfs, Sysfs: f.Sysfs, Modprobe: f.Modprobe, Netlink: f.Netlink}
}

// HostName is the value of the host label: what the flag says, else the name of this machine.
func (f HostFlags) HostName() (string, error) {
	if f.Host != "" {
		return f.Host, nil
	}
	name, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("cannot tell this host's name, set --host: %w", err)
	}
	return name, nil
}
