package promhost

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// view is what the fleet's view says of the only mount with operations, after three scrapes of a text.
func view(t *testing.T, text string) (*fleet.Mount, *fleet.Endpoint, string) {
	t.Helper()
	p := newPrometheus(t)
	p.scrape(text, "app1:9100", []int{0, 1, 2})
	result := collect(t, p.source())
	memory := history.NewMemory(history.MemoryOptions{})
	t.Cleanup(func() { _ = memory.Close() })
	if err := memory.Append(context.Background(), slices.Concat(result.Past, result.Samples)); err != nil {
		t.Fatal(err)
	}
	built, err := fleet.Build(t.Context(), memory, p.at(2), fleet.Moments([]time.Time{p.at(0), p.at(1), p.at(2)}))
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range built.Clients {
		for _, endpoint := range client.Endpoints {
			for _, mount := range endpoint.Mounts {
				if mount.Export == "/vol/a" {
					return mount, endpoint, detectors.StateOf(mount, endpoint, client, detectors.DefaultSettings())
				}
			}
		}
	}
	return nil, nil, ""
}

// What the exporter tells is judged; what it does not tell is unknown and never a sign of health.
func TestViewOfAHost(t *testing.T) {
	mount, endpoint, state := view(t, read(t, "node.prom"))
	if mount == nil {
		t.Fatal("no mount in the view")
	}
	if state != detectors.StateActive && state != detectors.StateIdle {
		t.Errorf("state %s", state)
	}
	if got := float64(mount.ReadRate); got < 3.3e5 || got > 3.4e5 {
		t.Errorf("read rate %v, want 1 %% of 1 GB in 30 s", got)
	}
	if len(endpoint.Sessions) > 0 || endpoint.SessionCount.Known() || endpoint.Pending.Known() || endpoint.Transports[0].Slots.Known() {
		t.Errorf("endpoint %+v tells what no exporter told", endpoint)
	}
}

// Without its operations, or with one scrape alone, a mount has too little data, not an idle load.
func TestViewOfTooLittle(t *testing.T) {
	var kept []string
	for line := range strings.Lines(read(t, "node.prom")) {
		if !strings.Contains(line, "_operations_") {
			kept = append(kept, line)
		}
	}
	if mount, _, state := view(t, strings.Join(kept, "")); mount == nil || state != detectors.StateThin {
		t.Errorf("mount %v, state %s", mount, state)
	}
}

// The sums of a scrape do not depend on the order of the series in the answer.
func TestOrderDoesNotMatter(t *testing.T) {
	base := time.Now()
	rapid.Check(t, func(t *rapid.T) {
		var series []found
		for _, export := range []string{"a:/x", "a:/y"} {
			for _, place := range []string{"0", "1", "2"} {
				series = append(series, found{
					row: &row{family: schema.NFSSends}, host: "h", times: []time.Time{base},
					labels: map[string]string{"export": export, "mountaddr": "192.0.2.1", "protocol": "tcp", "transport": place},
					values: []float64{float64(rapid.IntRange(0, 1000).Draw(t, "sends"))},
				})
			}
		}
		b, shuffled := newBoard(), newBoard()
		readNFSTransports(b, series, func(string, int) {})
		readNFSTransports(shuffled, rapid.Permutation(series).Draw(t, "order"), func(string, int) {})
		for key, l := range b.lines {
			if got := shuffled.lines[key].points[base.UnixMilli()]; got != l.points[base.UnixMilli()] {
				t.Fatalf("%q: %v and %v", key, l.points, got)
			}
		}
		if got := b.lines[schema.NFSTransports.Name+"\xffh\xff192.0.2.1\xffnfs\xff"].points[base.UnixMilli()]; got != 3 {
			t.Fatalf("%v transports", got)
		}
	})
}

// FuzzSeries has what Prometheus may say end in samples that keep the rules, or in a count.
func FuzzSeries(f *testing.F) {
	f.Add(uint8(0), "app1:9100", "files.example.com:/vol/a", "192.0.2.10", "READ", "tcp", "0", 1.5, int64(0))
	f.Add(uint8(9), "", "[2001:db8::1]:/", "", "", "\xff", "idle", -1.0, int64(1<<40))
	f.Add(uint8(250), "[::1", ":", "\n", "NULL", "", "0,0", 1e300, int64(-5))
	all := groups()
	f.Fuzz(func(t *testing.T, pick uint8, instance, export, address, operation, protocol, place string, value float64, offset int64) {
		now := time.UnixMilli(1_800_000_000_000)
		s := &Source{now: func() time.Time { return now }}
		g := &all[int(pick)%len(all)]
		labels := map[string]string{
			nameLabel: g.rows[int(pick)%len(g.rows)].series, "instance": instance, "export": export, "mountaddr": address, "operation": operation,
			"protocol": protocol, "transport": place, "server": address, "share": export, "device": place, "cpu": place, "mode": operation,
		}
		at := now.Add(time.Duration(offset % int64(time.Hour)))
		answer := []history.Series{{Labels: labels, Times: []time.Time{at}, Values: []float64{value}}}
		b := newBoard()
		skip := func(string, int) {}
		g.read(b, s.sort(g, answer, now, skip), skip)
		sink := &capturetest.Sink{}
		for _, l := range b.lines {
			for _, value := range l.points {
				if value < 0 || value >= mostValue {
					t.Errorf("%s is %v", l.family.Name, value)
				}
			}
			sink.Add(l.family, 1, l.labels...)
		}
		sink.Check(t)
	})
}
