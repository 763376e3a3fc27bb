package evaluate

import (
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
)

// TestNotices: each anomaly counts once, by what became of it: told is told, and what was explained at first counts when it is not
// any more.
func TestNotices(t *testing.T) {
	since := time.Date(2026, time.January, 8, 8, 0, 0, 0, time.UTC)
	anomaly := func(id, quiet string, state detectors.State) detectors.Finding {
		return detectors.Finding{ID: id, Detector: detectors.Anomaly, State: state, Since: since, Quiet: quiet}
	}
	again := anomaly("told", "", detectors.Firing)
	again.Since = since.Add(time.Hour)
	hint := anomaly("hint", "", detectors.Firing)
	hint.Hint = true
	var n noticed
	for _, findings := range [][]detectors.Finding{
		{anomaly("told", "", detectors.Firing), anomaly("ration", detectors.QuietRationed, detectors.Firing), anomaly("cause", detectors.QuietExplained, detectors.Firing)},
		{anomaly("told", detectors.QuietExplained, detectors.Firing), anomaly("later", detectors.QuietExplained, detectors.Firing), anomaly("waits", "", detectors.Pending)},
		{again, anomaly("later", "", detectors.Firing), hint, {ID: "other", Detector: detectors.LimitReached, State: detectors.Firing, Since: since}},
	} {
		n.observe(findings, 12, 12*time.Hour)
	}
	if got, want := n.notices(), (Notices{Notified: 3, Rationed: 1, Explained: 1, SeriesDays: 18}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	sum := Notices{Notified: 1, SeriesDays: 2}
	sum.add(Notices{Notified: 2, Rationed: 3, Explained: 4, SeriesDays: 5})
	if want := (Notices{3, 3, 4, 7}); sum != want {
		t.Errorf("%+v, want %+v", sum, want)
	}
}
