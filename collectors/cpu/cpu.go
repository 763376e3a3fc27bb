// Package cpu collects what the processors of a host spend their time on.
package cpu

import (
	"context"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// file is where the kernel shows processor times.
const file = "stat"

// Entry describes the collector for the list of collectors.
func Entry() collectors.Entry {
	return collectors.Entry{
		Name: "cpu", Default: true, Interval: schema.HostGrain,
		Help: "processor time of all cores and of each one, from /proc/stat",
		New: func(root collectors.Root, _ collectors.Settings) (collectors.Collector, error) {
			return New(root), nil
		},
	}
}

// Collector collects the processor times of one host. It is not safe for concurrent use.
type Collector struct {
	root collectors.Root
	last map[counter]float64
}

// counter is one time that the collector shows: of a core, or of all cores where the core is empty.
type counter struct{ core, mode string }

// New makes the collector of one host.
func New(root collectors.Root) *Collector {
	return &Collector{root: root, last: map[counter]float64{}}
}

// Collect implements collectors.Collector. Cores that are offline have no series.
func (c *Collector) Collect(_ context.Context, sink collectors.Sink) error {
	data, err := collectors.Read(c.root.Procfs, file)
	if err != nil {
		return err
	}
	found, odd := parse(data)
	if odd > 0 {
		sink.Skip("odd_cpu_line", odd)
	}
	if found.total != nil {
		c.addTotal(sink, *found.total)
	}
	for _, core := range found.cores {
		sink.Add(schema.CPUCoreSeconds, c.rising(counter{core.name, "busy"}, core.busy), c.root.Host, core.name, "busy")
		sink.Add(schema.CPUCoreSeconds, c.rising(counter{core.name, "softirq"}, core.softirq), c.root.Host, core.name, "softirq")
	}
	if len(found.cores) > 0 {
		sink.Add(schema.CPUCores, float64(len(found.cores)), c.root.Host)
	}
	if found.total == nil && len(found.cores) == 0 {
		return collectors.ErrNoData
	}
	return nil
}

func (c *Collector) addTotal(sink collectors.Sink, total times) {
	add := func(mode string, seconds float64) {
		sink.Add(schema.CPUSeconds, c.rising(counter{mode: mode}, seconds), c.root.Host, mode)
	}
	add("busy", total.busy)
	add("softirq", total.softirq)
	add("idle", total.idle)
	if total.hasSteal {
		add("steal", total.steal)
	}
}

// stepBack is the largest fall in seconds that is not taken for a reset.
const stepBack = 60

// rising holds a time that has gone back a little: the kernel corrects iowait and steal now and then, and a rate
// would take that for a reset and add the whole counter.
func (c *Collector) rising(of counter, seconds float64) float64 {
	if last := c.last[of]; seconds < last && last-seconds <= stepBack {
		return last
	}
	c.last[of] = seconds
	return seconds
}
