package judge

import (
	"context"
	"slices"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/history"
)

// Life is a finding from when it began to fire to its end.
type Life struct {
	detectors.Finding            // as it was when it last held; its since is when the condition began
	Fired             time.Time  `json:"fired"`    // the evaluation at which it began to fire
	Resolved          *time.Time `json:"resolved"` // the evaluation at which it was gone; nil: it still fired, or was kept, at the end
}

// Lives joins what evaluations say, one after the other, into lives. The zero value has seen none.
type Lives struct {
	all  []*Life
	open map[string]*Life
}

// Observe takes where all findings stand at one evaluation.
func (l *Lives) Observe(at time.Time, findings []detectors.Finding) {
	before := l.open
	l.open = make(map[string]*Life, len(findings))
	for _, finding := range findings {
		if finding.State != detectors.Firing && finding.State != detectors.Keep {
			continue
		}
		life := before[finding.ID]
		if life == nil {
			life = &Life{Finding: finding, Fired: at}
			l.all = append(l.all, life)
		}
		life.Finding = finding
		l.open[finding.ID] = life
		delete(before, finding.ID)
	}
	for _, ended := range before {
		ended.Resolved, ended.State = &at, detectors.Resolved
	}
}

// Since lists the lives that had not ended before a moment, in the order in which they began to fire.
func (l *Lives) Since(from time.Time) []Life {
	lives := []Life{}
	for _, life := range l.all {
		if life.Resolved == nil || !life.Resolved.Before(from) {
			lives = append(lives, *life)
		}
	}
	return lives
}

// Before is how long before a stretch of history a replay begins, so that what fires since before is known to: as long as
// serve goes back at a start without a checkpoint.
const Before = time.Hour

// Replay judges a stretch of history, both ends included, at the moments of a grid of which history knows something, as serve
// would have. It returns the findings that fired in it, and at how many moments it was judged. Progress is told of every
// moment; it may be nil.
func Replay(ctx context.Context, reader history.Reader, terms Terms, from, to time.Time, every time.Duration, progress func(at time.Time)) ([]Life, int, error) {
	first := from.Add(-Before).Truncate(every)
	if first.Before(from.Add(-Before)) {
		first = first.Add(every)
	}
	moments, err := known(ctx, reader, first, to.Truncate(every), every, terms.Profile.Window)
	if err != nil {
		return nil, 0, err
	}
	watch, lives, judged := NewWatch(reader, nil, terms), &Lives{}, 0
	for _, at := range moments {
		findings, err := watch.Step(ctx, at)
		if err != nil {
			return nil, judged, err
		}
		lives.Observe(at, findings)
		if !at.Before(from) {
			judged++
		}
		if progress != nil {
			progress(at)
		}
	}
	return lives.Since(from), judged, nil
}

// knownAtOnce is how many moments one query asks for: less than the 11,000 that a Prometheus answers.
const knownAtOnce = 10_000

// known is Known over any number of moments.
func known(ctx context.Context, reader history.Reader, first, last time.Time, every, window time.Duration) ([]time.Time, error) {
	var all []time.Time
	for !first.After(last) {
		end := first.Add((knownAtOnce - 1) * every)
		if end.After(last) {
			end = last
		}
		moments, err := Known(ctx, reader, first, end, every, window)
		if err != nil {
			return nil, err
		}
		all, first = append(all, moments...), end.Add(every)
	}
	return slices.Clip(all), nil
}
