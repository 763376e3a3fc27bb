package azurenetapp

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// store is a Backfiller that keeps samples, and fails as often as it is told to.
type store struct {
	mu      sync.Mutex
	samples []schema.Sample
	fails   int
}

func (s *store) Backfill(_ context.Context, samples []schema.Sample) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails > 0 {
		s.fails--
		return errors.New("no space left on device")
	}
	s.samples = append(s.samples, samples...)
	return nil
}

// pastLab reads some days of the past.
func pastLab(t *testing.T, fleet *model.Fleet, days int) *lab {
	t.Helper()
	return newLab(t, fleet, func(c *Config, _ *azure.Options) { c.BackfillDays = days })
}

// read makes one run of everything.
func (l *lab) read() {
	l.t.Helper()
	for _, name := range []string{inventoryName, string(performance), string(capacity)} {
		l.good(name)
	}
}

// backfill runs the back-fill until nothing is left to read, and keeps what it stored.
func (l *lab) backfill(into *store) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 5*time.Minute)
	defer cancel()
	var once sync.Once
	filled, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- l.source.Backfill(ctx, into, func() { once.Do(func() { close(filled) }) }) }()
	select {
	case <-filled:
	case <-ctx.Done():
		l.t.Error("the back-fill did not come to its end")
	}
	cancel()
	if err := <-ended; err != nil {
		l.t.Error(err)
	}
	for _, sample := range into.samples {
		l.keep(sample)
	}
}

// expectDays complains where a series has not a sample every so many minutes, of so many days.
func (l *lab) expectDays(series string, days, every int) {
	l.t.Helper()
	minutes := l.minutes(series)
	for i := 1; i < len(minutes); i++ {
		if minutes[i] != minutes[i-1]+every {
			l.t.Errorf("%s: nothing from minute %d to %d", series, minutes[i-1], minutes[i])
		}
	}
	if want := days * 24 * 60 / every; len(minutes) < want-1 || len(minutes) > want+1 {
		l.t.Errorf("%s: %d samples, want %d", series, len(minutes), want)
	}
}

const (
	firstUsed = "nasight_volume_used_bytes{azure,azurenetapp," + testSubscription + ",westeurope,account/pool,volume00}"
	poolUsed  = "nasight_pool_used_bytes{azure,azurenetapp," + testSubscription + ",westeurope,account/pool}"
)

// The first start brings days of five minutes and of hours, up to where the live points begin: without a hole, without a point
// twice, in few requests.
func TestBackfill(t *testing.T) {
	l := pastLab(t, smallFleet(2), 12)
	l.read()
	live := l.server.Usage().Of("metrics.query")
	into := &store{}
	l.backfill(into)
	// Of each volume: three of five days at five minutes, and one for space. Of the pool one.
	if asked := l.server.Usage().Of("metrics.query") - live; asked != 2*(3+1)+1 {
		t.Errorf("%d requests", asked)
	}
	l.expectDays(firstTotal, 12, 5)
	l.expectDays(firstUsed, 12, 60)
	l.expectDays(poolUsed, 12, 60)
	for _, sample := range l.good("performance").Samples {
		if sample.Family == schema.CloudBackfill && sample.Value != 1 {
			t.Errorf("progress is %g", sample.Value)
		}
	}
	seen := map[string]bool{}
	for _, sample := range into.samples {
		id := seriesOf(sample) + sample.Time.String()
		if seen[id] {
			t.Fatalf("%s was stored twice", id)
		}
		seen[id] = true
	}
}

// The past is what the fleet did.
func TestThePastIsWhatTheFleetDid(t *testing.T) {
	l := pastLab(t, smallFleet(1), 3)
	l.read()
	into := &store{}
	l.backfill(into)
	p, checked := l.server.Model().NetAppVolumes()[0], map[*schema.Family]int{}
	for _, sample := range into.samples {
		want, ok := truth(l.server.Model(), p, sample)
		if !ok {
			continue
		}
		if checked[sample.Family]++; !near(sample.Value, want) {
			t.Fatalf("%s at %s is %g, want %g", seriesOf(sample), sample.Time, sample.Value, want)
		}
	}
	if len(checked) != 8 || checked[schema.VolumeTotalThroughput] < 3*24*12-13 {
		t.Errorf("checked %v", checked)
	}
}

// What was stored is not read again after a restart; what was down longer than live readings go back is filled in.
func TestBackfillResumes(t *testing.T) {
	l := pastLab(t, smallFleet(1), 4)
	l.read()
	l.restart() // before anything was filled in
	l.clock.add(20 * time.Minute)
	l.read()
	into := &store{}
	l.backfill(into)
	stored := len(into.samples)
	l.clock.add(48 * time.Hour)
	l.restart()
	l.read()
	l.backfill(into)
	l.expectDays(firstTotal, 6, 5)
	l.expectDays(firstUsed, 6, 60)
	for _, sample := range into.samples[stored:] {
		if sample.Family == schema.VolumeTotalThroughput && sample.Time.Before(l.clock.Now().Add(-50*time.Hour)) {
			t.Fatalf("the sample of %s was read again", sample.Time)
		}
	}
}

// A history that is full for a while and a service that is overloaded or lacks a metric only delay it; a volume that is gone
// and a subscription that refuses keep nobody waiting.
func TestBackfillOvercomesFailures(t *testing.T) {
	l := pastLab(t, smallFleet(2), 2)
	l.opts.BackfillPause = 10 * time.Millisecond
	l.restart()
	l.read()
	l.inject(faults.Fault{Kind: faults.Overloaded, Method: "metrics.query", Skip: 1, Times: 5})
	l.inject(faults.Fault{Kind: faults.MetricError, Method: "metrics.query", Metric: "TotalThroughput", Skip: 2, Times: 2})
	l.backfill(&store{fails: 1})
	l.expectDays(firstTotal, 2, 5)

	l = pastLab(t, smallFleet(2), 2)
	l.read()
	l.inject(faults.Fault{Kind: faults.Vanished, Volume: "volume01"})
	l.backfill(&store{})
	l.expectDays(firstTotal, 2, 5)

	fleet, second := smallFleet(1), smallFleet(1).Subscriptions[0]
	second.ID, second.NetAppAccounts[0].Name = "00000000-0000-4000-8000-000000000002", "other"
	fleet.Subscriptions = append(fleet.Subscriptions, second)
	l = pastLab(t, fleet, 1)
	l.read()
	l.inject(faults.Fault{Kind: faults.Forbidden, Method: "metrics.query", Project: second.ID})
	l.backfill(&store{})
	l.expectDays(firstTotal, 1, 5)
}

// Nothing is asked for where no past is wanted.
func TestNoBackfill(t *testing.T) {
	l := pastLab(t, smallFleet(1), 0)
	l.read()
	asked := l.server.Usage().Of("metrics.query")
	if _, err := l.source.fill(t.Context(), &store{}); err != nil {
		t.Error(err)
	}
	if again := l.server.Usage().Of("metrics.query"); again != asked {
		t.Errorf("%d requests", again-asked)
	}
	if share, ok := l.source.subscriptions[0].progress(); share != 1 || !ok {
		t.Errorf("progress is %g, %v", share, ok)
	}
}

// The real history takes it, in blocks.
func TestBackfillIntoTheEmbeddedHistory(t *testing.T) {
	l := pastLab(t, smallFleet(1), 5)
	database, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: t.TempDir(), Retention: 15 * 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := database.Close(); err != nil {
			t.Error(err)
		}
	})
	l.read()
	if _, err := l.source.fill(t.Context(), database); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]float64{
		`count_over_time(nasight_volume_total_throughput_bytes_per_second{volume="volume00"}[6d])`: 5*288 - 12,
		`count_over_time(nasight_volume_used_bytes{volume="volume00"}[6d])`:                        5*24 - 5,
	} {
		points, err := database.Instant(t.Context(), query, l.clock.Now())
		if err != nil || len(points) != 1 || points[0].Value < want-3 || points[0].Value > want+3 {
			t.Errorf("%s: points %v, error %v; want %g", query, points, err, want)
		}
	}
}
