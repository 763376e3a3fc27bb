package queue

import "math"

// settle lowers rates until every law holds, whatever the iteration left over: first at the sessions, then at clients, volumes
// and limits. Rates only fall, so what held before holds after.
func (s *solver) settle() {
	for i := range s.classes {
		s.classes[i].cut(s.classes[i].rate * s.classes[i].demand[atSession])
	}
	s.work()
	for i := range s.classes {
		s.classes[i].cut(s.clients[s.classes[i].client].busy)
	}
	s.work()
	for i := range s.classes {
		s.classes[i].cut(s.volumes[s.classes[i].volume].busy)
	}
	for i := range s.limits {
		s.limits[i].settle(s)
	}
	for i := range s.pools {
		s.pools[i].settle(s)
	}
	s.work()
}

func (g *gate) settle(s *solver) {
	used := g.load(s).Limited
	for _, i := range g.members {
		s.classes[i].cut(used)
	}
}

// cut divides the rate by what is used of something, if that is more than there is.
func (k *class) cut(used float64) {
	if used > 1 {
		k.rate /= used
	}
}

// work sums the utilisation of clients and volumes.
func (s *solver) work() {
	for i := range s.clients {
		s.clients[i].busy = 0
	}
	for i := range s.volumes {
		s.volumes[i].busy = 0
	}
	for i := range s.classes {
		k := &s.classes[i]
		s.clients[k.client].busy += k.rate * k.demand[atClient]
		s.volumes[k.volume].busy += k.rate * k.demand[atVolume]
	}
}

// load is what the members use.
func (g *gate) load(s *solver) Load {
	l := Load{ReadShare: s.readShare(g.members), Wait: g.wait}
	for _, i := range g.members {
		k := &s.classes[i]
		l.Ops += k.rate
		l.Bytes += k.rate * k.of.Block
	}
	l.Limited = max(l.Bytes/g.bytes, l.Ops/g.ops)
	return l
}

func (s *solver) result() Result {
	r := Result{Flows: make([]Flow, len(s.classes)), Volumes: make([]Load, len(s.volumes)), Pools: make([]Load, len(s.pools))}
	for i := range s.limits {
		r.Volumes[i] = s.limits[i].load(s)
		r.Volumes[i].Busy = s.volumes[i].busy
	}
	for i := range s.pools {
		r.Pools[i] = s.pools[i].load(s)
	}
	sessions := 0
	for i := range s.classes {
		sessions += s.classes[i].of.Sessions
	}
	all := make([]Session, sessions)
	for i := range s.classes {
		k := &s.classes[i]
		n := k.of.Sessions
		r.Flows[i] = s.flow(k, &r, all[:n:n])
		all = all[n:]
	}
	return r
}

// flow is a class's figures. Its round trip is what the queues came to; if its rate was cut, what the jobs left over make of it.
func (s *solver) flow(k *class, r *Result, sessions []Session) Flow {
	if k.of.Jobs == 0 {
		return Flow{Bound: Idle, Sessions: sessions}
	}
	served, wait := k.served(), s.wait(k)
	cycle := max(k.of.Jobs/k.rate-k.think, 0)
	f := Flow{Rate: k.rate, RTT: max(served+wait, min(cycle, k.slots/k.rate)), Sessions: sessions, ClientBusy: s.clients[k.client].busy}
	f.Execute = max(f.RTT, cycle)
	f.Backlog = f.Rate * (f.Execute - f.RTT)
	f.InFlight = f.Rate * f.RTT
	if served+wait > 0 {
		stretch := f.RTT / (served + wait)
		f.Throttle = stretch * wait
		f.Server = min(stretch*(k.trip[atVolume]+wait), f.RTT)
	}
	f.Bound = s.bound(k, r)
	k.split(f)
	return f
}

// bound names what alone would allow the class the least: jobs and slots by the round trip without waiting, a station or
// limit by how full it is.
func (s *solver) bound(k *class, r *Result) Station {
	least := k.least()
	station, most := Application, k.of.Jobs/(k.think+least)
	try := func(name Station, rate float64) {
		if rate < most {
			station, most = name, rate
		}
	}
	try(Slots, k.slots/least)
	try(Sessions, 1/k.demand[atSession])
	try(Client, k.rate/s.clients[k.client].busy)
	try(VolumeBusy, k.rate/s.volumes[k.volume].busy)
	try(Limit, k.rate/r.Volumes[k.volume].Limited)
	if p := s.pool[k.volume]; p >= 0 {
		try(PoolLimit, k.rate/r.Pools[p].Limited)
	}
	return station
}

// split divides a flow among its sessions by weight. What waits at the session queue stands where the load is, in proportion
// to ρ/(1−ρ); the rest is on its way, by weight.
func (k *class) split(f Flow) {
	queued := min(k.queue[atSession], f.InFlight)
	sum, standing := 0.0, 0.0
	weight := func(j int) float64 {
		if k.of.Skew == nil {
			return 1
		}
		return k.of.Skew[j]
	}
	for j := range f.Sessions {
		sum += weight(j)
	}
	demand := k.demand[atSession] / k.busiest
	for j := range f.Sessions {
		w := weight(j) / sum
		busy := f.Rate * w * demand
		f.Sessions[j] = Session{Rate: f.Rate * w, Busy: busy, InFlight: crowd(busy)}
		standing += crowd(busy)
	}
	for j := range f.Sessions {
		w := weight(j) / sum
		part := w
		if standing > 0 {
			part = f.Sessions[j].InFlight / standing
		}
		f.Sessions[j].InFlight = w*(f.InFlight-queued) + part*queued
	}
}

// crowd is how many an open queue would hold at a utilisation, for comparison; a full one is as long as any.
func crowd(busy float64) float64 { return busy / math.Max(1-busy, 1e-6) }
