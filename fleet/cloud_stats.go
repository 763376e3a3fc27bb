package fleet

import (
	"maps"
	"slices"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// sums adds up the samples of several series moment by moment: a quantile of the sum is not the sum of quantiles.
type sums map[int64]float64

func (s sums) add(line history.Series) {
	for i, at := range line.Times {
		s[at.UnixMilli()] += line.Values[i]
	}
}

func (s sums) used() Used { return UsedOf(slices.Collect(maps.Values(s))) }

const (
	countingShare = 0.10 // of the busiest hour's bytes, for an hour to count
	readShareBins = 20
	wholeShare    = 0.9 // of the hours of which throughput is known, whose operations have to be known as well
)

// hourly is what a volume did hour by hour.
type hourly struct {
	labels map[string]string
	hours  map[time.Time]*traffic
}

type traffic struct{ bytes, reads, writes Value }

func (h *hourly) add(bytes bool, line history.Series) {
	for i, at := range line.Times {
		l := h.hours[at]
		if l == nil {
			l = &traffic{Unknown, Unknown, Unknown}
			h.hours[at] = l
		}
		value := Value(line.Values[i])
		switch {
		case bytes:
			l.bytes = l.bytes.Plus(value)
		case line.Labels[schema.Kind] == "read":
			l.reads = l.reads.Plus(value)
		default:
			l.writes = l.writes.Plus(value)
		}
	}
}

// whole says whether bytes and operations are known of nearly every hour that the volume's throughput, covered so far, is known of.
// While the past is being filled in they are not yet, and the most favourable hour may be among those that lack.
func (h *hourly) whole(covered Value) bool {
	known := 0
	for at, l := range h.hours {
		if hour := l.hour(at); hour.Throughput.Known() && hour.Operations.Known() {
			known++
		}
	}
	return covered.Known() && float64(known) >= wholeShare*float64(covered)*float64(week/time.Hour)
}

// pick keeps the hours that count, and of those with about the same share of reads the one with the largest blocks: more
// bytes an operation never make a volume slower, so that no more favourable hour is lost.
func (h *hourly) pick() []Hour {
	busiest := Value(0)
	for _, l := range h.hours {
		busiest = max(busiest, Value(l.bytes.Or(0)))
	}
	best := map[int]Hour{}
	for at, l := range h.hours {
		hour := l.hour(at)
		if !hour.Block.Known() || !hour.ReadShare.Known() || !hour.Throughput.AtLeast(countingShare*float64(busiest)) {
			continue
		}
		bin := int(float64(hour.ReadShare) * readShareBins)
		if other, taken := best[bin]; !taken || hour.Block > other.Block || hour.Block == other.Block && hour.At.Before(other.At) {
			best[bin] = hour
		}
	}
	hours := make([]Hour, 0, len(best))
	for _, hour := range best {
		hours = append(hours, hour)
	}
	slices.SortFunc(hours, func(a, b Hour) int { return a.At.Compare(b.At) })
	return hours
}

func (l *traffic) hour(at time.Time) Hour {
	operations := l.reads.Plus(l.writes)
	return Hour{
		At: at, Throughput: l.bytes, Operations: operations, Block: l.bytes.Over(operations),
		ReadShare: Value(l.reads.Or(0)).Over(operations),
	}
}
