package collectors

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/nasight/nasight/schema"
)

// Backfiller stores samples of any age. The embedded and the in-memory history are ones.
type Backfiller interface {
	// Backfill stores samples, durably once it returns nil.
	Backfill(ctx context.Context, samples []schema.Sample) error
}

// Past fills history with what a cloud still knows from before it was read live. The live readings find out what is missing
// and wake it; it goes on until that is closed. Its methods may be called from several goroutines, Run once.
type Past struct {
	opts PastOptions
	gaps chan struct{}
}

// PastOptions are what a Past is made of.
type PastOptions struct {
	// Fill closes the gaps that are known and says whether it filled any. It may be called again after an error.
	Fill func(context.Context, Backfiller) (filled bool, err error)
	// Minor says whether nothing that others could wait for is missing after an error of Fill, which may be nil.
	Minor  func(error) bool
	Pause  time.Duration // after a failure, and ever longer after the next ones; 0 for 5 min
	Logger *slog.Logger  // nil for none
}

const (
	defaultPastPause = 5 * time.Minute // what was read until then is paid for
	longestPastPause = time.Hour
)

// NewPast makes one that has nothing to do yet.
func NewPast(opts PastOptions) *Past {
	if opts.Pause <= 0 {
		opts.Pause = defaultPastPause
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return &Past{opts: opts, gaps: make(chan struct{}, 1)}
}

// Wake says that something is missing.
func (p *Past) Wake() {
	select {
	case p.gaps <- struct{}{}:
	default: // it is awake
	}
}

// Run fills until the context ends and returns nil then. done, which may be nil, is called each time when something was filled
// in and nothing is left but what is minor: not while more is found to be missing, since what follows from the past takes long.
func (p *Past) Run(ctx context.Context, into Backfiller, done func()) error {
	pause, filled := p.opts.Pause, false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.gaps:
		}
		some, err := p.opts.Fill(ctx, into)
		filled = filled || some
		if filled && done != nil && p.opts.Minor(err) && len(p.gaps) == 0 {
			done()
			filled = false
		}
		if err == nil {
			pause = p.opts.Pause
			continue
		}
		p.opts.Logger.Warn("back-fill was interrupted, will go on", "in", pause, "err", err)
		rest(ctx, pause)
		pause = min(2*pause, longestPastPause)
		p.Wake()
	}
}

// rest is over after a while or with the context.
func rest(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// InChunks stores samples as they come, so many at a time that few files are written and memory holds them. It is not safe for
// concurrent use.
type InChunks struct {
	Into    Backfiller
	samples []schema.Sample
	stored  []func()
}

const mostSamples = 1_000_000 // 64 bytes each

// Add takes samples; stored is called once they are in history.
func (c *InChunks) Add(ctx context.Context, samples []schema.Sample, stored func()) error {
	c.samples, c.stored = append(c.samples, samples...), append(c.stored, stored)
	if len(c.samples) < mostSamples {
		return nil
	}
	return c.Flush(ctx)
}

// Flush stores what is left. After an error nothing of it is told to be stored.
func (c *InChunks) Flush(ctx context.Context) error {
	samples, stored := c.samples, c.stored
	c.samples, c.stored = nil, nil
	if len(samples) > 0 {
		if err := c.Into.Backfill(ctx, samples); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	for _, tell := range stored {
		tell()
	}
	return nil
}
