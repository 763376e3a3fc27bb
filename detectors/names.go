package detectors

// The detectors' names.
const (
	SessionSaturated     = "session_saturated"
	PoolThroughputUnused = "pool_throughput_unused"
	SMBMultichannel      = "smb_multichannel"
	MetadataHeavy        = "metadata_heavy"
	LimitReached         = "limit_reached"
	BeyondEnvelope       = "beyond_envelope"
	ClientBound          = "client_bound"
	Anomaly              = "anomaly"
	HardLimit            = "hard_limit"
	ServerUnresponsive   = "server_unresponsive"
	ServerLatency        = "server_latency"
)

// The variants of the detectors that judge a client's view.
const (
	VariantSlots        = "slots"         // the slot table of the RPC transports is full
	VariantSessionSlots = "session_slots" // the slots of the NFSv4.1 session are used up
	VariantFlow         = "flow"          // one TCP session is at its ceiling
	VariantCPU          = "cpu"           // one core is at its limit
	VariantSender       = "sender"        // the client cannot send faster over the sessions it has
	VariantSkew         = "skew"          // several sessions, one of which carries nearly all
	VariantCeiling      = "ceiling"       // metadata operations near what the share can do
	VariantShare        = "share"         // most operations are metadata
	VariantStalled      = "stalled"       // requests wait and nothing completes
	VariantServer       = "server"        // the time is spent in the server
	VariantNetwork      = "network"       // the client's network cap
	VariantSlotBudget   = "slot_budget"   // the slots of all clients together
	VariantSingleThread = "single_thread" // the application waits for one request at a time
	VariantPlacement    = "placement"     // the time is spent between client and service
)

// The variants of smb_multichannel.
const (
	VariantPenalty = "single_thread_penalty" // several channels, one request at a time
	VariantHotFile = "hot_file"              // several channels, small requests on one file
	VariantMissing = "missing"               // one channel where several would help
	VariantTooFew  = "too_few"               // several, and more would help
	VariantTooMany = "too_many"              // more than the service copes with
)

// The variants of the detectors that judge the cloud's side.
const (
	VariantUnallocated     = "unallocated"       // throughput of the pool that no volume has
	VariantAllocatedUnused = "allocated_unused"  // throughput of a volume that it does not need
	VariantAutoQoS         = "auto_qos"          // the same where capacity decides it
	VariantStranded        = "stranded_capacity" // capacity that neither data nor throughput needs
	VariantLevelChange     = "level_change"      // a cheaper service level would do
	VariantFlexCustom      = "flex_custom"       // throughput or operations bought beyond the need
	VariantThroughput      = "throughput"        // the volume's or pool's throughput limit
	VariantIOPS            = "iops"              // the pool's limit on operations
	VariantEnvelope        = "envelope"          // beyond what the protocol and block size can reach
	VariantVolumeMaximum   = "volume_maximum"    // beyond what one volume can have
	VariantCapacity        = "capacity"          // the volume's space
	VariantInodes          = "inodes"            // the volume's inodes
	VariantEgress          = "egress"            // the share's limit, by what is read
	VariantIngress         = "ingress"           // the same by what is written
	VariantMetadata        = "metadata"          // the share's metadata operations
	VariantCredits         = "credits"           // the share's burst credits run out
	VariantSnapshots       = "snapshots"         // the share's snapshots
	VariantFile            = "file"              // what one file may do
)

// The variants of anomaly.
const (
	VariantLevel    = "level"    // off its usual for 15 minutes or longer
	VariantSpike    = "spike"    // for a shorter time
	VariantFlatline = "flatline" // one value again and again
	VariantStale    = "stale"    // no sample any more
)

// Name is what a finding is called. Dashboards, rules and users rely on it: a name never changes its meaning.
type Name struct {
	Detector string `json:"detector"`
	Variant  string `json:"variant"`
}

// String is the name as identifiers and texts carry it.
func (n Name) String() string { return n.Detector + "/" + n.Variant }

// Names is the closed list: every finding of every version has one of them.
func Names() []Name {
	var names []Name
	for _, row := range []struct {
		detector string
		variants []string
	}{
		{SessionSaturated, []string{VariantSlots, VariantSessionSlots, VariantFlow, VariantCPU, VariantSender, VariantSkew}},
		{PoolThroughputUnused, []string{VariantUnallocated, VariantAllocatedUnused, VariantAutoQoS, VariantStranded, VariantLevelChange, VariantFlexCustom}},
		{SMBMultichannel, []string{VariantPenalty, VariantHotFile, VariantMissing, VariantTooFew, VariantTooMany}},
		{MetadataHeavy, []string{VariantCeiling, VariantShare}},
		{LimitReached, []string{VariantThroughput, VariantIOPS, VariantEgress, VariantIngress, VariantMetadata, VariantCredits}},
		{BeyondEnvelope, []string{VariantEnvelope, VariantVolumeMaximum}},
		{ClientBound, []string{VariantNetwork, VariantCPU, VariantPlacement, VariantSlotBudget, VariantSingleThread}},
		{Anomaly, []string{VariantLevel, VariantSpike, VariantFlatline, VariantStale}},
		{HardLimit, []string{"handles", VariantFile, VariantCapacity, VariantInodes, VariantSnapshots}},
		{ServerUnresponsive, []string{VariantStalled}},
		{ServerLatency, []string{VariantServer}},
	} {
		for _, variant := range row.variants {
			names = append(names, Name{row.detector, variant})
		}
	}
	return names
}
