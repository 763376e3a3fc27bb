package diagnose

import (
	"cmp"
	"slices"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// Step is one rung of the bottleneck ladder: what passes it, what it can take, and whether it binds the mount.
type Step struct {
	Step        string      `json:"step"`
	Load        fleet.Value `json:"load"`
	Capacity    fleet.Value `json:"capacity"` // null where the step has no known limit
	Utilisation fleet.Value `json:"utilisation"`
	Unit        string      `json:"unit"`
	Binding     bool        `json:"binding"`
}

// The steps, from the application to the server.
const (
	StepApplication = "application"
	StepSlots       = "slots"
	StepSessions    = "sessions"
	StepCredits     = "credits"  // SMB: what the server lets the client have under way
	StepChannels    = "channels" // SMB: the sessions of multichannel
	StepCPU         = "cpu"
	StepNetwork     = "network"
	StepVolume      = "volume" // the volume's own limit; shown where the cloud's volume behind a mount is known
	StepPool        = "pool"   // the throughput of the volume's pool, likewise
	StepServer      = "server"
)

// binds says at which step a finding binds.
var binds = map[string]string{
	"session_saturated/slots":         StepSlots,
	"session_saturated/session_slots": StepSlots,
	"session_saturated/flow":          StepSessions,
	"session_saturated/sender":        StepSessions,
	"session_saturated/skew":          StepSessions,
	"session_saturated/cpu":           StepCPU,
	"smb_multichannel/missing":        StepSessions,
	"smb_multichannel/too_few":        StepSessions,
	"smb_multichannel/too_many":       StepSessions,
	"client_bound/cpu":                StepCPU,
	"client_bound/network":            StepNetwork,
	"client_bound/placement":          StepNetwork,
	"client_bound/single_thread":      StepApplication,
	"server_latency/server":           StepServer,
	"server_unresponsive/stalled":     StepServer,
	"metadata_heavy/share":            StepServer,
	"metadata_heavy/ceiling":          StepServer,
}

// Ladder builds the ladder of a mount from its numbers and the findings on its path.
func Ladder(mount *fleet.Mount, endpoint *fleet.Endpoint, client *fleet.Client, path []detectors.Finding) []Step {
	steps := []Step{{Step: StepApplication, Load: mount.Outstanding(), Capacity: fleet.Unknown, Unit: "requests"}}
	steps = append(steps, queue(mount, endpoint, client)...)
	steps = append(steps, sessions(endpoint),
		Step{Step: StepCPU, Load: client.CPU.BusiestBusy, Capacity: 1, Unit: "busiest core"}, network(client.NIC))
	if mount.Volume != nil {
		steps = append(steps, volume(mount.Volume), pool(mount.Volume))
	}
	if mount.Share != nil {
		steps = append(steps, share(mount.Share), account(mount.Share.Of))
	}
	steps = append(steps, Step{Step: StepServer, Load: mount.OnWire(), Capacity: fleet.Unknown, Unit: "requests"})
	binding := StepFor(mount.Protocol, BindingStep(path))
	for i := range steps {
		steps[i].Utilisation = steps[i].Load.Over(steps[i].Capacity)
		steps[i].Binding = steps[i].Step == binding
	}
	return steps
}

// queue is where requests wait before they are sent: for a slot, or for a credit of an SMB server. iSCSI sessions have none
// that could be read.
func queue(mount *fleet.Mount, endpoint *fleet.Endpoint, client *fleet.Client) []Step {
	switch mount.Protocol {
	case fleet.SMB:
		return []Step{credits(endpoint)}
	case fleet.ISCSI:
		return nil
	}
	return []Step{slots(mount, endpoint, client)}
}

// slots is how many of the slots that one connection or session can fill are in use (detectors.md §1, C).
func slots(mount *fleet.Mount, endpoint *fleet.Endpoint, client *fleet.Client) Step {
	step := Step{Step: StepSlots, Load: fleet.Unknown, Capacity: fleet.Unknown, Unit: "slots"}
	if transport := endpoint.TransportOf(mount); transport != nil {
		step.Load = transport.OnWire()
		step.Capacity = detectors.Slots(transport, client)
	}
	return step
}

// credits are those that requests under way hold, of these and the free ones of the channel that has fewest.
func credits(endpoint *fleet.Endpoint) Step {
	step := Step{Step: StepCredits, Load: endpoint.OnWire().Over(max(endpoint.SMB.Channels, 1)), Capacity: fleet.Unknown, Unit: "credits on a channel"}
	if endpoint.SMB.Credits.Known() && step.Load.Known() {
		step.Capacity = endpoint.SMB.Credits + step.Load
	}
	return step
}

// StepFor is a step as the ladder of a protocol calls it.
func StepFor(protocol, step string) string {
	if protocol == fleet.SMB && step == StepSessions {
		return StepChannels
	}
	return step
}

func sessions(endpoint *fleet.Endpoint) Step {
	step := Step{
		Step: StepFor(endpoint.Protocol, StepSessions), Load: fleet.Unknown, Capacity: endpoint.Ceiling,
		Unit: "bytes per second on the busiest session",
	}
	if busiest := endpoint.Busiest(); busiest != nil {
		step.Load = busiest.Rate
	}
	return step
}

// network shows the direction that is closer to the VM's cap, else the busier one against the link's speed.
func network(nic fleet.NIC) Step {
	step := Step{Step: StepNetwork, Load: nic.Receive, Capacity: nic.ReceiveCap, Unit: "bytes per second"}
	if nic.Transmit.Over(nic.TransmitCap).Above(nic.Receive.Over(nic.ReceiveCap).Or(0)) ||
		!nic.ReceiveCap.Known() && nic.Transmit.Above(nic.Receive.Or(0)) {
		step.Load, step.Capacity = nic.Transmit, nic.TransmitCap
	}
	if !step.Capacity.Known() {
		step.Capacity = nic.Speed
	}
	return step
}

// volume is the throughput of all its clients against its limit. On Flex it has none of its own.
func volume(v *fleet.Volume) Step {
	step := Step{Step: StepVolume, Load: v.Throughput, Capacity: v.Limit, Unit: "bytes per second"}
	if v.Of != nil && v.Of.Flex() {
		step.Capacity = fleet.Unknown
	}
	return step
}

// share is what a share does in its busiest second against what it may do, by bytes or by operations, whichever is nearer to
// its limit. One that is paid by use has no limits of its own.
func share(s *fleet.Share) Step {
	step := Step{Step: StepVolume, Load: s.Load.Egress.Plus(s.Load.Ingress), Capacity: s.Throughput, Unit: "bytes per second"}
	if n := len(s.Load.Recent); n > 0 && !s.Of.ByUse() {
		newest := s.Load.Recent[n-1]
		step.Load = newest.PeakBytes
		return nearer(step, newest.Peak, s.Ceiling(newest.Credits))
	}
	return step
}

// account is what the shares of a storage account do together against what it may do.
func account(a *fleet.Account) Step {
	step := Step{Step: StepPool, Load: a.Load.Egress.Plus(a.Load.Ingress), Capacity: a.Limits.Throughput, Unit: "bytes per second"}
	operations := a.Load.Total()
	if !a.ByUse() {
		for _, s := range a.Shares {
			step.Load = step.Load.Plus(s.Load.Egress.Plus(s.Load.Ingress))
			operations = operations.Plus(s.Load.Total())
		}
	}
	return nearer(step, operations, a.Limits.Operations)
}

// nearer counts a step in operations where these are nearer to their limit than its bytes.
func nearer(step Step, operations, most fleet.Value) Step {
	if use := operations.Over(most); use.Known() && !step.Load.Over(step.Capacity).Above(float64(use)) {
		step.Load, step.Capacity, step.Unit = operations, most, "operations per second"
	}
	return step
}

// pool is what the volumes of a volume's pool move together, as far as it is known, against the pool's throughput.
func pool(v *fleet.Volume) Step {
	step := Step{Step: StepPool, Load: v.Throughput, Capacity: fleet.Unknown, Unit: "bytes per second"}
	if v.Of == nil {
		return step
	}
	step.Load, step.Capacity = fleet.Unknown, v.Of.Total
	for _, one := range v.Of.Volumes {
		step.Load = step.Load.Plus(one.Throughput)
	}
	return step
}

// onPath keeps the findings on a mount's path: its own, its endpoint's, its host's, and its volume's and pool's.
func onPath(mount *fleet.Mount, findings []detectors.Finding) []detectors.Finding {
	var path []detectors.Finding
	for _, finding := range findings {
		if touches(finding.Resource, mount) {
			path = append(path, finding)
		}
	}
	return path
}

func touches(r fleet.Resource, mount *fleet.Mount) bool {
	if r.Host == "" && r.Server == "" && r.Cloud != "" {
		cloud := mount.Cloud()
		return cloud.Cloud != "" && holds(r, cloud)
	}
	return matches(r.Host, mount.Host) && matches(r.Server, mount.Server) && matches(r.Export, mount.Export) && matches(r.Protocol, mount.Protocol)
}

// holds tells whether a resource of a cloud is the volume, its pool or its project.
func holds(r, volume fleet.Resource) bool {
	return matches(r.Cloud, volume.Cloud) && matches(r.Service, volume.Service) && matches(r.Project, volume.Project) &&
		matches(r.Location, volume.Location) && matches(r.Pool, volume.Pool) && matches(r.Volume, volume.Volume)
}

func matches(resource, value string) bool { return resource == "" || resource == value }

// BindingStep is the step of the finding to solve first: one that no other blocks, the most severe, in the order of
// the list. Empty where nothing binds.
func BindingStep(path []detectors.Finding) string {
	open := slices.Clone(path)
	open = slices.DeleteFunc(open, func(f detectors.Finding) bool {
		return len(f.BlockedBy) > 0 || stepOf(f) == ""
	})
	if len(open) == 0 {
		return ""
	}
	slices.SortStableFunc(open, func(a, b detectors.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	return stepOf(open[0])
}

// stepOf is the step at which a finding binds; empty where it binds none. A limit is the volume's or the pool's.
func stepOf(f detectors.Finding) string {
	switch {
	case f.Variant == detectors.VariantCredits: // a limit that is still to come
		return ""
	case f.Detector != detectors.LimitReached:
		return binds[f.Detector+"/"+f.Variant]
	case f.Resource.Volume != "":
		return StepVolume
	}
	return StepPool
}
