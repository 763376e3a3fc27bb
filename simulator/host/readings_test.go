package host_test

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// noon is the moment of machines that need none in particular.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// readings are what a collector has read, by series.
type readings map[string]float64

// made says which labels a machine makes up: their values follow from nothing in its state.
var made = []string{"device", "options", "security"}

// seriesOf names a series without the labels that a machine makes up and the host.
func seriesOf(family *schema.Family, labels ...string) string {
	var kept []string
	for i, label := range family.Labels {
		if label != "host" && !slices.Contains(made, label) {
			kept = append(kept, labels[i])
		}
	}
	return family.Name + "{" + strings.Join(kept, "|") + "}"
}

// is adds a reading. The labels are those of the series' name.
func (r readings) is(value float64, family *schema.Family, labels ...string) {
	r[family.Name+"{"+strings.Join(labels, "|")+"}"] = value
}

// tester is a test, or one round of a property.
type tester interface {
	Helper()
	Fatalf(format string, arguments ...any)
	Errorf(format string, arguments ...any)
}

// read runs a collector once. Nothing may be odd.
func read(t tester, c collectors.Collector, at time.Time) readings {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	result := collectors.Once(ctx, c, at)
	if !result.Success() {
		t.Fatalf("collect: %v", result.Err)
	}
	if len(result.Skipped) > 0 {
		t.Errorf("skipped %v", result.Skipped)
	}
	found := readings{}
	for _, sample := range result.Samples {
		name := seriesOf(sample.Family, sample.Labels...)
		if _, twice := found[name]; twice {
			t.Errorf("%s is there twice", name)
		}
		found[name] = sample.Value
	}
	return found
}

// same compares with what has to be, up to what is lost in fractions.
func same(t tester, what string, want, got readings) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 1e-6), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// only keeps the readings of some families.
func (r readings) only(families ...*schema.Family) readings {
	kept := readings{}
	for name, value := range r {
		for _, family := range families {
			if strings.HasPrefix(name, family.Name+"{") {
				kept[name] = value
			}
		}
	}
	return kept
}

// moving is a file system whose place another moment of the same host takes.
type moving struct{ now fs.FS }

func (m *moving) Open(name string) (fs.File, error)          { return m.now.Open(name) }
func (m *moving) ReadFile(name string) ([]byte, error)       { return fs.ReadFile(m.now, name) }
func (m *moving) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(m.now, name) }
func (m *moving) ReadLink(name string) (string, error)       { return fs.ReadLink(m.now, name) }
func (m *moving) Lstat(name string) (fs.FileInfo, error)     { return fs.Lstat(m.now, name) }

// moments are the roots of one host, one after another.
type moments struct{ procfs, sysfs, windows moving }

func (m *moments) root(first collectors.Root) collectors.Root {
	m.move(first)
	root := collectors.Root{Host: first.Host, Procfs: &m.procfs, Sysfs: &m.sysfs, Netlink: first.Netlink}
	if first.Windows != nil {
		root.Windows = &m.windows
	}
	return root
}

func (m *moments) move(next collectors.Root) {
	m.procfs.now, m.sysfs.now, m.windows.now = next.Procfs, next.Sysfs, next.Windows
}

// The draws that machines are made of.

// amount is a counter in whole units.
func amount(t *rapid.T, label string) float64 {
	return float64(rapid.Uint64Range(0, 1<<50).Draw(t, label))
}

// seconds are a time in the kernel's units for SMB, 4 milliseconds, so that nothing of it is lost.
func seconds(t *rapid.T, label string) float64 {
	return float64(rapid.Uint64Range(0, 1<<36).Draw(t, label)) / 250
}

func someOf[T comparable](t *rapid.T, label string, from []T, least, most int) []T {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(from), least, most, rapid.ID[T]).Draw(t, label)
}

// BenchmarkRoot makes the files of a host with some of everything that is not NFS.
func BenchmarkRoot(b *testing.B) {
	linux := linuxClient()
	other := windowsClient()
	for name, part := range map[string]func(){
		"linux":      func() { linux.Root() },
		"windows":    func() { other.Root() },
		"exposition": func() { other.Exposition() },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				part()
			}
		})
	}
}
