package detectors

import "math"

// signal is one thing that speaks for a finding, with the weight that it has.
type signal struct {
	weight float64
	known  bool
	holds  bool
}

// seen is a signal that is known and holds: what the rule fired on.
func seen(weight float64) signal { return signal{weight: weight, known: true, holds: true} }

// unseen is a signal that nothing here can measure.
func unseen(weight float64) signal { return signal{weight: weight} }

// The weights of session_saturated, and of what several detectors share.
const (
	weightSlots   = 0.9
	weightBacklog = 0.6
	weightCeiling = 0.7 // the learnt ceiling is reached
	weightPath    = 0.7 // a queue or drops in the path
	weightSoftirq = 0.7
	weightSender  = 0.4
	weightSkew    = 0.6
	weightVolume  = 0.5 // the volume's utilisation is known
	weightBase    = 0.3 // the unloaded latency is known
)

// The weights of the other detectors. Those of server_unresponsive and server_latency are ours: the first has one sign,
// which leaves no doubt, the second is as sure as the round-trip times that it compares.
const (
	weightOperationMix = 0.5
	weightLatencySplit = 0.4
	weightAPISplit     = 0.9
	weightResponses    = 0.9
	weightStalled      = 0.9
	weightServerTime   = 0.7
	weightCap          = 0.9
	weightNetwork      = 0.9
	weightCPU          = 0.8
	weightInventory    = 0.8
	weightThread       = 0.8
)

// The weights of smb_multichannel.
const (
	weightConcurrency = 0.8 // the requests under way
	weightChannels    = 0.9
	weightSize        = 0.5 // of a read or write
	weightFiles       = 0.6 // the files in use are known
	weightTier        = 0.5 // the share's media is known
)

// The weights of the detectors of the cloud's side.
const (
	weightHistory     = 0.6 // seven days of samples
	weightAllocation  = 0.9 // what the service's own API says is given out
	weightClientData  = 0.3 // the clients' own measurements, which see shorter bursts
	weightStable      = 0.4 // about the same as the week before
	weightFamily      = 0.8 // the protocol and level were measured
	weightBlock       = 0.5 // the block lies within the measured ones
	weightReads       = 0.3 // the share of reads is about the same in all hours
	weightBothTimes   = 0.7 // the client's and the service's latency
	weightOtherClient = 0.6 // a second client of the same server to compare with
	weightZone        = 0.5 // the zone of the client
)

// confidence is coverage × (0.6 + 0.4 A) × Σ w e / Σ w(available), in steps of 0.05. A is the available part of the
// weights: a signal that is not known costs something once, one that contradicts costs more. Each confounder that is
// seen multiplies by doubt. Where no signal is available the sum's quotient is left out.
func confidence(coverage float64, signals []signal, doubt float64, doubts int) float64 {
	var all, available, holding float64
	for _, s := range signals {
		all += s.weight
		if s.known {
			available += s.weight
		}
		if s.known && s.holds {
			holding += s.weight
		}
	}
	c := math.Max(0, math.Min(coverage, 1))
	if all > 0 {
		c *= 0.6 + 0.4*available/all
	}
	if available > 0 {
		c *= holding / available
	}
	c *= math.Pow(doubt, float64(doubts))
	return math.Round(c*20) / 20
}
