package config

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"time"

	"github.com/prometheus/common/model"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/schema"
)

const nfsCollector = "nfs" // its readings are what most detectors judge

// CollectionInterval is how often hosts are expected to be read, those of agents included: what the file says, else the
// interval of the nfs collector.
func (c *Config) CollectionInterval() time.Duration {
	if c.Detection.CollectionInterval > 0 {
		return time.Duration(c.Detection.CollectionInterval)
	}
	entries := list.Entries()
	at := slices.IndexFunc(entries, func(e collectors.Entry) bool { return e.Name == nfsCollector })
	if at < 0 {
		return time.Duration(c.Detection.Window) / 4
	}
	return c.intervalOf(entries[at])
}

func (c *Config) intervalOf(entry collectors.Entry) time.Duration {
	if own := c.Collectors[entry.Name].Interval; own > 0 {
		return time.Duration(own)
	}
	return entry.Interval
}

// unused is what is written and does nothing.
func (c *Config) unused() (warnings []string) {
	if otlp := c.Export.OTLP; !otlp.Enabled() && !reflect.DeepEqual(otlp, defaultExport().OTLP) {
		warnings = append(warnings, "export.otlp has no endpoint: nothing is pushed by OTLP; write endpoint: http://HOST:4317, or leave the section out.")
	}
	for i, host := range c.Hosts {
		for _, root := range []struct{ key, path string }{{"procfs", host.Procfs}, {"sysfs", host.Sysfs}} {
			if info, err := os.Stat(root.path); root.path != "" && (err != nil || !info.IsDir()) {
				warnings = append(warnings, fmt.Sprintf("hosts[%d].%s: there is no directory %s: nothing will be read there; correct the path, or let it appear.", i, root.key, root.path))
			}
		}
	}
	return warnings
}

// unlearnt is a past that is to be learnt from and is not kept. How long a server keeps it, only that server knows.
func (c *Config) unlearnt() []string {
	learn, kept := time.Duration(c.Detection.Anomalies.Learn), time.Duration(c.History.Retention)
	if !c.Detection.Anomalies.Enabled || c.History.Remote() || learn <= kept {
		return nil
	}
	return []string{fmt.Sprintf("detection.anomalies.learn of %s is longer than history.retention of %s: what is older is not there to learn from; write less, or keep more.",
		model.Duration(learn), model.Duration(kept))}
}

// Warnings are what is allowed and hardly meant, a sentence each; none for most configurations.
func (c *Config) Warnings() []string {
	var warnings []string
	window := time.Duration(c.Detection.Window)
	short := func(what string, interval time.Duration) {
		if window < 2*interval {
			warnings = append(warnings, fmt.Sprintf("detection.window of %s is shorter than two readings of %s, one every %s: rates will be missing; make the window longer or read more often.",
				window, what, interval))
		}
	}
	short("the hosts (detection.collection_interval, else that of nfs)", c.CollectionInterval())
	if c.Windows.Directory != "" {
		every := time.Duration(c.Windows.Interval)
		short("the Windows hosts (windows.interval)", every)
		if expected := c.CollectionInterval(); window >= 2*every && every > expected {
			warnings = append(warnings, fmt.Sprintf("windows.interval of %s is longer than the %s in which hosts are expected to be read: the Windows hosts will not be judged; "+
				"set detection.collection_interval to %s and detection.window to five times that.", every, expected, every))
		}
	}
	for i, one := range c.PromHost {
		short(fmt.Sprintf("promhost[%d].interval", i), one.Every())
	}
	warnings = append(warnings, c.unused()...)
	warnings = append(warnings, c.unlearnt()...)
	if len(c.Hosts) == 0 {
		return warnings
	}
	for _, entry := range list.Entries() {
		told := entry.Name == nfsCollector && c.Detection.CollectionInterval == 0
		facts := entry.Interval >= schema.ConfigGrain // no rate is made of what is read hourly
		if !told && !facts && c.Collectors[entry.Name].On(entry.Default) {
			short("collectors."+entry.Name, c.intervalOf(entry))
		}
	}
	return warnings
}
