package plan

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// Pool is a storage pool as the NetApp API describes it.
type Pool struct {
	Project  string // project id, for the commands
	Location string // region or zone
	Name     string
	QoSType  string // MANUAL or AUTO (qosType); the case does not matter
	Azure    *Azure // of Azure NetApp Files; nil for Google Cloud NetApp Volumes

	TotalMiBps     fleet.Value // totalThroughputMibps; zero counts as missing, for old answers leave it out
	AvailableMiBps fleet.Value // availableThroughputMibps: what no volume holds
}

// Azure is what the commands for a capacity pool of Azure NetApp Files need beside its name, which is ACCOUNT/POOL. The
// project is the subscription.
type Azure struct{ ResourceGroup string }

// Volume is one volume of a pool: its limit and what it was seen to use. Throughput is the sum of reads, writes and
// metadata in means over five minutes. A value that is missing is fleet.Unknown, never zero.
type Volume struct {
	Name          string
	Location      string      // empty: the pool's
	CurrentMiBps  fleet.Value // its limit now (throughputMibps)
	LargeCapacity bool

	P99         fleet.Value // 99th percentile over 7 days, MiB/s; with 35 days of history the larger of the two
	PreviousP99 fleet.Value // the same over the 7 days before; missing: no trend is added
	Peak        fleet.Value // the highest mean seen in PeakDays, MiB/s; may lie above the limit
	PeakDays    fleet.Value // days that the peak is of, up to 35: more than the 7 of P99 where history holds them
	Coverage    fleet.Value // received / expected samples of the 7 days
	Days        fleet.Value // days of history

	Bound     fleet.Value // what lifting the client's own limit would bring, as a factor; above 1: demand is suppressed
	Throttled bool        // held at its limit now: what was seen is not what is wanted

	ReplicationDestination bool
	SourceNeedMiBps        fleet.Value // the replication source's need: what a destination needs after a failover

	Protected  bool    // never lowered
	FloorMiBps float64 // the volume's own lower bound in place of Options.FloorMiBps; 0: none
	CapMiBps   float64 // the operator's upper bound; 0: none
}

// Options are the operator's choices. Start from Defaults: the zero value does not validate.
type Options struct {
	Headroom       float64 `json:"headroom"`                   // need = headroom × forecast
	Reserve        float64 `json:"reserve"`                    // share of the pool that surplus is not spread into
	FloorMiBps     float64 `json:"floor_mibps"`                // lower bound of a volume without one of its own
	MaxVolume      float64 `json:"volume_maximum_mibps"`       // what the service accepts for one volume
	MaxLarge       float64 `json:"large_volume_maximum_mibps"` // the same for a large-capacity volume
	MinChangeMiBps float64 `json:"smallest_change_mibps"`      // smaller changes are dropped,
	MinChangeShare float64 `json:"smallest_change_share"`      // and those below this share of the volume's limit
	MinCoverage    float64 `json:"least_coverage"`             // thinner data leaves a volume as it is
	MinDays        float64 `json:"least_days"`                 // shorter history leaves a volume as it is
	FailoverReady  bool    `json:"failover_ready"`             // give replication destinations their source's need now
}

// Defaults are the options that the documentation names. The volume maxima are the vendor's 4.5 and 30 GiB/s.
func Defaults() Options {
	return Options{
		Headroom: 1.2, Reserve: 0.10, FloorMiBps: 64, MaxVolume: 4608, MaxLarge: 30720,
		MinChangeMiBps: 8, MinChangeShare: 0.10, MinCoverage: 0.8, MinDays: 7,
	}
}

// What Azure NetApp Files accepts for one volume, in MiB/s, from its resource limits as read in 2026.
const (
	azureMaxVolume = 4500
	azureMaxLarge  = 12800
)

// of are the options for a pool: another service has other maxima.
func (o Options) of(pool Pool) Options {
	if pool.Azure != nil {
		o.MaxVolume, o.MaxLarge = azureMaxVolume, azureMaxLarge
	}
	return o
}

// Validate names the first option that makes no sense, with the range it must lie in.
func (o Options) Validate() error {
	for _, option := range []struct {
		name             string
		value, low, high float64
	}{
		{"headroom", o.Headroom, 1, 10},
		{"reserve", o.Reserve, 0, 0.9},
		{"floor in MiB/s", o.FloorMiBps, 1, largest},
		{"volume maximum in MiB/s", o.MaxVolume, 1, largest},
		{"large volume maximum in MiB/s", o.MaxLarge, 1, largest},
		{"smallest change in MiB/s", o.MinChangeMiBps, 0, largest},
		{"smallest change as a share", o.MinChangeShare, 0, 1},
		{"least coverage", o.MinCoverage, 0, 1},
		{"least days of data", o.MinDays, 1, 366},
	} {
		if !(option.value >= option.low && option.value <= option.high) { // also false for NaN
			return fmt.Errorf("plan option %s is %g: it must lie between %g and %g", option.name, option.value, option.low, option.high)
		}
	}
	if o.FloorMiBps > o.MaxVolume {
		return fmt.Errorf("plan option floor is %g MiB/s, above the volume maximum of %g MiB/s", o.FloorMiBps, o.MaxVolume)
	}
	return nil
}

// largest is the most, in MiB/s, that is taken for a throughput: twelve times the largest pool there is (10 PiB of
// Extreme give 1,310,720 MiB/s). Beyond it a number is a fault of its source.
const largest = 1 << 24

// sane tells whether a value can be a throughput. A missing one is not.
func sane(v fleet.Value) bool { return v.AtLeast(0) && v <= largest }

// odd tells whether a value is there but cannot be a throughput: negative, infinite or absurdly large. NaN is how a
// value is missing, so it is not odd.
func odd(v fleet.Value) bool { return !math.IsNaN(float64(v)) && !sane(v) }
