package config

import (
	"time"

	"github.com/nasight/nasight/detectors"
)

// Detection is when and how the detectors judge.
type Detection struct {
	Interval Duration `yaml:"interval"` // between evaluations
	Window   Duration `yaml:"window"`   // what rates and means cover
	// CollectionInterval is how often the hosts are read, those of agents included: a window with fewer than four fifths
	// of the reads that it should hold is not judged. 0 is the interval of the nfs collector.
	CollectionInterval Duration             `yaml:"collection_interval"`
	For                int                  `yaml:"for"`    // evaluations in a row before a finding fires; 0: each detector's own
	Keep               int                  `yaml:"keep"`   // evaluations without the finding before it resolves; 0: each detector's own
	Prices             []detectors.PriceRow `yaml:"prices"` // what the operator pays; without a row nothing is said in money
	Anomalies          Anomalies            `yaml:"anomalies"`
	Thresholds         Thresholds           `yaml:"thresholds"`
}

// Thresholds are the detectors' settings that are choices and not facts.
type Thresholds struct {
	MinimumCoverage float64                        `yaml:"minimum_coverage"` // samples received over expected, below which nothing is judged
	HintBelow       float64                        `yaml:"hint_below"`       // confidence under which a finding is a hint
	Doubt           float64                        `yaml:"doubt"`            // factor on the confidence for a confounder that is seen
	Activity        detectors.ActivitySettings     `yaml:"activity"`         // what is idle
	Session         detectors.SessionSettings      `yaml:"session"`          // session_saturated
	Metadata        detectors.MetadataSettings     `yaml:"metadata"`         // metadata_heavy
	Latency         detectors.LatencySettings      `yaml:"latency"`          // server_latency
	Multichannel    detectors.MultichannelSettings `yaml:"multichannel"`     // smb_multichannel
	Client          detectors.ClientSettings       `yaml:"client"`           // client_bound
	Pool            detectors.PoolSettings         `yaml:"pool"`             // pool_throughput_unused
	Limit           detectors.LimitSettings        `yaml:"limit"`            // limit_reached
	Envelope        detectors.EnvelopeSettings     `yaml:"envelope"`         // beyond_envelope
	Placement       detectors.PlacementSettings    `yaml:"placement"`        // client_bound/placement
	Hard            detectors.HardSettings         `yaml:"hard"`             // hard_limit
	Share           detectors.ShareSettings        `yaml:"share"`            // Azure file shares
}

func defaultDetection() Detection {
	settings := detectors.DefaultSettings()
	return Detection{
		Interval: Duration(time.Minute), Window: Duration(time.Minute), Anomalies: defaultAnomalies(),
		Thresholds: Thresholds{
			MinimumCoverage: settings.MinimumCoverage, HintBelow: settings.HintBelow, Doubt: settings.Doubt,
			Activity: settings.Activity, Session: settings.Session, Metadata: settings.Metadata,
			Latency: settings.Latency, Multichannel: settings.Multichannel, Client: settings.Client, Pool: settings.Pool, Limit: settings.Limit,
			Envelope: settings.Envelope, Placement: settings.Placement, Hard: settings.Hard, Share: settings.Share,
		},
	}
}

// Settings are what the detectors take.
func (d Detection) Settings() detectors.Settings {
	settings := detectors.DefaultSettings()
	settings.For, settings.Keep = d.For, d.Keep
	settings.Gap = max(settings.Gap, 3*time.Duration(d.Interval))
	t := d.Thresholds
	settings.MinimumCoverage, settings.HintBelow, settings.Doubt = t.MinimumCoverage, t.HintBelow, t.Doubt
	settings.Activity, settings.Session, settings.Metadata = t.Activity, t.Session, t.Metadata
	settings.Latency, settings.Multichannel, settings.Client = t.Latency, t.Multichannel, t.Client
	settings.Pool, settings.Limit, settings.Envelope = t.Pool, t.Limit, t.Envelope
	settings.Placement, settings.Hard, settings.Share = t.Placement, t.Hard, t.Share
	settings.Prices = d.Prices
	settings.Anomaly = detectors.AnomalySettings(d.Anomalies.Notify)
	return settings
}

// mostEvaluations bounds what a life cycle has to remember: a week of minutes.
const mostEvaluations = 7 * 24 * 60

func (c *check) detection(detection Detection) {
	c.within("detection.interval", detection.Interval, shortestInterval)
	c.within("detection.window", detection.Window, shortestWindow)
	if detection.CollectionInterval != 0 {
		c.within("detection.collection_interval", detection.CollectionInterval, shortestInterval)
	}
	for key, count := range map[string]int{"detection.for": detection.For, "detection.keep": detection.Keep} {
		if count < 0 || count > mostEvaluations {
			c.fail(key, "%d is out of range; write a number of evaluations from 1 to %d, or 0 for each detector's own", count, mostEvaluations)
		}
	}
	c.thresholds(detection)
	c.prices(detection.Prices)
	c.anomalies(detection.Anomalies)
}
