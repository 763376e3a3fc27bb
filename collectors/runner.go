package collectors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// RunnerConfig says what a Runner runs.
type RunnerConfig struct {
	Roots    []Root
	Entries  []Entry // the selected collectors; see Select
	Settings Settings
	Output   Output
	// Interval replaces the interval of every entry whose own one is shorter than an hour; 0 keeps them.
	Interval time.Duration
	// Intervals replaces the interval of single collectors, by name. Names of collectors that do not run are ignored.
	Intervals map[string]time.Duration
	// Timeout is the most time that one run may take; 0 for what the entry says, or 10 s. It is never more than the interval.
	Timeout time.Duration
	Watch   Watch        // told of every run; nil for nobody
	Logger  *slog.Logger // nil for none
}

// Watch is told that a run of a collector begins. The run gets the context that it returns, and ended is called once with what
// the run gave.
type Watch func(ctx context.Context, host, collector string) (watched context.Context, ended func(Result))

const (
	defaultTimeout = 10 * time.Second
	shortest       = time.Second // shortest interval that is accepted
	longestSpread  = time.Second // longest jitter of the first run
	firstRepeat    = time.Minute // pause after the first failure of a collector whose interval is longer
)

// Runner runs every collector of every root on a clock of its own. A collector that is slow, fails or hangs keeps no
// other one waiting.
type Runner struct {
	jobs []*job
}

// NewRunner makes the collectors. It fails if one of them cannot be made or an interval makes no sense.
func NewRunner(cfg RunnerConfig) (*Runner, error) {
	if cfg.Output == nil || len(cfg.Roots) == 0 {
		return nil, errors.New("runner: needs an output and at least one root")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	runner := &Runner{}
	hosts := make(map[string]bool)
	for _, root := range cfg.Roots {
		if hosts[root.Host] {
			return nil, fmt.Errorf("runner: two roots have the host name %q; give each a name of its own", root.Host)
		}
		hosts[root.Host] = true
		for _, entry := range cfg.Entries {
			job, err := newJob(cfg, root, entry)
			if err != nil {
				return nil, fmt.Errorf("collector %s of host %s: %w", entry.Name, root.Host, err)
			}
			runner.jobs = append(runner.jobs, job)
		}
	}
	return runner, nil
}

// Run runs the collectors until the context ends and returns nil then. Only the goroutines of collectors that hang
// are left behind.
func (r *Runner) Run(ctx context.Context) error {
	var all sync.WaitGroup
	for _, j := range r.jobs {
		all.Go(func() { j.loop(ctx) })
	}
	all.Wait()
	return nil
}

// Status is how the last run of one collector went.
type Status struct {
	Host, Collector string
	Ran             bool  // the first run has ended, one way or another
	Err             error // nil, ErrNoData or why the last run failed
}

// Status lists how each collector's last run went, in the order of roots and entries.
func (r *Runner) Status() []Status {
	all := make([]Status, 0, len(r.jobs))
	for _, j := range r.jobs {
		s := Status{Host: j.host, Collector: j.name}
		if err := j.last.Load(); err != nil {
			s.Ran, s.Err = true, *err
		}
		all = append(all, s)
	}
	return all
}
