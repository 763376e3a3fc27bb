// Package fortnight makes the history of two weeks of a simulated fleet, in seconds: the clouds' past by the collectors' own
// back-fill, and the last part of it read and judged as serve does. The same fleet gives the same history.
package fortnight

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/stage"
)

// Options say what is played.
type Options struct {
	Directory string        // of the history
	Fleet     *model.Fleet  // complete
	End       time.Time     // of the two weeks
	Live      time.Duration // the last part, in which hosts are read and everything is judged each minute
	Terms     judge.Terms
}

const (
	long  = 14 * 24 * time.Hour
	noise = 0.01
)

// Play makes the history and leaves it open.
func Play(ctx context.Context, o Options) (_ *history.Embedded, err error) {
	const forever = 50 * 365 * 24 * time.Hour
	kept, err := history.OpenEmbedded(ctx, history.EmbeddedOptions{Path: o.Directory, Retention: forever})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, kept.Close())
		}
	}()
	start := o.End.Add(-o.Live)
	played, err := stage.New(ctx, stage.Options{Fleet: o.Fleet, Seed: 1, Start: start, Noise: noise, Past: long - o.Live})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, played.Close()) }()
	past, err := played.Past(ctx, o.End.Add(-long), start)
	if err != nil {
		return nil, fmt.Errorf("read the past: %w", err)
	}
	if err := kept.Backfill(ctx, past); err != nil {
		return nil, err
	}
	return kept, live(ctx, played, kept, o)
}

// live reads and judges the last part.
func live(ctx context.Context, played *stage.Stage, kept *history.Embedded, o Options) error {
	watch := judge.NewWatch(kept, kept, o.Terms)
	for at := o.End.Add(-o.Live); !at.After(o.End); at = at.Add(schema.HostGrain) {
		played.Advance(at)
		samples, err := played.Collect(ctx, at)
		if err != nil {
			return err
		}
		if err := kept.Append(ctx, samples); err != nil {
			return err
		}
		if at.Truncate(time.Minute).Equal(at) {
			if _, err := watch.Step(ctx, at); err != nil {
				return err
			}
		}
	}
	return late(ctx, played, kept, o.End.Add(settles))
}

// settles is how long after a moment the clouds have told all of it.
const settles = 20 * time.Minute

// late reads what the clouds tell of the two weeks after their end.
func late(ctx context.Context, played *stage.Stage, kept *history.Embedded, at time.Time) error {
	played.Advance(at)
	samples, err := played.Collect(ctx, at)
	if err != nil {
		return err
	}
	return kept.Append(ctx, samples)
}
