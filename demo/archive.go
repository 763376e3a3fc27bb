package demo

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// archive keeps what back-fills bring, series by series and with little memory, until it goes into history span by span:
// the clouds' collectors bring the weeks of one metric after the other, and each call of history writes files. It may be
// used by several goroutines. The zero value is empty.
type archive struct {
	mu     sync.Mutex
	runs   []*run
	newest map[string]*run // the last run of each series
	key    []byte
}

// run is samples of one series, the oldest first.
type run struct {
	family *schema.Family
	labels []string
	times  []int64 // ms since 1970
	values []float64
}

// Backfill implements what collectors fill.
func (a *archive) Backfill(_ context.Context, samples []schema.Sample) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var current *run
	for _, sample := range samples {
		at := sample.Time.UnixMilli()
		if current == nil || !current.shares(sample) {
			current = a.find(sample)
		}
		if current == nil || at <= current.times[len(current.times)-1] {
			current = a.begin(sample)
		}
		current.times, current.values = append(current.times, at), append(current.values, sample.Value)
	}
	return nil
}

// shares tells at a glance that a sample is of the run's series: by the memory of the labels.
func (r *run) shares(sample schema.Sample) bool {
	return r.family == sample.Family && len(r.labels) > 0 && len(sample.Labels) > 0 && &r.labels[0] == &sample.Labels[0]
}

// find is the last run of a sample's series; nil where there is none.
func (a *archive) find(sample schema.Sample) *run {
	a.key = append(a.key[:0], sample.Family.Name...)
	for _, label := range sample.Labels {
		a.key = append(append(a.key, 0), label...)
	}
	return a.newest[string(a.key)]
}

// begin starts a run of a sample's series.
func (a *archive) begin(sample schema.Sample) *run {
	a.find(sample)
	begun := &run{family: sample.Family, labels: sample.Labels}
	if a.newest == nil {
		a.newest = map[string]*run{}
	}
	a.newest[string(a.key)] = begun
	a.runs = append(a.runs, begun)
	return begun
}

// within is what the archive has from a moment up to another, both in ms.
func (a *archive) within(from, to int64) []schema.Sample {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []schema.Sample
	for _, r := range a.runs {
		first, _ := slices.BinarySearch(r.times, from)
		for i := first; i < len(r.times) && r.times[i] < to; i++ {
			out = append(out, schema.Sample{Family: r.family, Labels: r.labels, Value: r.values[i], Time: time.UnixMilli(r.times[i])})
		}
	}
	return out
}

// bounds are the moments of the first and of the last sample, in ms; of an archive without any the last is before the first.
func (a *archive) bounds() (first, last int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	first, last = math.MaxInt64, math.MinInt64
	for _, r := range a.runs {
		first, last = min(first, r.times[0]), max(last, r.times[len(r.times)-1])
	}
	return first, last
}

// atOnce is how much of the past history takes in one call, in ms: whole blocks of any length that it makes, counted from
// 1970 as it counts them, so that it has none to put together afterwards.
const atOnce = int64(3 * 24 * time.Hour / time.Millisecond)

// moveTo puts everything into history, span by span.
func (a *archive) moveTo(ctx context.Context, into collectors.Backfiller) error {
	first, last := a.bounds()
	for from := first; from <= last; {
		to := (from/atOnce + 1) * atOnce
		if err := into.Backfill(ctx, a.within(from, to)); err != nil {
			return err
		}
		from = to
	}
	return nil
}
