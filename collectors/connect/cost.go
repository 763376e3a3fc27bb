package connect

import (
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// counter is what has counted the calls of a trial, as a budget does.
type counter interface{ Collect(sink collectors.Sink) }

// CostOf reads a counter that only one trial has used.
func CostOf(c counter) Cost {
	sink := &costSink{cost: Cost{Bill: &Bill{}}}
	c.Collect(sink)
	return sink.cost
}

// costSink takes the counter's series for what they count.
type costSink struct{ cost Cost }

// Add implements collectors.Sink.
func (s *costSink) Add(family *schema.Family, value float64, labels ...string) {
	switch family {
	case schema.CloudRequests:
		s.cost.Calls += int(value)
		if code := labels[len(labels)-1]; code != "OK" && code != "200" {
			s.cost.Failed += int(value)
		}
	case schema.CloudSeriesReturned:
		s.cost.Series += int(value)
	case schema.CloudCost:
		s.cost.USD += value
	}
}

// Skip implements collectors.Sink.
func (s *costSink) Skip(string, int) {}
