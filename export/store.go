// Package export carries samples out of the process: /metrics renders the newest ones, remote write pushes each one
// with its own time.
package export

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

const (
	staleAfter   = 3                // intervals
	defaultStale = 15 * time.Minute // for batches that do not tell their interval
	sweepEvery   = time.Minute
)

// Store keeps the newest batch of every collector of every host. Readers see immutable batches and never wait; it is safe for
// concurrent use. The zero value is ready.
type Store struct {
	publish  sync.Mutex // held while something is published
	swept    time.Time  // when what is gone was looked for last
	snapshot atomic.Pointer[[]*place]
}

// place is where the batches of one collector of one host are, for as long as there are any.
type place struct {
	host, collector string
	source          atomic.Pointer[source]
	shape           atomic.Pointer[shape] // of the batch rendered last
}

// source is what one collector of one host published last. Immutable.
type source struct {
	collector string
	newest    *held
	good      *held // the last batch that did not fail, if the newest one did
}

// held is one batch in the store.
type held struct {
	batch    collectors.Batch
	received time.Time // by the monotonic clock, so that setting the wall clock makes nothing stale
	render   func() []*family
}

func (p *place) hold(batch collectors.Batch) *held {
	return &held{
		batch: batch, received: time.Now(),
		render: sync.OnceValue(func() []*family { return render(batch.Samples, &p.shape) }),
	}
}

func (h *held) stale(now time.Time) bool {
	limit := defaultStale
	if h.batch.Interval > 0 {
		limit = staleAfter * h.batch.Interval
	}
	return now.Sub(h.received) > limit
}

// Publish implements collectors.Output. A batch takes the place of the one before of its host and collector. A failed
// one does so only for the families that it has samples of: the rest stays until it is stale, as a failure does not
// say that it is gone.
func (s *Store) Publish(_ context.Context, batch collectors.Batch) error {
	s.publish.Lock()
	defer s.publish.Unlock()
	s.sweep(time.Now())
	at := s.place(batch.Host, batch.Collector)
	next := &source{collector: batch.Collector, newest: at.hold(batch)}
	if before := at.source.Load(); before != nil && batch.Failed {
		next.good = before.lastGood()
	}
	at.source.Store(next)
	return nil
}

// place finds where the batches of a collector of a host are, or makes the place. The caller holds the lock.
func (s *Store) place(host, collector string) *place {
	places := s.places()
	wanted := &place{host: host, collector: collector}
	i, known := slices.BinarySearchFunc(places, wanted, byPlace)
	if known {
		return places[i]
	}
	places = slices.Insert(slices.Clone(places), i, wanted)
	s.snapshot.Store(&places)
	return wanted
}

// sweep takes the places away, from time to time, of which there is nothing left to show. The caller holds the lock.
func (s *Store) sweep(now time.Time) {
	if now.Sub(s.swept) < sweepEvery {
		return
	}
	s.swept = now
	left := slices.DeleteFunc(slices.Clone(s.places()), func(p *place) bool { return p.source.Load().gone(now) })
	s.snapshot.Store(&left)
}

// gone says whether there is nothing left to show.
func (s *source) gone(now time.Time) bool {
	return s.newest.stale(now) && (s.good == nil || s.good.stale(now))
}

func (s *source) lastGood() *held {
	if s.newest.batch.Failed {
		return s.good
	}
	return s.newest
}

func byPlace(a, b *place) int {
	return cmp.Or(cmp.Compare(a.host, b.host), cmp.Compare(a.collector, b.collector))
}

// places are ordered by host and collector.
func (s *Store) places() []*place {
	if places := s.snapshot.Load(); places != nil {
		return *places
	}
	return nil
}

// sources are those of all places, in their order. A new place may have none yet.
func (s *Store) sources() iter.Seq[*source] {
	return func(yield func(*source) bool) {
		for _, place := range s.places() {
			if source := place.source.Load(); source != nil && !yield(source) {
				return
			}
		}
	}
}

// Samples lists the samples that are not stale, ordered by host and collector, each with the time of its run.
func (s *Store) Samples() []schema.Sample {
	var all []schema.Sample
	now := time.Now()
	for source := range s.sources() {
		if source.newest.stale(now) {
			continue
		}
		all = append(all, source.newest.batch.Samples...)
		if source.good == nil || source.good.stale(now) {
			continue
		}
		failed := familiesOf(source.newest.batch.Samples)
		for _, sample := range source.good.batch.Samples {
			if !failed[sample.Family] {
				all = append(all, sample)
			}
		}
	}
	return all
}

func familiesOf(samples []schema.Sample) map[*schema.Family]bool {
	families := make(map[*schema.Family]bool)
	for _, sample := range samples {
		families[sample.Family] = true
	}
	return families
}
