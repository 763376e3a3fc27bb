package world

import (
	"time"

	"github.com/nasight/nasight/simulator/host"
	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/queue"
)

// sockets counts what the sessions of a group carry.
func (g *group) sockets(s step, tcp func(i int) *host.TCP) {
	received, sent := g.bytes(s.served)
	way := &g.first().Way
	for i, session := range s.served.sessions {
		share := s.share(i)
		t := tcp(i)
		add(&t.Received, share*received*s.seconds*s.noise("tcp received", i))
		add(&t.Sent, share*sent*s.seconds*s.noise("tcp sent", i))
		t.Retransmits += way.Loss * share * sent * s.seconds / segment
		l := g.line(s.served, session)
		t.OutOfOrder += l.outOfOrder * share * received * s.seconds / segment
		t.RTT = max(t.MinRTT, time.Duration(l.rtt*s.noise("rtt", i)*float64(time.Second)))
		busy := time.Duration(l.busy * s.seconds * float64(time.Second))
		t.Busy += busy
		if l.byWindow {
			t.ReceiveWindow += busy
		}
		t.NotSent = uint32(min(l.waiting, 1<<30))
		t.SendQueue = uint32(min(l.waiting+l.unacknowledged, 1<<31))
	}
}

// line is how a session stands with TCP. Recordings of real hosts say what it looks like.
type line struct {
	rtt            float64 // as the kernel measures it, in seconds
	busy           float64 // share of time in which something is unacknowledged
	outOfOrder     float64 // share of the segments received
	unacknowledged float64 // bytes of written data on their way
	waiting        float64 // bytes of it that may not be sent yet
	byWindow       bool    // the other side's window holds the session
}

// What a policer that drops leaves of a session, as recorded: the round trip hardly grows, one in nine segments arrives out of
// order.
const (
	policedRTT        = 6    // of the round trip
	policedOutOfOrder = 0.11 // at the ceiling
)

// line finds where the requests of a session stand. Before the path's ceiling they stand in the network: the round trip shows
// them, and the sender's window grows until all that is written is on its way. Before a core of this host, or the other side's
// window, the round trip stays as it is; a policer drops and queues nothing.
func (g *group) line(s served, session queue.Session) line {
	way := &g.first().Way
	l := line{rtt: way.RTTMS / 1e3}
	queued := 0.0
	if session.Busy > 0 && session.Rate > 0 {
		queued = max(0, session.InFlight/session.Rate-s.unqueued(g))
	}
	bytes := session.Rate * g.writes() * g.block()
	switch {
	case way.OnCore:
	case g.windowed():
		l.byWindow = session.Busy > full
		l.waiting = queued * bytes
	case way.Policed && session.Busy > full:
		l.rtt *= policedRTT
		l.outOfOrder = policedOutOfOrder
	default:
		l.rtt += queued
	}
	l.unacknowledged = l.rtt * bytes
	l.busy = min(1, max(session.Rate*l.rtt, session.Busy*g.writes()))
	return l
}

// full is the utilisation from which a session is at its ceiling.
const full = 0.9

// windowed tells whether the other side's window is what holds a session of the group first.
func (g *group) windowed() bool {
	way := &g.first().Way
	window := way.WindowKiB * kib
	return window > 0 && g.writes() > 0 && (way.FlowMiBps == 0 || window/(way.RTTMS/1e3) < way.FlowMiBps*mib)
}

// share is a session's part of what its group carries.
func (s step) share(session int) float64 {
	all := 0.0
	for _, one := range s.served.sessions {
		all += one.Rate
	}
	if all == 0 {
		return 0
	}
	return s.served.sessions[session].Rate / all
}

// unqueued is the time of a request without what it waits at its session.
func (s served) unqueued(g *group) float64 {
	way := &g.first().Way
	return way.RTTMS/1e3 + s.server + (way.SessionUS+way.ClientUS)/1e6
}

// writes is the share of written bytes in those of the group, by its threads.
func (g *group) writes() float64 {
	written, all := 0.0, 0.0
	for _, mount := range g.mounts {
		data := mount.Load.Threads * (1 - mount.Load.MetadataShare) * mount.Load.BlockKiB
		written += data * mount.Load.WriteShare
		all += data
	}
	if all == 0 {
		return 0
	}
	return written / all
}

// block is the mean bytes of a read or write of the group.
func (g *group) block() float64 {
	sum, all := 0.0, 0.0
	for _, mount := range g.mounts {
		sum += mount.Load.Threads * mount.Load.BlockKiB * kib
		all += mount.Load.Threads
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

func add(t *host.Traffic, bytes float64) {
	t.Bytes += bytes
	t.Packets += bytes / segment
}

// operations is how often a mount did each type of operation in a step.
func (s step) operations(g *group, mount int, op model.Op) float64 {
	return s.served.of(mount) * mix(&g.mounts[mount].Load, op) * s.seconds * s.noise(string(op), mount)
}
