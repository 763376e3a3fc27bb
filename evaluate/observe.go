package evaluate

import (
	"time"

	"github.com/nasight/nasight/detectors"
)

// Observer joins what the evaluations of one scenario said into episodes. The zero value has seen nothing.
type Observer struct {
	episodes []*Episode
	open     map[string]*Episode // by the finding's id
}

// Observe takes where all findings stand at one evaluation. Evaluations come in the order of time.
func (o *Observer) Observe(at time.Duration, findings []detectors.Finding) {
	before := o.open
	o.open = make(map[string]*Episode, len(findings))
	for _, finding := range findings {
		if !fires(finding) || o.open[finding.ID] != nil {
			continue
		}
		episode := before[finding.ID]
		if episode == nil {
			episode = &Episode{Name: finding.Name(), Resource: finding.Resource, Confidence: finding.Confidence, Open: true}
			o.episodes = append(o.episodes, episode)
		}
		episode.Moments = append(episode.Moments, at)
		if episode.Gain == nil {
			episode.Gain = finding.Gain
		}
		o.open[finding.ID] = episode
		delete(before, finding.ID)
	}
	for _, ended := range before {
		ended.Open = false
	}
}

// fires tells whether somebody is told of a finding: it holds for long enough, or does no more and is kept for a while; it
// is no hint, and no other finding of its path comes first.
func fires(f detectors.Finding) bool {
	return (f.State == detectors.Firing || f.State == detectors.Keep) && !f.Hint && len(f.BlockedBy) == 0
}

// Episodes are those so far, in the order in which they began.
func (o *Observer) Episodes() []Episode {
	episodes := make([]Episode, len(o.episodes))
	for i, episode := range o.episodes {
		episodes[i] = *episode
	}
	return episodes
}
