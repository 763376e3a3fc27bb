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
		Name: "nasight_remote_write_samples_total", Type: Counter, Labels: hostLabels,
		Help: "Samples that the remote-write receiver accepted.", Source: self, Grain: HostGrain,
	}
	RemoteWriteDropped = &Family{
		Name: "nasight_remote_write_dropped_samples_total", Type: Counter, Labels: with(hostLabels, Reason),
		Help:   "Samples given up: queue_full (oldest first), rejected (by the receiver), shutdown (not sent before the end).",
		Source: self, Grain: HostGrain,
	}
	RemoteWriteRetries = &Family{
		Name: "nasight_remote_write_retries_total", Type: Counter, Labels: hostLabels,
		Help: "Remote-write requests that failed and were tried again.", Source: self, Grain: HostGrain,
	}
	RemoteWritePending = &Family{
		Name: "nasight_remote_write_pending_samples", Type: Gauge, Labels: hostLabels,
		Help: "Samples that wait to be sent.", Source: self, Grain: HostGrain,
	}
)

// The configuration file, where there is one.
var (
	ConfigReloadSuccess = &Family{
		Name: "nasight_config_reload_success", Type: Gauge,
		Help: "1 if the configuration file was in order when it was last read, else 0; absent without a file.", Source: self, Grain: HostGrain,
	}
	ConfigLastReloadSuccess = &Family{
		Name: "nasight_config_last_reload_success_timestamp_seconds", Type: Gauge, Unit: Seconds,
		Help: "Time when the configuration file was last read and in order, in seconds since 1970; absent without a file.", Source: self, Grain: HostGrain,
	}
)

// HistorySamples counts what the embedded history was given and what became of it.
var HistorySamples = &Family{
	Name: "nasight_history_samples_total", Type: Counter, Labels: with(hostLabels, Outcome),
	Help:   "Samples given to the history by outcome: stored, too_old, duplicate, not_finite, malformed, refused (beyond the limit on series).",
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
	FindingGain = &Family{
		Name: "nasight_finding_gain_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: findingLabels,
		Help: "Throughput that the remedy is expected to bring: the middle of the gain's bracket.", Source: self, Grain: time1m,
	}
	FindingWaste = &Family{
		Name: "nasight_finding_waste_usd_per_month", Type: Gauge, Unit: USDPerMonth, Labels: findingLabels,
		Help: "Money that the remedy would save each month.", Source: self, Grain: time1m,
	}
)
