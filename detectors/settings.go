package detectors

import (
	"fmt"
	"math"
	"time"
)

// Settings hold every threshold that is a choice and not a fact. DefaultSettings gives the usual ones.
type Settings struct {
	// Snapshot is the profile of a one-shot check: one evaluation that fires at once, and a host whose coverage is not
	// known counts as covered.
	Snapshot bool `yaml:"snapshot"`

	For  int           `yaml:"for"`  // evaluations in a row before firing, for all detectors; 0: each detector's own
	Keep int           `yaml:"keep"` // evaluations that are false before resolving; 0: each detector's own
	Gap  time.Duration `yaml:"gap"`  // evaluations further apart than this do not add up

	MinimumCoverage float64 `yaml:"minimum_coverage"` // samples received over expected
	HintBelow       float64 `yaml:"hint_below"`       // confidence under which a finding is a hint
	Doubt           float64 `yaml:"doubt"`            // what a confounder that is seen does to the confidence

	Activity ActivitySettings `yaml:"activity"`
	Session  SessionSettings  `yaml:"session"`
	Metadata MetadataSettings `yaml:"metadata"`
	Latency  LatencySettings  `yaml:"latency"`
	Client   ClientSettings   `yaml:"client"`

	Multichannel MultichannelSettings `yaml:"multichannel"`

	Pool      PoolSettings      `yaml:"pool"`
	Limit     LimitSettings     `yaml:"limit"`
	Envelope  EnvelopeSettings  `yaml:"envelope"`
	Placement PlacementSettings `yaml:"placement"`
	Hard      HardSettings      `yaml:"hard"`
	Share     ShareSettings     `yaml:"share"`
	Anomaly   AnomalySettings   `yaml:"anomaly"`
	Prices    []PriceRow        `yaml:"prices"` // the operator's; without a row money is not spoken of
}

// AnomalySettings ration the notifications of anomalies in any 24 hours; what is beyond is listed and quiet.
type AnomalySettings struct {
	PerThousand float64 `yaml:"per_thousand"` // of all, for every 1,000 series that have a baseline; one at least
	PerResource int     `yaml:"per_resource"`
}

// ActivitySettings say what is idle: below all three.
type ActivitySettings struct {
	Operations  float64 `yaml:"operations"`  // per second
	Bytes       float64 `yaml:"bytes"`       // per second
	Outstanding float64 `yaml:"outstanding"` // requests
}

// SessionSettings are those of session_saturated.
type SessionSettings struct {
	Backlog         float64 `yaml:"backlog"`          // mean backlog that shows a full slot table
	SlotsFull       float64 `yaml:"slots_full"`       // share of the slots in use
	QueueShare      float64 `yaml:"queue_share"`      // of the execution time, beside full slots
	SessionQueue    float64 `yaml:"session_queue"`    // the same, when the session slots show in nothing else
	Outstanding     float64 `yaml:"outstanding"`      // requests on one session at its ceiling
	Busiest         float64 `yaml:"busiest"`          // the busiest session's share of the bytes
	RTTRatio        float64 `yaml:"rtt_ratio"`        // smoothed over lowest round-trip time
	OutOfOrder      float64 `yaml:"out_of_order"`     // share of the segments received
	Moving          float64 `yaml:"moving"`           // factor within which the two halves of the window agree
	Effective       float64 `yaml:"effective"`        // effective sessions below which one carries all
	Ceiling         float64 `yaml:"ceiling"`          // share of the learnt ceiling
	Plateau         float64 `yaml:"plateau"`          // p95 over p50 of the busiest session's rate
	PlateauRequests float64 `yaml:"plateau_requests"` // outstanding requests at the learnt ceiling
	Softirq         float64 `yaml:"softirq"`          // share of the busiest core
	WriteShare      float64 `yaml:"write_share"`      // of the bytes, for the sender's side to matter
	Busy            float64 `yaml:"busy"`             // share of time with unacknowledged data
	Limited         float64 `yaml:"limited"`          // part of the busy time
	NotSent         float64 `yaml:"not_sent"`         // bytes waiting in the busiest session
	Skew            float64 `yaml:"skew"`             // effective sessions over sessions
	VolumeFree      float64 `yaml:"volume_free"`      // utilisation of the volume up to which sessions help
	NetworkFree     float64 `yaml:"network_free"`     // the same for the VM's network cap
	MinOutstanding  float64 `yaml:"min_outstanding"`  // requests below which no session is the limit
	MinOperations   float64 `yaml:"min_operations"`   // per second
	Retransmits     float64 `yaml:"retransmits"`      // share of the segments sent that points to loss
	NearlyBest      float64 `yaml:"nearly_best"`      // part of the best gain that a smaller step has to bring
	WarningGain     float64 `yaml:"warning_gain"`     // factor
	WarningSlowdown float64 `yaml:"warning_slowdown"` // operation RTT over its baseline
	ResolveSlots    float64 `yaml:"resolve_slots"`    // share of the slots below which a finding resolves
	ResolveCeiling  float64 `yaml:"resolve_ceiling"`  // share of the learnt ceiling, likewise
}

// MetadataSettings are those of metadata_heavy.
type MetadataSettings struct {
	Rate           float64 `yaml:"rate"`             // floor, operations per second
	Outstanding    float64 `yaml:"outstanding"`      // floor, requests; either floor is enough
	Share          float64 `yaml:"share"`            // where the service publishes a ceiling
	ShareNoCeiling float64 `yaml:"share_no_ceiling"` // where it does not, or is not known
	RateNoCeiling  float64 `yaml:"rate_no_ceiling"`  // operations per second, for a known service without a ceiling
	CeilingShare   float64 `yaml:"ceiling_share"`    // part of the ceiling
	Ceiling        float64 `yaml:"ceiling"`          // operations per second of an Azure share
	CeilingCached  float64 `yaml:"ceiling_cached"`   // the same with metadata caching, and for NFS
}

// LatencySettings are those of server_latency.
type LatencySettings struct {
	RTTRatio        float64 `yaml:"rtt_ratio"`   // operation RTT over the TCP session's
	Outstanding     float64 `yaml:"outstanding"` // requests on the wire, per session
	OutOfOrder      float64 `yaml:"out_of_order"`
	QueueShare      float64 `yaml:"queue_share"`
	WarningSlowdown float64 `yaml:"warning_slowdown"` // operation RTT over its baseline
}

// MultichannelSettings are those of smb_multichannel.
type MultichannelSettings struct {
	Operations float64 `yaml:"operations"` // floor, reads and writes per second
	Single     float64 `yaml:"single"`     // requests under way up to which the work has one thread
	Several    float64 `yaml:"several"`    // … from which it has several
	Many       float64 `yaml:"many"`       // … from which channels open and help; clients underestimate by up to 12 %
	SmallSize  float64 `yaml:"small_size"` // bytes of a request up to which several channels cannot help one file
}

// ClientSettings are those of client_bound.
type ClientSettings struct {
	Network           float64 `yaml:"network"`             // share of a direction's cap
	StorageShare      float64 `yaml:"storage_share"`       // part of the NIC's bytes below which storage is not the cause
	Softirq           float64 `yaml:"softirq"`             // share of the busiest core
	Busy              float64 `yaml:"busy"`                // share of all cores
	Steal             float64 `yaml:"steal"`               // share of all cores
	SlotBudget        float64 `yaml:"slot_budget"`         // slots of a project
	SlotWarning       float64 `yaml:"slot_warning"`        // part of the budget
	BudgetAnyProvider bool    `yaml:"budget_any_provider"` // count endpoints of unknown services too
	ThreadOutstanding float64 `yaml:"thread_outstanding"`  // requests
	ThreadOperations  float64 `yaml:"thread_operations"`   // per second
	ThreadVolumeFree  float64 `yaml:"thread_volume_free"`  // utilisation of the volume
	ThreadQueueShare  float64 `yaml:"thread_queue_share"`  // of the execution time
}

const mebibyte = 1 << 20

// DefaultSettings are the thresholds of the specification.
func DefaultSettings() Settings {
	return Settings{
		Gap: 5 * time.Minute, MinimumCoverage: 0.8, HintBelow: 0.4, Doubt: 0.7,
		Anomaly:  AnomalySettings{PerThousand: 5, PerResource: 3},
		Activity: ActivitySettings{Operations: 50, Bytes: 5 * mebibyte, Outstanding: 1},
		Session: SessionSettings{
			Backlog: 1, SlotsFull: 0.90, QueueShare: 0.20, SessionQueue: 0.4, Outstanding: 3,
			Busiest: 0.8, RTTRatio: 25, OutOfOrder: 0.01, Moving: 2,
			Effective: 1.5, Ceiling: 0.85, Plateau: 1.10, PlateauRequests: 4, Softirq: 0.85,
			WriteShare: 0.5, Busy: 0.7, Limited: 0.30, NotSent: 64 << 10, Skew: 0.5,
			VolumeFree: 0.85, NetworkFree: 0.85, MinOutstanding: 2, MinOperations: 50,
			Retransmits: 0.001, NearlyBest: 0.95, WarningGain: 1.3, WarningSlowdown: 1.5,
			ResolveSlots: 0.70, ResolveCeiling: 0.70,
		},
		Metadata: MetadataSettings{
			Rate: 100, Outstanding: 1, Share: 0.5, ShareNoCeiling: 0.7, RateNoCeiling: 500,
			CeilingShare: 0.6, Ceiling: 12_000, CeilingCached: 35_000,
		},
		Multichannel: MultichannelSettings{Operations: 20, Single: 1.5, Several: 4, Many: 7, SmallSize: 16 << 10},
		Latency:      LatencySettings{RTTRatio: 3, Outstanding: 3, OutOfOrder: 0.01, QueueShare: 0.2, WarningSlowdown: 2},
		Client: ClientSettings{
			Network: 0.85, StorageShare: 0.5, Softirq: 0.85, Busy: 0.90, Steal: 0.10,
			SlotBudget: 10_000, SlotWarning: 0.8,
			ThreadOutstanding: 2, ThreadOperations: 50, ThreadVolumeFree: 0.5, ThreadQueueShare: 0.1,
		},
		Pool: defaultPool(), Limit: defaultLimit(), Envelope: defaultEnvelope(), Placement: defaultPlacement(), Hard: defaultHard(), Share: defaultShare(),
	}
}

// Validate tells the first setting that cannot work.
func (s Settings) Validate() error {
	if s.For < 0 || s.Keep < 0 {
		return fmt.Errorf("detectors: for and keep are numbers of evaluations, at least 0: got %d and %d", s.For, s.Keep)
	}
	if s.For > longest || s.Keep > longest {
		return fmt.Errorf("detectors: for and keep are at most %d evaluations: got %d and %d", longest, s.For, s.Keep)
	}
	if s.Gap <= 0 {
		return fmt.Errorf("detectors: gap has to be longer than zero: got %s", s.Gap)
	}
	for _, row := range s.ranges() {
		if math.IsNaN(row.value) || row.value < row.low || row.value > row.high {
			return fmt.Errorf("detectors: %s has to lie between %g and %g: got %g", row.name, row.low, row.high, row.value)
		}
	}
	for i, row := range s.Prices {
		if err := row.check(); err != nil {
			return fmt.Errorf("detectors: prices[%d] %w", i, err)
		}
	}
	return nil
}

// longest bounds how many evaluations a life cycle may be asked to remember: a week of minutes.
const longest = 7 * 24 * 60

// bounds is one setting with the range in which it makes sense.
type bounds struct {
	name      string
	value     float64
	low, high float64
}

func (s Settings) ranges() []bounds {
	share := func(name string, value float64) bounds { return bounds{name, value, 0, 1} }
	factor := func(name string, value float64) bounds { return bounds{name, value, 1, 1e6} }
	amount := func(name string, value float64) bounds { return bounds{name, value, 0, 1e12} }
	session, metadata, latency, client := s.Session, s.Metadata, s.Latency, s.Client
	return append(append(s.cloudRanges(), s.Share.ranges()...), []bounds{
		share("minimum_coverage", s.MinimumCoverage), share("hint_below", s.HintBelow), share("doubt", s.Doubt),
		amount("anomaly.per_thousand", s.Anomaly.PerThousand),
		amount("activity.operations", s.Activity.Operations), amount("activity.bytes", s.Activity.Bytes),
		amount("activity.outstanding", s.Activity.Outstanding),
		amount("session.backlog", session.Backlog), share("session.slots_full", session.SlotsFull),
		share("session.queue_share", session.QueueShare), share("session.session_queue", session.SessionQueue),
		amount("session.outstanding", session.Outstanding), share("session.busiest", session.Busiest),
		factor("session.rtt_ratio", session.RTTRatio), share("session.out_of_order", session.OutOfOrder),
		factor("session.moving", session.Moving), factor("session.effective", session.Effective),
		share("session.ceiling", session.Ceiling), factor("session.plateau", session.Plateau),
		amount("session.plateau_requests", session.PlateauRequests), share("session.softirq", session.Softirq),
		share("session.write_share", session.WriteShare), share("session.busy", session.Busy),
		share("session.limited", session.Limited), amount("session.not_sent", session.NotSent),
		share("session.skew", session.Skew), share("session.volume_free", session.VolumeFree),
		share("session.network_free", session.NetworkFree), amount("session.min_outstanding", session.MinOutstanding),
		amount("session.min_operations", session.MinOperations), share("session.retransmits", session.Retransmits),
		share("session.nearly_best", session.NearlyBest), factor("session.warning_gain", session.WarningGain),
		factor("session.warning_slowdown", session.WarningSlowdown),
		{"session.resolve_slots", session.ResolveSlots, 0, session.SlotsFull},
		{"session.resolve_ceiling", session.ResolveCeiling, 0, session.Ceiling},
		amount("metadata.rate", metadata.Rate), amount("metadata.outstanding", metadata.Outstanding),
		share("metadata.share", metadata.Share), share("metadata.share_no_ceiling", metadata.ShareNoCeiling),
		amount("metadata.rate_no_ceiling", metadata.RateNoCeiling), share("metadata.ceiling_share", metadata.CeilingShare),
		{"metadata.ceiling", metadata.Ceiling, 1, 1e12}, {"metadata.ceiling_cached", metadata.CeilingCached, 1, 1e12},
		amount("multichannel.operations", s.Multichannel.Operations), amount("multichannel.single", s.Multichannel.Single),
		amount("multichannel.several", s.Multichannel.Several), amount("multichannel.many", s.Multichannel.Many),
		amount("multichannel.small_size", s.Multichannel.SmallSize),
		factor("latency.rtt_ratio", latency.RTTRatio), amount("latency.outstanding", latency.Outstanding),
		share("latency.out_of_order", latency.OutOfOrder), share("latency.queue_share", latency.QueueShare),
		factor("latency.warning_slowdown", latency.WarningSlowdown),
		share("client.network", client.Network), share("client.storage_share", client.StorageShare),
		share("client.softirq", client.Softirq), share("client.busy", client.Busy), share("client.steal", client.Steal),
		{"client.slot_budget", client.SlotBudget, 1, 1e12}, share("client.slot_warning", client.SlotWarning),
		amount("client.thread_outstanding", client.ThreadOutstanding), amount("client.thread_operations", client.ThreadOperations),
		share("client.thread_volume_free", client.ThreadVolumeFree), share("client.thread_queue_share", client.ThreadQueueShare),
	}...)
}
