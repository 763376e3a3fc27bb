package evaluate

import (
	"fmt"
	"time"

	"github.com/nasight/nasight/detectors"
)

// Notices count the anomalies by who hears of them, beside the series that they came from.
type Notices struct {
	Notified   int     `json:"notified"`
	Rationed   int     `json:"rationed"`    // listed, and beyond what may notify in a day
	Explained  int     `json:"explained"`   // listed, and evidence of a finding that names a cause
	SeriesDays float64 `json:"series_days"` // that had a baseline, over the time that was judged
}

func (n *Notices) add(more Notices) {
	n.Notified += more.Notified
	n.Rationed += more.Rationed
	n.Explained += more.Explained
	n.SeriesDays += more.SeriesDays
}

func (n Notices) words() string {
	return fmt.Sprintf("%d anomalies notify, %d beyond the ration do not, nor do %d that another finding explains, in %.0f days of a series with a baseline",
		n.Notified, n.Rationed, n.Explained, n.SeriesDays)
}

// noticed is what becomes of the anomalies of one scenario. The zero value has seen none.
type noticed struct {
	quiet map[episodeKey]string // why nobody was notified of each, empty where somebody was
	days  float64
}

type episodeKey struct {
	id    string
	since time.Time
}

// observe takes where all findings stand after an interval in which so many series had a baseline. What was told once
// stays told; what another finding explains later was told before.
func (n *noticed) observe(findings []detectors.Finding, series int, interval time.Duration) {
	n.days += float64(series) * interval.Hours() / 24
	for _, finding := range findings {
		if finding.Detector != detectors.Anomaly || finding.State != detectors.Firing || finding.Hint {
			continue
		}
		key := episodeKey{finding.ID, finding.Since}
		if before, known := n.quiet[key]; known && before != detectors.QuietExplained {
			continue
		}
		if n.quiet == nil {
			n.quiet = map[episodeKey]string{}
		}
		n.quiet[key] = finding.Quiet
	}
}

func (n *noticed) notices() Notices {
	counts := Notices{SeriesDays: n.days}
	for _, quiet := range n.quiet {
		switch quiet {
		case detectors.QuietRationed:
			counts.Rationed++
		case detectors.QuietExplained:
			counts.Explained++
		default:
			counts.Notified++
		}
	}
	return counts
}
