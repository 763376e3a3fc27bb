package demo

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/stage"
	"github.com/nasight/nasight/simulator/world"
)

// part keeps the hosts, pools and shares that a test needs.
func part(hosts, pools, shares []string) func(*model.Fleet) {
	return func(f *model.Fleet) {
		f.Truth = model.Truth{}
		f.Hosts = slices.DeleteFunc(f.Hosts, func(h *model.Host) bool { return !slices.Contains(hosts, h.Name) })
		for _, project := range f.Projects {
			project.Pools = slices.DeleteFunc(project.Pools, func(p *model.Pool) bool { return !slices.Contains(pools, p.Name) })
		}
		for _, subscription := range f.Subscriptions {
			for _, account := range subscription.Accounts {
				account.Shares = slices.DeleteFunc(account.Shares, func(s *model.Share) bool { return !slices.Contains(shares, s.Name) })
			}
		}
	}
}

// Each incident happens to somebody, and so changes the fleet.
func TestIncidentsHappen(t *testing.T) {
	for _, one := range incidents() {
		before, err := Fleet()
		if err != nil {
			t.Fatal(err)
		}
		after, err := Fleet()
		if err != nil {
			t.Fatal(err)
		}
		one.happens(cast{after})
		if reflect.DeepEqual(before, after) {
			t.Errorf("%s: nothing of the fleet is another", one.name)
		}
		if one.from >= one.to || one.to > time.Hour {
			t.Errorf("%s: from %s to %s of an hour", one.name, one.from, one.to)
		}
	}
}

// A state that comes again is the same description, so that its model is not made anew.
func TestPlotComesAgain(t *testing.T) {
	began := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	p := &plot{cycle: 10 * time.Minute, began: began, known: map[string]*model.Fleet{}}
	seen := map[*model.Fleet]bool{}
	for since := time.Duration(0); since < time.Hour; since += 5 * time.Second {
		fleet, err := p.at(began.Add(since))
		if err != nil {
			t.Fatal(err)
		}
		if fleet != nil && !seen[fleet] && since > p.cycle+5*time.Second {
			t.Errorf("after %s there is a new description", since)
		}
		seen[fleet] = true
	}
	if len(seen) < len(incidents()) {
		t.Errorf("%d descriptions", len(seen))
	}
}

// What every incident is seen by comes, and goes before it comes again.
func TestIncidentsComeAndGo(t *testing.T) {
	if raceDetector {
		t.Skip("one goroutine plays by simulated time: the race detector only makes it slow")
	}
	reduce := part([]string{"import-2", "report-2", "query-2"}, []string{"client-files", "manual-throttled"}, []string{"scratch", "render", "build"})
	began := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	p := &plot{cycle: time.Hour, began: began, known: map[string]*model.Fleet{}, reduce: reduce}
	fleet, err := p.fleet("")
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(fleet, world.Options{Seed: 1, Epoch: began, Boot: began.Add(-20 * time.Minute), Noise: noise})
	if err != nil {
		t.Fatal(err)
	}
	played, err := stage.New(t.Context(), stage.Options{World: w, Past: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := played.Close(); err != nil {
			t.Error(err)
		}
	}()
	lives := watch(t.Context(), t, played, p, began.Add(100*time.Minute))
	for name, about := range map[detectors.Name]func(detectors.Finding) bool{
		{Detector: detectors.LimitReached, Variant: detectors.VariantCredits}:       func(f detectors.Finding) bool { return f.Resource.Volume == "scratch" },
		{Detector: detectors.ServerUnresponsive, Variant: detectors.VariantStalled}: func(f detectors.Finding) bool { return f.Resource.Host == "import-2" },
		{Detector: detectors.LimitReached, Variant: detectors.VariantThroughput}:    func(f detectors.Finding) bool { return f.Resource.Volume == "warehouse" },
		{Detector: detectors.ClientBound, Variant: detectors.VariantCPU}:            func(f detectors.Finding) bool { return f.Resource.Host == "report-2" },
		{Detector: detectors.ServerLatency, Variant: detectors.VariantServer}:       func(f detectors.Finding) bool { return f.Resource.Host == "query-2" },
		{Detector: detectors.LimitReached, Variant: detectors.VariantEgress}:        func(f detectors.Finding) bool { return f.Resource.Volume == "render" },
	} {
		came, went := false, false
		for _, life := range lives {
			if life.Name() == name && about(life.Finding) {
				came, went = true, went || life.Resolved != nil
			}
		}
		if !came || !went {
			t.Errorf("%s: came %t, went %t", name, came, went)
		}
	}
}

// watch judges a fleet on the stage every minute, by simulated time.
func watch(ctx context.Context, t *testing.T, played *stage.Stage, p *plot, until time.Time) []judge.Life {
	t.Helper()
	kept := history.NewMemory(history.MemoryOptions{})
	defer func() { _ = kept.Close() }()
	watched, lives := judge.NewWatch(kept, kept, judge.HostTerms(time.Minute)), &judge.Lives{}
	for at := played.Now(); !at.After(until); at = at.Add(grain) {
		played.Advance(at)
		if !at.Before(p.began) {
			fleet, err := p.at(at)
			if err == nil && fleet != nil {
				err = played.Change(fleet)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		samples, err := played.Collect(ctx, at)
		if err == nil {
			err = kept.Append(ctx, samples)
		}
		if err != nil {
			t.Fatal(err)
		}
		if at.Truncate(time.Minute).Equal(at) {
			findings, err := watched.Step(ctx, at)
			if err != nil {
				t.Fatal(err)
			}
			lives.Observe(at, findings)
		}
	}
	return lives.Since(time.Time{})
}
