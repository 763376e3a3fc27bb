package judge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// Watch judges moment after moment, by the rules of both clocks, as serve does while it runs. It is used by one goroutine.
type Watch struct {
	reader  history.Reader
	writer  history.Writer
	terms   Terms
	learner Learner

	minute, daily *detectors.Lifecycle
	dailyAt       time.Time
	first         time.Time

	baselines *Baselines // nil: nobody looks for anomalies
	fedAt     time.Time
}

// NewWatch starts without findings. What a look writes back goes to writer; nil keeps nothing: a back-test changes nothing
// of the history that it reads, in which serve has left those samples.
func NewWatch(reader history.Reader, writer history.Writer, terms Terms) *Watch {
	return &Watch{reader: reader, writer: writer, terms: terms, minute: detectors.NewLifecycle(terms.Settings)}
}

// Step judges one moment, later than the last, and returns where all findings stand: of both clocks, the most severe first.
// Looks over days are taken as soon as a pool is known, and then once a day.
func (w *Watch) Step(ctx context.Context, at time.Time) ([]detectors.Finding, error) {
	if w.first.IsZero() {
		w.first = at
	}
	if w.daily == nil || at.Sub(w.dailyAt) >= Daily {
		if err := w.lookOverDays(ctx, at); err != nil {
			return nil, err
		}
	}
	if err := w.learner.Learn(ctx, w.reader, at, &w.terms.Profile); err != nil {
		return nil, err
	}
	if err := w.learnBaselines(ctx, at); err != nil {
		return nil, err
	}
	view, err := w.terms.View(ctx, w.reader, at)
	if err != nil {
		return nil, err
	}
	if err := w.lookForAnomalies(ctx, view, w.Findings()); err != nil {
		return nil, err
	}
	unwatched := at.Sub(w.first) <= 2*w.terms.Profile.Window
	stepped, err := w.terms.Minute(ctx, w.reader, view, w.minute, unwatched)
	if err != nil {
		return nil, err
	}
	findings := w.Findings()
	if !stepped || w.writer == nil {
		return findings, nil
	}
	if err := w.writer.Append(ctx, w.terms.Record(view, findings)); err != nil {
		return nil, fmt.Errorf("keep the findings of %s in history: %w", at.UTC().Format(time.RFC3339), err)
	}
	return findings, nil
}

// Refill judges the last days anew at the next step: history was filled with another past.
func (w *Watch) Refill() { w.daily = nil }

// lookOverDays goes on with the life cycle of the day before, or folds a new one over the last days.
func (w *Watch) lookOverDays(ctx context.Context, now time.Time) error {
	cycle, rounds := w.daily, 1
	if cycle == nil {
		cycle, rounds = detectors.NewLifecycle(w.terms.Settings), DailyRounds
	}
	view, days, err := w.terms.Days(ctx, w.reader, now, cycle, rounds)
	if err != nil || view == nil {
		return err
	}
	w.terms.Profile.Days, w.daily, w.dailyAt = days, cycle, now
	return nil
}

// Findings are those of both clocks, the most severe first.
func (w *Watch) Findings() []detectors.Finding { return Merge(w.minute, w.daily) }

// Merge lists the findings of both clocks, the most severe first; daily may be nil.
func Merge(minute, daily *detectors.Lifecycle) []detectors.Finding {
	findings := minute.Active()
	if daily == nil {
		return findings
	}
	findings = append(findings, daily.Active()...)
	slices.SortStableFunc(findings, func(a, b detectors.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	return findings
}

// Known finds the moments of a grid whose window has samples, with one query: of the others there is nothing to judge. How the
// judging itself went is no such sample.
func Known(ctx context.Context, reader history.Reader, first, last time.Time, interval, window time.Duration) ([]time.Time, error) {
	if last.Before(first) {
		return nil, nil
	}
	query := fmt.Sprintf("count(count_over_time(%s{collector!=%q}[%dms])) or count(count_over_time(%s[%dms])) or count(count_over_time(%s[%dms]))",
		schema.CollectorSuccess.Name, Own, window.Milliseconds(), schema.NFSMountAge.Name, window.Milliseconds(),
		schema.VolumeTotalThroughput.Name, schema.GCNVGrain.Milliseconds())
	series, err := reader.Range(ctx, query, first, last, interval)
	if err != nil {
		return nil, fmt.Errorf("find what history knows: %w", err)
	}
	var moments []time.Time
	for _, s := range series {
		moments = append(moments, s.Times...)
	}
	slices.SortFunc(moments, time.Time.Compare)
	return slices.CompactFunc(moments, time.Time.Equal), nil
}

// HostTerms are the usual terms of hosts that are read at their grain: a window, the default settings, nothing of a cloud's
// configuration but that there may be one.
func HostTerms(window time.Duration) Terms {
	return Terms{Profile: fleet.Spacing(window, schema.HostGrain), Settings: detectors.DefaultSettings(), Cloud: true}
}
