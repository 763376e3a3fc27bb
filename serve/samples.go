package serve

import (
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/schema"
)

// findingSamples are the series of the findings that fire, and the figures of the view that they were found in.
func findingSamples(result *evaluation) []schema.Sample {
	samples := judge.Samples(result.Fleet, result.Findings, result.Settings)
	samples = append(samples, judge.RollUps(result.Fleet, result.Settings)...) // dashboards of a Prometheus that scrapes show them
	return append(samples, judge.Figures(result.Fleet, result.Findings, result.Settings)...)
}
