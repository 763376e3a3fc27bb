package judge

import (
	"context"
	"fmt"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
)

const (
	chartBefore = 12 * time.Hour     // of a chart, before the incident
	chartMost   = 3 * 24 * time.Hour // of it in all
	chartStep   = 3 * seriesGrain
)

// Drawn is one moment of a chart: what was measured, and what is usual at that time of day.
type Drawn struct {
	At                         time.Time
	Value, Lower, Usual, Upper fleet.Value
}

// Chart is what the root of an anomaly did since some hours before it, up to a moment.
func (b *Baselines) Chart(ctx context.Context, reader history.Reader, a fleet.Anomaly, to time.Time) ([]Drawn, error) {
	to = to.Truncate(chartStep)
	from := a.Start.Add(-chartBefore).Truncate(chartStep)
	if earliest := to.Add(-chartMost); from.Before(earliest) {
		from = earliest
	}
	lines, err := reader.Range(ctx, a.Query, from, to, chartStep)
	if err != nil {
		return nil, fmt.Errorf("read what an anomaly is about: %w", err)
	}
	values := map[int64]float64{}
	for _, line := range lines {
		for i, at := range line.Times {
			values[at.Unix()] = line.Values[i]
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	series := b.set.Series(a.Root.Key)
	if series == nil {
		return nil, nil
	}
	var drawn []Drawn
	for at := from; !at.After(to); at = at.Add(chartStep) {
		one := Drawn{At: at, Value: fleet.Unknown, Lower: fleet.Unknown, Usual: fleet.Unknown, Upper: fleet.Unknown}
		if value, ok := values[at.Unix()]; ok {
			one.Value = fleet.Value(value)
		}
		if lower, usual, upper, ok := series.Band(at); ok {
			one.Lower, one.Usual, one.Upper = fleet.Value(lower), fleet.Value(usual), fleet.Value(upper)
		}
		drawn = append(drawn, one)
	}
	return drawn, nil
}
