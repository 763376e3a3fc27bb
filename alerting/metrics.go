package alerting

import (
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/nasight/nasight/schema"
)

// row is one metric of the managers under nasight's name.
type row struct {
	of     string // the managers' name for it
	family *schema.Family
}

func rows() []row {
	return []row{
		{"prometheus_notifications_sent_total", schema.AlertingSent},
		{"prometheus_notifications_errors_total", schema.AlertingFailed},
		{"prometheus_notifications_dropped_total", schema.AlertingDropped},
		{"prometheus_notifications_queue_length", schema.AlertingQueue},
		{"prometheus_notifications_alertmanagers_discovered", schema.AlertingAlertmanagers},
		{"prometheus_rule_evaluations_total", schema.AlertingEvaluations},
		{"prometheus_rule_evaluation_failures_total", schema.AlertingEvaluationFailures},
	}
}

// Describe implements prometheus.Collector.
func (e *Engine) Describe(descriptions chan<- *prometheus.Desc) {
	for _, row := range rows() {
		descriptions <- describe(row.family)
	}
	descriptions <- describe(schema.AlertingReloadSuccess)
}

func describe(family *schema.Family) *prometheus.Desc {
	return prometheus.NewDesc(family.Name, family.Help, family.Labels, nil)
}

// Collect implements prometheus.Collector: how evaluating and sending go. It has nothing to tell without rules.
func (e *Engine) Collect(metrics chan<- prometheus.Metric) {
	if e.active.Load() || e.rejected.Load() {
		success := 1.0
		if e.rejected.Load() {
			success = 0
		}
		metrics <- translate(schema.AlertingReloadSuccess, &dto.Metric{Gauge: &dto.Gauge{Value: &success}})
	}
	families, err := e.registry.Gather()
	if err != nil {
		metrics <- prometheus.NewInvalidMetric(describe(schema.AlertingReloadSuccess), err)
		return
	}
	if !e.active.Load() {
		return
	}
	named := map[string]*dto.MetricFamily{}
	for _, family := range families {
		named[family.GetName()] = family
	}
	for _, row := range rows() {
		for _, metric := range named[row.of].GetMetric() {
			metrics <- translate(row.family, metric)
		}
	}
}

// translate gives a metric of the managers another name; they have one label at most, and so have ours.
func translate(family *schema.Family, metric *dto.Metric) prometheus.Metric {
	values := make([]string, 0, 1)
	for _, pair := range metric.GetLabel() {
		values = append(values, pair.GetValue())
	}
	kind, number := prometheus.GaugeValue, metric.GetGauge().GetValue()
	if family.Type == schema.Counter {
		kind, number = prometheus.CounterValue, metric.GetCounter().GetValue()
	}
	made, err := prometheus.NewConstMetric(describe(family), kind, number, values...)
	if err != nil {
		return prometheus.NewInvalidMetric(describe(family), err)
	}
	return made
}
