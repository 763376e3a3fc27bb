package fleet

import (
	"iter"
	"maps"
	"slices"
)

// What follows from the measured numbers by arithmetic alone. Little's law carries most of it: requests outstanding =
// rate × time.

// EachClass yields the classes of operations by name, always in the same order, so that a sum over them is the same to
// the last bit each time.
func (m *Mount) EachClass() iter.Seq2[string, Class] {
	return func(yield func(string, Class) bool) {
		for _, name := range slices.Sorted(maps.Keys(m.Classes)) {
			if !yield(name, m.Classes[name]) {
				return
			}
		}
	}
}

// Operations is the mount's rate over all classes, per second.
func (m *Mount) Operations() Value {
	sum := Unknown
	for _, class := range m.EachClass() {
		sum = sum.Plus(class.Rate)
	}
	return sum
}

// Bytes is what the mount moves both ways, per second.
func (m *Mount) Bytes() Value { return m.ReadRate.Plus(m.WriteRate) }

// The classes of operations whose time no client counts, or none that means anything.
const (
	ClassNotify   = "notify"   // SMB: change notifications, which wait until somebody changes something
	ClassMetadata = "metadata" // SMB on Windows: all that moves no data
)

// Outstanding is the mean number of requests that the application has under way, client queueing included.
func (m *Mount) Outstanding() Value {
	return m.outstanding(func(c Class) Value { return c.Execute })
}

// OnWire is the mean number of requests at the server or on the wire.
func (m *Mount) OnWire() Value {
	return m.outstanding(func(c Class) Value { return c.RTT })
}

// outstanding is missing where a class has operations and no time: a sum over the others would pass for little work. Left out
// are the change notifications of SMB, which wait by design, and metadata on Windows, of which no time is counted.
func (m *Mount) outstanding(perOperation func(Class) Value) Value {
	sum := Unknown
	for name, class := range m.EachClass() {
		switch time := perOperation(class); {
		case time.Known() && class.Rate.Known():
			sum = sum.Plus(class.Rate * time)
		case class.Rate == 0:
			sum = sum.Plus(0)
		case class.Rate.Known() && name != ClassNotify && name != ClassMetadata:
			return Unknown
		}
	}
	return sum
}

// OnWire is the mean number of requests of the transport at the server or on the wire.
func (t *Transport) OnWire() Value { return product(t.Rate, t.RTT) }

// Outstanding is the mean number of requests of the transport, client queueing included.
func (t *Transport) Outstanding() Value { return product(t.Rate, t.Execute) }

// QueueShare is the part of the execution time that requests wait in the client. Only the RPC layer of NFS tells that apart.
func (t *Transport) QueueShare() Value {
	if !t.Execute.Known() || !t.RTT.Known() || t.Protocol == SMB || t.Protocol == ISCSI {
		return Unknown
	}
	return max(t.Execute-t.RTT, 0).Over(t.Execute)
}

func product(a, b Value) Value {
	if a == 0 {
		return 0
	}
	if !a.Known() || !b.Known() {
		return Unknown
	}
	return a * b
}

// Rate is the sum over the sessions, in bytes per second both ways.
func (e *Endpoint) Rate() Value {
	sum := Unknown
	for _, session := range e.Sessions {
		sum = sum.Plus(session.Rate)
	}
	return sum
}

// Busiest is the session that carries the most, nil if no session's rate is known.
func (e *Endpoint) Busiest() *Session {
	var busiest *Session
	for _, session := range e.Sessions {
		if session.Rate.Known() && (busiest == nil || session.Rate > busiest.Rate) {
			busiest = session
		}
	}
	return busiest
}

// BusiestShare is the busiest session's part of the endpoint's bytes.
func (e *Endpoint) BusiestShare() Value {
	busiest := e.Busiest()
	if busiest == nil {
		return Unknown
	}
	return busiest.Rate.Over(e.Rate())
}

// EffectiveSessions is (Σ c)² / Σ c²: how many sessions the load is really spread over, from 1 to their number.
func (e *Endpoint) EffectiveSessions() Value {
	sum, squares := Value(0), Value(0)
	for _, session := range e.Sessions {
		rate := Value(session.Rate.Or(0))
		sum += rate
		squares += rate * rate
	}
	return (sum * sum).Over(squares)
}

// Operations is the rate over all transports, per second.
func (e *Endpoint) Operations() Value {
	return e.overTransports(func(t *Transport) Value { return t.Rate })
}

// Outstanding is the mean number of requests of all transports, client queueing included.
func (e *Endpoint) Outstanding() Value { return e.overTransports((*Transport).Outstanding) }

// OnWire is the mean number of requests of all transports at the server or on the wire.
func (e *Endpoint) OnWire() Value { return e.overTransports((*Transport).OnWire) }

// RTT is the operations' mean time between sending and reply, in seconds.
func (e *Endpoint) RTT() Value { return e.OnWire().Over(e.Operations()) }

// Execute is the operations' mean time from request to completion, in seconds.
func (e *Endpoint) Execute() Value { return e.Outstanding().Over(e.Operations()) }

// QueueShare is the part of the execution time that requests wait in the client. Only the RPC layer of NFS tells that apart.
func (e *Endpoint) QueueShare() Value { return queued(e.Protocol, e.Outstanding(), e.OnWire()) }

// QueueShare is the same of one mount.
func (m *Mount) QueueShare() Value { return queued(m.Protocol, m.Outstanding(), m.OnWire()) }

func queued(protocol string, outstanding, onWire Value) Value {
	if protocol == SMB || protocol == ISCSI || !outstanding.Known() || !onWire.Known() {
		return Unknown
	}
	return max(outstanding-onWire, 0).Over(outstanding)
}

// Count is the number of sessions: RPC transports where they are known, else TCP sessions.
func (e *Endpoint) Count() Value {
	if count := e.overTransports(func(t *Transport) Value { return t.Count }); count.Known() {
		return count
	}
	return e.SessionCount
}

func (e *Endpoint) overTransports(get func(*Transport) Value) Value {
	sum := Unknown
	for _, transport := range e.Transports {
		sum = sum.Plus(get(transport))
	}
	return sum
}

// Resource names the endpoint, and what the cloud calls it as far as that is the same for all of its mounts.
func (e *Endpoint) Resource() Resource {
	resource := e.Cloud()
	resource.Host, resource.Server, resource.Protocol = e.Host, e.Server, e.Protocol
	return resource
}

// Resource names the mount, and the volume where one was joined.
func (m *Mount) Resource() Resource {
	resource := m.Cloud()
	resource.Host, resource.Server, resource.Export, resource.Protocol = m.Host, m.Server, m.Export, m.Protocol
	return resource
}

// Cloud names the volume or share that was joined; empty for none.
func (m *Mount) Cloud() Resource {
	switch {
	case m.Volume != nil:
		return m.Volume.Identity
	case m.Share != nil:
		return m.Share.Identity
	}
	return Resource{}
}

// Resource names the client.
func (c *Client) Resource() Resource { return Resource{Host: c.Host} }

// Utilisation is the busier direction's share of the VM's network cap.
func (n NIC) Utilisation() Value {
	receive, transmit := n.Receive.Over(n.ReceiveCap), n.Transmit.Over(n.TransmitCap)
	if !receive.Known() || transmit.Above(float64(receive)) {
		return transmit
	}
	return receive
}
