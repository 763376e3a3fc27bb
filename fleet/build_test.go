package fleet_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

var start = time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)

// recorder fills a memory history: one call of at for each moment.
type recorder struct {
	t      *testing.T
	memory *history.Memory
	times  []time.Time
	now    time.Time
}

func newRecorder(t *testing.T) *recorder {
	memory := history.NewMemory(history.MemoryOptions{})
	t.Cleanup(func() { _ = memory.Close() })
	return &recorder{t: t, memory: memory}
}

func (r *recorder) at(offset time.Duration) {
	r.now = start.Add(offset)
	r.times = append(r.times, r.now)
}

func (r *recorder) add(family *schema.Family, value float64, labels ...string) {
	r.t.Helper()
	sample := schema.Sample{Family: family, Labels: labels, Value: value, Time: r.now}
	if err := r.memory.Append(context.Background(), []schema.Sample{sample}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *recorder) build(profile fleet.Profile) *fleet.Fleet {
	r.t.Helper()
	view, err := fleet.Build(context.Background(), r.memory, r.now, profile)
	if err != nil {
		r.t.Fatal(err)
	}
	return view
}

func within(t *testing.T, what string, got fleet.Value, want float64) {
	t.Helper()
	if !got.Known() || math.Abs(float64(got)-want) > 0.001*math.Max(1, math.Abs(want)) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func unknown(t *testing.T, what string, got fleet.Value) {
	t.Helper()
	if got.Known() {
		t.Errorf("%s = %v, want unknown", what, got)
	}
}

var mountLabels = []string{"client", "192.0.2.10", "/vol", "nfs", "0:40"}

func (r *recorder) mount(operations, onWire, outstanding, read, age float64) {
	r.add(schema.NFSMountInfo, 1, append(mountLabels, "files.example.com", "3", "tcp", `/mnt/a /mnt/with\040blank`, "sys", "4", "rw,hard")...)
	r.add(schema.NFSMountAge, age, mountLabels...)
	r.add(schema.NFSReadBytes, read, mountLabels...)
	for _, class := range []string{"read", "write"} {
		labels := append(append([]string{}, mountLabels...), class)
		factor := map[string]float64{"read": 1, "write": 0}[class]
		r.add(schema.NFSOperations, operations*factor, labels...)
		r.add(schema.NFSRTT, onWire*factor, labels...)
		r.add(schema.NFSExecute, outstanding*factor, labels...)
	}
}

// TestBuildOfThreeMoments checks the numbers of a mount that does 100 op/s of 64 KiB, 10 ms on the wire and 20 ms in all.
func TestBuildOfThreeMoments(t *testing.T) {
	r := newRecorder(t)
	for i, seconds := range []float64{0, 9.64, 19.64} {
		r.at(time.Duration(seconds * float64(time.Second)))
		r.mount(1000+100*seconds, 50+seconds, 70+2*seconds, 1e9+100*65536*seconds, 300+seconds)
		for _, local := range []string{"192.0.2.1:800", "192.0.2.1:801"} {
			share := map[string]float64{"192.0.2.1:800": 3, "192.0.2.1:801": 1}[local]
			labels := []string{"client", "192.0.2.10", "nfs", local}
			r.add(schema.SessionReceived, 5e6+share*1e6*seconds, labels...)
			r.add(schema.SessionAcked, 1000, labels...)
			r.add(schema.SessionRTT, []float64{0.050, 0.040, 0.060}[i], labels...)
			r.add(schema.SessionSegments, 1000+100*seconds, labels...)
			r.add(schema.SessionOutOfOrder, 10+2*seconds, labels...)
		}
		r.add(schema.EndpointLowestRTT, 0.001, "client", "192.0.2.10", "nfs")
		r.add(schema.NFSPending, []float64{4, 2, 3}[i], "client", "192.0.2.10", "nfs")
		r.add(schema.NFSTransports, 2, "client", "192.0.2.10", "nfs", "3")
		r.add(schema.NFSSends, 1000+100*seconds, "client", "192.0.2.10", "nfs", "3")
		r.add(schema.NFSBacklog, 500*seconds, "client", "192.0.2.10", "nfs", "3")
		r.add(schema.NFSSlotTable, 128, "client")
		r.add(schema.CPUSeconds, 100+0.8*seconds, "client", "busy")
		r.add(schema.CPUSeconds, 900+3.2*seconds, "client", "idle")
		r.add(schema.CPUCoreSeconds, 10+0.3*seconds, "client", "0", "softirq")
		r.add(schema.CPUCoreSeconds, 10+0.1*seconds, "client", "1", "softirq")
	}
	view := r.build(fleet.Moments(r.times))
	if len(view.Clients) != 1 || len(view.Clients[0].Mounts) != 1 || len(view.Clients[0].Endpoints) != 1 {
		t.Fatalf("got %d clients", len(view.Clients))
	}
	client := view.Clients[0]
	mount, endpoint := client.Mounts[0], client.Endpoints[0]
	within(t, "coverage", client.Coverage, 1)
	within(t, "operations", mount.Operations(), 100)
	within(t, "on the wire", mount.OnWire(), 1)
	within(t, "outstanding", mount.Outstanding(), 2)
	within(t, "read rate", mount.ReadRate, 6553600)
	within(t, "completions of the last interval", mount.Completions, 100)
	within(t, "advance of the clock", mount.ClockAdvance, 10)
	within(t, "nconnect", mount.NConnect, 4)
	if got := strings.Join(mount.MountPoints, "|"); got != "/mnt/a|/mnt/with blank" {
		t.Errorf("mount points %q", got)
	}
	within(t, "busiest share", endpoint.BusiestShare(), 0.75)
	within(t, "smoothed RTT (median)", endpoint.Busiest().RTT, 0.050)
	within(t, "out of order", endpoint.Busiest().OutOfOrder, 0.02)
	within(t, "moving", endpoint.Moving, 1)
	within(t, "pending", endpoint.Pending, 3)
	within(t, "pending floor", endpoint.PendingFloor, 2)
	within(t, "transports", endpoint.Count(), 2)
	within(t, "backlog", endpoint.Transports[0].Backlog, 5)
	within(t, "slots", endpoint.Transports[0].Slots, 128)
	within(t, "transport RTT", endpoint.Transports[0].RTT, 0.010)
	within(t, "busy", client.CPU.Busy, 0.2)
	within(t, "busiest softirq", client.CPU.BusiestSoftirq, 0.3)
	unknown(t, "ceiling", endpoint.Ceiling)
	unknown(t, "steal", client.CPU.Steal)
}

func TestOneMomentGivesNoRates(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	r.mount(1000, 50, 70, 1e9, 300)
	view := r.build(fleet.Moments(r.times))
	mount := view.Clients[0].Mounts[0]
	unknown(t, "operations", mount.Operations())
	unknown(t, "read rate", mount.ReadRate)
	unknown(t, "completions", mount.Completions)
	within(t, "age", mount.Age, 300)
}

func TestResetGivesNoRate(t *testing.T) {
	r := newRecorder(t)
	for i, operations := range []float64{1000, 2000, 500} {
		r.at(time.Duration(i) * 10 * time.Second)
		r.mount(operations, 50, 70, 1e9, 300)
	}
	mount := r.build(fleet.Moments(r.times)).Clients[0].Mounts[0]
	unknown(t, "read operations after a reset", mount.Classes["read"].Rate)
	within(t, "write operations", mount.Classes["write"].Rate, 0)
}

func TestStoppingSessionDoesNotMove(t *testing.T) {
	r := newRecorder(t)
	for i, bytes := range []float64{0, 1e7, 1e7} {
		r.at(time.Duration(i) * 10 * time.Second)
		r.mount(1000, 50, 70, 1e9, 300)
		r.add(schema.SessionReceived, 1e6+bytes, "client", "192.0.2.10", "nfs", "192.0.2.1:800")
		r.add(schema.SessionAcked, 1, "client", "192.0.2.10", "nfs", "192.0.2.1:800")
	}
	within(t, "moving", r.build(fleet.Moments(r.times)).Clients[0].Endpoints[0].Moving, 0)
}

// TestEvidenceQueriesGiveTheView runs the queries that findings print and compares with the view.
func TestEvidenceQueriesGiveTheView(t *testing.T) {
	r := newRecorder(t)
	for i := range 3 {
		seconds := float64(10 * i)
		r.at(time.Duration(seconds) * time.Second)
		r.mount(1000+100*seconds, 50+seconds, 70+2*seconds, 1e9+seconds, 300+seconds)
	}
	view := r.build(fleet.Moments(r.times))
	mount := view.Clients[0].Mounts[0]
	for feature, want := range map[string]fleet.Value{
		fleet.FeatureRate:          mount.Operations(),
		fleet.FeatureOnWire:        mount.OnWire(),
		fleet.FeatureOutstanding:   mount.Outstanding(),
		fleet.FeatureRTT:           mount.OnWire().Over(mount.Operations()),
		fleet.FeatureExecute:       mount.Outstanding().Over(mount.Operations()),
		fleet.FeatureQueueShare:    0.5,
		fleet.FeatureMetadataShare: 0,
		fleet.FeatureReadRate:      mount.ReadRate,
		fleet.FeatureCompletions:   mount.Completions,
	} {
		query := view.Query(feature, mount.Resource())
		if !strings.Contains(query, `export="/vol"`) {
			t.Errorf("%s: query %q does not name the export", feature, query)
		}
		points, err := r.memory.Instant(context.Background(), query, view.At)
		if err != nil || len(points) != 1 {
			if feature == fleet.FeatureMetadataShare && len(points) == 0 {
				continue // no metadata class at all: nothing to sum
			}
			t.Errorf("%s: %d points, %v", feature, len(points), err)
			continue
		}
		within(t, feature, fleet.Value(points[0].Value), float64(want))
	}
}

// TestEveryFeatureIsValidPromQL also proves that an empty history is an empty fleet and no error.
func TestEveryFeatureIsValidPromQL(t *testing.T) {
	memory := history.NewMemory(history.MemoryOptions{})
	defer func() { _ = memory.Close() }()
	seen := map[string]bool{}
	for _, profile := range []fleet.Profile{fleet.Spacing(time.Minute, 15*time.Second), fleet.Moments([]time.Time{start})} {
		for _, feature := range fleet.Features() {
			odd := fleet.Resource{Host: `a"b\c`, Server: "192.0.2.1", Export: "/x\ny"}
			for _, protocol := range []string{"", fleet.NFS, fleet.SMB, fleet.ISCSI} {
				odd.Protocol = protocol
				query := feature.Promql(profile, odd)
				if _, counted := feature.Per[protocol]; !counted && feature.Per != nil && protocol != "" {
					if query != "" {
						t.Errorf("%s asks %q for a protocol that it has no row for", feature.Name, query)
					}
					continue
				}
				if strings.Contains(query, "$") {
					t.Errorf("%s: %q keeps a placeholder", feature.Name, query)
				}
				if _, err := memory.Instant(context.Background(), query, start); err != nil {
					t.Errorf("%s: %v", feature.Name, err)
				}
			}
			seen[feature.Name] = true
		}
		view, err := fleet.Build(context.Background(), memory, start, profile)
		if err != nil || len(view.Clients) != 0 {
			t.Errorf("empty history: %v, %v", view, err)
		}
	}
	if len(seen) != len(fleet.Features()) {
		t.Errorf("%d rows with %d names: a name stands twice", len(fleet.Features()), len(seen))
	}
}

// TestLearnNeedsThreeBusyDays follows the rule for K: three days with twenty busy minutes each.
func TestLearnNeedsThreeBusyDays(t *testing.T) {
	for days, known := range map[int]bool{2: false, 3: true} {
		r := newRecorder(t)
		for day := days - 1; day >= 0; day-- {
			for minute := range 25 {
				r.at(7*24*time.Hour - time.Duration(day)*24*time.Hour - time.Duration(25-minute)*time.Minute)
				r.add(schema.EndpointBusiestSession, 1e9+float64(minute), "client", "192.0.2.10", "nfs")
				r.add(schema.EndpointOperationRTT, 0.001+0.001*float64(minute), "client", "192.0.2.10", "nfs")
			}
		}
		learnt, err := fleet.Learn(context.Background(), r.memory, r.now, fleet.Spacing(time.Minute, 15*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		r.mount(1, 1, 1, 1, 1)
		profile := fleet.Spacing(time.Minute, 15*time.Second)
		profile.Learnt = learnt
		endpoint := r.build(profile).Clients[0].Endpoints[0]
		if endpoint.Ceiling.Known() != known {
			t.Errorf("%d busy days: ceiling %v", days, endpoint.Ceiling)
		}
		within(t, "base latency", endpoint.BaseLatency, 0.0022)
		within(t, "baseline", endpoint.Baseline, 0.013)
	}
}

func TestMountPointsBeyondTheLabel(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	r.add(schema.NFSMountInfo, 1, append(mountLabels, "192.0.2.10", "3", "tcp", `/a /b\134c\011 +17`, "sys", "", "rw")...)
	mount := r.build(fleet.Moments(r.times)).Clients[0].Mounts[0]
	if len(mount.MountPoints) != 2 || mount.MountPoints[1] != "/b\\c\t" || mount.MoreMounts != 17 {
		t.Errorf("mount points %q and %d more", mount.MountPoints, mount.MoreMounts)
	}
}
