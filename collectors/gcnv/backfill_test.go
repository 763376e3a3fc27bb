package gcnv

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/faults"
)

// store is a Backfiller that keeps samples.
type store struct {
	mu      sync.Mutex
	samples []schema.Sample
}

func (s *store) Backfill(_ context.Context, samples []schema.Sample) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples = append(s.samples, samples...)
	return nil
}

// backfill runs the back-fill until nothing is left to read.
func (l *lab) backfill(into collectors.Backfiller) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), time.Minute)
	defer cancel()
	filled := make(chan struct{}, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- l.source.Backfill(ctx, into, func() {
			select {
			case filled <- struct{}{}:
			default:
			}
		})
	}()
	select {
	case <-filled:
	case <-ctx.Done():
		l.t.Error("the back-fill did not come to its end")
	}
	cancel()
	if err := <-ended; err != nil {
		l.t.Error(err)
	}
}

// The first start brings the past in one pass a metric, up to where the live points begin, without a hole and without a
// point twice.
func TestBackfill(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	l.config.BackfillDays = 3
	l.restart()
	l.good("gcnv_performance")
	calls := l.server.Usage().Of("ListTimeSeries")
	into := &store{}
	l.backfill(into)
	if passes := l.server.Usage().Of("ListTimeSeries") - calls; passes != 4 {
		t.Errorf("%d calls for 4 metrics", passes)
	}
	for _, sample := range into.samples {
		l.keep(sample)
	}
	for _, series := range []string{dataSeries, "nasight_volume_mean_latency_seconds{gcp,gcnv,alpha,europe-west3,pool1,logs}"} {
		l.expectWhole(series, 3*288)
	}
	if got := of(l.good("gcnv_performance").Samples, schema.CloudBackfill)["alpha"]; got != 1 {
		t.Errorf("progress is %g", got)
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

// A back-fill that was broken off goes on from where it was, also after a restart; what was down longer than the live
// readings go back is filled as well.
func TestBackfillResumes(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	l.config.BackfillDays = 10
	l.restart()
	l.good("gcnv_performance")
	into := &store{}
	l.backfill(into)
	stored := len(into.samples)
	l.clock.add(30 * time.Hour)
	l.restart()
	l.good("gcnv_performance")
	l.backfill(into)
	for _, sample := range into.samples {
		l.keep(sample)
	}
	l.expectWhole(dataSeries, 10*288+360)
	if again := len(into.samples) - stored; again > stored/5 {
		t.Errorf("%d samples after the restart, %d before: the past was read again", again, stored)
	}
}

// A history that is full for a while, and a service that refuses, only delay it.
func TestBackfillOvercomesFailures(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	l.config.BackfillDays = 2
	l.restart()
	l.good("gcnv_performance")
	l.inject(faults.Fault{Kind: faults.Forbidden, Method: "ListTimeSeries", Skip: 1, Times: 2})
	into := &failsOnce{}
	l.backfill(into)
	for _, sample := range into.samples {
		l.keep(sample)
	}
	l.expectWhole(dataSeries, 2*288)
}

// A project that refuses to be read after all keeps no other one waiting for the end; nothing else that fails is an end.
func TestBackfillEndsBesideARefusal(t *testing.T) {
	l := newLab(t, fleetOf("alpha", "beta"), nil)
	l.config.BackfillDays = 2
	l.restart()
	l.good("gcnv_performance")
	l.inject(faults.Fault{Kind: faults.Forbidden, Method: "ListTimeSeries", Project: "beta"})
	into := &store{}
	l.backfill(into)
	if len(into.samples) == 0 {
		t.Error("nothing was stored before the end")
	}
	for _, sample := range into.samples {
		if slices.Contains(sample.Labels, "beta") {
			t.Fatalf("a sample of the project that refuses: %s", seriesOf(sample))
		}
	}
	refusal, outage := failure("back-fill", "beta", status.Error(codes.PermissionDenied, "no")), failure("back-fill", "alpha", status.Error(codes.Unavailable, "gone"))
	for _, row := range []struct {
		err  error
		want bool
	}{
		{nil, true}, {refusal, true}, {join(refusal, refusal), true}, {outage, false}, {join(refusal, outage), false},
		{join(refusal, errors.New("no space left on device")), false},
	} {
		if got := onlyRefused(row.err); got != row.want {
			t.Errorf("only refused, %v: %v", row.err, got)
		}
	}
}

type failsOnce struct {
	store
	failed bool
}

func (f *failsOnce) Backfill(ctx context.Context, samples []schema.Sample) error {
	if !f.failed {
		f.failed = true
		return errors.New("no space left on device")
	}
	return f.store.Backfill(ctx, samples)
}

// The real history takes it, in blocks.
func TestBackfillIntoTheEmbeddedHistory(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	l.config.BackfillDays = 5
	l.restart()
	database, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{
		Path: t.TempDir(), Retention: 15 * 24 * time.Hour, OutOfOrderWindow: 6 * time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := database.Close(); err != nil {
			t.Error(err)
		}
	})
	result := l.good("gcnv_performance")
	if err := database.Append(t.Context(), slices.Concat(result.Past, result.Samples)); err != nil {
		t.Fatal(err)
	}
	l.backfill(database)
	at := l.clock.Now()
	points, err := database.Instant(t.Context(), `count_over_time(nasight_volume_total_throughput_bytes_per_second{volume="data"}[5d])`, at)
	if err != nil || len(points) != 1 || points[0].Value < 5*288-3 {
		t.Errorf("points %v, error %v", points, err)
	}
}
