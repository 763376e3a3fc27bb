package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	toolkit "github.com/prometheus/exporter-toolkit/web"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/fleet"
)

// The bounds of what can be set.
const (
	shortestInterval = time.Second
	longestInterval  = time.Hour
	shortestWindow   = 2 * time.Second
	shortestTimeout  = 100 * time.Millisecond
	shortestKept     = time.Hour
	leastSpace       = 64 << 20
	slowestNetwork   = 1e6 / 8 // bytes per second; less than this is a forgotten unit
	mostSessions     = 65536
)

// invalid is a value that cannot be.
type invalid struct {
	key     string // path in the file, as hosts[1].name
	message string // what is wrong and what to do
}

// check collects what is wrong.
type check struct {
	found []invalid
}

func (c *check) fail(key, format string, arguments ...any) {
	c.found = append(c.found, invalid{key: key, message: fmt.Sprintf(format, arguments...)})
}

func (c *check) oneOf(key, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		c.fail(key, "%q is not known; write %s", value, strings.Join(allowed, ", "))
	}
}

// within checks a clock: from least to an hour.
func (c *check) within(key string, value Duration, least time.Duration) {
	if v := time.Duration(value); v < least || v > longestInterval {
		c.fail(key, "%s is out of range; write %s to %s", v, least, longestInterval)
	}
}

func (c *Config) validate() []invalid {
	var check check
	check.web(c.Web)
	check.hosts(c.Hosts)
	check.windows(c.Windows)
	check.collectors(c.Collectors)
	check.somethingRuns(c)
	check.session(c.Session)
	check.networkCap("network_cap.receive", c.NetworkCap.Receive)
	check.networkCap("network_cap.transmit", c.NetworkCap.Transmit)
	check.providers(c.Providers)
	if c.Cloud != "" {
		check.oneOf("cloud", c.Cloud, "gce", "azure")
	}
	check.section("gcnv", c.GCNV.Validate())
	check.section("azurefiles", c.AzureFiles.Validate())
	check.section("azurenetapp", c.AzureNetApp.Validate())
	check.cloudAuthority("azurefiles.endpoints.ca_file", c.AzureFiles.Endpoints.CAFile)
	check.cloudAuthority("azurenetapp.endpoints.ca_file", c.AzureNetApp.Endpoints.CAFile)
	check.promhosts(c.PromHost)
	check.history(c.History)
	check.remoteHistory(c.History)
	check.export(c.Export)
	check.loops(*c)
	check.detection(c.Detection)
	check.alerting(c.Alerting)
	if c.History.Remote() && c.Alerting.Enabled() {
		check.fail("alerting", "rules are evaluated on the embedded history alone; leave this out and let the server of history.url evaluate them, `nasight rules export` writes them")
	}
	check.report(c.Report)
	check.oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	check.oneOf("log.format", c.Log.Format, "logfmt", "json")
	return check.found
}

func (c *check) web(web Web) {
	if err := CheckListenAddress(web.ListenAddress); err != nil {
		c.fail("web.listen_address", "%v", err)
	}
	if web.ConfigFile == "" {
		return
	}
	switch info, err := os.Stat(web.ConfigFile); {
	case errors.Is(err, fs.ErrNotExist):
		c.fail("web.config_file", "there is no file %s; write the path of a web configuration file, or leave the key out", web.ConfigFile)
	case err != nil:
		c.fail("web.config_file", "cannot be read: %v; let the user that nasight runs as read it", err)
	case !info.Mode().IsRegular():
		c.fail("web.config_file", "%s is no file; write the path of a web configuration file", web.ConfigFile)
	default:
		if err := toolkit.Validate(web.ConfigFile); err != nil {
			c.fail("web.config_file", "%s: %s; correct that file", web.ConfigFile, strings.Join(strings.Fields(err.Error()), " "))
		}
	}
}

// CheckListenAddress tells what no machine could listen on: what is not HOST:PORT with a number as port.
func CheckListenAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("%q is not HOST:PORT; write :9877 or 127.0.0.1:9877", address)
	}
	return nil
}

// section takes over what a section itself finds: lines that begin with the key.
func (c *check) section(name string, err error) {
	if err == nil {
		return
	}
	for line := range strings.Lines(err.Error()) {
		key, message, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		c.fail(name+"."+key, "%s", message)
	}
}

// hosts checks what would make two hosts look like one, or one host's sessions look like another's.
func (c *check) hosts(hosts []Host) {
	seen, live := map[string]bool{}, 0
	for i, host := range hosts {
		key := fmt.Sprintf("hosts[%d]", i)
		switch {
		case host.Name == "" && len(hosts) > 1:
			c.fail(key+".name", "missing; give every host a name when there are several")
		case seen[host.Name]:
			c.fail(key+".name", "%q is there twice; give every host a name of its own", host.Name)
		case strings.ContainsFunc(host.Name, unicode.IsControl):
			c.fail(key+".name", "%q has control characters; write the host's name", host.Name)
		}
		seen[host.Name] = true
		if host.Netlink != "" {
			continue
		}
		if live++; live > 1 {
			c.fail(key+".netlink", "missing; only one host can ask this machine's kernel, name the directory of recorded replies")
		}
	}
}

func (c *check) collectors(byName map[string]Collector) {
	known := collectorNames()
	for _, name := range sortedKeys(byName) {
		key := "collectors." + name
		if !slices.Contains(known, name) {
			c.fail(key, "no such collector; there are %s", strings.Join(known, ", "))
			continue
		}
		if interval := byName[name].Interval; interval != 0 {
			c.within(key+".interval", interval, shortestInterval)
		}
		if timeout := byName[name].Timeout; timeout != 0 {
			c.within(key+".timeout", timeout, shortestTimeout)
		}
	}
}

// somethingRuns wants a collector wherever there are hosts. A file that lists none reads this machine.
func (c *check) somethingRuns(config *Config) {
	runs := func(entry collectors.Entry) bool { return config.Collectors[entry.Name].On(entry.Default) }
	if len(config.Hosts) > 0 && !slices.ContainsFunc(list.Entries(), runs) {
		c.fail("collectors", "every collector is switched off, and there are hosts to read; switch one on, or write hosts: [] to serve agents alone")
	}
}

func (c *check) session(session Session) {
	if len(session.Ports) == 0 {
		c.fail("session.ports", "empty; write at least one port, as 2049: nfs, or leave the key out")
	}
	for port, protocol := range session.Ports {
		key := fmt.Sprintf("session.ports.%d", port)
		if port == 0 {
			c.fail(key, "0 is no port; write 1 to 65535")
		}
		c.oneOf(key, protocol, "nfs", "smb", "iscsi")
	}
	if session.Cap < 1 || session.Cap > mostSessions {
		c.fail("session.cap", "%d is out of range; write 1 to %d", session.Cap, mostSessions)
	}
}

func (c *check) networkCap(key string, rate Rate) {
	if rate != 0 && rate < slowestNetwork {
		c.fail(key, "%g bytes per second is less than 1Mbit/s; write a unit, as 32Gbit/s", float64(rate))
	}
}

func (c *check) providers(providers []Provider) {
	for i, provider := range providers {
		key := fmt.Sprintf("providers[%d]", i)
		if _, err := path.Match(provider.Match, ""); err != nil || provider.Match == "" {
			c.fail(key+".match", "%q is not a pattern; write an address or a name, * stands for any characters", provider.Match)
		}
		c.oneOf(key+".provider", string(provider.Provider), string(fleet.ProviderGCNV), string(fleet.ProviderAzure), string(fleet.ProviderAzureNetApp))
	}
}

func (c *check) history(history History) {
	if history.Path == "" {
		c.fail("history.path", "empty; write the directory to keep samples in")
	}
	if retention := time.Duration(history.Retention); retention < shortestKept {
		c.fail("history.retention", "%s is too short; write %s or more", retention, shortestKept)
	}
	if history.MaxBytes != 0 && history.MaxBytes < leastSpace {
		c.fail("history.max_bytes", "%d bytes is too little; write 64MiB or more, or 0 for no limit", history.MaxBytes)
	}
	if history.OutOfOrder > history.Retention {
		c.fail("history.out_of_order", "%s is longer than the retention of %s; write less", history.OutOfOrder, history.Retention)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// collectorNames are the collectors that there are.
func collectorNames() []string {
	var names []string
	for _, entry := range list.Entries() {
		names = append(names, entry.Name)
	}
	return names
}
