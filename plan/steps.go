package plan

import (
	"cmp"
	"slices"

	"github.com/nasight/nasight/fleet"
)

// Step is one change of one volume.
type Step struct {
	Volume   string   `json:"volume"`
	Location string   `json:"location"`
	From     float64  `json:"from_mibps"`
	To       float64  `json:"to_mibps"`
	Assigned float64  `json:"assigned_mibps"` // what the pool's volumes hold after the step
	Commands Commands `json:"commands"`
}

// order lists the steps: decreases first, the largest first, then increases in the same way, so that the sum never
// passes the pool on the way.
func (b *builder) order() {
	p, sum := b.plan, float64(b.plan.Assigned)
	for _, i := range b.planned {
		a := &p.Volumes[i]
		if a.Change = a.Propose - a.Current; a.Change != 0 {
			p.Steps = append(p.Steps, Step{
				Volume: a.Name, Location: a.Location, From: float64(a.Current), To: float64(a.Propose),
				Commands: b.pool.commands(a.Location, a.Name, float64(a.Propose)),
			})
		}
	}
	slices.SortStableFunc(p.Steps, func(s, t Step) int {
		if s.rises() != t.rises() {
			if t.rises() {
				return -1
			}
			return 1
		}
		return cmp.Compare(t.size(), s.size())
	})
	for n := range p.Steps {
		sum += p.Steps[n].To - p.Steps[n].From
		p.Steps[n].Assigned = sum
	}
	p.AssignedAfter = fleet.Value(sum)
	if len(p.Steps) == 0 {
		p.Status = Unchanged
	}
	b.effect()
	p.Brings = b.brings()
}

func (s Step) rises() bool { return s.To > s.From }

func (s Step) size() float64 { return max(s.To-s.From, s.From-s.To) }

func (b *builder) effect() {
	e := &Effect{Unassigned: float64(max(0, b.plan.Capacity-b.plan.AssignedAfter))}
	e.PoolShort = b.lacks()
	for _, i := range b.planned {
		a := b.plan.Volumes[i]
		e.Demand += float64(a.Need)
		e.ServedNow += float64(min(a.Current, a.Need))
		e.ServedAfter += float64(min(a.Propose, a.Need))
		e.ShortNow += count(a.Current+slack < a.Need)
		e.ShortAfter += count(a.Propose+slack < a.Need)
		e.Given += float64(max(0, a.Change))
		e.Taken += float64(max(0, -a.Change))
	}
	b.plan.Effect = e
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
