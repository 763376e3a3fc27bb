package detectors

// ShareSettings are those of the rules about Azure file shares, whose service counts what it throttles.
type ShareSettings struct {
	Near              float64 `yaml:"near"`               // the busiest second of a minute over the limit
	Minutes           float64 `yaml:"minutes"`            // of the last five, that have to show it
	Throttled         float64 `yaml:"throttled"`          // part of the requests of five minutes, for a warning
	ThrottledRequests float64 `yaml:"throttled_requests"` // and at least so many of them
	ThrottledCritical float64 `yaml:"throttled_critical"` // part of the requests, for a critical finding
	Refused           float64 `yaml:"refused"`            // part that fails for it, likewise
	CreditsWarning    float64 `yaml:"credits_warning"`    // seconds until the burst credits are gone
	CreditsCritical   float64 `yaml:"credits_critical"`   // the same, for a critical finding
	CreditsFull       float64 `yaml:"credits_full"`       // part of the bucket that counts as full
	CreditsPoints     float64 `yaml:"credits_points"`     // minutes that a slope needs
	FullWithin        float64 `yaml:"full_within"`        // seconds in which a growing share must not be full
	Snapshots         float64 `yaml:"snapshots"`          // of the 200 that a share can have
	SlackIOPS         float64 `yaml:"slack_iops"`         // least provisioned operations worth lowering
	Headroom          float64 `yaml:"headroom"`           // to provision over what is used
}

func defaultShare() ShareSettings {
	return ShareSettings{
		Near: 0.90, Minutes: 3, Throttled: 0.01, ThrottledRequests: 60, ThrottledCritical: 0.10, Refused: 0.01,
		CreditsWarning: 3600, CreditsCritical: 900, CreditsFull: 0.999, CreditsPoints: 8,
		FullWithin: 7 * 24 * 3600, Snapshots: 180, SlackIOPS: 500, Headroom: 1.2,
	}
}

func (s ShareSettings) ranges() []bounds {
	share := func(name string, value float64) bounds { return bounds{"share." + name, value, 0, 1} }
	return []bounds{
		share("near", s.Near), {"share.minutes", s.Minutes, 1, 5}, share("throttled", s.Throttled),
		{"share.throttled_requests", s.ThrottledRequests, 0, 1e12}, {"share.throttled_critical", s.ThrottledCritical, s.Throttled, 1},
		share("refused", s.Refused), {"share.credits_warning", s.CreditsWarning, s.CreditsCritical, 1e6},
		{"share.credits_critical", s.CreditsCritical, 0, 1e6}, share("credits_full", s.CreditsFull),
		{"share.credits_points", s.CreditsPoints, 2, 16}, {"share.full_within", s.FullWithin, 0, 1e8},
		{"share.snapshots", s.Snapshots, 1, mostSnapshots}, {"share.slack_iops", s.SlackIOPS, 0, 1e12},
		{"share.headroom", s.Headroom, 1, 1e6},
	}
}

// The weights of the rules about Azure shares.
const (
	weightThrottled = 1.0 // the service counts what it throttles
	weightMaxUsed   = 0.6 // the busiest second of a minute
	weightCredits   = 0.8
)
