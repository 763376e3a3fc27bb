package azure

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// series is what a metric has for one combination of the dimensions that a query splits by.
type series struct {
	values  []string // of the split dimensions, in their order
	buckets []sample
}

// reader evaluates a query about one account.
type reader struct {
	server *Server
	query  *query
	shares []*model.SharePlacement
	data   []faults.Active
	now    time.Time
}

// newReader looks at the shares that are there now. One that vanished has the points from before.
func newReader(c *call, a *model.Account, q *query) *reader {
	r := &reader{server: c.server, query: q, data: c.server.faults.Data(), now: c.now}
	for _, p := range c.server.present(c.now).Shares() {
		if p.Account == a && !p.Share.Deleted {
			r.shares = append(r.shares, c.server.model.FindShare(p.Path))
		}
	}
	return r
}

// read gives the series of each metric of the query, without those that had nothing. Months take a while: it ends when
// nobody waits for it.
func (r *reader) read(ctx context.Context) map[*metric][]*series {
	found := map[*metric]map[string]*series{}
	for _, m := range r.query.metrics {
		found[m] = map[string]*series{}
	}
	minutes, hours := r.metricsOf(model.ShareGrain), r.metricsOf(time.Hour)
	oldest := r.now.Add(-retention)
	for at := r.query.first(); at.Before(r.query.to) && at.Before(r.now) && ctx.Err() == nil; at = at.Add(model.ShareGrain) {
		if at.Before(oldest) {
			continue
		}
		if len(minutes) > 0 {
			r.readStep(at, minutes, r.minute, found)
		}
		if len(hours) > 0 && at.Equal(at.Truncate(time.Hour)) {
			r.readStep(at, hours, r.hour, found)
		}
	}
	out := map[*metric][]*series{}
	for m, byKey := range found {
		for _, s := range byKey {
			out[m] = append(out[m], s)
		}
		slices.SortFunc(out[m], func(a, b *series) int { return slices.Compare(a.values, b.values) })
	}
	return out
}

func (r *reader) metricsOf(grain time.Duration) (out []*metric) {
	for _, m := range r.query.metrics {
		if m.grain() == grain {
			out = append(out, m)
		}
	}
	return out
}

// readStep adds what each share had in the grain that starts at a time.
func (r *reader) readStep(at time.Time, metrics []*metric, of func(*model.SharePlacement, time.Time) func(*metric) []cell, found map[*metric]map[string]*series) {
	bucket := int(at.Sub(r.query.first()) / r.query.grain)
	step := map[*metric]map[string]cellSum{}
	for _, p := range r.shares {
		cells := of(p, at)
		for _, m := range metrics {
			weight, visible := r.visible(p, m, at)
			if !visible {
				continue
			}
			if step[m] == nil {
				step[m] = map[string]cellSum{}
			}
			for _, c := range cells(m) {
				r.add(step[m], m, c, weight)
			}
		}
	}
	for m, sums := range step {
		for key, sum := range sums {
			s := found[m][key]
			if s == nil {
				s = &series{values: sum.values, buckets: make([]sample, r.query.points())}
				found[m][key] = s
			}
			s.buckets[bucket] = s.buckets[bucket].merge(sum.sample)
		}
	}
}

type cellSum struct {
	values []string
	sample sample
}

// add puts a cell where the query's split has it, if the filter lets it in.
func (r *reader) add(sums map[string]cellSum, m *metric, c cell, weight float64) {
	for _, condition := range r.query.filter {
		value, there := valueOf(m, c, condition.dimension)
		if !there || !condition.matches(value) {
			return
		}
	}
	values := make([]string, 0, len(r.query.split))
	for _, dimension := range r.query.split {
		value, _ := valueOf(m, c, dimension)
		values = append(values, value)
	}
	weighted := sample{c.sample.total * weight, c.sample.count, c.sample.least * weight, c.sample.most * weight}
	key := strings.Join(values, "\x00")
	sum := sums[key]
	if sum.values = values; m.joins {
		sum.sample = sum.sample.join(weighted)
	} else {
		sum.sample = sum.sample.merge(weighted)
	}
	sums[key] = sum
}

func valueOf(m *metric, c cell, dimension string) (string, bool) {
	for _, name := range m.dimensions {
		if strings.EqualFold(name, dimension) {
			value, ok := c.labels[name]
			return value, ok
		}
	}
	return "", false
}

// minute asks the model once for all metrics.
func (r *reader) minute(p *model.SharePlacement, at time.Time) func(*metric) []cell {
	did := r.server.model.ShareMinute(p, at)
	return func(m *metric) []cell { return m.minute(p, did) }
}

func (r *reader) hour(p *model.SharePlacement, at time.Time) func(*metric) []cell {
	m := r.server.model
	h := hour{SharePlacement: p, Provision: m.At(at).FindShare(p.Path).Provision(), now: m.ShareSpace(p, at), computed: m.ShareSpace(p, r.computed(p, at))}
	return func(m *metric) []cell {
		value, ok := m.hour(h)
		if !ok {
			return nil
		}
		return []cell{{shareLabels(p), one(value)}}
	}
}

// computing is how often the service computes capacities; when within it differs.
const computing = 6 * time.Hour

// computed is when the capacity that is reported for an hour was computed.
func (r *reader) computed(p *model.SharePlacement, at time.Time) time.Time {
	for start := at.Truncate(computing); ; start = start.Add(-computing) {
		moment := start.Add(time.Duration(r.draw("computed", p, start) * float64(computing)))
		if !moment.After(at) {
			return moment
		}
	}
}

func (r *reader) draw(purpose string, p *model.SharePlacement, at time.Time) float64 {
	return r.server.model.Draw(purpose+"/"+p.Account.Name+"/"+p.Share.Name, at.Unix())
}
