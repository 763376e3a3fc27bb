package fleet

import (
	"maps"
	"slices"

	"github.com/nasight/nasight/history"
)

// What a client knows of SMB servers and iSCSI portals, on top of what all protocols have in common.

func unknownSMBServer() SMBServer {
	return SMBServer{Channels: Unknown, Credits: Unknown, Concurrency: Unknown}
}

func (b *builder) buildSMBClients() {
	for _, point := range b.answers[FeatureSMBClient] {
		client := b.client(point.Labels["host"])
		if client.SMB.Windows && (point.Labels["multichannel"] == "" || point.Labels["multichannel"] == "unknown") {
			continue // from before its settings were known, in the same window
		}
		client.SMB = SMBClient{
			Windows: true, Multichannel: point.Labels["multichannel"],
			PerInterface: number(point.Labels["connections_per_rss_interface"]), PerServer: number(point.Labels["max_connections_per_server"]),
		}
	}
}

func (b *builder) buildSMBServers() {
	for _, point := range b.answers[FeatureEndpointInfo] {
		smb := &b.endpoint(endpointOf(point.Labels)).SMB
		smb.Dialect, smb.Multichannel = point.Labels["version"], point.Labels["multichannel"]
		smb.ClientRSS, smb.ServerRSS = point.Labels["client_rss"], point.Labels["server_rss"]
	}
	for feature, field := range map[string]func(*SMBServer) *Value{
		FeatureChannels:    func(s *SMBServer) *Value { return &s.Channels },
		FeatureCredits:     func(s *SMBServer) *Value { return &s.Credits },
		FeatureConcurrency: func(s *SMBServer) *Value { return &s.Concurrency },
	} {
		for _, point := range b.answers[feature] {
			*field(&b.endpoint(endpointOf(point.Labels)).SMB) = Value(point.Value)
		}
	}
}

// loadServers gives the transport of an SMB server and of an iSCSI portal its channels or sessions, and the former the time
// that its shares have in common.
func (b *builder) loadServers() {
	onWire := b.serverTimes()
	for key, endpoint := range b.endpoints {
		t := endpoint.only()
		if t == nil {
			continue
		}
		if key.protocol == ISCSI {
			t.Count = endpoint.OverMounts(func(m *Mount) Value { return m.Sessions })
			continue
		}
		t.Count = endpoint.SMB.Channels
		if classes, counted := onWire[key]; counted {
			share(endpoint, t, classes)
		}
	}
}

// only is the transport of an endpoint whose mounts all share one; nil for NFS.
func (e *Endpoint) only() *Transport {
	if e.Protocol == NFS || len(e.Transports) == 0 {
		return nil
	}
	return e.Transports[0]
}

// serverTimes are the classes of each SMB server whose commands the client counts by server, with their mean times.
func (b *builder) serverTimes() map[endpointKey]map[string]Class {
	servers := map[endpointKey]map[string]Class{}
	set := func(point history.Point, apply func(*Class)) {
		key := endpointOf(point.Labels)
		if servers[key] == nil {
			servers[key] = map[string]Class{}
		}
		class, ok := servers[key][point.Labels["class"]]
		if !ok {
			class = Class{Unknown, Unknown, Unknown, Unknown}
		}
		apply(&class)
		servers[key][point.Labels["class"]] = class
	}
	for _, point := range b.answers[FeatureCommandRate] {
		set(point, func(c *Class) { c.Rate = Value(point.Value) })
	}
	for _, point := range b.answers[FeatureOnWire] {
		if _, mount := point.Labels["export"]; mount || point.Labels["protocol"] != SMB {
			continue
		}
		set(point, func(c *Class) { c.RTT = Value(point.Value).Over(c.Rate) })
	}
	return servers
}

// share gives the transport what the server's commands take in all, and each share the mean times of its classes.
func share(endpoint *Endpoint, t *Transport, classes map[string]Class) {
	total := Unknown
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		total = total.Plus(product(classes[name].Rate, classes[name].RTT))
	}
	if !total.Known() {
		return
	}
	t.RTT = total.Over(t.Rate)
	t.Execute = t.RTT
	for _, mount := range endpoint.Mounts {
		mount.Shared = true
		for name, class := range mount.Classes {
			class.RTT = Unknown
			if server, ok := classes[name]; ok {
				class.RTT = server.RTT
			}
			class.Execute = class.RTT
			mount.Classes[name] = class
		}
	}
}

// OverMounts adds up what is known of each mount.
func (e *Endpoint) OverMounts(get func(*Mount) Value) Value {
	sum := Unknown
	for _, mount := range e.Mounts {
		sum = sum.Plus(get(mount))
	}
	return sum
}

// Windows tells whether the client is known to run Windows, which tells nothing of single TCP sessions.
func (c *Client) Windows() bool { return c != nil && c.SMB.Windows }
