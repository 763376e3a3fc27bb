package stage

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// Past is what is known of the time from one moment to another, at which the stage stands: what the clouds tell, by the
// collectors' own back-fill, and what serve would have kept of hosts and of Azure's minutes, which no back-fill fetches. It is asked for once, before anything is collected, and holds the clouds' first readings too.
func (s *Stage) Past(ctx context.Context, from, to time.Time) ([]schema.Sample, error) {
	var all []schema.Sample
	for _, r := range s.clouds {
		samples, err := r.collect(ctx, to)
		if err != nil {
			return nil, err
		}
		all = append(all, samples...)
	}
	into := &shelf{}
	if err := s.Fill(ctx, into); err != nil {
		return nil, err
	}
	for _, sample := range into.samples {
		if !sample.Time.Before(from) {
			all = append(all, sample)
		}
	}
	minutes, err := s.minutes(ctx, from, firstMinute(all))
	if err != nil {
		return nil, err
	}
	all = append(all, minutes...)
	return append(all, s.rollUps(from, to)...), nil
}

// Fill lets the clouds' collectors, which have read once, fill a history with the past before that, all at the same time.
// The fleet may move on and be read meanwhile.
func (s *Stage) Fill(ctx context.Context, into collectors.Backfiller) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, fill := range s.fills() {
		group.Go(func() error { return filled(ctx, fill, into) })
	}
	return group.Wait()
}

// filler fills a history with the past until its context ends, and tells when nothing is left.
type filler func(ctx context.Context, into collectors.Backfiller, done func()) error

func (s *Stage) fills() []filler {
	var all []filler
	if s.gcnv != nil {
		all = append(all, func(ctx context.Context, into collectors.Backfiller, done func()) error {
			return s.gcnv.Backfill(ctx, into, done)
		})
	}
	if s.files != nil {
		all = append(all, func(ctx context.Context, into collectors.Backfiller, done func()) error {
			return s.files.Backfill(ctx, into, done)
		})
	}
	return all
}

// filled runs a back-fill to its end.
func filled(ctx context.Context, fill filler, into collectors.Backfiller) error {
	ctx, cancel := context.WithTimeout(ctx, collectTime)
	defer cancel()
	filling, end := context.WithCancel(ctx)
	if err := fill(filling, into, end); err != nil {
		return fmt.Errorf("back-fill: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("back-fill: %w", err)
	}
	return nil
}

// shelf takes what a back-fill stores.
type shelf struct {
	mu      sync.Mutex
	samples []schema.Sample
}

// Backfill implements what collectors fill.
func (s *shelf) Backfill(_ context.Context, samples []schema.Sample) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples = append(s.samples, samples...)
	return nil
}
