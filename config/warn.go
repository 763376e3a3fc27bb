package config

import (
	"fmt"
	"slices"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
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
	if len(c.Hosts) == 0 {
		return warnings
	}
	for _, entry := range list.Entries() {
		told := entry.Name == nfsCollector && c.Detection.CollectionInterval == 0
		if !told && c.Collectors[entry.Name].On(entry.Default) {
			short("collectors."+entry.Name, c.intervalOf(entry))
		}
	}
	return warnings
}
