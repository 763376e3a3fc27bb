package demo

import (
	_ "embed"
	"fmt"
	"time"

	"github.com/nasight/nasight/simulator/model"
)

//go:embed fleet.yml
var described []byte

// Fleet is the built-in fleet without its incidents. Every call makes a new one.
func Fleet() (*model.Fleet, error) { return model.Parse("demo/fleet.yml", described) }

// incident is something that comes and goes.
type incident struct {
	name     string
	from, to time.Duration // of the cycle of an hour
	happens  func(cast)
}

// incidents are what happens in an hour, one after the other.
func incidents() []incident {
	const minute = time.Minute
	return []incident{
		{"the burst credits of share scratch are used up", 0, 18 * minute, func(c cast) {
			c.share("examplessd", "scratch").Load = model.Workload{ReadMiBps: 20, WriteMiBps: 14.4, BlockKiB: 4, LatencyMS: 1.5}
		}},
		{"the server of import-2 does not answer", 4 * minute, 14 * minute, func(c cast) {
			c.mount("import-2").Way.Stalled = true
		}},
		{"volume warehouse is asked for more than its limit", 15 * minute, 35 * minute, func(c cast) {
			c.volume("manual-throttled", "warehouse").Load.ReadMiBps = 280
		}},
		{"report-2 is short of processor time", 20 * minute, 40 * minute, func(c cast) {
			c.host("report-2").OtherCPU = 0.95
		}},
		{"the server of query-2 is slow", 30 * minute, 45 * minute, func(c cast) {
			c.mount("query-2").Way.ServiceMS = 25
		}},
		{"share render is read faster than it may be", 40 * minute, 55 * minute, func(c cast) {
			c.share("examplessd", "render").Load.ReadMiBps = 360
		}},
	}
}

// plot says which incidents there are at a time.
type plot struct {
	cycle time.Duration // an hour of incidents
	began time.Time
	now   string                  // state that holds
	known map[string]*model.Fleet // by state: one that comes again has its model already

	reduce func(*model.Fleet) // lets a test show a part of the fleet; nil for nothing
}

// at is the fleet from now on, nil where nothing begins or ends.
func (p *plot) at(now time.Time) (*model.Fleet, error) {
	state := p.state(now)
	if state == p.now {
		return nil, nil
	}
	p.now = state
	return p.fleet(state)
}

// state has a letter for each incident: + for one that is.
func (p *plot) state(now time.Time) string {
	in := now.Sub(p.began) % p.cycle
	in = time.Duration(float64(in) * float64(time.Hour) / float64(p.cycle))
	var state []byte
	for _, one := range incidents() {
		if in >= one.from && in < one.to {
			state = append(state, '+')
		} else {
			state = append(state, '-')
		}
	}
	return string(state)
}

// fleet is the description with the incidents of a state.
func (p *plot) fleet(state string) (*model.Fleet, error) {
	if fleet := p.known[state]; fleet != nil {
		return fleet, nil
	}
	fleet, err := Fleet()
	if err != nil {
		return nil, err
	}
	if p.reduce != nil {
		p.reduce(fleet)
	}
	for i, one := range incidents() {
		if i < len(state) && state[i] == '+' {
			one.happens(cast{fleet})
		}
	}
	if state != "" { // the description is of the start, when the credits have just begun to go
		calm(cast{fleet}, state)
	}
	if err := fleet.Complete(); err != nil {
		return nil, fmt.Errorf("the fleet with its incidents: %w", err)
	}
	p.known[state] = fleet
	return fleet, nil
}

// calm ends what the description says of the minutes before the start.
func calm(c cast, state string) {
	if state[0] == '-' {
		c.share("examplessd", "scratch").Load = model.Workload{ReadMiBps: 0.2, WriteMiBps: 0.144, BlockKiB: 4, LatencyMS: 1.5}
	}
}

// cast finds who an incident happens to. All of it is in the built-in fleet, which a test makes sure of.
type cast struct{ fleet *model.Fleet }

func (c cast) host(name string) *model.Host {
	for _, host := range c.fleet.Hosts {
		if host.Name == name {
			return host
		}
	}
	return &model.Host{}
}

func (c cast) mount(host string) *model.Mount {
	if mounts := c.host(host).Mounts; len(mounts) > 0 {
		return mounts[0]
	}
	return &model.Mount{}
}

func (c cast) volume(pool, name string) *model.Volume {
	for _, project := range c.fleet.Projects {
		for _, one := range project.Pools {
			for _, volume := range one.Volumes {
				if one.Name == pool && volume.Name == name {
					return volume
				}
			}
		}
	}
	return &model.Volume{}
}

func (c cast) share(account, name string) *model.Share {
	for _, subscription := range c.fleet.Subscriptions {
		for _, one := range subscription.Accounts {
			for _, share := range one.Shares {
				if one.Name == account && share.Name == name {
					return share
				}
			}
		}
	}
	return &model.Share{}
}
