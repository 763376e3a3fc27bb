package detectors

import "github.com/nasight/nasight/fleet"

// held are the conditions that nothing shows to be over yet. session_saturated resolves when less than 70 % of the slots
// are in use and the busiest session is below 70 % of the learnt ceiling; server_unresponsive resolves at once, but
// only on an interval that could be judged, and of a broken SMB or iSCSI session only when one is up again.
func (p *pass) held() []string {
	var ids []string
	for client, endpoint := range p.endpoints() {
		if !p.sessionCase(client, endpoint).resolving() {
			ids = append(ids, idsOf(SessionSaturated, endpoint)...)
		}
		if !progressKnown(endpoint) || stillDown(endpoint) {
			ids = append(ids, idsOf(ServerUnresponsive, endpoint)...)
		}
	}
	return append(ids, p.heldPools()...)
}

// heldPools are the conditions of pools that cannot be judged for want of samples of a volume: a sum over some of them is no
// sum. The pool's other volumes are judged all the same.
func (p *pass) heldPools() []string {
	var ids []string
	for _, pool := range p.view.Pools {
		if len(pool.Volumes) > 0 && !p.readAll(pool) {
			for _, variant := range []string{VariantStranded, VariantLevelChange, VariantFlexCustom} {
				ids = append(ids, id(Name{PoolThroughputUnused, variant}, pool.Resource()))
			}
		}
	}
	return ids
}

// idsOf are the ids that a detector's variants have for an endpoint.
func idsOf(detector string, endpoint *fleet.Endpoint) []string {
	var ids []string
	for _, name := range Names() {
		if name.Detector == detector {
			ids = append(ids, id(name, endpoint.Resource()))
		}
	}
	return ids
}

// resolving: both signs are below their resolve threshold. What is not known holds nothing.
func (c sessionCase) resolving() bool {
	for _, transport := range c.endpoint.Transports {
		if transport.OnWire().Over(Slots(transport, c.client)).AtLeast(c.limits.ResolveSlots) {
			return false
		}
	}
	busiest := c.endpoint.Busiest()
	return busiest == nil || !busiest.Rate.Over(c.endpoint.Ceiling).AtLeast(c.limits.ResolveCeiling)
}
