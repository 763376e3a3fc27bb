package model

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// ShareGrain is the width of the windows in which a share's load is constant, and the finest grain of Azure's metrics.
const ShareGrain = time.Minute

// SharePlacement is a share with what it belongs to.
type SharePlacement struct {
	Subscription *Subscription
	Account      *Account
	Share        *Share
	Path         string // subscriptions/ID/storageAccounts/A/shares/S
	key          uint64
	siblings     []*SharePlacement // of the account, with the share itself
	provision    Provision
	apis         []string // of the metadata, in a fixed order: sums of floats depend on it
}

// Shares are all shares in the description's order.
func (m *Model) Shares() []*SharePlacement { return m.shares }

func (m *Model) placeShares() {
	m.sharesByPath = map[string]*SharePlacement{}
	m.credits = &creditBook{full: map[*SharePlacement][]float64{}, last: map[*SharePlacement]creditEntry{}}
	for _, subscription := range m.fleet.Subscriptions {
		for _, account := range subscription.Accounts {
			start := len(m.shares)
			for _, share := range account.Shares {
				path := fmt.Sprintf("subscriptions/%s/storageAccounts/%s/shares/%s", subscription.ID, account.Name, share.Name)
				p := &SharePlacement{Subscription: subscription, Account: account, Share: share, Path: path, key: hash(m.seed, path)}
				p.provision, p.apis = provisionOf(account, share), slices.Sorted(maps.Keys(share.Metadata))
				m.shares = append(m.shares, p)
				m.sharesByPath[path] = p
			}
			for _, p := range m.shares[start:] {
				p.siblings = m.shares[start:len(m.shares):len(m.shares)]
			}
		}
	}
}

// ShareMinute is what a share did in one window, as Azure counts it. Without any operation there is no Calls.
type ShareMinute struct {
	Calls    []ShareCalls // by ApiName, ascending
	MaxIOPS  float64      // of the busiest second
	MaxMiBps float64
	Credits  float64 // burst credits left at the end

	PaidOperations, PaidBytes float64 // beyond what is provisioned, where bursts are paid for
}

// ShareCalls is the operations of one ApiName.
type ShareCalls struct {
	API       string
	Responses []ShareResponses // that occurred
	Ingress   float64          // bytes written to the share
	Egress    float64          // bytes read from the share
	ServerMS  float64          // mean time of successful operations inside the service
	ClientMS  float64          // the same with network and client
}

// ShareResponses counts the operations that ended in one way.
type ShareResponses struct {
	Type  string // as the dimension ResponseType has it
	Count float64
}

// Operations is all operations, however they ended.
func (c ShareCalls) Operations() (sum float64) {
	for _, r := range c.Responses {
		sum += r.Count
	}
	return sum
}

// asked is what clients ask of a share in a window, per second.
type asked struct {
	bytes, data, metadata float64
	factor                float64 // on every mean of the description

	clients     bool  // clients drive the share
	read, write Asked // of the data
}

func (m *Model) asks(p *SharePlacement, window time.Time) asked {
	if then := m.At(window); then != m {
		return then.asks(p, window)
	}
	p = m.sharesByPath[p.Path] // as this description has it
	if a, driven := m.asksByClients(p, window); driven {
		return a
	}
	s := p.Share
	if window.Sub(window.Truncate(time.Hour)) < time.Duration(s.Idle) {
		return asked{}
	}
	a := asked{factor: max(0, m.shapeOf(&s.Load, p.key, window)*(1+s.Load.noise()*m.signed(p.key, "load", window)))}
	a.bytes = (s.Load.ReadMiBps + s.Load.WriteMiBps) * mib * a.factor
	a.data = a.bytes / s.Load.size(Read)
	a.read = Asked{Bytes: s.Load.ReadMiBps * mib * a.factor, Operations: s.Load.ReadMiBps * mib * a.factor / s.Load.size(Read)}
	a.write = Asked{Bytes: s.Load.WriteMiBps * mib * a.factor, Operations: s.Load.WriteMiBps * mib * a.factor / s.Load.size(Write)}
	for _, api := range p.apis {
		a.metadata += s.Metadata[api] * a.factor
	}
	return a
}

// squeeze is how the limits act on what a share is asked for in a window; each factor is 0 to 1.
type squeeze struct {
	data, metadata, all float64 // by throughput, by the metadata ceiling, and by operations on top of these
	operations          float64 // granted per second
	limit               float64 // of operations per second; 0 for none
	used                float64 // the most used limit: above 1 where requests wait
}

// squeezes needs the credits at the window's beginning.
func (m *Model) squeezes(p *SharePlacement, a asked, window time.Time, credits float64) squeeze {
	if then := m.At(window); then != m {
		return then.squeezes(p, a, window, credits)
	}
	p = m.sharesByPath[p.Path] // as this description has it
	provision := p.granted()
	q := squeeze{data: 1, all: 1, metadata: min(1, part(p.MetadataCeiling(), a.metadata))}
	q.used = a.metadata / p.MetadataCeiling()
	if provision.MiBps > 0 {
		q.data = min(1, part(provision.MiBps*mib, a.bytes))
		q.used = max(q.used, a.bytes/(provision.MiBps*mib))
		q.limit = min(provision.BurstIOPS, provision.IOPS+credits/ShareGrain.Seconds())
	} else {
		q.limit = accountIOPS * part(a.data+a.metadata, m.askedOfAccount(p, window))
	}
	operations := a.data*q.data + a.metadata*q.metadata
	q.all = min(1, part(q.limit, operations))
	q.operations = operations * q.all
	if q.limit > 0 {
		q.used = max(q.used, operations/q.limit)
	}
	return q
}

// part is how much of the wanted there is; all of nothing.
func part(there, wanted float64) float64 {
	if wanted <= 0 {
		return 1
	}
	return there / wanted
}

func (m *Model) askedOfAccount(p *SharePlacement, window time.Time) (sum float64) {
	for _, sibling := range p.siblings {
		a := m.asks(sibling, window)
		sum += a.data + a.metadata
	}
	return sum
}

// ShareMinute is what a share did in the window that starts at a time, which is cut to the grain.
func (m *Model) ShareMinute(p *SharePlacement, at time.Time) ShareMinute {
	window := at.Truncate(ShareGrain)
	credits := m.creditsAt(p, window)
	p = m.At(window).sharesByPath[p.Path]
	a := m.asks(p, window)
	q := m.squeezes(p, a, window, credits)
	out := ShareMinute{Calls: m.calls(p, a, q, window), Credits: p.drained(credits, q)}
	peak := 1 + shownPeak*m.unit(p.key, "peak", window)
	moved := a.bytes * q.data * q.all / mib
	out.MaxIOPS, out.MaxMiBps = q.operations*peak, moved*peak
	if granted := p.granted(); granted.MiBps > 0 {
		out.MaxIOPS, out.MaxMiBps = min(out.MaxIOPS, q.limit), min(out.MaxMiBps, granted.MiBps)
	}
	if p.Share.PaidBursting {
		out.PaidOperations = max(0, q.operations-p.provision.IOPS) * ShareGrain.Seconds()
		out.PaidBytes = max(0, moved-p.provision.MiBps) * mib * ShareGrain.Seconds()
	}
	return out
}

// shownPeak is how far the busiest second of a minute is above its mean. It is small, so that a twin at 85 % of a limit
// stays below nine tenths.
const shownPeak = 0.04

// calls turns rates into whole operations.
func (m *Model) calls(p *SharePlacement, a asked, q squeeze, window time.Time) []ShareCalls {
	s := p.Share
	load := &s.Load
	slowdown := slowed(q.used) * (1 + load.noise()*m.signed(p.key, "latency", window))
	seconds := ShareGrain.Seconds()
	var out []ShareCalls
	add := func(op Op, api string, asked Asked, granted float64, why string) {
		count := math.Round(asked.Operations * granted * q.all * seconds)
		if count == 0 {
			return
		}
		c := ShareCalls{API: api, Responses: p.responses(api, count, 1-granted, 1-q.all, why)}
		if a.clients {
			c.ServerMS, c.ClientMS = m.clients.LatencyMS(p.Path, op, window, granted*q.all)
		} else {
			c.ServerMS = load.latency(op) * slowdown
			c.ClientMS = c.ServerMS + s.NetworkMS
		}
		if bytes := count * asked.Bytes / asked.Operations; op == Write {
			c.Ingress = bytes
		} else {
			c.Egress = bytes
		}
		out = append(out, c)
	}
	for _, api := range p.apis {
		rate := s.Metadata[api] * a.factor
		add(Metadata, api, Asked{Bytes: rate * load.size(Metadata), Operations: rate}, q.metadata, "MetadataThrottling")
	}
	add(Read, "Read", a.read, q.data, "ShareEgressThrottling")
	add(Write, "Write", a.write, q.data, "ShareIngressThrottling")
	slices.SortFunc(out, func(a, b ShareCalls) int { return strings.Compare(a.API, b.API) })
	return out
}
