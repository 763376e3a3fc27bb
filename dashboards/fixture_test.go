package dashboards_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nasight/nasight/demo"
	"github.com/nasight/nasight/detectors"
	view "github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/stage"
)

const (
	played   = 36 * time.Minute
	pace     = 30 * time.Second // hosts are read half as often as they are in earnest
	remember = 8 * 24 * time.Hour
	judged   = 32 * time.Minute // at the end: enough for findings to fire
)

// start is a weekday noon, when the daily load is at its peak.
func start() time.Time { return time.Date(2026, time.November, 25, 11, 0, 0, 0, time.UTC) }

// cast are the hosts of the demo's fleet that play: one of each kind, and those with something to find.
func cast() []string {
	return []string{
		"build-1", "notebook-1", "editing-1", "tiles-1", "source-1", "grid-1", "ledger-1", "cluster-1", "web-1", "web-3",
		"desk-1", "desk-3", "desk-5",
	}
}

// fleet is the demo's with a part of its hosts.
func fleet() (*model.Fleet, error) {
	whole, err := demo.Fleet()
	if err != nil {
		return nil, err
	}
	whole.Truth = model.Truth{}
	whole.Hosts = slices.DeleteFunc(whole.Hosts, func(h *model.Host) bool { return !slices.Contains(cast(), h.Name) })
	return whole, nil
}

// fixture is an embedded history that holds what serve would have stored of the demo's fleet, up to the end.
type fixture struct {
	*history.Embedded
	end time.Time
}

func fill(ctx context.Context, directory string) (_ *fixture, err error) {
	described, err := fleet()
	if err != nil {
		return nil, err
	}
	put, err := stage.New(ctx, stage.Options{Fleet: described, Seed: 1, Start: start(), Noise: 0.01, Past: remember})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, put.Close()) }()
	kept, err := history.OpenEmbedded(ctx, history.EmbeddedOptions{Path: directory, Retention: 2 * remember})
	if err != nil {
		return nil, err
	}
	f := &fixture{Embedded: kept, end: start().Add(played)}
	if err := f.play(ctx, put); err != nil {
		return nil, errors.Join(fmt.Errorf("play the demo's fleet: %w", err), kept.Close())
	}
	return f, nil
}

func (f *fixture) play(ctx context.Context, put *stage.Stage) error {
	past, err := put.Past(ctx, start().Add(-remember), start())
	if err != nil {
		return err
	}
	if err := f.Backfill(ctx, past); err != nil {
		return err
	}
	const window = 5 * time.Minute
	terms := judge.HostTerms(window)
	terms.Profile, terms.Settings.Prices = view.Spacing(window, pace), prices()
	terms.Anomalies = judge.AnomalyTerms{On: true, Series: 1000, Bands: 1000, Learn: remember, Interval: pace, Activity: terms.Settings.Activity.Operations}
	watch, baselines := judge.NewWatch(f, f, terms), judge.NewBaselines(terms.Anomalies)
	for since := time.Duration(0); since <= played; since += pace {
		at := start().Add(since)
		put.Advance(at)
		samples, err := put.Collect(ctx, at)
		if err != nil {
			return err
		}
		if err := f.Append(ctx, append(samples, health(at)...)); err != nil {
			return err
		}
		if since < played-judged || since%time.Minute != 0 {
			continue
		}
		if _, err := watch.Step(ctx, at); err != nil {
			return err
		}
		if err := f.band(ctx, baselines, terms, at); err != nil {
			return err
		}
	}
	return nil
}

// band keeps what serve tells of its baselines, as often as it does.
func (f *fixture) band(ctx context.Context, baselines *judge.Baselines, terms judge.Terms, at time.Time) error {
	if !at.Truncate(schema.BaselineGrain).Equal(at) {
		return nil
	}
	if err := baselines.Feed(ctx, f, at); err != nil {
		return err
	}
	seen, err := terms.View(ctx, f, at)
	if err != nil {
		return err
	}
	if err := baselines.Look(ctx, f, seen, nil); err != nil {
		return err
	}
	healthy := schema.Sample{Family: schema.BaselineStateHealthy, Labels: []string{"central"}, Value: 1, Time: at}
	return f.Append(ctx, slices.Concat(baselines.Samples(seen, "central", at), judge.States(seen, "central"), []schema.Sample{healthy}))
}

// prices are what the demo does not know: what its fleet costs.
func prices() []detectors.PriceRow {
	row := func(level, item, unit string, usd float64) detectors.PriceRow {
		return detectors.PriceRow{Cloud: "gcp", Service: "gcnv", Level: level, Item: item, Unit: unit, USD: usd, Date: "2026-01-01"}
	}
	return []detectors.PriceRow{
		row("premium", "capacity", "GiB-month", 0.3), row("extreme", "capacity", "GiB-month", 0.4), row("flex", "throughput", "MiB/s-month", 1.6),
	}
}

// health is what the runner of collectors, the history and an agent tell of themselves: the stage has none of them.
func health(at time.Time) []schema.Sample {
	var samples []schema.Sample
	add := func(family *schema.Family, value float64, labels ...string) {
		if len(labels) != len(family.Labels) {
			panic(fmt.Sprintf("%s has the labels %v, not %d", family.Name, family.Labels, len(labels)))
		}
		samples = append(samples, schema.Sample{Family: family, Labels: labels, Value: value, Time: at})
	}
	runs := at.Sub(start()).Seconds()
	for _, host := range cast() {
		for _, collector := range []string{"nfs", "tcp", "cpu"} {
			add(schema.CollectorSuccess, 1, host, collector)
			add(schema.CollectorDuration, 0.01, host, collector)
			add(schema.CollectorLastSuccess, float64(at.Unix()), host, collector)
			add(schema.CollectorErrors, 0, host, collector, "timeout")
			add(schema.CollectorSkipped, 0, host, collector, "line")
		}
		add(schema.RemoteWriteSent, 100*runs, host, "central.example.com")
		add(schema.RemoteWriteDropped, 0, host, "central.example.com", "queue_full")
		add(schema.RemoteWriteRetries, 0, host, "central.example.com")
		add(schema.RemoteWritePending, 50, host, "central.example.com")
	}
	add(schema.HistorySamples, 1000*runs, "central", "stored")
	add(schema.Simulated, 1)
	return samples
}
