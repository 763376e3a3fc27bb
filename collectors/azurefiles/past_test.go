package azurefiles

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
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

// pastLab reads some days of the past.
func pastLab(t *testing.T, fleet *model.Fleet, days int) *lab {
	t.Helper()
	return newLab(t, fleet, func(c *Config, _ *azure.Options) { c.BackfillDays = days })
}

// tiers makes one run of each tier.
func (l *lab) tiers() {
	l.t.Helper()
	l.good("performance")
	l.good("capacity")
}

// expectWhole complains where a series has not a sample every so many minutes, from some hours ago on.
func (l *lab) expectWhole(series string, hours, every int) {
	l.t.Helper()
	minutes := l.minutes(series)
	for i := 1; i < len(minutes); i++ {
		if minutes[i] != minutes[i-1]+every {
			l.t.Errorf("%s: nothing from minute %d to %d", series, minutes[i-1], minutes[i])
		}
	}
	if want := hours * 60 / every; len(minutes) < want-1 || len(minutes) > want+1 {
		l.t.Errorf("%s: %d samples, want %d", series, len(minutes), want)
	}
}

func seriesNamed(family *schema.Family, more ...string) string {
	labels := append([]string{Cloud, Service, testSubscription, "westeurope", "examplefiles00", "share00"}, more...)
	return family.Name + "{" + strings.Join(labels, ",") + "}"
}

// The first start brings a day of minutes, days of five minutes and of hours, up to where the live points begin: without a
// hole and without a point twice, in few requests.
func TestBackfill(t *testing.T) {
	t.Parallel()
	l := pastLab(t, fleetOf(2, 3), 4)
	l.tiers()
	live := l.server.Usage().Of("metrics.query")
	into := &store{}
	l.backfill(into)
	// Of each account: one of a day for each of three groups of minutes, one for days and one for space.
	if asked := l.server.Usage().Of("metrics.query") - live; asked != 2*(3+1+1) {
		t.Errorf("%d requests", asked)
	}
	for family, hours := range map[*schema.Family]int{
		schema.SharePeakOperations: 25, schema.ShareBurstCredits: 25,
		schema.SharePeakOperationsRollUp: 4 * 24, schema.SharePeakThroughputRollUp: 4 * 24, schema.ShareBurstCreditsRollUp: 4 * 24,
		schema.ShareUsed: 4 * 24,
	} {
		l.expectWhole(seriesNamed(family), hours, int(family.Grain/time.Minute))
	}
	l.expectWhole(seriesNamed(schema.ShareThroughput, "egress"), 25, 1)
	l.expectWhole(seriesNamed(schema.ShareOperations, "Read"), 25, 1)
	l.expectWhole(seriesNamed(schema.ShareResponses, "Success"), 25, 1)
	for _, sample := range l.good("performance").Samples {
		if sample.Family == schema.CloudBackfill && sample.Value != 1 {
			t.Errorf("progress is %g", sample.Value)
		}
	}
	for _, one := range l.server.Usage().Calls {
		if one.Failed > 0 {
			t.Errorf("refused: %+v", one)
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

// The past is what the fleet did: minutes as they were read live, five minutes by their highest second.
func TestThePastIsWhatTheFleetDid(t *testing.T) {
	t.Parallel()
	l := pastLab(t, fleetOf(1, 1), 2)
	l.tiers()
	into := &store{}
	l.backfill(into)
	p, checked := placement(t, l, "examplefiles00", "share00"), map[*schema.Family]int{}
	for _, sample := range into.samples {
		want := 0.0
		switch sample.Family {
		case schema.ShareThroughput, schema.ShareOperations, schema.ShareResponses, schema.SharePeakOperations, schema.SharePeakThroughput, schema.ShareBurstCredits:
			want = expected(l.server.Model().ShareMinute(p, sample.Time.Add(-time.Minute)), sample.Labels, sample.Family)
		case schema.SharePeakOperationsRollUp, schema.SharePeakThroughputRollUp:
			of := map[*schema.Family]*schema.Family{schema.SharePeakOperationsRollUp: schema.SharePeakOperations, schema.SharePeakThroughputRollUp: schema.SharePeakThroughput}
			for minute := range 5 {
				m := l.server.Model().ShareMinute(p, sample.Time.Add(-time.Duration(minute+1)*time.Minute))
				want = max(want, expected(m, sample.Labels, of[sample.Family]))
			}
		default:
			continue
		}
		if checked[sample.Family]++; !near(sample.Value, want) {
			t.Fatalf("%s at %s is %g, want %g", seriesOf(sample), sample.Time, sample.Value, want)
		}
	}
	if len(checked) != 8 || checked[schema.SharePeakOperations] < 24*60 || checked[schema.SharePeakOperationsRollUp] < 46*12 {
		t.Errorf("checked %v", checked)
	}
}

// What was stored is not read again after a restart; what was down longer than live readings go back is filled in.
func TestBackfillResumes(t *testing.T) {
	t.Parallel()
	l := pastLab(t, fleetOf(1, 2), 6)
	l.tiers()
	into := &store{}
	l.backfill(into)
	stored := len(into.samples)
	l.clock.add(30 * time.Hour)
	l.restart()
	l.tiers()
	l.backfill(into)
	l.expectWhole(seriesNamed(schema.SharePeakOperationsRollUp), 6*24+30, 5)
	l.expectWhole(seriesNamed(schema.ShareUsed), 6*24+30, 60)
	again := 0
	for _, sample := range into.samples[stored:] {
		if sample.Family == schema.SharePeakOperationsRollUp && sample.Time.Before(l.clock.Now().Add(-32*time.Hour)) {
			again++
		}
	}
	if again > 0 {
		t.Errorf("%d samples were read again", again)
	}
}

// A history that is full for a while, a service that refuses or is overloaded, and a restart in the middle only delay it.
func TestBackfillOvercomesFailures(t *testing.T) {
	t.Parallel()
	l := pastLab(t, fleetOf(2, 1), 2)
	l.opts.BackfillPause = 10 * time.Millisecond
	l.restart()
	l.tiers()
	l.inject(faults.Fault{Kind: faults.Overloaded, Method: "metrics.query", Skip: 2, Times: 5})
	l.inject(faults.Fault{Kind: faults.MetricError, Method: "metrics.query", Metric: "FileShareMaxUsedIOPS", Skip: 3, Times: 2})
	l.backfill(&store{fails: 1})
	l.expectWhole(seriesNamed(schema.SharePeakOperations), 25, 1)
	l.expectWhole(seriesNamed(schema.SharePeakOperationsRollUp), 48, 5)

	l = pastLab(t, fleetOf(1, 1), 2)
	l.tiers()
	l.restart() // before anything was filled in
	l.clock.add(20 * time.Minute)
	l.tiers()
	l.backfill(&store{})
	l.expectWhole(seriesNamed(schema.ShareBurstCredits), 25, 1)
	l.expectWhole(seriesNamed(schema.SharePeakOperationsRollUp), 48, 5)
}

// A subscription that refuses keeps no other one waiting for the end.
func TestBackfillEndsBesideARefusal(t *testing.T) {
	const other = "00000000-0000-4000-8000-000000000002"
	fleet, second := fleetOf(1, 1), fleetOf(1, 1).Subscriptions[0]
	second.ID, second.Accounts[0].Name = other, "examplefiles99"
	fleet.Subscriptions = append(fleet.Subscriptions, second)
	l := pastLab(t, fleet, 1)
	l.tiers()
	l.inject(faults.Fault{Kind: faults.Forbidden, Method: "metrics.query", Project: other})
	into := &store{}
	l.backfill(into)
	if len(into.samples) == 0 {
		t.Error("nothing was stored before the end")
	}
	for _, sample := range into.samples {
		if sample.Labels[2] == other {
			t.Fatalf("a sample of the subscription that refuses: %s", seriesOf(sample))
		}
	}
}

// A metric that fails for hours leaves a gap when it is back, and none that is filled in over and over before that.
func TestGapAfterAMetricFailed(t *testing.T) {
	t.Parallel()
	l := pastLab(t, fleetOf(1, 1), 1)
	l.tiers()
	into := &store{}
	l.backfill(into)
	remove := l.inject(faults.Fault{Kind: faults.MetricError, Metric: "Egress"})
	for range 3 {
		l.clock.add(40 * time.Minute)
		l.run("performance")
		for _, state := range l.source.subscriptions[0].sorted()[0].groups {
			if state.gap.Open() {
				t.Errorf("a gap from %s to %s", state.gap.Start, state.gap.End)
			}
		}
	}
	remove()
	l.clock.add(time.Minute)
	l.tiers()
	l.backfill(into)
	l.expectWhole(seriesNamed(schema.ShareThroughput, "egress"), 24+2, 1)
}

// Nothing is asked for where no past is wanted.
func TestNoBackfill(t *testing.T) {
	l := pastLab(t, fleetOf(1, 1), 0)
	l.tiers()
	if _, err := l.source.fill(t.Context(), &store{}); err != nil {
		t.Error(err)
	}
	if share, ok := l.source.subscriptions[0].progress(); share != 1 || !ok {
		t.Errorf("progress is %g, %v", share, ok)
	}
}

// The real history takes it, in blocks.
func TestBackfillIntoTheEmbeddedHistory(t *testing.T) {
	t.Parallel()
	l := pastLab(t, fleetOf(1, 2), 5)
	database, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: t.TempDir(), Retention: 15 * 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := database.Close(); err != nil {
			t.Error(err)
		}
	})
	var live collectors.Result
	for _, name := range []string{"performance", "capacity"} {
		live = l.good(name)
		if err := database.Append(t.Context(), slices.Concat(live.Past, live.Samples)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.source.fill(t.Context(), database); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]float64{
		`count_over_time(nasight_share_five_minute_burst_credits{volume="share00"}[5d])`: 5 * 288,
		`count_over_time(nasight_share_burst_credits{volume="share00"}[5d])`:             25 * 60,
		`count_over_time(nasight_share_used_bytes{volume="share00"}[6d])`:                5 * 24,
	} {
		points, err := database.Instant(t.Context(), query, l.clock.Now())
		if err != nil || len(points) != 1 || points[0].Value < want-3 || points[0].Value > want+60 {
			t.Errorf("%s: points %v, error %v; want %g", query, points, err, want)
		}
	}
}
