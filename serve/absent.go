package serve

import (
	"time"

	"github.com/nasight/nasight/judge"
)

// terms are how the evaluator looks and judges. Called with the lock held.
func (e *evaluator) terms() judge.Terms {
	profile := e.profile
	profile.Usual = e.anomalies.usual
	return judge.Terms{Profile: profile, Settings: e.detection.Settings(), Cloud: e.readsCloud.Load()}
}

// unwatched tells whether hosts that history says nothing of may just not have been read: while it is replayed, and in the
// first window after a start, nobody was there to collect. Later a host that is gone lets its findings end.
func (e *evaluator) unwatched() bool {
	return time.Since(e.started) <= 2*time.Duration(e.detection.Window) || e.replaying.Load()
}
