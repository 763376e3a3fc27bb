package serve

import (
	"context"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/judge"
)

// recalledHourly is how exactly it matters when a finding was recorded last, of rules that judge once a day.
const recalledHourly = time.Hour

// recall tells a life cycle that begins anew what history has of findings, so that they are not younger than before. Without an answer
// they have been so since the first look at least, and say so.
func (e *evaluator) recall(ctx context.Context, cycle *detectors.Lifecycle, from, now time.Time, step time.Duration) {
	recorded, err := judge.Recorded(ctx, e.history, from, now, step)
	if err != nil {
		e.log.Warn("cannot read from history since when findings hold; they may be older than is said", "err", err)
		return
	}
	cycle.Recall(recorded)
}
