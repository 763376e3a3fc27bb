// Package config is nasight's configuration file: YAML, parsed strictly. An unknown key, a key written twice or a value
// of the wrong type is an error that names the file, the line and the column.
package config

import (
	"path"
	"time"

	"github.com/nasight/nasight/collectors/azurefiles"
	"github.com/nasight/nasight/collectors/azurenetapp"
	"github.com/nasight/nasight/collectors/gcnv"
	"github.com/nasight/nasight/collectors/promhost"
	"github.com/nasight/nasight/fleet"
)

// Config is the whole file. docs/configuration.md shows every key with its default.
type Config struct {
	Web         Web                  `yaml:"web"`
	Hosts       []Host               `yaml:"hosts"`
	Windows     Windows              `yaml:"windows"`
	Collectors  map[string]Collector `yaml:"collectors"` // by the collector's name; what is not listed keeps its default
	Session     Session              `yaml:"session"`
	NetworkCap  NetworkCap           `yaml:"network_cap"`
	Providers   []Provider           `yaml:"providers"`   // the first that matches decides
	Cloud       string               `yaml:"cloud"`       // where the hosts run: gce, azure, or empty
	GCNV        gcnv.Config          `yaml:"gcnv"`        // Google Cloud NetApp Volumes; off without projects and folders
	AzureFiles  azurefiles.Config    `yaml:"azurefiles"`  // Azure Files; off without subscriptions
	AzureNetApp azurenetapp.Config   `yaml:"azurenetapp"` // Azure NetApp Files; off without subscriptions
	PromHost    []promhost.Config    `yaml:"promhost"`    // where the exporters of hosts without an agent are read
	History     History              `yaml:"history"`
	Export      Export               `yaml:"export"`
	Detection   Detection            `yaml:"detection"`
	Alerting    Alerting             `yaml:"alerting"` // rules evaluated here; off without Alertmanagers and rule files
	Report      Report               `yaml:"report"`   // the weekly report; off without a directory
	Log         Log                  `yaml:"log"`
}

// Web is how nasight serves HTTP.
type Web struct {
	ListenAddress string `yaml:"listen_address"` // HOST:PORT; an empty host listens on every address
	ConfigFile    string `yaml:"config_file"`    // TLS and basic auth, in the format of the Prometheus exporter toolkit
}

// Host is where the sources of one host are read from. Relative paths are relative to the working directory. The roots
// are opened anew for every run of a collector, so a directory that was replaced is seen at the next one.
type Host struct {
	Name     string `yaml:"name"`     // value of the host label; empty for this machine's name
	Procfs   string `yaml:"procfs"`   // the host's /proc
	Sysfs    string `yaml:"sysfs"`    // the host's /sys
	Netlink  string `yaml:"netlink"`  // directory of recorded socket-diagnosis replies; empty to ask this kernel
	Modprobe string `yaml:"modprobe"` // the host's /etc/modprobe.d; empty for this machine's where procfs is /proc, else none
}

// Windows is a directory that Windows hosts record into.
type Windows struct {
	Directory string   `yaml:"directory"` // holds a directory or file for each host; empty for none
	Interval  Duration `yaml:"interval"`  // how often each host records; after four of them a recording is not current
}

// Collector changes how one collector runs. What is left out keeps the collector's default.
type Collector struct {
	Enabled  *bool    `yaml:"enabled"`
	Interval Duration `yaml:"interval"`
	Timeout  Duration `yaml:"timeout"` // deadline of one run
}

// Session is which TCP sessions are storage, and how many get series of their own.
type Session struct {
	Ports map[uint16]string `yaml:"ports"` // server port to protocol: nfs, smb, iscsi
	Cap   int               `yaml:"cap"`   // sessions of a host with series of their own; the rest is counted
}

// NetworkCap is the network cap of the VM, by direction. Zero is not known.
type NetworkCap struct {
	Receive  Rate `yaml:"receive"`
	Transmit Rate `yaml:"transmit"`
}

// Provider names the storage service behind the servers that match a pattern.
type Provider struct {
	Match    string         `yaml:"match"`    // server address or name; * stands for any characters
	Provider fleet.Provider `yaml:"provider"` // gcnv, azurefiles or azurenetapp
}

// History is where samples are kept.
type History struct {
	Path       string   `yaml:"path"`         // directory, made if missing; state that has to survive a restart lies there too
	Retention  Duration `yaml:"retention"`    // how long samples are kept
	MaxBytes   Size     `yaml:"max_bytes"`    // most disk space; the oldest samples go first; 0 for no limit
	OutOfOrder Duration `yaml:"out_of_order"` // how late a sample may arrive

	// A server that answers PromQL is history in the place of the files, where URL is set. Of the above only Path is used then.
	URL             string             `yaml:"url"`               // with the path that /api/v1/query is below
	QueryParams     map[string]string  `yaml:"query_params"`      // sent with every query
	WriteURL        string             `yaml:"write_url"`         // of its remote-write receiver
	WriteProtocol   string             `yaml:"write_protocol"`    // 2.0, also if empty, or 1.0
	Timeout         Duration           `yaml:"timeout"`           // of one write; 0 for 10s
	Headers         map[string]string  `yaml:"headers"`           // sent with every request, such as X-Scope-OrgID
	BasicAuth       promhost.BasicAuth `yaml:"basic_auth"`        // of every request
	BearerTokenFile string             `yaml:"bearer_token_file"` // read again for every request
	CAFile          string             `yaml:"ca_file"`           // empty for the system's authorities
}

// Log is how nasight logs to the standard error.
type Log struct {
	Level  string `yaml:"level"`  // debug, info, warn, error
	Format string `yaml:"format"` // logfmt or json
}

// Default is the configuration without a file: this host's collectors, embedded history under ./data, port 9877.
func Default() Config {
	return Config{
		Web:     Web{ListenAddress: ":9877"},
		Hosts:   []Host{{Procfs: liveProcfs, Sysfs: liveSysfs, Modprobe: liveModprobe}},
		Windows: Windows{Interval: Duration(time.Minute)},
		Session: Session{
			Ports: map[uint16]string{2049: "nfs", 445: "smb", 3260: "iscsi"},
			Cap:   256,
		},
		GCNV: gcnv.DefaultConfig(), AzureFiles: azurefiles.DefaultConfig(), AzureNetApp: azurenetapp.DefaultConfig(),
		History: History{
			Path: "data", Retention: Duration(15 * 24 * time.Hour), OutOfOrder: Duration(6 * time.Hour),
		},
		Alerting:  defaultAlerting(),
		Detection: defaultDetection(),
		Export:    defaultExport(),
		Report:    defaultReport(),
		Log:       Log{Level: "info", Format: "logfmt"},
	}
}

const (
	liveProcfs   = "/proc"
	liveSysfs    = "/sys"
	liveModprobe = "/etc/modprobe.d"
)

// complete fills what a listed host leaves out.
func (h *Host) complete() {
	if h.Procfs == "" {
		h.Procfs = liveProcfs
	}
	if h.Sysfs == "" {
		h.Sysfs = liveSysfs
	}
	if h.Modprobe == "" && h.Procfs == liveProcfs {
		h.Modprobe = liveModprobe
	}
}

// On tells whether a collector runs, given its default.
func (c Collector) On(byDefault bool) bool {
	if c.Enabled == nil {
		return byDefault
	}
	return *c.Enabled
}

// Caps are the network caps that are known, by direction.
func (c NetworkCap) Caps() map[string]float64 {
	caps := map[string]float64{}
	if c.Receive > 0 {
		caps["receive"] = float64(c.Receive)
	}
	if c.Transmit > 0 {
		caps["transmit"] = float64(c.Transmit)
	}
	return caps
}

// ProviderOf finds the storage service behind a server by its address or its name.
func (c *Config) ProviderOf(names ...string) fleet.Provider {
	for _, provider := range c.Providers {
		for _, name := range names {
			if ok, err := path.Match(provider.Match, name); err == nil && ok {
				return provider.Provider
			}
		}
	}
	return fleet.ProviderUnknown
}
