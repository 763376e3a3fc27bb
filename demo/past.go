package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/stage"
)

// remember fills history with the past. The weeks of the hosts no collector can fetch: they are the roll-ups that serve
// keeps of every look, from the model. Those of the clouds come by the collectors' own back-fill. The last hour all
// collectors read, as it passes. serve takes up what they remember where they left it.
func (s *simulation) remember(ctx context.Context, cfg config.Config) (err error) {
	kept, err := history.OpenEmbedded(ctx, history.EmbeddedOptions{
		Path: cfg.History.Path, Retention: time.Duration(cfg.History.Retention), OutOfOrderWindow: time.Duration(cfg.History.OutOfOrder),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	memory, err := collectors.OpenFileMemory(filepath.Join(cfg.History.Path, "memory.json"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, memory.Save()) }()
	host, err := os.Hostname() // as serve calls itself
	if err != nil {
		return err
	}
	played, err := stage.New(ctx, stage.Options{World: s.world, Past: past - lastHour, Host: host, Memory: memory})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, played.Close()) }()
	if err := s.play(ctx, played, kept, judge.Configured(cfg)); err != nil {
		return fmt.Errorf("fill history with the past of the simulated fleet: %w", err)
	}
	return nil
}

// play fetches the past before the hour while the fleet moves up to the present, and keeps what collectors read meanwhile.
func (s *simulation) play(ctx context.Context, played *stage.Stage, into *history.Embedded, terms judge.Terms) error {
	began := played.Now()
	samples, err := played.Collect(ctx, began)
	if err != nil {
		return err
	}
	before := &archive{}
	group, filling := errgroup.WithContext(ctx)
	group.Go(func() error { return played.Fill(filling, before) })
	group.Go(func() error { return s.weeks(filling, began, before, terms) })
	group.Go(func() error { return catchUp(filling, played, into, began, samples) })
	if err := group.Wait(); err != nil {
		return err
	}
	return before.moveTo(ctx, into)
}

// catchUp keeps what was read at the beginning of the last hour and all that is read from then to the present.
func catchUp(ctx context.Context, played *stage.Stage, into history.Writer, at time.Time, samples []schema.Sample) error {
	for {
		if err := into.Append(ctx, samples); err != nil {
			return err
		}
		if at = at.Add(grain); at.After(time.Now()) {
			return nil
		}
		played.Advance(at)
		var err error
		if samples, err = played.Collect(ctx, at); err != nil {
			return err
		}
	}
}

// rollUpGrain is how often serve keeps what it saw of a host.
const rollUpGrain = 5 * time.Minute

// weeks archives what serve would have kept of the hosts up to a moment.
func (s *simulation) weeks(ctx context.Context, to time.Time, into *archive, terms judge.Terms) error {
	for at := to.Add(lastHour - past).Truncate(rollUpGrain).Add(rollUpGrain); at.Before(to); at = at.Add(rollUpGrain) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := into.Backfill(ctx, terms.Record(stage.Seen(s.world.Endpoints(at.Add(-rollUpGrain)), s.hosts.fleet, at), nil)); err != nil {
			return err
		}
	}
	return nil
}
