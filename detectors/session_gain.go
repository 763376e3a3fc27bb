package detectors

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// curve is what more sessions bring with one service and protocol. Only end points are published, so two models bracket
// the truth: soft contention, A(n) = n / (1 + σ(n-1)), and a hard knee at κ sessions.
type curve struct {
	most    int     // sessions beyond which the service gains nothing
	sigma   float64 // contention, from the published ratio s at n: σ = (n/s - 1)/(n - 1)
	knee    float64 // κ
	careful bool    // no figure for this service: promise nothing at the low end
	basis   string
}

// curveOf gives the row of the provider table.
func curveOf(provider fleet.Provider, protocol string, writes fleet.Value) curve {
	switch {
	case provider == fleet.ProviderGCNV && protocol == "smb":
		return curve{16, 0.3333, 2, false, "Google Cloud NetApp Volumes SMB: 4, 8 and 16 RSS connections bring 2 times"}
	case provider == fleet.ProviderGCNV && protocol == "iscsi":
		return curve{16, 0.1467, 5, true, "no published ratio for iSCSI; NFS figures of Google Cloud NetApp Volumes"}
	case provider == fleet.ProviderGCNV:
		return curve{16, 0.1467, 5, false, "Google Cloud NetApp Volumes NFS: nconnect 16 brings 5 times"}
	case provider == fleet.ProviderAzure && protocol == "smb" && writes.AtLeast(0.5):
		return curve{4, 0.0476, 4, false, "Azure Files SMB writes: 4 channels bring 3 to 4 times"}
	case provider == fleet.ProviderAzure && protocol == "smb":
		return curve{4, 0.2000, 3, false, "Azure Files SMB reads: 4 channels bring 2 to 3 times"}
	case provider == fleet.ProviderAzure:
		return curve{4, 0.1111, 4, false, "Azure Files NFS: nconnect 4 brings 2 to 4 times for reads, 3 times for writes"}
	case provider == fleet.ProviderAzureNetApp && protocol == "nfs":
		return curve{8, 0.1467, 5, true, "no published ratio for Azure NetApp Files, where 8 sessions are advised; NFS figures of Google Cloud NetApp Volumes"}
	}
	return curve{4, 0.1111, 4, true, "service not known; 4 sessions help on every one of them"}
}

func (c sessionCase) curve() curve {
	return curveOf(c.endpoint.Provider, c.endpoint.Protocol, c.writes())
}

// soft is the throughput of n sessions over that of from, by soft contention.
func (k curve) soft(from, n float64) float64 {
	throughput := func(n float64) float64 { return n / (1 + k.sigma*(n-1)) }
	return throughput(n) / throughput(from)
}

// hard is the same by the hard knee.
func (k curve) hard(from, n float64) float64 {
	return math.Min(n, k.knee) / math.Min(from, k.knee)
}

// bracket is what n sessions bring at least and at most, under the headroom that the rest of the path leaves.
func (k curve) bracket(from, n float64, headroom room) (low, high float64) {
	soft, hard := k.soft(from, n), k.hard(from, n)
	return math.Min(math.Min(soft, hard), headroom.low), math.Min(math.Max(soft, hard), headroom.high)
}

// choose is the smallest step that brings nearly all that the most sessions would.
func (k curve) choose(from, most, nearly float64) int {
	headroom := room{most, most}
	best, _ := k.bracket(from, float64(k.most), headroom)
	for _, n := range []int{2, 4, 8, 16} {
		if float64(n) <= from || n > k.most {
			continue
		}
		if low, _ := k.bracket(from, float64(n), headroom); low >= nearly*best {
			return n
		}
	}
	return k.most
}

// room is the factor that the rest of the path leaves, at least and at most.
type room struct{ low, high float64 }

func (r room) within(low, high float64) room {
	return room{math.Min(r.low, low), math.Min(r.high, high)}
}

// below is the room under a limit of which so much is used, if what is reached in the end lies between two parts of it. A use that
// is not known does not bind.
func (r room) below(use fleet.Value, least, most float64) room {
	if !use.Above(0) {
		return r
	}
	limit := 1 / float64(use)
	return r.within(math.Max(1, least*limit), math.Max(1, most*limit))
}

// What is reached of a limit whose use a client measures. The pauses of an application do not show while a session is full, and may
// bind before a volume's limit does; services let a little more through than they grant, a network does not; and requests never run
// as unhindered as those of an idle service.
const (
	leastOfLimit   = 0.80
	mostOfLimit    = 1.08
	leastOfNetwork = 0.94
	mostOfNetwork  = 1.03
	leastOfLatency = 0.90
	mostOfWaiting  = 1.05
)

// headroom is what the requests at hand, the volume and the VM's network leave: H = min(H_conc, 1/vu, 1/nu). H_conc is what the
// outstanding requests would do at the unloaded service's latency. What is not known does not bind.
func (c sessionCase) headroom() room {
	all := c.requests(room{math.Inf(1), math.Inf(1)}).below(networkUse(c.client), leastOfNetwork, mostOfNetwork)
	measured := false
	for _, mount := range c.endpoint.Mounts {
		if volume := mount.Volume; volume != nil && volume.ClientUse.Above(0) && !mount.Bytes().Over(c.bytes()).Below(ownShare) {
			all, measured = c.onVolume(all, mount.Bytes().Over(volume.Limit)), true
		}
	}
	if measured {
		return all
	}
	return all.below(c.endpoint.VolumeUtilisation, 1, 1)
}

// ownShare is the part of an endpoint's bytes from which on a volume can hold it back.
const ownShare = 0.1

func (c sessionCase) bytes() fleet.Value { return c.endpoint.OverMounts((*fleet.Mount).Bytes) }

// onVolume is the room on a volume of which the endpoint itself uses a known share: with what the others use now, or, as they
// compete for it, up to the whole volume.
func (c sessionCase) onVolume(r room, own fleet.Value) room {
	if !own.Above(0) {
		return r
	}
	left := 1 - max(c.endpoint.VolumeUtilisation.Or(float64(own)), float64(own)) + float64(own)
	factor := left / float64(own)
	return r.within(math.Max(1, leastOfLimit*factor), math.Max(1, mostOfLimit/float64(own)))
}

// requests is the room that the outstanding requests leave. Where the unloaded latency is not learnt it is between the lowest
// round trip and what is left of an operation's time without the session's own queue. Where requests wait for credits it is not
// known: no SMB client times that wait.
func (c sessionCase) requests(r room) room {
	if c.creditStalls().Above(0) {
		return r
	}
	execute, lowest := c.endpoint.Execute(), c.lowestRTT()
	if base := c.endpoint.BaseLatency; base.Known() {
		most := execute.Over(base).Or(math.Inf(1))
		return r.within(math.Max(1, leastOfLatency*most), math.Max(1, most))
	}
	most := math.Max(1, execute.Over(lowest).Or(math.Inf(1)))
	least := most
	if queue := c.queue(); queue.Known() {
		least = math.Max(1, leastOfLatency*execute.Over(c.left(queue)).Or(math.Inf(1)))
	}
	return r.within(least, most)
}

// queue is the time that a request waits for its session: in the path, as TCP's round trip shows, and in the socket. Only TCP
// under NFS shows all of it, and none that stands before a core.
func (c sessionCase) queue() fleet.Value {
	busiest := c.endpoint.Busiest()
	if busiest == nil || c.endpoint.Protocol != fleet.NFS || c.coreAtLimit() {
		return fleet.Unknown
	}
	return busiest.RTT - c.lowestRTT() + fleet.Value(busiest.NotSent.Or(0)).Over(busiest.Rate)
}

// left is what remains of an operation's time on the wire and in the server without its session's queue: its own turn on a session
// at its ceiling, one over the rate, is no queue. Where the queue is most of the time (A4: it is at most 1.5 round trips) the rest is
// the unloaded one. Else it may be a queue in the server, which would grow with more requests: then the room shrinks by as much.
func (c sessionCase) left(queue fleet.Value) fleet.Value {
	const inPath = 1.5
	lowest := c.lowestRTT()
	left := max(c.endpoint.RTT()-queue, lowest)
	if turn := fleet.Value(1).Over(c.endpoint.Operations() * c.endpoint.BusiestShare()); turn.Known() {
		left += turn
	}
	if c.endpoint.RTT().Over(queue + lowest).Above(inPath) {
		left *= left.Over(lowest)
	}
	return left
}

// promises tells whether the low end of a gain means something: with the unloaded latency learnt, or where what stands in the
// path was watched for longer than a one-shot check does.
func (c sessionCase) promises() bool {
	return c.endpoint.BaseLatency.Known() || !c.settings.Snapshot && c.queue().Known()
}

// step is the advice on the number of sessions.
type step struct {
	sessions int
	gain     *Gain
}

// more chooses how many sessions to have instead of those at hand, and says what they bring.
func (c sessionCase) more(sessions fleet.Value) step {
	k, from, headroom := c.curve(), max(1, sessions.Or(1)), c.headroom()
	n := k.choose(from, headroom.high, c.limits.NearlyBest)
	low, high := k.bracket(from, float64(n), headroom)
	if k.careful {
		low = 1
	}
	model := fmt.Sprintf("%g to %d sessions, soft contention and hard knee under the headroom of the path; %s", from, n, k.basis)
	return step{n, c.gain(low, high, model)}
}

// slotGain is for larger slot tables: as many of the waiting requests as there are slots for would be under way as well. Nothing is
// published, and what an operation takes beyond the unloaded latency may be a queue in the server, which would grow: it is taken
// from the low end.
func (c sessionCase) slotGain(factor fleet.Value) *Gain {
	if !factor.Known() {
		return nil
	}
	all := room{float64(factor), float64(factor)}
	if waiting := c.endpoint.Outstanding().Over(c.endpoint.OnWire()); waiting.Known() {
		all = all.within(float64(waiting), mostOfWaiting*float64(waiting))
	}
	all = all.below(c.endpoint.VolumeUtilisation, 1, 1).below(networkUse(c.client), 1, 1)
	unloaded := c.endpoint.BaseLatency
	if !unloaded.Known() {
		unloaded = c.lowestRTT()
	}
	low := leastOfLatency * all.low * math.Min(1, unloaded.Over(c.endpoint.RTT()).Or(0))
	return c.gain(math.Max(1, low), math.Max(1, all.high), "in proportion to the slots and the requests that wait for one, under the headroom of the path")
}

// spreadGain is for an even spread over the sessions that are open.
func (c sessionCase) spreadGain() *Gain {
	factor := c.count().Over(c.endpoint.EffectiveSessions())
	if !factor.Known() {
		return nil
	}
	return c.gain(1, math.Max(1, math.Min(float64(factor), c.headroom().high)), "open over effective sessions, under the headroom of the path")
}

// gain gives only the upper end where nothing tells the unloaded latency: the lowest round trip flatters it.
func (c sessionCase) gain(low, high float64, model string) *Gain {
	if !c.promises() {
		low, model = 1, model+"; upper end only, the unloaded latency is not known"
	}
	return &Gain{Low: low, High: high, Unit: "factor", Model: model}
}
