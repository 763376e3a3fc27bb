package collectors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// job is one collector of one root with its clock. Only its own goroutine touches it, last apart.
type job struct {
	host, name string
	collector  Collector
	interval   time.Duration
	timeout    time.Duration
	output     Output
	watch      Watch // nil for nobody
	log        *slog.Logger

	stamps   stamps
	health   health
	previous *run          // the last run that was started
	expected int           // samples of the last run
	pace     time.Duration // until the next run: the interval, or less after a failure
	repeat   time.Duration // pause after the next failure
	last     atomic.Pointer[error]
}

func newJob(cfg RunnerConfig, root Root, entry Entry) (*job, error) {
	interval, err := intervalOf(cfg, entry)
	if err != nil {
		return nil, err
	}
	c, err := entry.New(root, cfg.Settings)
	if err != nil {
		return nil, err
	}
	timeout := defaultTimeout
	if entry.Timeout > 0 {
		timeout = entry.Timeout
	}
	if cfg.Timeout > 0 {
		timeout = cfg.Timeout
	}
	return &job{
		host: root.Host, name: entry.Name, collector: c,
		interval: interval, pace: interval, repeat: firstRepeat, timeout: min(timeout, interval), output: cfg.Output, watch: cfg.Watch,
		log:    cfg.Logger.With("collector", entry.Name, "host", root.Host),
		health: newHealth(root.Host, entry.Name),
	}, nil
}

func intervalOf(cfg RunnerConfig, entry Entry) (time.Duration, error) {
	interval := entry.Interval
	if cfg.Interval > 0 && entry.Interval < time.Hour {
		interval = cfg.Interval
	}
	if own, ok := cfg.Intervals[entry.Name]; ok {
		interval = own
	}
	if interval < shortest {
		return 0, fmt.Errorf("interval %s is shorter than %s", interval, shortest)
	}
	return interval, nil
}

// loop runs the collector at once, after a jitter that keeps many of them from starting together, and then every
// interval counted from that first run. Runs that come due while one is under way are left out. A run that failed is
// repeated sooner where the interval is long, so that what is read hourly does not stay away for an hour after a refusal
// at the start; once it works the interval is counted anew.
func (j *job) loop(ctx context.Context) {
	jitter := time.NewTimer(rand.N(min(j.interval/10, longestSpread)))
	defer jitter.Stop()
	select {
	case <-jitter.C:
	case <-ctx.Done():
		return
	}
	clock := time.NewTicker(j.interval)
	defer clock.Stop()
	for {
		if pace := j.next(j.tick(ctx)); pace != j.pace {
			j.pace = pace
			clock.Reset(pace)
		}
		select {
		case <-clock.C:
		case <-ctx.Done():
			return
		}
	}
}

// next is the time until the run after one that went well or did not: the interval, or a pause that doubles with every
// failure until it is as long.
func (j *job) next(good bool) time.Duration {
	if good {
		j.repeat = firstRepeat
		return j.interval
	}
	pause := min(j.repeat, j.interval)
	j.repeat = 2 * pause
	return pause
}

// tick makes one run, publishes it and says whether it went well. A run that the end of the program cut short is no
// failure and is not told.
func (j *job) tick(ctx context.Context) bool {
	at := j.stamps.next(time.Now())
	result := j.watched(ctx, at)
	if ctx.Err() != nil {
		return true
	}
	batch := Batch{
		Host: j.host, Collector: j.name, Time: at, Interval: j.interval, Failed: !result.Success(),
		Samples: append(result.Samples, j.health.note(at, result)...), Past: result.Past,
	}
	if err := j.output.Publish(ctx, batch); err != nil {
		j.log.Warn("cannot publish samples", "samples", len(batch.Samples), "err", err)
	}
	j.report(result.Err)
	return result.Success()
}

// watched makes one run before the eyes of who watches, if anybody does.
func (j *job) watched(ctx context.Context, at time.Time) Result {
	if j.watch == nil {
		return j.collect(ctx, at)
	}
	ctx, ended := j.watch(ctx, j.host, j.name)
	result := j.collect(ctx, at)
	ended(result)
	return result
}

// collect starts the collector unless its last run still hangs: a second one would hang beside it.
func (j *job) collect(ctx context.Context, at time.Time) Result {
	if j.previous != nil && !j.previous.returned() {
		since := time.Since(j.previous.started)
		return Result{Err: fmt.Errorf("%w: started %s ago", errHung, since.Round(time.Second)), Duration: since}
	}
	ctx, cancel := context.WithTimeout(ctx, j.timeout)
	defer cancel()
	j.previous = start(ctx, j.collector, at, j.expected+healthRoom)
	result := j.previous.wait(ctx)
	j.expected = len(result.Samples)
	return result
}

// report keeps the outcome for Status and logs where it changed; a failure that lasts is in the metrics.
func (j *job) report(err error) {
	before := j.last.Swap(&err)
	failed := err != nil && !errors.Is(err, ErrNoData)
	failedBefore := before != nil && *before != nil && !errors.Is(*before, ErrNoData)
	switch {
	case failed && !failedBefore:
		j.log.Warn("collector failed", "reason", ReasonOf(err), "err", err)
	case failed:
		j.log.Debug("collector failed again", "reason", ReasonOf(err), "err", err)
	case failedBefore:
		j.log.Info("collector works again")
	}
}
