package serve

import (
	"context"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/web"
)

const (
	chartsMost = 8 // of one page
	chartsTime = 2 * time.Second
)

// charts are those of the anomalies of an evaluation, by the ids of the findings. What history does not tell in time has none.
func (a *anomalies) charts(ctx context.Context, of *evaluation) map[string]web.Chart {
	baselines := a.current.Load()
	if baselines == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, chartsTime)
	defer cancel()
	charts := map[string]web.Chart{}
	for _, anomaly := range of.Fleet.Anomalies {
		finding, ok := findingOf(of.Findings, anomaly)
		if !ok || len(charts) == chartsMost {
			continue
		}
		drawn, err := baselines.Chart(ctx, a.evaluator.history, anomaly, of.At)
		if err != nil {
			a.evaluator.log.Debug("cannot draw an anomaly", "err", err)
			break
		}
		chart := web.Chart{Unit: anomaly.Root.Signal.Unit, Since: finding.Since, Falls: fell(anomaly.Root.Incident)}
		for _, one := range drawn {
			chart.Points = append(chart.Points, web.Point(one))
		}
		charts[finding.ID] = chart
	}
	return charts
}

// fell tells a departure downwards from all else.
func fell(incident baseline.Incident) bool {
	switch incident.Kind {
	case baseline.Level, baseline.Spike:
		return incident.Value < incident.Base
	}
	return false
}

// findingOf is the finding that an anomaly became: the one that shows its samples.
func findingOf(findings []detectors.Finding, anomaly fleet.Anomaly) (detectors.Finding, bool) {
	for _, finding := range findings {
		if finding.Detector == detectors.Anomaly && len(finding.Evidence) > 0 && finding.Evidence[0].Query == anomaly.Query {
			return finding, true
		}
	}
	return detectors.Finding{}, false
}
