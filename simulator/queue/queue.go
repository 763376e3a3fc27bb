// Package queue works out what clients of network storage get and how long they wait: a closed queueing network, solved
// by mean value analysis. It is the simulator's ground truth. Rates, latencies, queues and utilisations come out of one
// solution, so that counters made from it agree with each other. Nothing in it is random, remembered or timed.
//
// A class is the traffic of one client on one volume in one direction: N jobs, each of which thinks for Z seconds, issues
// an operation and waits for its answer. The operation goes by
//
//		slot limiter → session → client → network → volume → the volume's limit → the pool's limit → back
//
//	  - The slot limiter lets at most C operations in; the others are the backlog.
//	  - The session station is n servers (TCP sessions, channels), each with demand d: what one flow or core serialises.
//	    By Seidmann it is one queue with demand d/n and a delay of d(n−1)/n. With uneven sessions the busiest is the queue:
//	    its weight w takes the place of 1/n. A soft knee lets d grow with the sessions, to d(1 + σ(n−1)).
//	  - The client station (NIC, kernel) is shared by all classes of the client, the volume by all classes on it. How long
//	    the volume takes for an operation depends on its block and on the volume's share of reads: Curve has the published ones.
//	  - A limit is a token bucket: operations beyond it wait in one line, so all that pass it wait the same time.
//
// The formulas, with X the rate, R the time inside the slots and E the time with the backlog:
//
//   - residence at a queue: d(1 + what is found there), where a class finds all others' operations, and of its own those
//     that a population smaller by one would have there. That one is approximated by Q(M−1)/M (Schweitzer), corrected by
//     what the exact recursion (Reiser, Lavenberg) says of the class alone. So one class is exact (up to 512 jobs), and several
//     are iterated: at most 50 times, to 1e−6, with leaps to where the queues are heading (Aitken). Two classes of few jobs
//     come out within 0.7 % of the exact recursion on average, 7 % at worst.
//   - X = min(N/(Z+R), C/R), and with a limit that binds the wait for which the limit is just met.
//   - L = X·R inside, E = N/X − Z, backlog = X(E−R).
//   - Whatever the iteration leaves over is settled in favour of the laws: no station above 1, no limit exceeded.
//   - Several channels cost a single job 1/9 more of every time on its way (which leaves 0.9 of its rate), eight jobs nothing,
//     linear in between. Where all work is small requests of one file it costs any number of jobs as much as one.
//
// Step adds time, as a fluid: buckets carry their tokens over, B' = clamp(B + (rate − used)Δ, 0, capacity), and a step may use
// rate + B/Δ, at most the peak. A QoS limit is such a bucket with two seconds of its rate, burst credits are one with an hour of
// the difference between burst and provisioned rate.
//
// Each class has slots and sessions of its own: who wants reads and writes of one mount to share them divides them up.
// Sources: the vendor's benchmark page (see package envelope), Azure's documentation of multichannel and burst credits,
// Linux's slot tables; the literature named above.
package queue

// Network is everything that shares something. Its order is that of the result.
type Network struct {
	Classes []Class
	Volumes []Volume
	Pools   []Pool
}

// Class is the traffic of one client on one volume in one direction. Times are in seconds.
type Class struct {
	Client string // classes of one client share its NIC and kernel
	Volume string // the name of one of the network's volumes
	Write  bool   // writes count against the volume's share of reads

	Jobs  float64 // operations wanted at once, thinking included; 0 is an idle class
	Think float64 // of a job between an answer and its next operation
	Block float64 // bytes of one operation; 0 for metadata
	Slots int     // operations let in at once, 0: no limit

	Sessions     int       // TCP sessions or channels, at least 1
	Skew         []float64 // weight of each session, nil: all alike
	Knee         float64   // σ of a soft knee; 0 is the hard one
	Multichannel bool      // SMB: more than one session costs few jobs something
	HotFile      bool      // SMB: all jobs make small requests of one file, which more than one session costs as it does one job

	SessionTime float64 // demand for each operation, on one session
	ClientTime  float64 // on what all classes of the client share
	RTT         float64 // of the network alone
}

// Volume is a station that classes share, with its limits.
type Volume struct {
	Name string
	Pool string // the name of one of the network's pools; empty: none
	// OpTime is the volume's demand in seconds for an operation of a block in bytes, at a share of reads of 0 to 1. It must be
	// a pure function. nil: no time.
	OpTime func(block, readShare float64) float64
	Bytes  Bucket // bytes per second
	Ops    Bucket // operations per second
}

// Pool holds volumes to common limits.
type Pool struct {
	Name  string
	Bytes Bucket // bytes per second
	Ops   Bucket // operations per second; iSCSI of Flex Unified has 160,000
}

// Station names what a class may be bound by.
type Station string

// The stations.
const (
	Idle        Station = "idle"        // no jobs
	Application Station = "application" // too few jobs for the latency
	Slots       Station = "slots"
	Sessions    Station = "sessions"
	Client      Station = "client"
	VolumeBusy  Station = "volume"
	Limit       Station = "limit" // the volume's QoS
	PoolLimit   Station = "pool"
)

// Flow is what one class gets. Times are in seconds; an idle class has zeros.
type Flow struct {
	Rate     float64 // X, op/s
	RTT      float64 // R: what the client measures from sending to the answer, inside the slots
	Execute  float64 // E: with the time in the backlog
	Backlog  float64 // mean operations that wait for a slot
	InFlight float64 // L = X·R

	Server   float64 // of R: the volume and both limits
	Throttle float64 // of R: waiting for tokens

	Sessions   []Session
	ClientBusy float64 // utilisation of the client's station by all its classes, 0 to 1
	Bound      Station // the one that alone would allow the least
}

// Throttled is the share of the round trip that was spent waiting for tokens, 0 to 1.
func (f Flow) Throttled() float64 {
	if f.RTT == 0 {
		return 0
	}
	return f.Throttle / f.RTT
}

// Session is one session's part of a flow.
type Session struct {
	Rate     float64 // op/s
	Busy     float64 // utilisation ρ, 0 to 1
	InFlight float64 // operations; those at the session queue stand where the load is
}

// Load is what a volume or a pool served.
type Load struct {
	Ops, Bytes float64 // per second
	ReadShare  float64 // of the operations; 1 without operations
	Busy       float64 // utilisation of a volume's station, 0 to 1; a pool has none
	Limited    float64 // the part of the limit that is used, of the fuller bucket, 0 to 1; a step's limit includes tokens
	Wait       float64 // seconds that each operation waits for tokens
}

// Result has one entry for each entry of the network, in its order.
type Result struct {
	Flows   []Flow
	Volumes []Load
	Pools   []Load
}

// Solve is the steady state: every bucket is empty, so limits are their rates. The error names the entry of the network
// that is impossible, and why.
func Solve(n Network) (Result, error) {
	s, err := build(n)
	if err != nil {
		return Result{}, err
	}
	s.limit(drained(), 1)
	if err := s.run(mostIterations); err != nil {
		return Result{}, err
	}
	return s.result(), nil
}
