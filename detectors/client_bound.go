package detectors

import (
	"fmt"
	"slices"

	"github.com/nasight/nasight/fleet"
)

// azure is the cloud that does not meter what a VM receives, so that reads may pass its network figure.
const azure = "azure"

// direction is one direction of the client's NIC, in bytes per second.
type direction struct {
	name, feature, capFeature string
	bytes, limit              fleet.Value
}

// metered are the directions that the client's cloud holds to a cap, the busier one first.
func metered(client *fleet.Client) []direction {
	nic := client.NIC
	receive := direction{"receives", fleet.FeatureNICReceive, fleet.FeatureNICReceiveCap, nic.Receive, nic.ReceiveCap}
	transmit := direction{"sends", fleet.FeatureNICTransmit, fleet.FeatureNICTransmitCap, nic.Transmit, nic.TransmitCap}
	switch {
	case client.Cloud == azure, client.Cloud == "" && readsAzure(client):
		return []direction{transmit}
	case transmit.use().Above(receive.use().Or(0)):
		return []direction{transmit, receive}
	}
	return []direction{receive, transmit}
}

// readsAzure tells whether a client whose cloud nobody names has a share or volume of Azure mounted: it is most likely a VM of
// the same cloud, and a cap that may not hold for reads proves nothing.
func readsAzure(client *fleet.Client) bool {
	return slices.ContainsFunc(client.Endpoints, func(e *fleet.Endpoint) bool {
		return e.Provider == fleet.ProviderAzure || e.Provider == fleet.ProviderAzureNetApp
	})
}

func (d direction) use() fleet.Value { return d.bytes.Over(d.limit) }

// networkUse is the busier metered direction's share of the VM's cap.
func networkUse(client *fleet.Client) fleet.Value { return metered(client)[0].use() }

// networkBound asks of every client whether its network cap is the limit.
func networkBound(p *pass) []draft {
	var drafts []draft
	for client := range p.clients() {
		if p.working(client) && networkUse(client).AtLeast(p.settings.Client.Network) {
			drafts = append(drafts, p.networkDraft(client))
		}
	}
	return drafts
}

// working tells whether an endpoint of the client is in use: a bound of a host that waits for no storage is not ours.
func (p *pass) working(client *fleet.Client) bool {
	for _, endpoint := range client.Endpoints {
		if !EndpointIdle(endpoint, p.settings) {
			return true
		}
	}
	return false
}

func (p *pass) networkDraft(client *fleet.Client) draft {
	limits, d := p.settings.Client, metered(client)[0]
	summary := fmt.Sprintf("%s %s %s on %s, %s of its network cap of %s.",
		client.Host, d.name, mebibytes(d.bytes), orWord(client.NIC.Interface, "its interface"), percent(d.use()), mebibytes(d.limit))
	doubts, storage := 0, storageShare(client)
	if storage.Below(limits.StorageShare) {
		doubts, summary = 1, summary+fmt.Sprintf(" Only %s of the interface's traffic is storage traffic.", percent(storage))
	}
	facts := []fact{
		{"share of the network cap", d.use(), "ratio", atLeast(limits.Network), ""},
		{"interface " + d.name, d.bytes, "bytes per second", "", d.feature},
		{"cap of the direction", d.limit, "bytes per second", "", d.capFeature},
		{"storage's share of the interface's traffic", storage, "ratio", "", ""},
	}
	return draft{
		name: Name{ClientBound, VariantNetwork}, severity: Warning, resource: client.Resource(),
		coverage: float64(p.settings.coverage(client)), signals: []signal{seen(weightCap), seen(weightNetwork)}, doubts: doubts,
		summary: summary, evidence: p.evidence(client.Resource(), facts...), remedy: networkRemedy(client),
	}
}

func orWord(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// storageShare is what the storage sessions carry of all that the interface does.
func storageShare(client *fleet.Client) fleet.Value {
	sum := fleet.Unknown
	for _, endpoint := range client.Endpoints {
		sum = sum.Plus(endpoint.Rate())
	}
	return sum.Over(client.NIC.Receive.Plus(client.NIC.Transmit))
}

func networkRemedy(client *fleet.Client) []Remedy {
	remedies := []Remedy{{
		ByHand: handMachine,
		What:   "Use a larger VM size, or spread the work over more clients.",
		Caveat: "Neither more network interfaces nor more addresses add bandwidth to a VM.",
	}}
	if client.Cloud == "gce" {
		remedies = append(remedies, Remedy{
			What:    "Make the VM with gVNIC and Tier_1 networking where its type allows it.",
			Command: "gcloud compute instances create INSTANCE --network-interface=nic-type=GVNIC --network-performance-configs=total-egress-bandwidth-tier=TIER_1",
			Caveat:  "Set when the VM is made; costs extra.",
		})
	}
	return remedies
}

// cpuBound asks of every client whether its processors are the limit. A core that one storage flow fills belongs to
// session_saturated.
func cpuBound(p *pass) []draft {
	limits := p.settings.Client
	var drafts []draft
	for client := range p.clients() {
		softirq := client.CPU.BusiestSoftirq.AtLeast(limits.Softirq) && !p.oneFlowFillsCore(client)
		if p.working(client) && (softirq || client.CPU.Busy.AtLeast(limits.Busy) || client.CPU.Steal.AtLeast(limits.Steal)) {
			drafts = append(drafts, p.cpuDraft(client))
		}
	}
	return drafts
}

func (p *pass) oneFlowFillsCore(client *fleet.Client) bool {
	for _, endpoint := range client.Endpoints {
		if p.sessionCase(client, endpoint).coreAtLimit() {
			return true
		}
	}
	return false
}

func (p *pass) cpuDraft(client *fleet.Client) draft {
	limits, cpu := p.settings.Client, client.CPU
	facts := []fact{
		{"busy share of all cores", cpu.Busy, "ratio", atLeast(limits.Busy), fleet.FeatureCPUBusy},
		{"softirq share of the busiest core", cpu.BusiestSoftirq, "ratio", atLeast(limits.Softirq), fleet.FeatureCPUBusiestSoftirq},
		{"stolen share of all cores", cpu.Steal, "ratio", atLeast(limits.Steal), fleet.FeatureCPUSteal},
		{"cores", cpu.Cores, "cores", "", fleet.FeatureCPUCores},
	}
	return draft{
		name: Name{ClientBound, VariantCPU}, severity: Warning, resource: client.Resource(),
		coverage: float64(p.settings.coverage(client)), signals: []signal{seen(weightCPU)},
		summary:  fmt.Sprintf("%s is short of processor time: %s.", client.Host, cpuReason(cpu, limits)),
		evidence: p.evidence(client.Resource(), facts...), remedy: cpuRemedy(client, limits),
	}
}

func cpuReason(cpu fleet.CPU, limits ClientSettings) string {
	switch {
	case cpu.Busy.AtLeast(limits.Busy):
		return fmt.Sprintf("its cores are busy %s of the time", percent(cpu.Busy))
	case cpu.Steal.AtLeast(limits.Steal):
		return fmt.Sprintf("the hypervisor withholds %s of the time", percent(cpu.Steal))
	}
	return fmt.Sprintf("its busiest core spends %s of the time on network interrupts", percent(cpu.BusiestSoftirq))
}

func cpuRemedy(client *fleet.Client, limits ClientSettings) []Remedy {
	nic := quote(orWord(client.NIC.Interface, "INTERFACE"))
	remedies := []Remedy{{
		ByHand: handMachine,
		What:   "Use a VM with more cores, or spread the work over more clients.",
		Caveat: "Latency measured on a starved client says little about the storage.",
	}}
	if client.CPU.BusiestSoftirq.AtLeast(limits.Softirq) && !client.CPU.Cores.Below(2) {
		remedies = append(remedies, Remedy{
			What: "Spread the receive work over the cores.", Command: fmt.Sprintf("ethtool -l %s\nethtool -x %s", nic, nic),
			Caveat: "Raise the number of queues with ethtool -L where it is below the number of cores.",
		})
	}
	return remedies
}
