package fleet

import "time"

// Pool is a storage pool as the cloud's inventory describes it. Throughput is in bytes per second.
type Pool struct {
	Identity Resource // cloud, service, project, location, pool

	ResourceGroup string // of Azure; commands need it

	ServiceLevel string // standard, premium, extreme, flex; of Azure NetApp Files standard, premium, ultra, flexible
	QoS          string // auto, manual
	Type         string // file, unified; empty on an old API
	Mode         string // default, ontap: volumes of an ONTAP-mode pool have no metrics
	ScaleType    string
	Custom       bool // throughput and operations are bought apart from capacity
	AutoTiering  bool // throughput is bound to the hot tier
	State        string
	Zone         string

	Capacity      Value // bytes
	Allocated     Value // bytes given to volumes
	HotTier       Value // bytes
	Total         Value // throughput of the pool
	Available     Value // throughput that no volume has (manual QoS)
	AvailableLow  Value // the least of it in the last day, as far as the inventory reaches back
	AvailableThen Value // what it was a day ago; missing: the inventory does not reach back so far
	IOPS          Value // operations per second that the pool may do

	Recent  []Moment `json:"-"` // of all volumes together, see Moments
	Volumes []*Volume
	Days    PoolDays
}

// PoolDays is what looks over days found of a pool: of the sum over its volumes, not of each.
type PoolDays struct {
	P99     Value // bytes per second; 99th percentile of 7 days
	Max     Value // bytes per second; the highest sum of them
	IOPSP99 Value // operations per second, like P99; Flex pools only
	IOPSMax Value // operations per second, like Max; Flex pools only
}

// Volume is a volume of a pool. Throughput is in bytes per second; what the service measures is a mean over 5 minutes.
type Volume struct {
	Identity Resource // cloud, service, project, location, pool, volume

	ServiceLevel      string
	QoS               string
	Protocols         []string // nfsv3, nfsv4, smb, iscsi
	State             string
	Zone              string
	Kind              string // volume, block, cache, clone, replica, migration
	LargeCapacity     bool
	MultipleEndpoints bool

	Capacity   Value // bytes
	Used       Value // bytes, snapshots included
	InodeLimit Value
	InodeUsed  Value
	Assigned   Value // throughput that the API says the volume has
	Limit      Value // throughput that the service grants; on Flex the whole pool's

	Throughput Value    // mean of the last four samples
	Operations Value    // per second, likewise
	Latency    Value    // seconds inside the service, weighted by operations, likewise
	Recent     []Moment `json:"-"`
	ClientUse  Value    // what the joined mounts move now over the limit; of the volume's use a lower bound, but minutes newer

	Endpoints    []VolumeEndpoint
	MountedBy    []Resource // the mounts that were joined
	Replications []*Replication
	Days         VolumeDays

	Of     *Pool    `json:"-"`
	Mounts []*Mount `json:"-"`
}

// Moment is one sample of what a service measures of a volume. The last moment of a list is the newest that has settled.
type Moment struct {
	At         time.Time
	Throughput Value // bytes per second
	Limit      Value // bytes per second
	Operations Value // per second
	Latency    Value // seconds
	Held       Held  // at the limit, as the service says
}

// Held is whether a service says that it held a volume at its limit at any time of a sample.
type Held uint8

// What a service may say. Google's says nothing of it.
const (
	HeldUntold Held = iota
	HeldNot
	HeldBack
)

func unknownMoment(at time.Time) Moment {
	return Moment{At: at, Throughput: Unknown, Limit: Unknown, Operations: Unknown, Latency: Unknown}
}

// VolumeEndpoint is an address under which a volume is mounted.
type VolumeEndpoint struct{ Server, Export, Protocol string }

// VolumeDays is what looks over days found of a volume.
type VolumeDays struct {
	Coverage Value // samples received over expected, of 7 days
	Full     bool  // samples reach back to the beginning of the 7 days
	P99      Value // bytes per second; of 7 days
	P95      Value
	Max      Value  // of 7 days
	Peak     Value  // the highest sample of as many of the last 35 days as history holds
	PeakDays Value  // how many days that is
	Before   Value  // P99 of the 7 days before
	Latency  Value  // seconds; usual latency inside the service (of the hour by its baseline, else the median of the hours of 7 days)
	Hours    []Hour `json:"-"`
}

// Highest is the highest sample that is known, of PeakDays days or of the last 7: what a volume was seen to use. It is missing
// where there are no samples of the last 7 days.
func (v VolumeDays) Highest() Value {
	if v.Peak.Above(float64(v.Max)) {
		return v.Peak
	}
	return v.Max
}

// Hour is what a volume did in an hour that counts: at least a tenth of the bytes of its busiest hour. Of the hours with
// about the same share of reads (within a twentieth) the one with the largest blocks stands for all.
type Hour struct {
	At         time.Time // its end
	Throughput Value     // bytes per second, reads and writes
	Operations Value     // per second, reads and writes
	Block      Value     // mean bytes of an operation
	ReadShare  Value     // of the operations
}

// Replication is a replication of a volume.
type Replication struct {
	Identity Resource // of the volume that it belongs to
	Name     string

	Role, State, MirrorState, Schedule string
	Source, Destination                string // full resource names

	Healthy      Value // 1 or 0
	Lag          Value // seconds
	LastBytes    Value
	LastDuration Value // seconds
}

// Unjoined is a mount or a volume for which the join found no counterpart.
type Unjoined struct {
	Resource Resource
	Reason   string
}

// Resource names the pool.
func (p *Pool) Resource() Resource { return p.Identity }

// Resource names the volume.
func (v *Volume) Resource() Resource { return v.Identity }

// Flex tells whether throughput belongs to the pool as a whole.
func (p *Pool) Flex() bool { return p.ServiceLevel == levelFlex }

// ONTAP tells whether the pool's volumes have no metrics: not known is not idle.
func (p *Pool) ONTAP() bool { return p.Mode == "ontap" }

// Manual tells whether throughput is assigned to each volume by hand.
func (p *Pool) Manual() bool { return p.QoS == "manual" }

const levelFlex = "flex"

// Assigned is what the volumes have together, missing as soon as one volume's share is not known.
func (p *Pool) Assigned() Value {
	sum := Value(0)
	for _, volume := range p.Volumes {
		sum += volume.Assigned
	}
	return sum
}

// Moments sums up the samples of the pool's volumes, one by one; the limit is the largest of the volumes', which on Flex
// is the pool's. A sample that is missing on one volume leaves the sum a lower bound.
func (p *Pool) Moments() []Moment {
	var sums []Moment
	for _, volume := range p.Volumes {
		for i := len(sums); i < len(volume.Recent); i++ {
			sums = append(sums, unknownMoment(volume.Recent[i].At))
		}
		for i := range volume.Recent {
			sums[i].Throughput = sums[i].Throughput.Plus(volume.Recent[i].Throughput)
			sums[i].Operations = sums[i].Operations.Plus(volume.Recent[i].Operations)
			if !sums[i].Limit.Above(volume.Recent[i].Limit.Or(0)) {
				sums[i].Limit = volume.Recent[i].Limit
			}
		}
	}
	return sums
}

// Utilisation is the newest known throughput over the limit. On Flex it is the pool's.
func (v *Volume) Utilisation() Value {
	if v.Of != nil && v.Of.Flex() {
		return newestUse(v.Of.Recent)
	}
	return newestUse(v.Recent)
}

// use is the higher of what the service tells of minutes ago and what the clients move now.
func (v *Volume) use() Value {
	told := v.Utilisation()
	if !told.Known() || v.ClientUse.Above(float64(told)) {
		return v.ClientUse
	}
	return told
}

// clientUse is what the joined mounts move over the limit. On Flex it is the pool's.
func (v *Volume) clientUse() Value {
	sum, volumes := Unknown, []*Volume{v}
	if v.Of != nil && v.Of.Flex() {
		volumes = v.Of.Volumes
	}
	for _, volume := range volumes {
		for _, mount := range volume.Mounts {
			sum = sum.Plus(mount.Bytes())
		}
	}
	return sum.Over(v.Limit)
}

func newestUse(moments []Moment) Value {
	return newestOf(moments, func(m Moment) Value { return m.Throughput.Over(m.Limit) })
}
