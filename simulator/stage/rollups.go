package stage

import (
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/world"
)

// rollUpGrain is how often what serve saw of hosts is kept of their past.
const rollUpGrain = 5 * time.Minute

// rollUps are what serve would have kept of the hosts after one moment and up to another: no collector can fetch the past of a
// host.
func (s *Stage) rollUps(from, to time.Time) []schema.Sample {
	settings := detectors.DefaultSettings()
	var all []schema.Sample
	for at := from.Truncate(rollUpGrain).Add(rollUpGrain); at.Before(to); at = at.Add(rollUpGrain) {
		view := Seen(s.world.Endpoints(at.Add(-rollUpGrain)), s.world.Model().Fleet(), at)
		all = append(all, judge.RollUps(view, settings)...)
	}
	return all
}

// Seen is a view as hosts with these endpoints would give it, as far as roll-ups are made of it.
func Seen(endpoints []world.Endpoint, described *model.Fleet, at time.Time) *fleet.Fleet {
	windows := map[string]bool{}
	for _, host := range described.Hosts {
		windows[host.Name] = host.OS == model.Windows
	}
	view := &fleet.Fleet{At: at}
	for _, e := range endpoints {
		seen := &fleet.Endpoint{Host: e.Host, Server: e.Server, Protocol: e.Protocol}
		transport := &fleet.Transport{Protocol: e.Protocol, Rate: fleet.Value(e.Operations), RTT: fleet.Unknown, Execute: fleet.Unknown}
		if e.Operations > 0 {
			transport.RTT, transport.Execute = fleet.Value(e.RTT), fleet.Value(e.Execute)
		}
		seen.Transports = []*fleet.Transport{transport}
		if !windows[e.Host] { // Windows does not tell of single connections
			for _, rate := range e.Sessions {
				seen.Sessions = append(seen.Sessions, &fleet.Session{Rate: fleet.Value(rate)})
			}
		}
		view.Clients = append(view.Clients, &fleet.Client{Host: e.Host, Endpoints: []*fleet.Endpoint{seen}})
	}
	return view
}
