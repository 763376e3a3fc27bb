package detectors

// PoolSettings are those of pool_throughput_unused. Throughput is in bytes per second.
type PoolSettings struct {
	UnallocatedShare   float64 `yaml:"unallocated_share"`    // of the pool's throughput
	UnallocatedBytes   float64 `yaml:"unallocated_bytes"`    // and at least this much
	Headroom           float64 `yaml:"headroom"`             // need over forecast
	Growth             float64 `yaml:"growth"`               // most growth of a week that the forecast adds, as a share
	Suppressed         float64 `yaml:"suppressed"`           // most that a client's own bound multiplies the forecast
	Censored           float64 `yaml:"censored"`             // forecast over limit of a volume that is at its limit
	SlackShare         float64 `yaml:"slack_share"`          // of what a volume has
	SlackBytes         float64 `yaml:"slack_bytes"`          // and at least this much
	Bursty             float64 `yaml:"bursty"`               // peak over what the volume has, beyond which nothing is taken
	Stable             float64 `yaml:"stable"`               // change from week to week that counts as none
	StrandedShare      float64 `yaml:"stranded_share"`       // of the pool's capacity
	MinimumGiB         float64 `yaml:"minimum_gib"`          // smallest Standard, Premium or Extreme pool
	MinimumUSD         float64 `yaml:"minimum_usd"`          // a month, below which no money is spoken of
	FlexFreeThroughput float64 `yaml:"flex_free_throughput"` // that a Flex pool has without paying for it
	FlexFreeIOPS       float64 `yaml:"flex_free_iops"`       // operations per second, likewise
	FlexIOPSPerMiBps   float64 `yaml:"flex_iops_per_mibps"`  // operations that come with a MiB/s
}

func defaultPool() PoolSettings {
	return PoolSettings{
		UnallocatedShare: 0.10, UnallocatedBytes: 64 * mebibyte, Headroom: 1.2, Growth: 0.5, Suppressed: 2, Censored: 1.5,
		SlackShare: 0.5, SlackBytes: 32 * mebibyte, Bursty: 0.8, Stable: 0.3, StrandedShare: 0.10, MinimumGiB: 2048, MinimumUSD: 50,
		FlexFreeThroughput: 64 * mebibyte, FlexFreeIOPS: 1024, FlexIOPSPerMiBps: 16,
	}
}

// LimitSettings are those of limit_reached for services that do not count what they throttle.
type LimitSettings struct {
	Near      float64 `yaml:"near"`     // utilisation beside a sign of waiting
	At        float64 `yaml:"at"`       // utilisation that needs no other sign
	Slowdown  float64 `yaml:"slowdown"` // latency over its baseline
	Critical  float64 `yaml:"critical"` // the same, for a critical finding
	Plateau   float64 `yaml:"plateau"`  // variation (standard deviation over mean) of the highest quarter of an hour's samples
	Samples   float64 `yaml:"samples"`  // of the last four, that have to show it
	NearIOPS  float64 `yaml:"near_iops"`
	Confident float64 `yaml:"confident"` // confidence with waiting seen
	Inferred  float64 `yaml:"inferred"`  // confidence from utilisation alone
}

func defaultLimit() LimitSettings {
	return LimitSettings{
		Near: 0.90, At: 0.98, Slowdown: 1.5, Critical: 5, Plateau: 0.03, Samples: 3, NearIOPS: 0.95, Confident: 0.85, Inferred: 0.60,
	}
}

// EnvelopeSettings are those of beyond_envelope, in bytes per second.
type EnvelopeSettings struct {
	VolumeMaximum      float64 `yaml:"volume_maximum"`       // what the service accepts for one volume
	LargeVolumeMaximum float64 `yaml:"large_volume_maximum"` // for a large-capacity volume
	StableReads        float64 `yaml:"stable_reads"`         // spread of the hours' read shares that counts as stable
	Headroom           float64 `yaml:"headroom"`             // limit to set over the ceiling
}

func defaultEnvelope() EnvelopeSettings {
	return EnvelopeSettings{VolumeMaximum: 4608 * mebibyte, LargeVolumeMaximum: 30720 * mebibyte, StableReads: 0.25, Headroom: 1.1}
}

// PlacementSettings are those of client_bound/placement. Times are in seconds.
type PlacementSettings struct {
	Share    float64 `yaml:"share"`    // part of the operation's time spent outside the service
	Outside  float64 `yaml:"outside"`  // the same as a time
	ZoneRTT  float64 `yaml:"zone_rtt"` // lowest round trip over that of the nearest client
	ZoneGap  float64 `yaml:"zone_gap"` // and the difference
	Slowdown float64 `yaml:"slowdown"` // operation RTT over its baseline, for a warning
}

func defaultPlacement() PlacementSettings {
	return PlacementSettings{Share: 0.5, Outside: 0.0005, ZoneRTT: 1.5, ZoneGap: 0.0003, Slowdown: 2}
}

// HardSettings are those of hard_limit: shares of a limit.
type HardSettings struct {
	Warning  float64 `yaml:"warning"`
	Critical float64 `yaml:"critical"`
	Scan     float64 `yaml:"scan"` // confidence in what the service itself counts
}

func defaultHard() HardSettings { return HardSettings{Warning: 0.80, Critical: 0.95, Scan: 0.95} }

func (s Settings) cloudRanges() []bounds {
	share := func(name string, value float64) bounds { return bounds{name, value, 0, 1} }
	factor := func(name string, value float64) bounds { return bounds{name, value, 1, 1e6} }
	amount := func(name string, value float64) bounds { return bounds{name, value, 0, 1e12} }
	pool, limit, envelope, placement, hard := s.Pool, s.Limit, s.Envelope, s.Placement, s.Hard
	return []bounds{
		share("pool.unallocated_share", pool.UnallocatedShare), amount("pool.unallocated_bytes", pool.UnallocatedBytes),
		factor("pool.headroom", pool.Headroom), share("pool.growth", pool.Growth), factor("pool.suppressed", pool.Suppressed),
		factor("pool.censored", pool.Censored), share("pool.slack_share", pool.SlackShare), amount("pool.slack_bytes", pool.SlackBytes),
		share("pool.bursty", pool.Bursty), share("pool.stable", pool.Stable), share("pool.stranded_share", pool.StrandedShare),
		amount("pool.minimum_gib", pool.MinimumGiB), amount("pool.minimum_usd", pool.MinimumUSD),
		amount("pool.flex_free_throughput", pool.FlexFreeThroughput), amount("pool.flex_free_iops", pool.FlexFreeIOPS),
		amount("pool.flex_iops_per_mibps", pool.FlexIOPSPerMiBps),
		share("limit.near", limit.Near), {"limit.at", limit.At, limit.Near, 2}, factor("limit.slowdown", limit.Slowdown),
		factor("limit.critical", limit.Critical), share("limit.plateau", limit.Plateau), {"limit.samples", limit.Samples, 1, 4},
		share("limit.near_iops", limit.NearIOPS), share("limit.confident", limit.Confident), share("limit.inferred", limit.Inferred),
		{"envelope.volume_maximum", envelope.VolumeMaximum, 1, 1e12}, {"envelope.large_volume_maximum", envelope.LargeVolumeMaximum, 1, 1e12},
		share("envelope.stable_reads", envelope.StableReads), factor("envelope.headroom", envelope.Headroom),
		share("placement.share", placement.Share), amount("placement.outside", placement.Outside),
		factor("placement.zone_rtt", placement.ZoneRTT), amount("placement.zone_gap", placement.ZoneGap),
		factor("placement.slowdown", placement.Slowdown),
		share("hard.warning", hard.Warning), {"hard.critical", hard.Critical, hard.Warning, 1}, share("hard.scan", hard.Scan),
	}
}
