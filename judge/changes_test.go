package judge

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// keep stores one value at several moments.
func (s *stretch) keep(family *schema.Family, value float64, labels []string, moments ...time.Time) {
	s.t.Helper()
	var samples []schema.Sample
	for _, at := range moments {
		samples = append(samples, schema.Sample{Family: family, Labels: labels, Value: value, Time: at})
	}
	if err := s.kept.Append(s.t.Context(), samples); err != nil {
		s.t.Fatal(err)
	}
}

// mounted are the labels of an NFS mount.
func mounted(host, options string) []string {
	labels := make([]string, len(schema.NFSMountInfo.Labels))
	for i, name := range schema.NFSMountInfo.Labels {
		labels[i] = map[string]string{"host": host, "server": "192.0.2.10", "export": "/one", "protocol": "nfs", "options": options}[name]
	}
	return labels
}

// TestChanges: limits, facts of the inventory, mounts and other findings that changed when a volume's latency did are told,
// and nothing that was so before or that is elsewhere.
func TestChanges(t *testing.T) {
	s, step := newStretch(t), midday.Add(-time.Hour)
	one := s.volume("one")
	one.Endpoints = []fleet.VolumeEndpoint{{Server: "192.0.2.10", Export: "/one", Protocol: "nfs"}}
	s.busy(one, since(step, 0.002, 0.008))
	before, after := step.Add(-20*time.Minute), step.Add(-2*time.Minute)
	id := identity(one.Identity)
	s.keep(schema.VolumeThroughputLimit, 500*mib, id, before)
	s.keep(schema.VolumeThroughputLimit, 250*mib, id, after, midday)
	s.keep(schema.PoolCapacity, 4<<40, id[:5], before, midday)
	info := func(level string) []string {
		labels := append(append([]string{}, id...), make([]string, len(schema.VolumeInfo.Labels)-6)...)
		labels[6] = level
		return labels
	}
	s.keep(schema.VolumeInfo, 1, info("premium"), before)
	s.keep(schema.VolumeInfo, 1, info("standard"), midday)
	around := []time.Time{step.Add(-16 * time.Minute), step.Add(9 * time.Minute)}
	s.keep(schema.NFSMountInfo, 1, mounted("calm", "rw"), around...)
	s.keep(schema.NFSMountInfo, 1, mounted("tuned", "rw,nconnect=4"), around[0])
	s.keep(schema.NFSMountInfo, 1, mounted("tuned", "rw,nconnect=1"), around[1])
	s.keep(schema.NFSMountInfo, 1, mounted("new", "rw"), around[1])
	s.keep(schema.NFSMountInfo, 1, mounted("old", "rw"), around[0])
	terms := learning
	terms.Expected = baseline.Calendar{
		{Name: "backup", From: 10 * time.Hour, To: 12 * time.Hour, Volume: "o*"}, {Name: "elsewhere", From: 10 * time.Hour, To: 12 * time.Hour, Volume: "x*"},
	}
	b := NewBaselines(terms)
	s.feed(b, midday)
	finding := func(resource fleet.Resource, began time.Time) detectors.Finding {
		return detectors.Finding{Detector: detectors.LimitReached, Variant: detectors.VariantThroughput, State: detectors.Firing, Resource: resource, Since: began}
	}
	other := one.Identity
	other.Pool = "other"
	seen := s.seen(b, midday, finding(one.Identity, step.Add(10*time.Minute)), finding(one.Identity, step.Add(-3*time.Hour)), finding(other, step))
	if len(seen) != 1 {
		t.Fatalf("%d anomalies, want one", len(seen))
	}
	want := []string{
		"options of the mount of 192.0.2.10:/one at tuned from rw,nconnect=4 to rw,nconnect=1",
		"service level of volume one from premium to standard",
		"the mount of 192.0.2.10:/one at new appeared",
		"the mount of 192.0.2.10:/one at old is gone",
		"throughput limit of volume one from 500 MiB/s to 250 MiB/s",
		"limit_reached/throughput since 11:10 UTC",
	}
	if diff := cmp.Diff(want, seen[0].Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if got := strings.Join(seen[0].Expected, ", "); got != "backup" {
		t.Errorf("expected in the windows %q, want backup", got)
	}
	// Asked again within a grain it is not asked of history.
	_ = s.kept.Close()
	if again := s.seen(b, midday.Add(time.Minute)); len(again) != 1 || len(again[0].Changes) != len(want)-1 {
		t.Errorf("a minute later %+v", again)
	}
}
