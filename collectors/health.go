package collectors

import (
	"maps"
	"slices"
	"time"

	"github.com/nasight/nasight/schema"
)

// health adds up how the runs of one collector went.
type health struct {
	host, name  string
	lastSuccess time.Time
	errors      map[Reason]int
	skipped     map[string]int
}

func newHealth(host, name string) health {
	return health{host: host, name: name, errors: make(map[Reason]int), skipped: make(map[string]int)}
}

// maxReasons bounds the reasons that odd input is counted under, as collectors may build them from what they read.
const maxReasons = 32

// healthRoom is how many samples of health there usually are at most.
const healthRoom = 24

const otherReasons = "other"

// note counts a run and returns the health samples that go with it.
func (h *health) note(at time.Time, result Result) []schema.Sample {
	success := 0.0
	if result.Success() {
		success, h.lastSuccess = 1, at
	} else {
		h.errors[ReasonOf(result.Err)]++
	}
	for reason, count := range result.Skipped {
		if _, known := h.skipped[reason]; !known && len(h.skipped) >= maxReasons {
			reason = otherReasons
		}
		h.skipped[reason] += count
	}
	return h.samples(at, success, result.Duration)
}

// samples are the health families. Every reason of an error is there from the start, at zero: a counter that appears
// at one shows no increase.
func (h *health) samples(at time.Time, success float64, took time.Duration) []schema.Sample {
	var all []schema.Sample
	add := func(family *schema.Family, value float64, more ...string) {
		labels := append([]string{h.host, h.name}, more...)
		all = append(all, schema.Sample{Family: family, Labels: labels, Value: value, Time: at})
	}
	add(schema.CollectorSuccess, success)
	add(schema.CollectorDuration, took.Seconds())
	if !h.lastSuccess.IsZero() {
		add(schema.CollectorLastSuccess, float64(h.lastSuccess.UnixMilli())/1e3)
	}
	for _, reason := range reasons() {
		add(schema.CollectorErrors, float64(h.errors[reason]), string(reason))
	}
	for _, reason := range slices.Sorted(maps.Keys(h.skipped)) {
		add(schema.CollectorSkipped, float64(h.skipped[reason]), reason)
	}
	return all
}

func reasons() []Reason {
	return []Reason{ReasonNotFound, ReasonPermission, ReasonTimeout, ReasonHung, ReasonPanic, ReasonOther}
}
