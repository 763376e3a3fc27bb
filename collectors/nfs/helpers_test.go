package nfs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

// recorder is a sink that keeps everything.
type recorder struct {
	samples []schema.Sample
	skipped map[string]int
}

func (r *recorder) Add(family *schema.Family, value float64, labels ...string) {
	r.samples = append(r.samples, schema.Sample{Family: family, Labels: labels, Value: value})
}

func (r *recorder) Skip(reason string, count int) {
	if r.skipped == nil {
		r.skipped = make(map[string]int)
	}
	r.skipped[reason] += count
}

// collect runs the collector once over a root and checks what holds for every run: the right number of labels and no
// series twice.
func collect(t testing.TB, root collectors.Root) *recorder {
	t.Helper()
	r := &recorder{}
	if err := New(root).Collect(context.Background(), r); err != nil {
		t.Fatalf("collect: %v", err)
	}
	series := make(map[string]bool)
	for _, sample := range r.samples {
		if len(sample.Labels) != len(sample.Family.Labels) {
			t.Fatalf("%s has %d label values for %v", sample.Family.Name, len(sample.Labels), sample.Family.Labels)
		}
		if name := seriesName(sample); series[name] {
			t.Errorf("series twice: %s", name)
		} else {
			series[name] = true
		}
	}
	return r
}

func seriesName(sample schema.Sample) string {
	labels := make([]string, len(sample.Labels))
	for i, value := range sample.Labels {
		labels[i] = fmt.Sprintf("%s=%q", sample.Family.Labels[i], value)
	}
	return sample.Family.Name + "{" + strings.Join(labels, ",") + "}"
}

// text renders the samples one a line, in order of their names.
func (r *recorder) text() string {
	lines := make([]string, len(r.samples))
	for i, sample := range r.samples {
		lines[i] = fmt.Sprintf("%s %v\n", seriesName(sample), sample.Value)
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// values lists a family's values by the values of some of its labels, joined by a blank.
func (r *recorder) values(family *schema.Family, by ...string) map[string]float64 {
	out := make(map[string]float64)
	for _, sample := range r.samples {
		if sample.Family != family {
			continue
		}
		key := make([]string, len(by))
		for i, label := range by {
			key[i] = sample.Labels[slices.Index(family.Labels, label)]
		}
		out[strings.Join(key, " ")] += sample.Value
	}
	return out
}

// infoLabels lists the info family's values of one label by device.
func (r *recorder) infoLabels(label string) map[string]string {
	labels := schema.NFSMountInfo.Labels
	out := make(map[string]string)
	for _, sample := range r.samples {
		if sample.Family == schema.NFSMountInfo {
			out[sample.Labels[slices.Index(labels, schema.Device)]] = sample.Labels[slices.Index(labels, label)]
		}
	}
	return out
}

// moments are the names of a capture's three moments.
var moments = [...]string{"t0", "t1", "t2"}

// captureNames lists the recorded scenarios that have NFS mounts, as kernel/scenario.
func captureNames(t testing.TB) []string {
	t.Helper()
	return slices.DeleteFunc(capturetest.Scenarios(t), func(name string) bool {
		return !strings.Contains(name, "/nfs-")
	})
}

// hostWith is a root that holds the given files of /proc and /sys, by name.
func hostWith(files map[string]string) collectors.Root {
	procfs, sysfs := fstest.MapFS{}, fstest.MapFS{}
	for name, text := range files {
		if rest, ok := strings.CutPrefix(name, "proc/"); ok {
			procfs[rest] = &fstest.MapFile{Data: []byte(text)}
		} else if rest, ok := strings.CutPrefix(name, "sys/"); ok {
			sysfs[rest] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return collectors.Root{Host: "client", Procfs: procfs, Sysfs: sysfs}
}

// counts is a Skip that keeps what it is told.
func counts() (map[string]int, Skip) {
	skipped := make(map[string]int)
	return skipped, func(reason string, count int) { skipped[reason] += count }
}

func noSkip(string, int) {}

// parseAll keeps copies of all stanzas of a text.
func parseAll(text string, skip Skip) []Stanza {
	var all []Stanza
	for stanza := range ParseMountstats([]byte(text), skip) {
		keep := *stanza
		keep.Events = slices.Clone(stanza.Events)
		keep.Transports = slices.Clone(stanza.Transports)
		keep.Operations = slices.Clone(stanza.Operations)
		all = append(all, keep)
	}
	return all
}
