package export

import (
	"maps"
	"slices"
	"time"

	"github.com/nasight/nasight/schema"
)

// span is from one moment to another, both included.
type span struct{ from, to time.Time }

// owed are the spans of samples that have to be read back, by minute since 1970: for each minute of which a sample had no
// room, from the first to the last of those samples. It takes little memory however long an outage is, and little is read
// that was sent already.
type owed map[int64]span

func minuteOf(t time.Time) int64 { return t.UnixMilli() / time.Minute.Milliseconds() }

func (o owed) add(samples []schema.Sample) {
	for _, sample := range samples {
		o.include(minuteOf(sample.Time), span{sample.Time, sample.Time})
	}
}

// put adds a span of any length.
func (o owed) put(s span) {
	for from := s.from; !from.After(s.to); {
		minute := minuteOf(from)
		next := time.UnixMilli((minute + 1) * time.Minute.Milliseconds())
		last := next.Add(-time.Millisecond)
		if s.to.Before(last) {
			last = s.to
		}
		o.include(minute, span{from, last})
		from = next
	}
}

func (o owed) include(minute int64, s span) {
	known, ok := o[minute]
	if !ok {
		o[minute] = s
		return
	}
	if s.from.Before(known.from) {
		known.from = s.from
	}
	if s.to.After(known.to) {
		known.to = s.to
	}
	o[minute] = known
}

// take removes the earliest minute's span.
func (o owed) take() (span, bool) {
	if len(o) == 0 {
		return span{}, false
	}
	earliest := slices.Min(slices.Collect(maps.Keys(o)))
	taken := o[earliest]
	delete(o, earliest)
	return taken, true
}

// first is the earliest moment owed; the zero time for none.
func (o owed) first() time.Time {
	var first time.Time
	for _, s := range o {
		if first.IsZero() || s.from.Before(first) {
			first = s.from
		}
	}
	return first
}
