package collectors

import (
	"hash/maphash"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/nasight/nasight/schema"
)

// What the sink counts odd values under.
const (
	skipLabels    = "label_count"
	skipNumber    = "not_a_number"
	skipNegative  = "negative_counter"
	skipDuplicate = "duplicate"
	skipEncoding  = "invalid_utf8" // repaired, not dropped
)

// sink checks and keeps the samples of one run. It has a lock because a collector that missed its deadline may still
// add values while the run's result is taken.
type sink struct {
	time time.Time
	seed maphash.Seed

	mu      sync.Mutex
	closed  bool
	samples []schema.Sample
	past    []schema.Sample
	labels  []string       // free part of the slab that label values are copied to
	seen    map[uint64]int // index in samples of a series' newest value
	skipped map[string]int
}

func newSink(at time.Time, expected int) *sink {
	return &sink{
		time: at, seed: maphash.MakeSeed(),
		samples: make([]schema.Sample, 0, expected),
		seen:    make(map[uint64]int, expected),
	}
}

// Add implements Sink.
func (s *sink) Add(family *schema.Family, value float64, labels ...string) {
	s.AddAt(family, value, s.time, labels...)
}

// AddAt implements TimedSink.
func (s *sink) AddAt(family *schema.Family, value float64, at time.Time, labels ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if reason := odd(family, value, labels); reason != "" {
		s.skip(reason, 1)
		return
	}
	key := s.key(family, labels)
	newest, known := s.seen[key]
	if !known {
		s.seen[key] = len(s.samples)
		s.samples = append(s.samples, schema.Sample{Family: family, Labels: s.keep(labels), Value: value, Time: at})
		return
	}
	s.again(&s.samples[newest], value, at)
}

// again takes a further value of a series. Its moment tells it from the others: a second value of one moment is odd.
func (s *sink) again(newest *schema.Sample, value float64, at time.Time) {
	earlier := *newest
	switch {
	case at.Equal(newest.Time):
		s.skip(skipDuplicate, 1)
		return
	case at.After(newest.Time):
		newest.Value, newest.Time = value, at
	default:
		earlier.Value, earlier.Time = value, at
	}
	s.past = append(s.past, earlier)
}

// odd names what is wrong with a value, or returns "".
func odd(family *schema.Family, value float64, labels []string) string {
	switch {
	case family == nil || len(labels) != len(family.Labels):
		return skipLabels
	case math.IsNaN(value) || math.IsInf(value, 0):
		return skipNumber
	case value < 0 && family.Type == schema.Counter:
		return skipNegative
	}
	return ""
}

// key identifies a series within the run. Two of a million series share a key once in 10^7 runs.
func (s *sink) key(family *schema.Family, labels []string) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	_, _ = h.WriteString(family.Name)
	for _, label := range labels {
		_ = h.WriteByte(0xff) // no byte of valid UTF-8: "a", "bc" differs from "ab", "c"
		_, _ = h.WriteString(label)
	}
	return h.Sum64()
}

const slabSize = 1024 // label values; 16 KiB

// keep copies label values out of the caller's slice, which it may use again.
func (s *sink) keep(labels []string) []string {
	if len(s.labels) < len(labels) {
		s.labels = make([]string, max(slabSize, len(labels)))
	}
	kept := s.labels[:len(labels):len(labels)]
	s.labels = s.labels[len(labels):]
	for i, label := range labels {
		if !utf8.ValidString(label) {
			label = strings.ToValidUTF8(label, "\uFFFD")
			s.skip(skipEncoding, 1)
		}
		kept[i] = label
	}
	return kept
}

// Skip implements Sink.
func (s *sink) Skip(reason string, count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed && count > 0 {
		s.skip(strings.ToValidUTF8(reason, "\uFFFD"), count)
	}
}

func (s *sink) skip(reason string, count int) {
	if s.skipped == nil {
		s.skipped = make(map[string]int)
	}
	s.skipped[reason] += count
}

// close ends the run: it hands out the newest value of every series, the earlier ones and what was skipped, and turns
// later values away.
func (s *sink) close() (samples, past []schema.Sample, skipped map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.samples, s.past, s.skipped
}
