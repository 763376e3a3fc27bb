package judge

import (
	"fmt"
	"testing"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// identities are those of some volumes, as a history tells them.
func identities(t *testing.T, names ...string) map[string]history.Identity {
	t.Helper()
	s := newStretch(t)
	for _, name := range names {
		s.measure(schema.VolumeTotalThroughput, midday.Add(-seriesGrain), midday, steadily(1), identity(s.volume(name).Identity)...)
	}
	lines, err := s.kept.Range(t.Context(), "avg_over_time("+schema.VolumeTotalThroughput.Name+"[5m])", midday, midday, seriesGrain)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]history.Identity{}
	for _, line := range lines {
		found[line.Labels["volume"]] = line.Identity
	}
	return found
}

// TestAcquainted: lines that stay away, come anew or come in another order are still told apart.
func TestAcquainted(t *testing.T) {
	of := identities(t, "a", "b", "c", "d", "e")
	series := map[string]*baseline.Series{}
	signal := baseline.Latency()
	a := acquainted{}
	rounds := [][]string{{"a", "b", "c", "d"}, {"a", "b", "c", "d"}, {"b", "d"}, {"a", "b", "e", "d"}, {"e", "d", "c", "b", "a"}, {"a", "b", "c", "d", "e"}, {"c", "c"}}
	for i, round := range rounds {
		for _, name := range round {
			known := a.recall(of[name])
			if known != series[name] {
				t.Fatalf("round %d: %s is taken for another", i, name)
			}
			if known == nil {
				series[name] = baseline.NewSeries(&signal)
				a.meet(of[name], series[name])
			}
		}
	}
	if len(a.lines) != 5 || len(a.place) != 5 {
		t.Errorf("%d lines at %d places, want 5", len(a.lines), len(a.place))
	}
	a.meet(history.Identity{}, series["a"]) // of a history that tells none
	if a.recall(history.Identity{}) != nil {
		t.Error("what is not known is taken for something")
	}
}

// TestForgottenSeriesIsNew: what was gone for 28 days begins anew, and is not fed where nobody looks.
func TestForgottenSeriesIsNew(t *testing.T) {
	s := newStretch(t)
	gone, stays := s.volume("gone"), s.volume("stays")
	back := midday.Add(30 * 24 * time.Hour)
	s.measure(schema.VolumeTotalThroughput, midday.Add(-2*time.Hour), midday, steadily(100), identity(gone.Identity)...)
	s.measure(schema.VolumeTotalThroughput, midday.Add(-2*time.Hour), midday, steadily(100), identity(stays.Identity)...)
	s.measure(schema.VolumeTotalThroughput, back.Add(-2*time.Hour), back.Add(time.Hour), steadily(100), identity(stays.Identity)...)
	s.measure(schema.VolumeTotalThroughput, back, back.Add(time.Hour), steadily(100), identity(gone.Identity)...)
	b := NewBaselines(learning)
	key := baseline.Key{Signal: "volume/throughput", Resource: resourceKey(gone.Identity)}
	s.feed(b, midday.Add(schema.GCNVDelay))
	if b.set.Series(key) == nil {
		t.Fatal("nothing is learnt")
	}
	s.feed(b, back.Add(schema.GCNVDelay)) // forgets
	if b.set.Series(key) != nil {
		t.Fatal("what is gone for 30 days is still there")
	}
	at := back.Add(30 * time.Minute)
	s.feed(b, at.Add(schema.GCNVDelay))
	if series := b.set.Series(key); series == nil || !series.Last().Equal(at) || series.History() > time.Hour {
		t.Errorf("%+v, want a series of half an hour", series)
	}
}

// TestAcquaintedRounds: round after round, with volumes that come, go and come back, gives what one reading of everything gives.
func TestAcquaintedRounds(t *testing.T) {
	s := newStretch(t)
	begin := midday.Add(-3 * time.Hour)
	var volumes []fleet.Resource
	for i := range 7 {
		id := s.volume(fmt.Sprintf("v%d", i)).Identity
		volumes = append(volumes, id)
		for at := begin; at.Before(midday); at = at.Add(seriesGrain) {
			if present := int(at.Sub(begin)/(10*time.Minute))%(i+2) != i; present {
				s.measure(schema.VolumeTotalThroughput, at, at.Add(seriesGrain), steadily(float64(100+i)), identity(id)...)
			}
		}
	}
	rounds, once := NewBaselines(learning), NewBaselines(learning)
	for at := begin; !at.After(midday); at = at.Add(seriesGrain) {
		s.feed(rounds, at.Add(schema.GCNVDelay))
	}
	s.feed(once, midday.Add(schema.GCNVDelay))
	for _, id := range volumes {
		key := baseline.Key{Signal: "volume/throughput", Resource: resourceKey(id)}
		got, want := rounds.set.Series(key), once.set.Series(key)
		if got == nil || want == nil || !got.Last().Equal(want.Last()) || got.History() != want.History() || got.Dropped() != want.Dropped() {
			t.Errorf("%s: %+v and %+v", id.Volume, got, want)
		}
	}
	if series := rounds.set.Len(); series != len(volumes) {
		t.Errorf("%d series, want %d", series, len(volumes))
	}
}
