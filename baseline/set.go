package baseline

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"
)

// Key names a series: what is measured, by its signal's ID, and of which resource.
type Key struct {
	Signal   string
	Resource string
}

// Compare orders keys by resource, then by signal.
func (k Key) Compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Resource, other.Resource), cmp.Compare(k.Signal, other.Signal))
}

// Set is the baselines of many series. It is not safe for concurrent use.
type Set struct {
	shelves map[string]*shelf // by what keys call the signal
	series  map[Key]*Series
	most    int
	refused uint64
}

// NewSet makes an empty set for some signals and at most so many series. Names of signals and resources have 65,535 bytes at
// most.
func NewSet(signals []Signal, most int) *Set {
	s := &Set{shelves: make(map[string]*shelf, len(signals)), series: map[Key]*Series{}, most: most}
	for _, signal := range signals {
		s.shelves[signal.key()] = &shelf{signal: signal}
	}
	return s
}

// Feed takes a sample of a series, which is begun if it is new. The error says that there are as many series as there may be,
// or no such signal; it costs the sample.
func (s *Set) Feed(key Key, at time.Time, x float64) (Event, error) {
	series, err := s.Of(key)
	if err != nil {
		return 0, err
	}
	return series.Feed(at, x), nil
}

// Of is one series of the set, which is begun if it is new, for who has many samples of it. The error is as of Feed.
func (s *Set) Of(key Key) (*Series, error) {
	if series, ok := s.series[key]; ok {
		return series, nil
	}
	return s.begin(key)
}

func (s *Set) begin(key Key) (*Series, error) {
	shelf, ok := s.shelves[key.Signal]
	if !ok || len(key.Resource) > maxName {
		return nil, fmt.Errorf("baseline of %s: no signal of the name %q", key.Resource[:min(len(key.Resource), maxName)], key.Signal)
	}
	if len(s.series) >= s.most {
		s.refused++
		return nil, fmt.Errorf("baseline of the %s of %s: there are %d series already, the most", key.Signal, key.Resource, s.most)
	}
	series := shelf.begin()
	s.series[key] = series
	return series, nil
}

// Series is one series of the set, nil where it was never fed.
func (s *Set) Series(key Key) *Series { return s.series[key] }

// Len is the number of series.
func (s *Set) Len() int { return len(s.series) }

// Refused is the number of samples whose series did not fit any more.
func (s *Set) Refused() uint64 { return s.refused }

// All goes through the series in the order of their keys.
func (s *Set) All() iter.Seq2[Key, *Series] {
	keys := make([]Key, 0, len(s.series))
	for key := range s.series {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, Key.Compare)
	return func(yield func(Key, *Series) bool) {
		for _, key := range keys {
			if !yield(key, s.series[key]) {
				return
			}
		}
	}
}

// Unordered goes through the series in any order, which costs less.
func (s *Set) Unordered() iter.Seq2[Key, *Series] { return maps.All(s.series) }

// Forget drops the series that had no sample for 28 days, and says how many: they would begin anew. Whoever has one of them
// must not use it any more.
func (s *Set) Forget(now time.Time) int {
	before := len(s.series)
	for key, series := range s.series {
		if now.Unix()-series.clock.last > forgetAfter {
			delete(s.series, key)
			s.shelves[key.Signal].end(series)
		}
	}
	return before - len(s.series)
}
