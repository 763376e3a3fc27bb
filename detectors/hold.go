package detectors

import "github.com/nasight/nasight/fleet"

// held are the conditions that nothing shows to be over yet. session_saturated resolves when less than 70 % of the slots
// are in use and the busiest session is below 70 % of the learnt ceiling; server_unresponsive resolves at once, but
// only on an interval that could be judged.
func (p *pass) held() []string {
	var ids []string
	for client, endpoint := range p.endpoints() {
		if !p.sessionCase(client, endpoint).resolving() {
			ids = append(ids, idsOf(SessionSaturated, endpoint)...)
		}
		if !progressKnown(endpoint) {
			ids = append(ids, idsOf(ServerUnresponsive, endpoint)...)
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
