package alerts

import (
	"fmt"
	"time"

	"github.com/nasight/nasight/schema"
)

// health is one row about nasight itself.
type health struct {
	alert    string
	severity string
	expr     string
	wait     time.Duration // how long it has to hold
	summary  string
	words    string
	kind     string // of collectors, where an alert has a rule for each kind
}

func (h health) rule(options Options) Rule {
	labels := map[string]string{"severity": h.severity}
	if h.kind != "" {
		labels["collectors"] = h.kind
	}
	return Rule{
		Alert: h.alert, Expr: h.expr, For: duration(h.wait), KeepFiringFor: duration(5 * options.Interval),
		Labels:      labels,
		Annotations: Annotations{Summary: h.summary, Description: h.words, RunbookURL: runbook(options, h.alert)},
	}
}

// pace is a kind of collectors that run equally often. Their health is renewed by each run, so what is late is measured in runs.
type pace struct {
	kind    string
	matcher string
	period  time.Duration
}

// detection is the name under which serve tells how its own evaluation goes.
const detection = "findings"

// paces are the collectors by how often they run by default. Tiers that the configuration or the budget slows run less often.
func paces(interval time.Duration) []pace {
	return []pace{
		{"hosts", `collector!~"(gcnv|azurefiles)_.+|gce|` + detection + `"`, interval},
		{"performance", `collector=~"(gcnv|azurefiles)_performance"`, max(schema.GCNVGrain, interval)},
		{"inventory", `collector=~"(gcnv|azurefiles)_(capacity|inventory)|gce"`, max(schema.ConfigGrain, interval)},
	}
}

// healthRows is the table. A window of counters or of changes spans ten intervals, a wait five: one failed scrape, or one
// restart, is no alert.
func healthRows(interval time.Duration) []health {
	rows := append(append(collecting(interval), judging(interval)...), learning(interval)...)
	rows = append(append(rows, clouds(interval)...), leaving(interval)...)
	return append(append(rows, telling(interval)...), reporting(interval)...)
}

// collecting: is every host there, and does every collector run?
func collecting(interval time.Duration) []health {
	rows := []health{{
		alert: "NasightHostSilent", severity: Warning, wait: 5 * interval,
		expr: fmt.Sprintf("max by (host) (present_over_time(%[1]s[%[2]s])) unless max by (host) (%[1]s)",
			schema.CollectorSuccess.Name, duration(max(time.Hour, 30*interval))),
		summary: "Nothing is heard of host {{ $labels.host }} any more",
		words:   "Its agent is not scraped any more, or it is gone. Its findings are those of before.",
	}}
	for _, p := range paces(interval) {
		rows = append(rows, health{
			alert: "NasightCollectorDown", kind: p.kind, severity: Warning, wait: p.period + 5*interval,
			expr:    fmt.Sprintf("max by (host, collector) (%s{%s}) == 0", schema.CollectorSuccess.Name, p.matcher),
			summary: "Collector {{ $labels.collector }} on {{ $labels.host }} fails",
			words:   "Its last runs failed. What it reads is not known any more, and its findings are those of before.",
		}, health{
			alert: "NasightCollectorStale", kind: p.kind, severity: Warning, wait: interval,
			expr: fmt.Sprintf("time() - max by (host, collector) (%s{%s}) > %.0f unless max by (host, collector) (%s) == 0%s",
				schema.CollectorLastSuccess.Name, p.matcher, (3*p.period + 2*interval).Seconds(), schema.CollectorSuccess.Name, p.slowed()),
			summary: "Collector {{ $labels.collector }} on {{ $labels.host }} has not run for {{ $value | humanizeDuration }}",
			words:   "No run has failed, none has ended: what it reads grows old.",
		})
	}
	return rows
}

// slowed leaves out collectors that the budget has slowed: they are late on purpose, and another alert says so.
func (p pace) slowed() string {
	if p.period < schema.GCNVGrain {
		return ""
	}
	return fmt.Sprintf(" unless on () max(%s) > 0", schema.CloudBudgetState.Name)
}

// judging: is there a nasight at all, does it judge in time, and does it remember?
func judging(interval time.Duration) []health {
	window := duration(10 * interval)
	counted := func(outcome string) string {
		return fmt.Sprintf("sum by (host) (increase(%s{outcome=%q}[%s]))", schema.HistorySamples.Name, outcome, window)
	}
	return []health{
		{
			alert: "NasightAbsent", severity: Critical, wait: 5 * interval,
			expr:    fmt.Sprintf("absent_over_time(%s{collector=%q}[%s])", schema.CollectorSuccess.Name, detection, duration(5*interval)),
			summary: "No nasight serve is scraped",
			words:   "Nothing is judged, and no alert about storage can come.",
		},
		{
			alert: "NasightDetectionLate", severity: Critical, wait: interval,
			expr: fmt.Sprintf("time() - max by (host) (%s{collector=%q}) > %.0f",
				schema.CollectorLastSuccess.Name, detection, (5*interval + time.Minute).Seconds()),
			summary: "Detection on {{ $labels.host }} is late by {{ $value | humanizeDuration }}",
			words:   "Findings are those of that time; no new one is seen.",
		},
		{
			alert: "NasightHistoryNotStoring", severity: Critical, wait: 5 * interval,
			expr:    counted("stored") + " == 0",
			summary: "The history of {{ $labels.host }} stores nothing",
			words:   "Its disk is full, or cannot be written. Findings are judged from what was stored before.",
		},
		{
			alert: "NasightHistoryRefusing", severity: Warning, wait: interval,
			expr:    counted("refused") + " > 0",
			summary: "The history of {{ $labels.host }} refuses series beyond its limit",
			words:   `{{ printf "%.0f" $value }} samples were refused in ` + window + ". New hosts and volumes are not judged.",
		},
		{
			alert: "NasightConfigReloadFailed", severity: Warning, wait: 2 * interval,
			expr:    fmt.Sprintf("%s == 0", schema.ConfigReloadSuccess.Name),
			summary: "The configuration file of {{ $labels.instance }} is not in order",
			words:   "nasight goes on with the one that it had. A restart would not start.",
		},
	}
}

// clouds: can they be read, at which price, and how far has the past been read?
func clouds(interval time.Duration) []health {
	const project = "cloud, service, project"
	budget := func(state int) string {
		return fmt.Sprintf("max by (cloud, service) (%s) == %d", schema.CloudBudgetState.Name, state)
	}
	window := duration(max(time.Hour, 12*interval))
	return []health{
		{
			alert: "NasightCloudUnreachable", severity: Warning, wait: 2*schema.GCNVGrain + interval,
			expr:    fmt.Sprintf(`max by (%s, location, api, reason) (%s{reason!="budget"}) == 1`, project, schema.CloudUnreachable.Name),
			summary: "{{ $labels.project }}{{ with $labels.location }}/{{ . }}{{ end }} cannot be read: {{ $labels.api }}, {{ $labels.reason }}",
			words:   "What it has keeps its findings, in the state that they have.",
		},
		{
			alert: "NasightCloudBudgetExceeding", severity: Info, wait: 5 * interval,
			expr:    budget(1),
			summary: "Reading {{ $labels.cloud }}/{{ $labels.service }} would cost more than the soft limit this month",
			words:   "nasight reads it less often, so findings come later.",
		},
		{
			alert: "NasightCloudBudgetSpent", severity: Warning, wait: interval,
			expr:    budget(2),
			summary: "The month's budget of {{ $labels.cloud }}/{{ $labels.service }} is spent",
			words:   "The metrics that cost money are not read until the month ends or the limit is raised.",
		},
		{
			alert: "NasightBackfillStuck", severity: Info, wait: max(30*time.Minute, 5*interval),
			expr: fmt.Sprintf("max by (%[1]s) (%[2]s) < 1 unless max by (%[1]s) (changes(%[2]s[%[3]s])) > 0",
				project, schema.CloudBackfill.Name, window),
			summary: "The past of {{ $labels.project }} is not read on",
			words:   "{{ $value | humanizePercentage }} of it is stored. Rules that look over days wait for the rest.",
		},
	}
}

// leaving: does everything get out that others rely on?
func leaving(interval time.Duration) []health {
	window := duration(10 * interval)
	return []health{
		{
			alert: "NasightRemoteWriteDropping", severity: Warning, wait: interval,
			expr:    fmt.Sprintf(`sum by (host, receiver, reason) (increase(%s{reason!="shutdown"}[%s])) > 0`, schema.RemoteWriteDropped.Name, window),
			summary: "Remote write of {{ $labels.host }} to {{ $labels.receiver }} gives samples up: {{ $labels.reason }}",
			words:   `{{ printf "%.0f" $value }} samples in ` + window + " have not reached the receiver and will not.",
		},
		{
			alert: "NasightRemoteWriteStuck", severity: Warning, wait: 5 * interval,
			expr: fmt.Sprintf("sum by (host, receiver) (%s) > 0 and sum by (host, receiver) (increase(%s[%s])) == 0",
				schema.RemoteWritePending.Name, schema.RemoteWriteSent.Name, window),
			summary: "Remote write of {{ $labels.host }} to {{ $labels.receiver }} is stuck",
			words:   `{{ printf "%.0f" $value }} samples wait and none is accepted. An agent gives up the oldest when its queue is full; serve reads them from its history later.`,
		},
		pushesFail("NasightVictoriaMetricsFailing", interval, leaves{
			failures: schema.VictoriaMetricsPushes.Name + `{outcome="failure"}`, successes: schema.VictoriaMetricsPushes.Name + `{outcome="success"}`,
			by: "host, receiver", summary: "VictoriaMetrics {{ $labels.receiver }} takes no push of {{ $labels.host }}",
		}),
		pushesFail("NasightOTLPFailing", interval, leaves{
			failures: schema.OTLPFailures.Name, successes: schema.OTLPPushes.Name,
			by: "host, signal", summary: "The OTLP receiver takes no {{ $labels.signal }} of {{ $labels.host }}",
		}),
		{
			alert: "NasightExpositionDropping", severity: Info, wait: 5 * interval,
			expr:    fmt.Sprintf("%s > 0", schema.ExpositionDropped.Name),
			summary: "{{ $labels.instance }} leaves series out of its exposition: {{ $labels.reason }}",
			words:   `{{ printf "%.0f" $value }} series are not shown.`,
		},
		{
			alert: "NasightPrometheusHostStale", severity: Warning, wait: 5 * interval,
			expr:    fmt.Sprintf("max by (host) (%s) > %.0f", schema.PromhostSampleAge.Name, (5*interval + 5*time.Minute).Seconds()),
			summary: "What a Prometheus says of {{ $labels.host }} is {{ $value | humanizeDuration }} old",
			words:   "Its exporter is not scraped, or the Prometheus that nasight reads does not answer.",
		},
	}
}

// reporting: is the weekly report where people look for it?
func reporting(interval time.Duration) []health {
	return []health{{
		alert: "NasightReportFailing", severity: Warning, wait: 5 * interval,
		expr:    fmt.Sprintf("%s == 0", schema.ReportSuccess.Name),
		summary: "{{ $labels.instance }} cannot write the weekly report",
		words:   "Its directory is full, or cannot be written to. It is tried again every hour, and what was missed is made up.",
	}}
}

// leaves is a way on which nothing waits: what is not taken is gone.
type leaves struct{ failures, successes, by, summary string }

// pushesFail is about pushes of which all fail within a window, which is longer than the usual time from one to the next.
func pushesFail(alert string, interval time.Duration, way leaves) health {
	window := duration(max(10*interval, 10*time.Minute))
	counted := func(series string) string {
		return fmt.Sprintf("sum by (%s) (increase(%s[%s]))", way.by, series, window)
	}
	return health{
		alert: alert, severity: Warning, wait: 5 * interval,
		expr:    counted(way.failures) + " > 0 unless " + counted(way.successes) + " > 0",
		summary: way.summary,
		words:   `{{ printf "%.0f" $value }} pushes in ` + window + " failed and none was taken. What it missed is not sent later.",
	}
}
