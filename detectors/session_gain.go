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
func (k curve) bracket(from, n, headroom float64) (low, high float64) {
	soft, hard := k.soft(from, n), k.hard(from, n)
	return math.Min(math.Min(soft, hard), headroom), math.Min(math.Max(soft, hard), headroom)
}

// choose is the smallest step that brings nearly all that the most sessions would.
func (k curve) choose(from, headroom, nearly float64) int {
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

// headroom is the factor that the requests at hand, the volume and the VM's network leave: H = min(H_conc, 1/vu, 1/nu).
// H_conc is what the outstanding requests would do at the unloaded service's latency. What is not known does not bind.
func (c sessionCase) headroom() float64 {
	limit := math.Inf(1)
	for _, factor := range []fleet.Value{
		c.endpoint.Execute().Over(c.unloaded()),
		fleet.Value(1).Over(c.endpoint.VolumeUtilisation),
		fleet.Value(1).Over(networkUse(c.client)),
	} {
		limit = math.Min(limit, math.Max(1, factor.Or(limit)))
	}
	return limit
}

// unloaded is the service's latency without load: learnt, else the lowest round trip, which only bounds it from below.
func (c sessionCase) unloaded() fleet.Value {
	if c.endpoint.BaseLatency.Known() {
		return c.endpoint.BaseLatency
	}
	return c.lowestRTT()
}

// step is the advice on the number of sessions.
type step struct {
	sessions int
	gain     *Gain
}

// more chooses how many sessions to have instead of those at hand, and says what they bring.
func (c sessionCase) more(sessions fleet.Value) step {
	k, from, headroom := c.curve(), max(1, sessions.Or(1)), c.headroom()
	n := k.choose(from, headroom, c.limits.NearlyBest)
	low, high := k.bracket(from, float64(n), headroom)
	if k.careful {
		low = 1
	}
	model := fmt.Sprintf("%g to %d sessions, soft contention and hard knee under the headroom of the path; %s", from, n, k.basis)
	return step{n, c.gain(low, high, model)}
}

// slotGain is for larger slot tables: nothing is published, so today's throughput is the low end.
func (c sessionCase) slotGain(factor fleet.Value) *Gain {
	if !factor.Known() {
		return nil
	}
	return c.gain(1, math.Min(float64(factor), c.headroom()), "in proportion to the slots, under the headroom of the path")
}

// spreadGain is for an even spread over the sessions that are open.
func (c sessionCase) spreadGain() *Gain {
	factor := c.count().Over(c.endpoint.EffectiveSessions())
	if !factor.Known() {
		return nil
	}
	return c.gain(1, math.Max(1, math.Min(float64(factor), c.headroom())), "open over effective sessions, under the headroom of the path")
}

// gain gives only the upper end where the unloaded latency has not been learnt: the lowest round trip flatters it.
func (c sessionCase) gain(low, high float64, model string) *Gain {
	if !c.endpoint.BaseLatency.Known() {
		low, model = 1, model+"; upper end only, the unloaded latency is not known"
	}
	return &Gain{Low: low, High: high, Unit: "factor", Model: model}
}
