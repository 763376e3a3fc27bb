// Package model is a small fleet of cloud file storage with known truth: a description in YAML, and a pure function
// from a volume and a time to what the volume did then. The same description, seed and epoch give the same numbers on
// every machine, for any time and in any order of asking.
package model

// Fleet is the description of everything the emulator serves. Parse and ReadFile read it; a fleet made in Go goes through
// Complete first.
type Fleet struct {
	Projects      []*Project      `yaml:"projects"`
	Instances     []*Instance     `yaml:"instances"`     // hosts that the metadata server can stand for
	Subscriptions []*Subscription `yaml:"subscriptions"` // of Azure
	Hosts         []*Host         `yaml:"hosts"`         // clients
	Truth         Truth           `yaml:"truth"`
}

// Project is one cloud project.
type Project struct {
	ID           string   `yaml:"id"`
	Number       int64    `yaml:"number"`
	MetricsScope []string `yaml:"metrics_scope"` // ids of other projects whose series this project's calls return too
	Pools        []*Pool  `yaml:"pools"`
}

// Pool is one storage pool. Enum values are written as the cloud's API writes them.
type Pool struct {
	Name         string `yaml:"name"`
	Location     string `yaml:"location"`      // a region, or a zone
	ServiceLevel string `yaml:"service_level"` // STANDARD, PREMIUM, EXTREME or FLEX
	QoS          string `yaml:"qos"`           // AUTO (default) or MANUAL
	Type         string `yaml:"type"`          // FILE (default) or UNIFIED; FLEX only
	Mode         string `yaml:"mode"`          // DEFAULT (default) or ONTAP: its volumes are in no list and have no metrics
	CapacityGiB  int64  `yaml:"capacity_gib"`

	CustomPerformance        bool              `yaml:"custom_performance"`         // FLEX: throughput bought apart from capacity
	TotalThroughputMiBps     int64             `yaml:"total_throughput_mibps"`     // custom performance only; else by capacity
	TotalIOPS                int64             `yaml:"total_iops"`                 // 0 for 16 a MiB/s; custom performance only
	AvailableThroughputMiBps *float64          `yaml:"available_throughput_mibps"` // MANUAL: what the API says; nil for the rest
	Labels                   map[string]string `yaml:"labels"`
	Volumes                  []*Volume         `yaml:"volumes"`
}

// Volume is one volume of a pool.
type Volume struct {
	Name            string            `yaml:"name"`
	Location        string            `yaml:"location"` // empty for the pool's
	CapacityGiB     int64             `yaml:"capacity_gib"`
	ThroughputMiBps float64           `yaml:"throughput_mibps"` // assigned; MANUAL pools only
	Protocols       []string          `yaml:"protocols"`        // NFSV3, NFSV4, SMB, ISCSI
	Mount           []MountOption     `yaml:"mount"`
	LargeCapacity   bool              `yaml:"large_capacity"`
	UsedGiB         float64           `yaml:"used_gib"` // at the epoch
	GrowthGiBPerDay float64           `yaml:"growth_gib_per_day"`
	SnapshotGiB     float64           `yaml:"snapshot_gib"` // part of what is used
	InodesUsed      int64             `yaml:"inodes_used"`  // at the epoch
	InodesPerDay    int64             `yaml:"inodes_per_day"`
	Replication     *Replication      `yaml:"replication"`
	Load            Workload          `yaml:"load"`
	Silent          bool              `yaml:"silent"` // the service lists it and measures nothing of it
	Frozen          bool              `yaml:"frozen"` // the service repeats what it measured last
	Since           Span              `yaml:"since"`  // when silent and frozen began, from the epoch on; may be negative; 0 (default) for always
	Labels          map[string]string `yaml:"labels"`
}

// MountOption is one way to mount a volume.
type MountOption struct {
	Export    string `yaml:"export"`  // such as /data
	IPAddress string `yaml:"address"` // such as 192.0.2.10
	Protocol  string `yaml:"protocol"`
}

// Replication is the copy of a volume to another one.
type Replication struct {
	Name        string  `yaml:"name"`
	Destination string  `yaml:"destination"`  // projects/P/locations/L/volumes/V
	Schedule    string  `yaml:"schedule"`     // EVERY_10_MINUTES, HOURLY (default) or DAILY
	Unhealthy   bool    `yaml:"unhealthy"`    // nothing is transferred any more: the lag grows from the epoch on
	TransferGiB float64 `yaml:"transfer_gib"` // bytes of one transfer
}

// Workload is what clients ask of a volume. The means hold outside of bursts, at the epoch, over a weekday.
type Workload struct {
	Pattern       Pattern `yaml:"pattern"` // constant (default), daily, bursty, growing or step
	ReadMiBps     float64 `yaml:"read_mibps"`
	WriteMiBps    float64 `yaml:"write_mibps"`
	MetadataMiBps float64 `yaml:"metadata_mibps"`
	BlockKiB      float64 `yaml:"block_kib"`      // of a read or write; default 64
	MetadataBytes float64 `yaml:"metadata_bytes"` // of a metadata operation; default 256
	Within        float64 `yaml:"within"`         // share of each five minutes in which all of it is asked for: means hide such clusters; default 1
	LatencyMS     float64 `yaml:"latency_ms"`     // of a read on an idle volume; default 1. Writes take 0.8 of it, metadata 0.5
	Factor        float64 `yaml:"factor"`         // bursty: a burst over the mean (default 8); step: after over before
	Every         Span    `yaml:"every"`          // bursty: one burst in each such span; default 48h
	Length        Span    `yaml:"length"`         // bursty: how long a burst is; default 15m
	Begins        Span    `yaml:"begins"`         // bursty: how far into its span each burst begins; spans of 24h begin at midnight; 0 (default) for a place that the seed chooses
	PerWeek       float64 `yaml:"per_week"`       // growing: share of the mean added each week
	At            Span    `yaml:"at"`             // step: when, from the epoch on; may be negative
	Until         Span    `yaml:"until"`          // step: when it ends, likewise; 0 (default) for never
	Noise         float64 `yaml:"noise"`          // largest relative deviation of a 5-minute mean; default 0.02, -1 for none
}

// Instance is one virtual machine.
type Instance struct {
	Name        string `yaml:"name"`
	Project     string `yaml:"project"`
	Zone        string `yaml:"zone"`
	MachineType string `yaml:"machine_type"`
	NICType     string `yaml:"nic_type"` // GVNIC, VIRTIO_NET, or empty as on a machine with the default
	IPAddress   string `yaml:"address"`
}

// Truth is what detectors have to say about the fleet, and what they must not say.
type Truth struct {
	Findings []Planted `yaml:"findings"`
	Healthy  []Planted `yaml:"healthy"` // twins: as close to the finding as health can be
}

// Planted names a detector's variant and the resource that it is about. On Azure the project is the subscription, the
// location the region, the pool the storage account (of Azure NetApp Files ACCOUNT/POOL) and the volume the share.
type Planted struct {
	Detector string `yaml:"detector"`
	Variant  string `yaml:"variant"`
	Project  string `yaml:"project"`
	Location string `yaml:"location"`
	Pool     string `yaml:"pool"`
	Volume   string `yaml:"volume"` // empty where the finding is about the pool
}

// Pattern is how a load moves over time.
type Pattern string

// The patterns. Times of day are UTC.
const (
	Constant Pattern = "constant"
	Daily    Pattern = "daily"   // a weekday: 0.3 of the mean at midnight, 1.7 at noon; 0.3 all weekend
	Bursty   Pattern = "bursty"  // the mean, and one burst in each span of Every
	Growing  Pattern = "growing" // the mean at the epoch, PerWeek of it more each week, at least nothing
	Step     Pattern = "step"    // the mean until At, Factor times the mean from then on
)

// Op is a type of operation, as the cloud's metric labels write it.
type Op string

// The types of operations.
const (
	Read     Op = "read"
	Write    Op = "write"
	Metadata Op = "metadata"
)

// Ops are the types of operations, in the order in which the emulator lists them.
func Ops() []Op { return []Op{Read, Write, Metadata} }

// The service levels, QoS types, pool types and modes, as the cloud's API writes them.
const (
	Standard = "STANDARD"
	Premium  = "PREMIUM"
	Extreme  = "EXTREME"
	Flex     = "FLEX"
	Auto     = "AUTO"
	Manual   = "MANUAL"
	File     = "FILE"
	Unified  = "UNIFIED"
	Default  = "DEFAULT"
	ONTAP    = "ONTAP"
)
