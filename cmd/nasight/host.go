package main

import (
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
	cli.HostFlags
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
	name, err := h.HostName()
	if err != nil {
		return collectors.Root{}, nil, usageError("%w", err)
	}
	root, closeRoot, err := collectors.OpenRoot(name, h.Paths())
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
