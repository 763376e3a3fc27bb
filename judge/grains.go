package judge

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// grains are a portion of a source's samples.
type grains struct {
	from, to time.Time
	reached  time.Time // up to when the source was read before
	until    time.Time // its watermark
	lines    []history.Series
	zeros    map[int64]bool // grains that were read and in which what has no sample did nothing, by their ends
	listed   map[string]bool

	ends []baseline.Instant // of each grain, as the source's baselines see it
}

// read asks history for a portion.
func (s *source) read(ctx context.Context, reader history.Reader, from, to time.Time) (grains, error) {
	g := grains{from: from, to: to}
	for _, query := range s.queries {
		lines, err := reader.Range(ctx, strings.ReplaceAll(query, anyOf, ""), from, to, seriesGrain)
		if err != nil {
			return grains{}, fmt.Errorf("read the series of %s: %w", s.signal.ID, err)
		}
		g.lines = append(g.lines, lines...)
	}
	if s.collector == "" {
		return g, nil
	}
	if err := g.readZeros(ctx, reader, s); err != nil {
		return grains{}, fmt.Errorf("read which grains of %s are zero: %w", s.signal.ID, err)
	}
	return g, nil
}

func (g *grains) readZeros(ctx context.Context, reader history.Reader, s *source) error {
	query := fmt.Sprintf("min(min_over_time(%s{%s=%q}[%s])) == 1", schema.CollectorSuccess.Name, schema.Collector, s.collector, grainRange())
	runs, err := reader.Range(ctx, query, g.from, g.to, seriesGrain)
	if err != nil || len(runs) == 0 {
		return err
	}
	listed, err := reader.Instant(ctx, s.inventory, g.to)
	if err != nil {
		return err
	}
	g.zeros, g.listed = map[int64]bool{}, map[string]bool{}
	for _, run := range runs {
		for _, at := range run.Times {
			g.zeros[at.Unix()] = true
		}
	}
	for _, point := range listed {
		g.listed[resourceKey(fleet.ResourceOf(point.Labels))] = true
	}
	return nil
}

// see works out the ends of the grains once for all series.
func (g *grains) see(signal *baseline.Signal) {
	g.ends = g.ends[:0]
	for at := g.from; !at.After(g.to); at = at.Add(seriesGrain) {
		g.ends = append(g.ends, signal.At(at))
	}
}

// feed gives a series its samples, each at the end of its grain. What the series has is left
// out: the last grains are read again and again for what comes late. A series that is ahead of the clock gets all new ones
// and finds out that the clock was set.
func (g *grains) feed(series *baseline.Series, line *history.Series) {
	last := series.Last()
	begun := !last.IsZero()
	if last.After(g.until) {
		last = g.reached
	}
	next := len(line.Times) // of the line's samples, the first that the series does not have
	for next > 0 && line.Times[next-1].After(last) {
		next--
	}
	for i := g.following(last); i < len(g.ends); i++ {
		at := g.ends[i].Unix()
		for next < len(line.Times) && line.Times[next].Unix() < at {
			next++
		}
		value, told := 0.0, begun && g.zeros[at]
		if next < len(line.Times) && line.Times[next].Unix() == at {
			value, told = line.Values[next], true
		}
		if told {
			series.FeedAt(g.ends[i], value)
			begun = true
		}
	}
}

// following is the first grain that ends after a moment.
func (g *grains) following(at time.Time) int {
	if at.Before(g.from) {
		return 0
	}
	return int(at.Sub(g.from)/seriesGrain) + 1
}

// serviceOf is the service in the key of a resource.
func serviceOf(key string) string {
	_, rest, _ := strings.Cut(key, separator)
	service, _, _ := strings.Cut(rest, separator)
	return service
}
