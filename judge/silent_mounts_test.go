package judge

import (
	"testing"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// mounted keeps the samples of a mount over a week up to noon: its facts, and its counters where they are told.
func (s *stretch) mounted(export string, listed, counted func(time.Time) bool) *fleet.Mount {
	s.t.Helper()
	labels := []string{"h", "192.0.2.10", export, "nfs", "0:1"}
	info := make([]string, len(schema.NFSMountInfo.Labels))
	copy(info, labels)
	var samples []schema.Sample
	begin := midday.Add(-presenceLooks * presenceEvery)
	for at := begin; !at.After(midday); at = at.Add(time.Minute) {
		if listed(at) {
			samples = append(samples, schema.Sample{Family: schema.NFSMountInfo, Labels: info, Value: 1, Time: at})
		}
		if !counted(at) {
			continue
		}
		done := at.Sub(begin).Seconds() * 100
		for _, family := range []*schema.Family{schema.NFSReadBytes, schema.NFSWriteBytes} {
			samples = append(samples, schema.Sample{Family: family, Labels: labels, Value: done * mib, Time: at})
		}
		samples = append(samples, schema.Sample{Family: schema.NFSOperations, Labels: append(labels[:5:5], "read"), Value: done, Time: at})
	}
	if err := s.kept.Append(s.t.Context(), samples); err != nil {
		s.t.Fatal(err)
	}
	return &fleet.Mount{Host: "h", Server: "192.0.2.10", Export: export, Protocol: fleet.NFS}
}

// TestSilentMounts: a mount that its host lists and that is usually counted is stale when it is counted no more; one that is gone, that
// came back a moment ago or that is hardly ever counted is not.
func TestSilentMounts(t *testing.T) {
	always := func(time.Time) bool { return true }
	until := func(ago time.Duration) func(time.Time) bool {
		return func(at time.Time) bool { return !at.After(midday.Add(-ago)) }
	}
	s := newStretch(t)
	client := &fleet.Client{Host: "h"}
	s.view.Clients = []*fleet.Client{client}
	add := func(m *fleet.Mount) { client.Mounts = append(client.Mounts, m) }
	add(s.mounted("/counted", always, always))
	add(s.mounted("/silent", always, until(time.Hour)))
	add(s.mounted("/just", always, until(10*time.Minute)))
	add(s.mounted("/by-day", always, func(at time.Time) bool { return at.Hour() < 8 }))
	back := func(at time.Time) bool { return until(2*time.Hour)(at) || at.After(midday.Add(-3*time.Minute)) }
	add(s.mounted("/back", back, back))
	gone := s.mounted("/gone", until(time.Hour), until(time.Hour)) // it is not in the view any more
	b := NewBaselines(AnomalyTerms{On: true, Series: 100, Learn: presenceLooks * presenceEvery, Activity: 50, Interval: time.Minute})
	s.feed(b, midday.Add(-2*time.Minute))
	s.seen(b, midday.Add(-2*time.Minute)) // which mounts there are comes with a view
	s.feed(b, midday)
	seen := s.seen(b, midday)
	if len(seen) != 1 || seen[0].Root.Incident.Kind != baseline.Stale || len(seen[0].Others) != 1 || seen[0].Scope != baseline.ScopeChain {
		t.Fatalf("%+v, want both series of one mount stale", seen)
	}
	if want := resourceKey(client.Mounts[1].Resource()); seen[0].Root.Key.Resource != want || !seen[0].Start.Equal(midday.Add(-time.Hour)) {
		t.Errorf("%+v since %s, want the mount /silent for an hour", seen[0].Root.Key, seen[0].Start)
	}
	if s.view.BaselinesBy[baseline.InStale] != 2 {
		t.Errorf("%v, want two stale in the same view", s.view.BaselinesBy)
	}
	if series := b.set.Series(baseline.Key{Signal: mountOperations, Resource: resourceKey(gone.Resource())}); series.State() == baseline.InStale {
		t.Error("a mount that is gone is stale")
	}
}
