package fleet

import (
	"strings"

	"github.com/nasight/nasight/history"
)

// azureSuffix ends the name of every Azure Files server (azure.md §1): public and sovereign clouds share the first label.
const azureSuffix = ".file.core."

func (b *builder) endpoint(key endpointKey) *Endpoint {
	endpoint, ok := b.endpoints[key]
	if ok {
		return endpoint
	}
	client := b.client(key.host)
	endpoint = &Endpoint{Host: key.host, Server: key.server, Protocol: key.protocol, Client: client, SMB: unknownSMBServer()}
	for _, value := range []*Value{
		&endpoint.SessionCount, &endpoint.LowestRTT, &endpoint.Busy, &endpoint.Limited, &endpoint.Retransmits, &endpoint.Moving,
		&endpoint.Ceiling, &endpoint.Plateau, &endpoint.BaseLatency, &endpoint.Baseline, &endpoint.Pending, &endpoint.PendingFloor,
		&endpoint.Connected, &endpoint.Disconnected, &endpoint.Connecting, &endpoint.Receives, &endpoint.VolumeUtilisation,
	} {
		*value = Unknown
	}
	client.Endpoints = append(client.Endpoints, endpoint)
	b.endpoints[key] = endpoint
	return endpoint
}

func (b *builder) buildEndpoints() {
	for _, mount := range b.mounts {
		endpoint := b.endpoint(endpointKey{mount.Host, mount.Server, mount.Protocol})
		endpoint.Mounts = append(endpoint.Mounts, mount)
		if provider := b.provider(mount); provider != ProviderUnknown {
			endpoint.Provider = provider
		}
	}
	for feature, field := range map[string]func(*Endpoint) *Value{
		FeatureSessionCount:    func(e *Endpoint) *Value { return &e.SessionCount },
		FeatureLowestRTT:       func(e *Endpoint) *Value { return &e.LowestRTT },
		FeatureBusy:            func(e *Endpoint) *Value { return &e.Busy },
		FeatureLimited:         func(e *Endpoint) *Value { return &e.Limited },
		FeatureRetransmitShare: func(e *Endpoint) *Value { return &e.Retransmits },
		FeatureMoving:          func(e *Endpoint) *Value { return &e.Moving },
		FeaturePlateau:         func(e *Endpoint) *Value { return &e.Plateau },
		FeaturePending:         func(e *Endpoint) *Value { return &e.Pending },
		FeaturePendingFloor:    func(e *Endpoint) *Value { return &e.PendingFloor },
		FeatureConnected:       func(e *Endpoint) *Value { return &e.Connected },
		FeatureDisconnected:    func(e *Endpoint) *Value { return &e.Disconnected },
	} {
		for _, point := range b.answers[feature] {
			*field(b.endpoint(endpointOf(point.Labels))) = Value(point.Value)
		}
	}
	b.sumEndpoints(FeatureConnecting, func(e *Endpoint) *Value { return &e.Connecting })
	b.sumEndpoints(FeatureReceives, func(e *Endpoint) *Value { return &e.Receives })
}

// sumEndpoints adds up what a feature says of each NFS version.
func (b *builder) sumEndpoints(feature string, field func(*Endpoint) *Value) {
	for _, point := range b.answers[feature] {
		value := field(b.endpoint(endpointOf(point.Labels)))
		*value = value.Plus(Value(point.Value))
	}
}

func (b *builder) provider(mount *Mount) Provider {
	if b.profile.Provider != nil {
		if provider := b.profile.Provider(mount.Server, mount.ServerName); provider != ProviderUnknown {
			return provider
		}
	}
	if strings.Contains(mount.ServerName, azureSuffix) {
		return ProviderAzure
	}
	return ProviderUnknown
}

func (b *builder) buildTransports() {
	transports := map[transportKey]*Transport{}
	transport := func(key endpointKey, version string) *Transport {
		t, ok := transports[transportKey{key, version}]
		if !ok {
			t = &Transport{key.protocol, version, Unknown, Unknown, Unknown, Unknown, Unknown, Unknown, Unknown, Unknown}
			endpoint := b.endpoint(key)
			endpoint.Transports = append(endpoint.Transports, t)
			transports[transportKey{key, version}] = t
		}
		return t
	}
	for feature, field := range map[string]func(*Transport) *Value{
		FeatureTransportCount:    func(t *Transport) *Value { return &t.Count },
		FeatureTransportBacklog:  func(t *Transport) *Value { return &t.Backlog },
		FeatureTransportMaxSlots: func(t *Transport) *Value { return &t.MaxSlots },
	} {
		for _, point := range b.answers[feature] {
			*field(transport(endpointOf(point.Labels), point.Labels["version"])) = Value(point.Value)
		}
	}
	for key, endpoint := range b.endpoints {
		for _, mount := range endpoint.Mounts {
			transport(key, mount.transportVersion())
		}
		for _, t := range endpoint.Transports {
			load(t, endpoint)
		}
	}
	b.loadServers()
	b.slotLimits()
}

type transportKey struct {
	endpoint endpointKey
	version  string
}

// transportVersion tells apart the transports to one server: NFS versions share none. The shares of an SMB server and the
// targets of a portal do.
func (m *Mount) transportVersion() string {
	if m.Protocol == SMB || m.Protocol == ISCSI {
		return ""
	}
	return m.Version
}

// TransportOf is the transport that a mount of the endpoint uses; nil if none is known.
func (e *Endpoint) TransportOf(m *Mount) *Transport {
	for _, t := range e.Transports {
		if t.Version == m.transportVersion() {
			return t
		}
	}
	return nil
}

// load sums the load of the mounts that share a transport.
func load(t *Transport, endpoint *Endpoint) {
	onWire, outstanding, reads, writes := Unknown, Unknown, Unknown, Unknown
	for _, mount := range endpoint.Mounts {
		if mount.transportVersion() != t.Version {
			continue
		}
		t.Rate = t.Rate.Plus(mount.Operations())
		onWire = onWire.Plus(mount.OnWire())
		outstanding = outstanding.Plus(mount.Outstanding())
		reads = reads.Plus(mount.ReadRate)
		writes = writes.Plus(mount.WriteRate)
	}
	t.RTT, t.Execute = onWire.Over(t.Rate), outstanding.Over(t.Rate)
	t.Writes = writes.Over(reads.Plus(writes))
}

// slotLimits gives each transport the limit that its kernel object has, else the one that new transports get.
func (b *builder) slotLimits() {
	limits := map[endpointKey]Value{}
	for _, point := range b.answers[FeatureSlotLimit] {
		limits[endpointOf(point.Labels)] = Value(point.Value)
	}
	for key, endpoint := range b.endpoints {
		for _, t := range endpoint.Transports {
			t.Slots = endpoint.Client.Settings.SlotTable
			if limit, ok := limits[key]; ok {
				t.Slots = limit
			}
		}
	}
}

func (b *builder) buildSessions() {
	type key struct {
		endpointKey
		local string
	}
	sessions := map[key]*Session{}
	for feature, field := range map[string]func(*Session) *Value{
		FeatureSessionRate:        func(s *Session) *Value { return &s.Rate },
		FeatureSessionRTT:         func(s *Session) *Value { return &s.RTT },
		FeatureSessionMinRTT:      func(s *Session) *Value { return &s.MinRTT },
		FeatureSessionOutOfOrder:  func(s *Session) *Value { return &s.OutOfOrder },
		FeatureSessionRetransmits: func(s *Session) *Value { return &s.Retransmits },
		FeatureSessionNotSent:     func(s *Session) *Value { return &s.NotSent },
	} {
		for _, point := range b.answers[feature] {
			k := key{endpointOf(point.Labels), point.Labels["session"]}
			session, ok := sessions[k]
			if !ok {
				session = &Session{k.local, Unknown, Unknown, Unknown, Unknown, Unknown, Unknown}
				endpoint := b.endpoint(k.endpointKey)
				endpoint.Sessions = append(endpoint.Sessions, session)
				sessions[k] = session
			}
			*field(session) = Value(point.Value)
		}
	}
}

func unknownNIC() NIC {
	return NIC{Speed: Unknown, ReceiveCap: Unknown, TransmitCap: Unknown, Receive: Unknown, Transmit: Unknown, Drops: Unknown}
}

// buildNICs gives each client the interface that leads to storage: the one that the routes name, else the busiest.
func (b *builder) buildNICs() {
	nics := map[[2]string]*NIC{}
	get := func(point history.Point) *NIC {
		key := [2]string{point.Labels["host"], point.Labels["interface"]}
		if nics[key] == nil {
			nic := unknownNIC()
			nic.Interface = key[1]
			nics[key] = &nic
		}
		return nics[key]
	}
	routed := map[string]bool{}
	for _, point := range b.answers[FeatureNICInfo] {
		get(point).Driver = point.Labels["driver"]
		if point.Labels["routes_storage"] == "true" {
			routed[point.Labels["host"]+"/"+point.Labels["interface"]] = true
		}
	}
	for feature, field := range map[string]func(*NIC) *Value{
		FeatureNICReceive:     func(n *NIC) *Value { return &n.Receive },
		FeatureNICTransmit:    func(n *NIC) *Value { return &n.Transmit },
		FeatureNICDrops:       func(n *NIC) *Value { return &n.Drops },
		FeatureNICSpeed:       func(n *NIC) *Value { return &n.Speed },
		FeatureNICReceiveCap:  func(n *NIC) *Value { return &n.ReceiveCap },
		FeatureNICTransmitCap: func(n *NIC) *Value { return &n.TransmitCap },
	} {
		for _, point := range b.answers[feature] {
			*field(get(point)) = Value(point.Value)
		}
	}
	for key, nic := range nics {
		client := b.client(key[0])
		if betterNIC(*nic, client.NIC, routed[key[0]+"/"+key[1]], routed[key[0]+"/"+client.NIC.Interface]) {
			client.NIC = *nic
		}
	}
}

func betterNIC(candidate, current NIC, candidateRouted, currentRouted bool) bool {
	if current.Interface == "" || candidateRouted != currentRouted {
		return current.Interface == "" || candidateRouted
	}
	traffic := func(n NIC) float64 { return n.Receive.Plus(n.Transmit).Or(0) }
	if traffic(candidate) != traffic(current) {
		return traffic(candidate) > traffic(current)
	}
	return candidate.Interface < current.Interface
}

// AccountOf is the storage account that the name of a server of Azure Files tells; empty for any other name and for addresses.
func AccountOf(server string) string {
	account, _, ok := strings.Cut(fileHost(server), azureSuffix)
	if !ok {
		return ""
	}
	return account
}
