package schema

// PromhostSampleAge tells how fresh what a Prometheus says of a host is.
var PromhostSampleAge = &Family{
	Name: "nasight_prometheus_sample_age_seconds", Type: Gauge, Unit: Seconds, Labels: hostLabels,
	Help:   "Age of the newest sample of the host that was read from a Prometheus; it grows while that does not answer.",
	Source: self, Grain: HostGrain,
}
