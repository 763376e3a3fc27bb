package schema

const self = "nasight"

// nasight's own health: every failure shows in the exposition.
var (
	CollectorSuccess = &Family{
		Name: "nasight_collector_success", Type: Gauge, Labels: with(hostLabels, Collector),
		Help: "1 if the collector's last run succeeded, else 0.", Source: self, Grain: HostGrain,
	}
	CollectorDuration = &Family{
		Name: "nasight_collector_duration_seconds", Type: Gauge, Unit: Seconds, Labels: with(hostLabels, Collector),
		Help: "Duration of the collector's last run.", Source: self, Grain: HostGrain,
	}
	CollectorLastSuccess = &Family{
		Name: "nasight_collector_last_success_timestamp_seconds", Type: Gauge, Unit: Seconds, Labels: with(hostLabels, Collector),
		Help: "Time of the collector's last successful run, in seconds since 1970.", Source: self, Grain: HostGrain,
	}
	CollectorErrors = &Family{
		Name: "nasight_collector_errors_total", Type: Counter, Labels: with(hostLabels, Collector, Reason),
		Help: "Failed runs by reason.", Source: self, Grain: HostGrain,
	}
	CollectorSkipped = &Family{
		Name: "nasight_collector_skipped_total", Type: Counter, Labels: with(hostLabels, Collector, Reason),
		Help: "Odd lines, files and values that were skipped, by reason.", Source: self, Grain: HostGrain,
	}
)

// What leaves the process: the exposition and remote write.
var (
	ExpositionDropped = &Family{
		Name: "nasight_exposition_dropped_series", Type: Gauge, Labels: []string{Reason},
		Help:   "Series left out of this exposition: duplicate (the same series twice), inconsistent (does not match its family).",
		Source: self, Grain: HostGrain,
	}
	RemoteWriteSent = &Family{
		Name: "nasight_remote_write_samples_total", Type: Counter, Labels: receiverLabels,
		Help: "Samples that the remote-write receiver accepted.", Source: self, Grain: HostGrain,
	}
	RemoteWriteDropped = &Family{
		Name: "nasight_remote_write_dropped_samples_total", Type: Counter, Labels: with(receiverLabels, Reason),
		Help:   "Samples given up: queue_full (no room, nor can they be read back), rejected (by the receiver), shutdown (not sent before the end).",
		Source: self, Grain: HostGrain,
	}
	RemoteWriteRetries = &Family{
		Name: "nasight_remote_write_retries_total", Type: Counter, Labels: receiverLabels,
		Help: "Remote-write requests that failed and were tried again.", Source: self, Grain: HostGrain,
	}
	RemoteWritePending = &Family{
		Name: "nasight_remote_write_pending_samples", Type: Gauge, Labels: receiverLabels,
		Help: "Samples in memory that wait to be sent; of what is read back from history later the age tells alone.", Source: self, Grain: HostGrain,
	}
	RemoteWriteBehind = &Family{
		Name: "nasight_remote_write_behind_seconds", Type: Gauge, Unit: Seconds, Labels: receiverLabels,
		Help: "Age of the oldest sample that waits to be sent, in memory or in history; 0 if none does.", Source: self, Grain: HostGrain,
	}
	VictoriaMetricsPushes = &Family{
		Name: "nasight_victoriametrics_pushes_total", Type: Counter, Labels: with(receiverLabels, Outcome),
		Help: "Pushes to VictoriaMetrics by outcome: success, failure.", Source: self, Grain: HostGrain,
	}
	VictoriaMetricsLastSuccess = &Family{
		Name: "nasight_victoriametrics_last_success_timestamp_seconds", Type: Gauge, Unit: Seconds, Labels: receiverLabels,
		Help: "Time of the last push that VictoriaMetrics accepted, in seconds since 1970; absent before the first.", Source: self, Grain: HostGrain,
	}
)

// OTLP, by signal: metrics, traces.
var (
	OTLPPushes = &Family{
		Name: "nasight_otlp_pushes_total", Type: Counter, Labels: with(hostLabels, Signal),
		Help: "OTLP pushes that the receiver accepted, as a whole or in part.", Source: self, Grain: HostGrain,
	}
	OTLPFailures = &Family{
		Name: "nasight_otlp_failures_total", Type: Counter, Labels: with(hostLabels, Signal, Reason),
		Help:   "OTLP pushes that failed: unreachable, timeout, tls, credentials, throttled, server_error, refused (not wanted as it is), other.",
		Source: self, Grain: HostGrain,
	}
	OTLPRejected = &Family{
		Name: "nasight_otlp_rejected_total", Type: Counter, Labels: with(hostLabels, Signal),
		Help: "Data points or spans that the receiver rejected of OTLP pushes that it accepted in part.", Source: self, Grain: HostGrain,
	}
	OTLPDroppedSpans = &Family{
		Name: "nasight_otlp_dropped_spans_total", Type: Counter, Labels: hostLabels,
		Help: "Spans given up: too many waited, or the receiver took them not in time.", Source: self, Grain: HostGrain,
	}
	OTLPLastSuccess = &Family{
		Name: "nasight_otlp_last_success_timestamp_seconds", Type: Gauge, Unit: Seconds, Labels: with(hostLabels, Signal),
		Help: "Time of the last OTLP push that the receiver accepted, in seconds since 1970.", Source: self, Grain: HostGrain,
	}
)
var receiverLabels = with(hostLabels, Receiver)

// The configuration file, where there is one.
var (
	Simulated = &Family{
		Name: "nasight_simulated", Type: Gauge,
		Help: "1 if all data are simulated, as those of nasight demo are; else absent.", Source: self, Grain: HostGrain,
	}
	ConfigReloadSuccess = &Family{
		Name: "nasight_config_reload_success", Type: Gauge,
		Help: "1 if the configuration file was in order when it was last read, else 0; absent without a file.", Source: self, Grain: HostGrain,
	}
	ConfigLastReloadSuccess = &Family{
		Name: "nasight_config_last_reload_success_timestamp_seconds", Type: Gauge, Unit: Seconds,
		Help: "Time when the configuration file was last read and in order, in seconds since 1970; absent without a file.", Source: self, Grain: HostGrain,
	}
)

// ReportSuccess tells of the weekly report that serve writes.
var ReportSuccess = &Family{
	Name: "nasight_report_success", Type: Gauge,
	Help:   "1 if the weekly report could be written when that was last tried, or a trial file in its directory, else 0; absent where no report is to be written.",
	Source: self, Grain: HostGrain,
}

// HistorySamples counts what the history was given and what became of it.
var HistorySamples = &Family{
	Name: "nasight_history_samples_total", Type: Counter, Labels: with(hostLabels, Outcome),
	Help:   "Samples given to the history by outcome: stored, too_old, too_new (more than 10 minutes ahead of the clock), duplicate, not_finite, malformed, refused (beyond the limit on series).",
	Source: self, Grain: time1m,
}

// HistoryWarnings counts what a history in another server warns of.
var HistoryWarnings = &Family{
	Name: "nasight_history_warnings_total", Type: Counter, Labels: hostLabels,
	Help:   "Answers of the remote history that came with a warning: they may be answers in part. Absent where history lies in files.",
	Source: self, Grain: time1m,
}

// Findings while they fire: identity in the labels, numbers in the values.
var (
	FindingActive = &Family{
		Name: "nasight_finding", Type: Gauge, Labels: findingLabels,
		Help: "1 while the finding fires.", Source: self, Grain: time1m,
	}
	FindingSeverity = &Family{
		Name: "nasight_finding_severity", Type: Gauge, Labels: findingLabels,
		Help: "Severity of a firing finding: 1 info, 2 warning, 3 critical.", Source: self, Grain: time1m,
	}
	FindingConfidence = &Family{
		Name: "nasight_finding_confidence", Type: Gauge, Labels: findingLabels,
		Help: "Confidence of a firing finding, 0 to 1.", Source: self, Grain: time1m,
	}
	FindingQuiet = &Family{
		Name: "nasight_finding_quiet", Type: Gauge, Labels: findingLabels,
		Help: "1 while a firing finding is not to notify anybody: an anomaly that another finding explains, or one beyond what may notify in a day. Absent for all others.", Source: self, Grain: time1m,
	}
	FindingSince = &Family{
		Name: "nasight_finding_since_timestamp_seconds", Type: Gauge, Unit: Seconds, Labels: findingLabels,
		Help: "Since when a firing finding has been so, in seconds since 1970. A start reads it from history, so that it stays.", Source: self, Grain: time1m,
	}
	FindingSinceAtLeast = &Family{
		Name: "nasight_finding_since_at_least", Type: Gauge, Labels: findingLabels,
		Help: "1 where a firing finding was so already when it was first looked at: it began then or before; else 0.", Source: self, Grain: time1m,
	}
	FindingGain = &Family{
		Name: "nasight_finding_gain_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: findingLabels,
		Help: "Throughput that the remedy is expected to bring: the middle of the gain's bracket.", Source: self, Grain: time1m,
	}
	FindingWaste = &Family{
		Name: "nasight_finding_waste_usd_per_month", Type: Gauge, Unit: USDPerMonth, Labels: findingLabels,
		Help: "Money that the remedy would save each month.", Source: self, Grain: time1m,
	}
)
