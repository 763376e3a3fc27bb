// Package export carries samples out of the process: /metrics renders the newest ones, remote write pushes each one
// with its own time.
package export

import (
	"cmp"
	"context"
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
)

// Store keeps the newest batch of every collector of every host. Readers see an immutable snapshot and never wait; it
// is safe for concurrent use. The zero value is ready.
type Store struct {
	publish  sync.Mutex // held while a new snapshot is made
	snapshot atomic.Pointer[[]*source]
}

// source is what one collector of one host published last. Immutable.
type source struct {
	host, collector string
	newest          *held
	good            *held // the last batch that did not fail, if the newest one did
}

// held is one batch in the store.
type held struct {
	batch    collectors.Batch
	received time.Time // by the monotonic clock, so that setting the wall clock makes nothing stale
	render   func() []*family
}

func hold(batch collectors.Batch) *held {
	return &held{
		batch: batch, received: time.Now(),
		render: sync.OnceValue(func() []*family { return render(batch.Samples) }),
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
	next := &source{host: batch.Host, collector: batch.Collector, newest: hold(batch)}
	sources := slices.DeleteFunc(slices.Clone(s.sources()), func(old *source) bool { return old.gone(next.newest.received) })
	at, known := slices.BinarySearchFunc(sources, next, bySource)
	if !known {
		sources = slices.Insert(sources, at, next)
	} else {
		if before := sources[at]; batch.Failed {
			next.good = before.lastGood()
		}
		sources[at] = next
	}
	s.snapshot.Store(&sources)
	return nil
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

func bySource(a, b *source) int {
	return cmp.Or(cmp.Compare(a.host, b.host), cmp.Compare(a.collector, b.collector))
}

// sources are ordered by host and collector.
func (s *Store) sources() []*source {
	if sources := s.snapshot.Load(); sources != nil {
		return *sources
	}
	return nil
}

// Samples lists the samples that are not stale, ordered by host and collector, each with the time of its run.
func (s *Store) Samples() []schema.Sample {
	var all []schema.Sample
	now := time.Now()
	for _, source := range s.sources() {
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
