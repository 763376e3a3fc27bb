package serve

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/nasight/nasight/schema"
)

// reportState is whether the weekly report can be written, as far as it was tried. The zero value says nothing: no report is to
// be written.
type reportState struct{ known, failed atomic.Bool }

func (r *reportState) note(err error) {
	r.failed.Store(err != nil)
	r.known.Store(true)
}

// Describe implements prometheus.Collector.
func (r *reportState) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- prometheus.NewDesc(schema.ReportSuccess.Name, schema.ReportSuccess.Help, nil, nil)
}

// Collect implements prometheus.Collector.
func (r *reportState) Collect(metrics chan<- prometheus.Metric) {
	if !r.known.Load() {
		return
	}
	success := 1.0
	if r.failed.Load() {
		success = 0
	}
	metrics <- prometheus.MustNewConstMetric(prometheus.NewDesc(schema.ReportSuccess.Name, schema.ReportSuccess.Help, nil, nil), prometheus.GaugeValue, success)
}
