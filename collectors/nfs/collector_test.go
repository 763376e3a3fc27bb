package nfs

import (
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden compares all samples of one moment with the expected text, series by series.
func TestGolden(t *testing.T) {
	for file, capture := range map[string]string{
		"odd-paths":    "6.1/nfs-odd-paths-ipv6-v42-autofs-bind",
		"v41-nconnect": "7.3/nfs-v41-seqread16-nconnect4",
		"server-stops": "6.1/nfs-v3-server-stops-midway",
	} {
		t.Run(file, func(t *testing.T) {
			got := collect(t, capturetest.Moment(t, capture, "t1")).text()
			capturetest.Golden(t, file+".golden", got, *update)
		})
	}
}

// TestEveryCapture checks what holds in all of them: no odd input, no series too many, the two sources agree on the
// number of transports, and over the three moments no counter falls and no series comes or goes.
func TestEveryCapture(t *testing.T) {
	for _, name := range captureNames(t) {
		t.Run(name, func(t *testing.T) {
			var before map[string]float64
			for _, at := range moments {
				r := collect(t, capturetest.Moment(t, name, at))
				if len(r.skipped) > 0 {
					t.Errorf("%s: skipped %v", at, r.skipped)
				}
				checkBudget(t, r)
				checkTransports(t, r)
				now := r.counters()
				checkRise(t, before, now)
				before = now
			}
		})
	}
}

func checkTransports(t *testing.T, r *recorder) {
	t.Helper()
	listed := r.values(schema.NFSConnected, schema.Server)
	for server, down := range r.values(schema.NFSDisconnected, schema.Server) {
		listed[server] += down
	}
	if diff := cmp.Diff(r.values(schema.NFSTransports, schema.Server), listed); diff != "" {
		t.Errorf("mountstats and the sunrpc directory differ: %s", diff)
	}
}

// counters lists the values of the counters by series.
func (r *recorder) counters() map[string]float64 {
	out := make(map[string]float64)
	for _, sample := range r.samples {
		if sample.Family.Type == schema.Counter {
			out[seriesName(sample)] = sample.Value
		}
	}
	return out
}

func checkRise(t *testing.T, before, now map[string]float64) {
	t.Helper()
	for series, old := range before {
		if value, ok := now[series]; !ok || value < old {
			t.Errorf("%s went from %v to %v, there: %t", series, old, value, ok)
		}
	}
	if before != nil && len(before) != len(now) {
		t.Errorf("%d counters after %d", len(now), len(before))
	}
}

// checkBudget holds every mount to the budget of 40 series.
func checkBudget(t *testing.T, r *recorder) {
	t.Helper()
	const budget = 40
	series := make(map[string]int)
	for _, sample := range r.samples {
		if at := slices.Index(sample.Family.Labels, schema.Device); at >= 0 {
			series[sample.Labels[at]]++
		}
	}
	for device, count := range series {
		if count > budget {
			t.Errorf("mount %s has %d series", device, count)
		}
	}
	if len(series) == 1 && len(r.samples) > budget {
		t.Errorf("a host with one mount has %d series, its transports and settings included", len(r.samples))
	}
	if len(series) == 0 {
		t.Error("no mount at all")
	}
}

func TestCaptures(t *testing.T) {
	type numbers = map[string]float64
	tests := []struct {
		capture, moment string
		family          *schema.Family
		by              string
		want            numbers
	}{
		{"6.1/nfs-120-mounts", "t1", schema.NFSMountInfo, schema.Device, numbers{"0:41": 1, "0:42": 1, "0:43": 1}},
		{"6.1/nfs-120-mounts", "t1", schema.NFSTransports, schema.Server, numbers{"10.10.2.2": 1, "10.10.2.3": 1, "10.10.2.5": 4}},
		{"6.1/nfs-120-mounts", "t1", schema.NFSSends, schema.Server,
			numbers{"10.10.2.2": 1603, "10.10.2.3": 181, "10.10.2.5": 54 + 85 + 24 + 53}},
		{"6.1/nfs-v3-two-mounts-one-connection", "t1", schema.NFSTransports, schema.Version, numbers{"3": 1}},
		{"7.3/nfs-v3-seqread16-nconnect16", "t0", schema.NFSTransports, schema.Version, numbers{"3": 16}},
		{"7.3/nfs-v3-seqread16-nconnect16", "t0", schema.NFSPending, schema.Server, numbers{"10.10.2.2": 15}},
		{"7.3/nfs-v41-seqread16-nconnect4", "t2", schema.NFSConnected, schema.Server, numbers{"10.10.2.2": 4}},
		{"6.1/nfs-v3-slots16-randread64", "t2", schema.NFSSlotLimit, schema.Server, numbers{"10.10.2.2": 16}},
		{"6.1/nfs-v3-slots16-randread64", "t2", schema.NFSBacklogNow, schema.Server, numbers{"10.10.2.2": 43}},
		{"6.1/nfs-v3-slots16-randread64", "t2", schema.NFSMaxSlots, schema.Server, numbers{"10.10.2.2": 16}},
		{"6.1/nfs-v3-slots16-randread64", "t2", schema.NFSSlotTable, schema.Host, numbers{"client": 16}},
		{"6.1/nfs-v41-session-slots8-randread64", "t0", schema.NFSSessionSlots, schema.Host, numbers{"client": 8}},
		{"6.12/nfs-v41-session-slots-default64-randread128", "t0", schema.NFSSessionSlots, schema.Host, numbers{"client": 64}},
		{"6.1/nfs-v3-server-stops-midway", "t0", schema.NFSDisconnected, schema.Server, numbers{"10.10.2.2": 0, "10.10.3.2": 0}},
		{"6.1/nfs-v3-server-stops-midway", "t2", schema.NFSDisconnected, schema.Server, numbers{"10.10.2.2": 1, "10.10.3.2": 0}},
		{"6.1/nfs-v3-server-stops-midway", "t2", schema.NFSPending, schema.Server, numbers{"10.10.3.2": 2}},
		{"6.1/nfs-v3-after-server-came-back", "t2", schema.NFSConnected, schema.Server, numbers{"10.10.2.2": 1, "10.10.3.2": 1}},
		{"6.1/nfs-v3-idle", "t1", schema.NFSReadAhead, schema.Server, numbers{"10.10.2.2": 131072}},
	}
	for _, test := range tests {
		t.Run(test.capture+" "+test.family.Name, func(t *testing.T) {
			r := collect(t, capturetest.Moment(t, test.capture, test.moment))
			if diff := cmp.Diff(test.want, r.values(test.family, test.by)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestIdleMountHasNoLoad: what the client does by itself is no operation of any class.
func TestIdleMountHasNoLoad(t *testing.T) {
	text := stanzaText("per-op statistics", "NULL: 5 5 0 1 1 1 1 1 0", "SEQUENCE: 90 90 0 1 1 7 7 7 1", "RENEW: 3 4 1 1 1 1 1 1 0")
	r := collect(t, hostOf(text, ""))
	for _, family := range []*schema.Family{schema.NFSOperations, schema.NFSRTT, schema.NFSExecute, schema.NFSErrors} {
		if got := r.values(family); len(got) > 0 {
			t.Errorf("%s: %v", family.Name, got)
		}
	}
	if r.values(schema.NFSRetransmissions)[""] != 1 || r.values(schema.NFSTimeouts)[""] != 1 {
		t.Error("upkeep that was sent again is lost")
	}
}

func TestClassesAndUnits(t *testing.T) {
	text := stanzaText("bytes:\t1 2 3 4 5 6 7 8", "age:\t9", "per-op statistics",
		"READ: 10 12 1 0 0 500 1500 2500 3", "READ_PLUS: 1 1 0 0 0 0 0 0 0", "WRITE: 2 2 0 0 0 1 2 3 4",
		"COMMIT: 3 2 0 0 0 0 0 0",
		"GETATTR: 4 4 0 0 0 0 18446744073709551615 8 0", "ACCESS: 5 5 0 0 0 0 1000 0 0",
		"LOOKUP: 6 6 0 0 0 0 0 0 0", "READDIR: 7 7 0 0 0 0 0 0 0", "READDIRPLUS: 8 8 0 0 0 0 0 0 0",
		"OPEN: 9 9 0 0 0 0 0 0 0",
		"NEWOP: 1 1 0 0 0 0 0 0 0")
	r := collect(t, hostOf(text, ""))
	checks := map[*schema.Family]map[string]float64{
		schema.NFSOperations: {"read": 11, "write": 2, "commit": 3, "attr": 9, "dir": 21, "other": 10},
		schema.NFSRTT:        {"read": 1.5, "write": 0.002, "commit": 0, "attr": 1, "dir": 0, "other": 0},
		schema.NFSExecute:    {"read": 2.5, "write": 0.003, "commit": 0, "attr": 0.008, "dir": 0, "other": 0},
		schema.NFSErrors:     {"data": 7, "metadata": 0},
	}
	for family, want := range checks {
		if diff := cmp.Diff(want, r.values(family, schema.Class)); diff != "" {
			t.Errorf("%s: %s", family.Name, diff)
		}
	}
	for family, want := range map[*schema.Family]float64{
		schema.NFSReadBytes: 5, schema.NFSWriteBytes: 6, schema.NFSMountAge: 9,
		schema.NFSRetransmissions: 2, schema.NFSTimeouts: 1,
	} {
		if got := r.values(family)[""]; got != want {
			t.Errorf("%s is %v, not %v", family.Name, got, want)
		}
	}
}

// TestTenThousandMounts: the work per mount does not grow with their number. The machine may be busy with other work,
// so the best of some tries counts; a quadratic join would take 20 times as long in all of them.
func TestTenThousandMounts(t *testing.T) {
	const few, many, tries, slack = 500, 10_000, 3, 5
	perMount := func(mounts int) time.Duration {
		root := hostWith(manyMounts(mounts, 2))
		r := &recorder{}
		start := time.Now()
		if err := New(root).Collect(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		taken := time.Since(start) / time.Duration(mounts)
		if got := len(r.values(schema.NFSMountInfo, schema.Device)); got != mounts {
			t.Fatalf("%d of %d mounts", got, mounts)
		}
		if got := r.values(schema.NFSTransports, schema.Version)["4.2"]; got != 100 {
			t.Errorf("%v transports to 50 servers", got)
		}
		return taken
	}
	for try := 1; ; try++ {
		small, large := perMount(few), perMount(many)
		if large <= slack*small {
			return
		}
		if try == tries {
			t.Fatalf("a mount takes %v among %d and %v among %d", small, few, large, many)
		}
	}
}
