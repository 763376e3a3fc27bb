package model

import "time"

// Clients say what client hosts ask of volumes and shares. What they drive does not use the load of its description:
// the cloud's counters and the hosts' come from the same requests.
type Clients interface {
	// Asked is what is asked of the volume or share at a path in the window that begins at a time, where nothing
	// limits it; false where no client drives it. Rates are per second.
	Asked(path string, op Op, window time.Time) (Asked, bool)
	// LatencyMS is the mean time of an operation, if the service grants that share of what is asked for, 0 to 1:
	// requests of clients with a bounded number outstanding wait until they are as slow as that. It is
	// the time inside of the service, and the whole time that clients see.
	LatencyMS(path string, op Op, window time.Time, granted float64) (service, whole float64)
}

// Asked is a demand per second.
type Asked struct {
	Bytes, Operations float64
}

// Drive lets clients drive the volumes and shares that they mount. Call it before anything is asked of the model.
func (m *Model) Drive(clients Clients) {
	m.clients = clients
	for _, phase := range m.known() {
		phase.model.clients = clients
	}
}

// asked is what clients ask of a volume in a window, by its description or by the clients that drive it.
func (m *Model) asked(p *Placement, op Op, window time.Time) Asked {
	if m.clients != nil {
		if asked, driven := m.clients.Asked(p.Path, op, window); driven {
			return asked
		}
	}
	bytes := m.demand(p, op, window)
	return Asked{Bytes: bytes, Operations: bytes / p.Volume.Load.size(op)}
}

func (m *Model) driven(path string, window time.Time) bool {
	if m.clients == nil {
		return false
	}
	_, driven := m.clients.Asked(path, Read, window)
	return driven
}

// Granted is the share of what clients ask of a volume that its limits grant in the window of a time, 0 to 1.
func (m *Model) Granted(p *Placement, at time.Time) float64 {
	return m.pressure(p, at.Truncate(Grain)).granted
}

// ShareGranted is the same of a share, for one type of operations.
func (m *Model) ShareGranted(p *SharePlacement, op Op, at time.Time) float64 {
	window := at.Truncate(ShareGrain)
	q := m.squeezes(p, m.asks(p, window), window, m.creditsAt(p, window))
	if op == Metadata {
		return q.metadata * q.all
	}
	return q.data * q.all
}

// asksByClients is asks for a share that clients drive. Its metadata has the mix of its description.
func (m *Model) asksByClients(p *SharePlacement, window time.Time) (asked, bool) {
	if !m.driven(p.Path, window) {
		return asked{}, false
	}
	a := asked{clients: true}
	a.read, _ = m.clients.Asked(p.Path, Read, window)
	a.write, _ = m.clients.Asked(p.Path, Write, window)
	metadata, _ := m.clients.Asked(p.Path, Metadata, window)
	a.bytes, a.data, a.metadata = a.read.Bytes+a.write.Bytes, a.read.Operations+a.write.Operations, metadata.Operations
	described := 0.0
	for _, api := range p.apis {
		described += p.Share.Metadata[api]
	}
	if described > 0 {
		a.factor = a.metadata / described
	}
	return a, true
}

// Threads is how many requests the applications on a mount keep outstanding in the window that begins at a time.
func (m *Model) Threads(host *Host, mount *Mount, window time.Time) float64 {
	movement := mount.Load.movement()
	return max(0, mount.Load.Threads*m.shapeOf(&movement, hash(m.seed, host.Name+" "+mount.Path), window))
}

// FindShare is the share at subscriptions/ID/storageAccounts/A/shares/S, nil if there is none.
func (m *Model) FindShare(path string) *SharePlacement { return m.sharesByPath[path] }
