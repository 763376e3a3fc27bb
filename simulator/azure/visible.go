package azure

import (
	"time"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// How long after its end a grain's points reach readers. Points of minutes are there in part first. Points of hours, the
// capacities, come when they come.
const (
	firstDelay     = 20 * time.Second
	firstSpread    = 40 * time.Second
	wholeSpread    = 90 * time.Second // after the part
	partialWeight  = 0.6
	capacityDelay  = 6 * time.Minute
	capacitySpread = 64 * time.Minute
)

// arrival is when a metric's point of a grain that starts at a time can be seen, in part and as a whole.
func (r *reader) arrival(p *model.SharePlacement, m *metric, at time.Time) (part, whole time.Time) {
	end := at.Add(m.grain())
	if m.hour != nil {
		whole = end.Add(capacityDelay + time.Duration(r.server.model.Draw("capacity/"+p.Account.Name, at.Unix())*float64(capacitySpread)))
		return whole, whole
	}
	part = end.Add(firstDelay + time.Duration(r.draw("part", p, at)*float64(firstSpread)))
	return part, part.Add(time.Duration(r.draw("whole", p, at) * float64(wholeSpread)))
}

// visible is how much of a share's point is there, 0 to 1.
func (r *reader) visible(p *model.SharePlacement, m *metric, at time.Time) (weight float64, ok bool) {
	part, whole := r.arrival(p, m, at)
	of := target{p.Subscription.ID, p.Account.Location, p.Share.Name, func(purpose string) float64 { return r.draw(purpose, p, at) }}
	return view{r.data, r.now}.weight(of, m, at, part, whole)
}

// target is what a point is about, as faults name it, and the seed's draws for it.
type target struct {
	subscription, location, name string
	draw                         func(purpose string) float64
}

// view is what decides which points are seen.
type view struct {
	data []faults.Active
	now  time.Time
}

// weight is how much of a point is there, which comes in part and as a whole at its times if no fault changes that.
func (v view) weight(of target, m *metric, at, part, whole time.Time) (weight float64, ok bool) {
	var revision time.Duration
	for _, active := range v.data {
		fault := active.Fault
		if !fault.Hits(of.subscription, of.location, of.name, m.name) {
			continue
		}
		chosen := fault.Share == 0 || of.draw(string(fault.Kind)+m.name) < fault.Share
		switch {
		case fault.Kind == faults.Vanished && at.Add(m.grain()).After(active.Since):
			return 0, false
		case fault.Kind == faults.Missing && chosen:
			return 0, false
		case fault.Kind == faults.Late && chosen:
			part, whole = part.Add(fault.Delay), whole.Add(fault.Delay)
		case fault.Kind == faults.Revised && chosen:
			revision += fault.Delay
		}
	}
	switch {
	case v.now.Before(part):
		return 0, false
	case revision > 0 && v.now.Before(whole.Add(revision)):
		return 0.5, true
	case v.now.Before(whole) && listed(m.aggregations, "Total"):
		return partialWeight, true
	}
	return 1, true
}
