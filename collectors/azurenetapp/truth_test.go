package azurenetapp

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/model"
)

// week reads a week and an hour at once of every pool and volume, by the collector's own questions and conversions.
type week struct{ source *Source }

// Collect implements collectors.Collector.
func (w week) Collect(ctx context.Context, sink collectors.Sink) error {
	s := w.source
	session, err := s.clients.Use()
	if err != nil {
		return err
	}
	client, err := session.Metrics()
	if err != nil {
		return err
	}
	now := s.opts.Clock()
	for _, sub := range s.subscriptions {
		for _, g := range s.groups {
			end := now.Add(-g.delay).Truncate(g.pace.Grain)
			for _, t := range sub.targets(g) {
				j := job{id: t.id(), volume: t.volume, rows: g.rows, window: azureapi.Window{Start: end.Add(-7*24*time.Hour - time.Hour), End: end}}
				f, err := ask(ctx, client, g, j)
				if err != nil {
					return err
				}
				if err := s.apply(sub, t, g, j, f); err != nil {
					return err
				}
			}
		}
		s.emit(sink.(collectors.TimedSink), sub, performance)
		s.emit(sink.(collectors.TimedSink), sub, capacity)
	}
	return nil
}

// What the example plants in Azure NetApp Files is found by the rules over a week of what the collector read, and nothing of
// it on a twin.
func TestPlantedFindingsOfAWeek(t *testing.T) {
	l := newLab(t, nil, nil)
	inventory := l.good("inventory")
	result := collectors.Once(t.Context(), week{l.source}, l.clock.Now())
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	memory := history.NewMemory(history.MemoryOptions{})
	t.Cleanup(func() { _ = memory.Close() })
	samples := slices.Concat(inventory.Past, inventory.Samples, result.Past, result.Samples)
	slices.SortStableFunc(samples, func(a, b schema.Sample) int { return a.Time.Compare(b.Time) })
	if err := memory.Append(t.Context(), samples); err != nil {
		t.Fatal(err)
	}
	at := l.clock.Now().Add(schema.GCNVDelay - schema.AzureNetAppDelay) // when the newest samples are judged
	profile := fleet.Profile{Window: time.Minute}
	days, err := fleet.LearnDays(t.Context(), memory, at, profile)
	if err != nil {
		t.Fatal(err)
	}
	profile.Days = days
	view, err := fleet.Build(t.Context(), memory, at, profile)
	if err != nil {
		t.Fatal(err)
	}
	found := map[model.Planted]bool{}
	for _, f := range detectors.Evaluate(view, detectors.DefaultSettings()) {
		r := f.Resource
		found[model.Planted{Detector: f.Detector, Variant: f.Variant, Project: r.Project, Location: r.Location, Pool: r.Pool, Volume: r.Volume}] = true
	}
	truth, judged := l.server.Model().Fleet().Truth, 0
	for want, rows := range map[bool][]model.Planted{true: truth.Findings, false: truth.Healthy} {
		for _, planted := range rows {
			if len(view.Pools) == 0 || !isNetApp(planted) {
				continue
			}
			judged++
			if found[planted] != want {
				t.Errorf("%s: found %v", fmt.Sprint(planted), found[planted])
			}
		}
	}
	if judged != 16 {
		t.Errorf("%d rows were judged", judged)
	}
}

func isNetApp(planted model.Planted) bool { return accountOf(planted.Pool) == "examplenetapp" }
