package schema

import "time"

// BaselineGrain is how often the baselines take in what history got.
const BaselineGrain = 5 * time.Minute

var bandLabels = with(IdentityLabels, Signal)

// What is usual, by the signal: latency in seconds, throughput in bytes per second, operations per second. How many series
// have bands is configured.
var (
	BaselineLower = &Family{
		Name: "nasight_baseline_lower", Type: Gauge, Labels: bandLabels,
		Help: "Lower bound of what the resource's latency (seconds), throughput (bytes per second) or operations (per second) usually is at this time; absent while it is learnt, and for latency.", Source: self, Grain: BaselineGrain,
	}
	BaselineUsual = &Family{
		Name: "nasight_baseline_usual", Type: Gauge, Labels: bandLabels,
		Help: "What the resource's latency (seconds), throughput (bytes per second) or operations (per second) usually is at this time; absent while it is learnt.", Source: self, Grain: BaselineGrain,
	}
	BaselineUpper = &Family{
		Name: "nasight_baseline_upper", Type: Gauge, Labels: bandLabels,
		Help: "Upper bound, like the lower one.", Source: self, Grain: BaselineGrain,
	}
)

// How the baselines fare.
var (
	BaselineSeries = &Family{
		Name: "nasight_baseline_series", Type: Gauge, Labels: with(hostLabels, State),
		Help: "Series that have a baseline, by state: learning (too young to judge), normal, off (a departure goes on), flatline, stale, new_normal (a departure became the usual within the last day).", Source: self, Grain: BaselineGrain,
	}
	BaselineRefused = &Family{
		Name: "nasight_baseline_refused_samples_total", Type: Counter, Labels: with(hostLabels, Reason),
		Help: "Samples that no baseline took: no_room (there are as many series as there may be), not_a_number, out_of_range, duplicate, out_of_step. Since the start.", Source: self, Grain: BaselineGrain,
	}
	BaselineFed = &Family{
		Name: "nasight_baseline_fed_timestamp_seconds", Type: Gauge, Unit: Seconds, Labels: hostLabels,
		Help: "When the baselines last took in all that history had, in seconds since 1970; absent while they learn from the past. Until then no anomaly begins or ends.", Source: self, Grain: BaselineGrain,
	}
	BaselineStateHealthy = &Family{
		Name: "nasight_baseline_state_healthy", Type: Gauge, Labels: hostLabels,
		Help: "1 if the file with the state of the baselines was in order when it was last read or written; 0 if it was damaged and set aside at the start, until it is written, or cannot be written.", Source: self, Grain: BaselineGrain,
	}
	BaselineStateSaved = &Family{
		Name: "nasight_baseline_state_saved_timestamp_seconds", Type: Gauge, Unit: Seconds, Labels: hostLabels,
		Help: "When the state of the baselines was last written, in seconds since 1970; absent before the first time. What is missing in it is read from history again.", Source: self, Grain: BaselineGrain,
	}
)
