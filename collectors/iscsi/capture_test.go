package iscsi

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

func captures(t testing.TB) []string {
	t.Helper()
	var found []string
	for _, name := range capturetest.Scenarios(t) {
		if strings.Contains(name, "/iscsi-") {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		t.Fatal("no captures of iSCSI")
	}
	return found
}

func TestGolden(t *testing.T) {
	for _, name := range []string{"6.1/iscsi-4plus16sessions-idle", "6.1/iscsi-1session-read16", "7.3/iscsi-4sessions-read16"} {
		sink := run(t, New(capturetest.Moment(t, name, "t1")))
		capturetest.Golden(t, name+".txt", sink.Text(), *update)
	}
}

// rates are a capture's figures between its first moment and its last.
type rates struct {
	bytes, operations, outstanding float64 // per second
	sessions                       map[string]float64
	first                          *capturetest.Sink
}

func measure(t *testing.T, name string) rates {
	t.Helper()
	c := New(capturetest.Moment(t, name, "t0"))
	first := run(t, c)
	run(t, c.on(capturetest.Moment(t, name, "t1")))
	last := run(t, c.on(capturetest.Moment(t, name, "t2")))
	seconds := clock(t, name, "t2") - clock(t, name, "t0")
	for _, sink := range []*capturetest.Sink{first, last} {
		if len(sink.Skips) > 0 {
			t.Errorf("skipped %v", sink.Skips)
		}
	}
	r := rates{sessions: map[string]float64{}, first: first}
	before := first.All()
	for series, value := range last.All() {
		rate := (value - before[series]) / seconds
		family, labels, _ := strings.Cut(series, "{")
		switch family {
		case schema.ISCSIReadBytes.Name, schema.ISCSIWriteBytes.Name:
			r.bytes += rate
		case schema.ISCSIOperations.Name:
			r.operations += rate
		case schema.ISCSIOutstanding.Name:
			r.outstanding += rate
		case schema.ISCSISessionBytes.Name:
			_, session, _ := strings.Cut(labels, `session="`)
			r.sessions[session] += rate
		}
	}
	return r
}

func clock(t *testing.T, name, moment string) float64 {
	t.Helper()
	var file struct {
		Clock struct{ Start struct{ Monotonic float64 } }
	}
	if err := json.Unmarshal(capturetest.Files(t, name, moment)["clock.json"].Data, &file); err != nil {
		t.Fatal(err)
	}
	if file.Clock.Start.Monotonic <= 0 {
		t.Fatalf("%s %s: no time", name, moment)
	}
	return file.Clock.Start.Monotonic
}

// TestCaptures compares with what the load's own tool measured and asked for.
func TestCaptures(t *testing.T) {
	const mib = 1 << 20
	tests := map[string]struct {
		sessions, targets  int
		bytes, outstanding float64
		busiest            float64 // share of the bytes; 0 for none
	}{
		"iscsi-1session-idle":        {1, 1, 0, 0, 0},
		"iscsi-4sessions-idle":       {4, 1, 0, 0, 0},
		"iscsi-4plus16sessions-idle": {20, 2, 0, 0, 0},
		"iscsi-1session-read16":      {1, 1, 2.2 * mib, 16, 1},
		"iscsi-4sessions-read16":     {4, 1, 8.5 * mib, 16, 0.25},
		"iscsi-1session-single-4k":   {1, 1, 2.0 * mib, 1, 1},
		"iscsi-4sessions-one-busy":   {4, 1, 2.1 * mib, 16, 1},
	}
	near := func(got, want, share float64) bool { return math.Abs(got-want) <= share*want }
	for _, name := range captures(t) {
		t.Run(name, func(t *testing.T) {
			test, ok := tests[name[strings.Index(name, "/")+1:]]
			if !ok {
				t.Fatal("no expectation for the capture")
			}
			r := measure(t, name)
			if !near(r.bytes, test.bytes, 0.15) || !near(r.outstanding, test.outstanding, 0.2) || (r.operations == 0) != (test.bytes == 0) {
				t.Errorf("%.3g bytes/s, %.3g outstanding, %.3g operations/s", r.bytes, r.outstanding, r.operations)
			}
			if len(r.sessions) != test.sessions || r.first.Series(schema.ISCSISessions) != test.targets {
				t.Errorf("%d sessions, %d targets", len(r.sessions), r.first.Series(schema.ISCSISessions))
			}
			sum, most := 0.0, 0.0
			for _, rate := range r.sessions {
				sum, most = sum+rate, max(most, rate)
			}
			if math.Abs(sum-r.bytes) > 1 || test.busiest > 0 && !near(most/sum, test.busiest, 0.1) {
				t.Errorf("sessions have %.4g of %.4g bytes/s, the busiest %.4g", sum, r.bytes, most)
			}
		})
	}
}

func BenchmarkCollect20Sessions(b *testing.B) {
	root := capturetest.Moment(b, "6.1/iscsi-4plus16sessions-idle", "t1")
	for _, tree := range []*fs.FS{&root.Procfs, &root.Sysfs} {
		directory := filepath.Join(b.TempDir(), "tree")
		if err := os.CopyFS(directory, *tree); err != nil {
			b.Fatal(err)
		}
		*tree = os.DirFS(directory)
	}
	c := New(root)
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Collect(b.Context(), capturetest.Discard{}); err != nil {
			b.Fatal(err)
		}
	}
}
