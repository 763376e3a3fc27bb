package judge

import (
	"context"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// learnBaselines feeds the baselines of a watch once a grain: the past at first, as serve does. Views ask them what is usual.
func (w *Watch) learnBaselines(ctx context.Context, at time.Time) error {
	if !w.terms.Anomalies.On {
		return nil
	}
	if w.baselines == nil {
		w.baselines = NewBaselines(w.terms.Anomalies)
		w.terms.Profile.Usual = w.baselines.Usual
	}
	if !at.Truncate(seriesGrain).After(w.fedAt) {
		return nil
	}
	w.fedAt = at
	return w.baselines.Feed(ctx, w.reader, at)
}

// lookForAnomalies puts into a view what the baselines see.
func (w *Watch) lookForAnomalies(ctx context.Context, view *fleet.Fleet, findings []detectors.Finding) error {
	if w.baselines == nil {
		return nil
	}
	return w.baselines.Look(ctx, w.reader, view, findings)
}

// Baselines is how many series have a baseline.
func (w *Watch) Baselines() int {
	if w.baselines == nil {
		return 0
	}
	_, series := w.baselines.Refused()
	return series
}
