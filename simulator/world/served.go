package world

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/queue"
)

// served is what one group gets in a window, with what the cloud grants. Times are in seconds.
type served struct {
	threads  []float64 // of each mount
	rate     float64   // operations per second
	rtt      float64   // of one inside the slots
	execute  float64   // with the time before a slot was free
	inFlight float64
	backlog  float64
	server   float64 // of rtt: inside the service
	sessions []queue.Session
	flow     queue.Flow // without the cloud's limits
	stalled  bool
}

// served is what a group gets in the window of a time.
func (t *scene) served(g *group, window time.Time) served {
	flow, class, err := t.flow(g, window)
	if err != nil { // tried at the start: a load of fewer threads cannot be impossible
		return served{threads: t.threads(g, window)}
	}
	return g.held(flow, class, t.granted(g, window), t.threads(g, window))
}

// granted is the share of its demand that a group gets: that of the mounts, weighted by their threads.
func (t *scene) granted(g *group, window time.Time) float64 {
	sum, all := 0.0, 0.0
	for i, n := range t.threads(g, window) {
		sum += n * t.grantedOf(g.paths[i], g.mounts[i], window)
		all += n
	}
	if all == 0 {
		return 1
	}
	return sum / all
}

func (t *scene) grantedOf(path string, m *model.Mount, window time.Time) float64 {
	if volume := t.model.Find(path); volume != nil {
		return t.base.Granted(volume, window)
	}
	share := t.model.FindShare(path)
	if share == nil {
		return 1
	}
	meta := m.Load.MetadataShare
	return (1-meta)*t.base.ShareGranted(share, model.Read, window) + meta*t.base.ShareGranted(share, model.Metadata, window)
}

// held is a flow of which only a share is granted: its jobs wait until they are as slow as that.
func (g *group) held(flow queue.Flow, class queue.Class, granted float64, threads []float64) served {
	s := served{threads: threads, flow: flow, sessions: flow.Sessions, stalled: g.first().Way.Stalled}
	if class.Jobs == 0 {
		return s
	}
	service := g.first().Way.ServiceMS / 1e3
	if s.stalled {
		s.inFlight = min(class.Jobs, float64(class.Slots))
		s.backlog = class.Jobs - s.inFlight
		return s
	}
	s.rate = flow.Rate * granted
	s.execute = max(flow.Execute, class.Jobs/s.rate-class.Think)
	s.rtt = max(flow.RTT, min(s.execute, float64(class.Slots)/s.rate))
	if granted >= 1 {
		s.execute, s.rtt = flow.Execute, flow.RTT
	}
	s.inFlight = s.rate * s.rtt
	s.backlog = s.rate * (s.execute - s.rtt)
	s.server = min(s.rtt, s.rtt-onPath(flow, class, granted)+service)
	if granted < 1 {
		s.sessions = shrunk(flow, s, granted)
	}
	return s
}

// onPath is the time of a request without that at the volume and its limits, the service's own included. Where only a share of
// the flow is granted, requests wait at the limit, and the stations before it have less to do: there is always something at the
// limit, so they see arrivals at the granted rate, and queues as those have.
func onPath(flow queue.Flow, class queue.Class, granted float64) float64 {
	all := flow.RTT - flow.Server
	if granted >= 1 || flow.Rate == 0 {
		return all
	}
	busiest := slices.MaxFunc(flow.Sessions, func(a, b queue.Session) int { return cmp.Compare(a.Busy, b.Busy) })
	wait := queued(busiest.Busy/flow.Rate, granted*busiest.Busy) + queued(class.ClientTime, granted*flow.ClientBusy)
	return min(all, class.RTT+class.SessionTime+class.ClientTime+wait)
}

// queued is the wait for a server that takes a time for each and is busy for a share of it.
func queued(time, busy float64) float64 {
	if busy >= 1 {
		return math.Inf(1)
	}
	return time * busy / (1 - busy)
}

// shrunk is the sessions of a flow that waits in the service: less to do on each, and requests in flight as they wait.
func shrunk(flow queue.Flow, s served, granted float64) []queue.Session {
	out := make([]queue.Session, len(flow.Sessions))
	for i, session := range flow.Sessions {
		share := session.Rate / flow.Rate
		out[i] = queue.Session{Rate: session.Rate * granted, Busy: session.Busy * granted, InFlight: share * s.inFlight}
	}
	return out
}

// mix is the share of a mount's operations that are of a type.
func mix(load *model.Jobs, op model.Op) float64 {
	switch op {
	case model.Read:
		return (1 - load.MetadataShare) * (1 - load.WriteShare)
	case model.Write:
		return (1 - load.MetadataShare) * load.WriteShare
	}
	return load.MetadataShare
}

// size is the bytes of one operation of a type.
func size(load *model.Jobs, op model.Op) float64 {
	if op == model.Metadata {
		return metadataBytes
	}
	return load.BlockKiB * kib
}

// metadataBytes is what an operation on names and attributes moves.
const metadataBytes = 256

// Asked implements model.Clients.
func (t *traffic) Asked(path string, op model.Op, window time.Time) (model.Asked, bool) {
	return t.at(window).asked(path, op, window)
}

// LatencyMS implements model.Clients.
func (t *traffic) LatencyMS(path string, op model.Op, window time.Time, granted float64) (service, whole float64) {
	return t.at(window).latencyMS(path, op, window, granted)
}

func (t *scene) asked(path string, op model.Op, window time.Time) (model.Asked, bool) {
	lanes := t.lanes[path]
	if len(lanes) == 0 {
		return model.Asked{}, false
	}
	var out model.Asked
	for _, l := range lanes {
		flow, class, err := t.flow(l.group, window)
		if err != nil || class.Jobs == 0 || l.group.first().Way.Stalled {
			continue
		}
		load := &l.group.mounts[l.mount].Load
		rate := flow.Rate * t.threads(l.group, window)[l.mount] / class.Jobs * mix(load, op)
		out.Operations += rate
		out.Bytes += rate * size(load, op)
	}
	return out, true
}

// latencyMS is the mean over the mounts, by operations.
func (t *scene) latencyMS(path string, op model.Op, window time.Time, granted float64) (service, whole float64) {
	sum := 0.0
	for _, l := range t.lanes[path] {
		flow, class, err := t.flow(l.group, window)
		if err != nil || class.Jobs == 0 || flow.Rate == 0 {
			continue
		}
		threads := t.threads(l.group, window)
		s := l.group.held(flow, class, granted, threads)
		weight := s.rate * threads[l.mount] / class.Jobs * mix(&l.group.mounts[l.mount].Load, op)
		service += weight * s.server * 1e3
		whole += weight * s.rtt * 1e3
		sum += weight
	}
	if sum == 0 {
		return 0, 0
	}
	return service / sum, whole / sum
}
