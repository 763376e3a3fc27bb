package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"

	"github.com/nasight/nasight/schema"
)

// ErrFull says that a memory history holds as many samples as it may; nothing of the batch was stored. It is an error
// rather than a silent loss of the oldest samples, because one-shot work must not judge half of a recording.
var ErrFull = errors.New("memory history is full")

// ErrClosed says that a history is no longer in use.
var ErrClosed = errors.New("history is closed")

// MemoryOptions bounds a memory history. The zero value of a field stands for its default.
type MemoryOptions struct {
	MaxSamples int // samples held, 16 bytes each; default 10 million
	Query      QueryOptions
}

// Memory is a history without files: for one-shot work and tests. Samples may come in any order. It is safe for
// concurrent use.
type Memory struct {
	*engine
	tally tally
	most  int

	mu     sync.RWMutex
	closed bool
	count  int
	byHash map[uint64][]*memorySeries // by label set; a list because hashes may collide
	byName map[string][]*memorySeries // by __name__
}

type memorySeries struct {
	labels  labels.Labels
	samples []moment // sorted by time; what is already there is never changed in place, so that readers may keep it
}

type moment struct {
	time  int64 // milliseconds since 1970
	value float64
}

// NewMemory makes an empty memory history.
func NewMemory(opts MemoryOptions) *Memory {
	m := &Memory{
		most:   orDefault(opts.MaxSamples, 10_000_000),
		byHash: make(map[uint64][]*memorySeries),
		byName: make(map[string][]*memorySeries),
	}
	m.engine = newEngine(opts.Query, storage.QueryableFunc(m.querier))
	return m
}

// Append stores samples. Each batch is stored as a whole or, with ErrFull, not at all.
func (m *Memory) Append(ctx context.Context, samples []schema.Sample) error {
	series, odd := fromSchema(samples)
	_, err := m.append(ctx, series, odd)
	return err
}

// AppendSeries stores samples of any series.
func (m *Memory) AppendSeries(ctx context.Context, samples []SeriesSample) (Written, error) {
	return m.append(ctx, samples, Written{})
}

func (m *Memory) append(ctx context.Context, samples []SeriesSample, written Written) (Written, error) {
	if err := ctx.Err(); err != nil {
		return Written{}, fmt.Errorf("append %d samples to memory: %w", len(samples), err)
	}
	samples = admit(samples, &written)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return Written{}, ErrClosed
	case m.count+len(samples) > m.most:
		return Written{}, fmt.Errorf("append %d samples to the %d in memory, limit %d: %w; read a shorter span or fewer hosts",
			len(samples), m.count, m.most, ErrFull)
	}
	for _, sample := range samples {
		series := m.series(sample.Labels)
		before := len(series.samples)
		if series.insert(moment{sample.Time, sample.Value}) {
			written.Stored++
		} else {
			written.Duplicate++
		}
		m.count += len(series.samples) - before
	}
	m.tally.add(written)
	return written, nil
}

// series finds or makes a series; the caller holds the lock.
func (m *Memory) series(ls labels.Labels) *memorySeries {
	hash := ls.Hash()
	for _, series := range m.byHash[hash] {
		if labels.Equal(series.labels, ls) {
			return series
		}
	}
	series := &memorySeries{labels: ls}
	m.byHash[hash] = append(m.byHash[hash], series)
	name := ls.Get(metricName)
	m.byName[name] = append(m.byName[name], series)
	return series
}

// insert puts a sample in its place. It refuses another value for a stored moment.
func (s *memorySeries) insert(sample moment) bool {
	count := len(s.samples)
	if count == 0 || sample.time > s.samples[count-1].time {
		s.samples = append(s.samples, sample)
		return true
	}
	at, found := slices.BinarySearchFunc(s.samples, sample.time, func(m moment, t int64) int { return cmp.Compare(m.time, t) })
	if found {
		return same(s.samples[at].value, sample.value)
	}
	// A new array: readers may hold the old one.
	longer := make([]moment, 0, count+1+count/4)
	longer = append(append(append(longer, s.samples[:at]...), sample), s.samples[at:]...)
	s.samples = longer
	return true
}

// Stats counts what became of all samples so far.
func (m *Memory) Stats() Written { return m.tally.read() }

// Close forgets everything.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.count = true, 0
	m.byHash, m.byName = nil, nil
	return nil
}
