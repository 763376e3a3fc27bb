package capturetest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/schema"
)

// Sink remembers what a collector puts into it. The zero value is ready for use.
type Sink struct {
	Skips map[string]int // odd input by reason

	values map[string]float64 // by series in exposition syntax
	faults []string
}

// Add remembers one value. A wrong number of labels and a second value of one series are faults (see Check).
func (s *Sink) Add(family *schema.Family, value float64, labels ...string) {
	if len(labels) != len(family.Labels) {
		s.faults = append(s.faults, fmt.Sprintf("%s has labels %q, want values of %q", family.Name, labels, family.Labels))
		return
	}
	if s.values == nil {
		s.values = map[string]float64{}
	}
	series := seriesName(family, labels)
	if _, twice := s.values[series]; twice {
		s.faults = append(s.faults, series+" was added twice")
	}
	s.values[series] = value
}

// Skip adds to the count of a reason.
func (s *Sink) Skip(reason string, count int) {
	if s.Skips == nil {
		s.Skips = map[string]int{}
	}
	s.Skips[reason] += count
}

// Value returns the value of one series and whether it was added.
func (s *Sink) Value(family *schema.Family, labels ...string) (float64, bool) {
	value, ok := s.values[seriesName(family, labels)]
	return value, ok
}

// Series returns the number of series of a family.
func (s *Sink) Series(family *schema.Family) int {
	count := 0
	for series := range s.values {
		if strings.HasPrefix(series, family.Name+"{") {
			count++
		}
	}
	return count
}

// All returns the values by series name, written as in the exposition: name{label="value",...}.
func (s *Sink) All() map[string]float64 { return maps.Clone(s.values) }

// Text renders the samples, one line each, sorted, and the skips behind them as comments.
func (s *Sink) Text() string {
	var text strings.Builder
	for _, series := range slices.Sorted(maps.Keys(s.values)) {
		text.WriteString(series + " " + strconv.FormatFloat(s.values[series], 'f', -1, 64) + "\n")
	}
	for _, reason := range slices.Sorted(maps.Keys(s.Skips)) {
		fmt.Fprintf(&text, "# skipped %d: %s\n", s.Skips[reason], reason)
	}
	return text.String()
}

// Check fails the test for every fault: wrong label counts and series that were added twice.
func (s *Sink) Check(t testing.TB) {
	t.Helper()
	for _, fault := range s.faults {
		t.Error(fault)
	}
}

// Discard is a sink that keeps nothing, for benchmarks that measure the collector alone.
type Discard struct{}

// Add forgets a value.
func (Discard) Add(*schema.Family, float64, ...string) {}

// Skip forgets a count.
func (Discard) Skip(string, int) {}

// Golden compares text with the file testdata/NAME of the package under test, and writes the file first if update
// is set (each test package has an -update flag of its own).
func Golden(t testing.TB, name, text string, update bool) {
	t.Helper()
	file := filepath.Join("testdata", filepath.FromSlash(name))
	if update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatalf("make golden directory: %v", err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatalf("write golden file: %v", err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("read golden file (make it with -update): %v", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

func seriesName(family *schema.Family, labels []string) string {
	var name strings.Builder
	name.WriteString(family.Name + "{")
	for i, value := range labels {
		if i > 0 {
			name.WriteByte(',')
		}
		name.WriteString(family.Labels[i] + "=" + strconv.Quote(value))
	}
	name.WriteByte('}')
	return name.String()
}
