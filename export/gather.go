package export

import (
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"github.com/nasight/nasight/schema"
)

// Gather renders the samples that are not stale. It implements prometheus.Gatherer and not prometheus.Collector: what
// a registry checks on every scrape was checked here when the batch was rendered. Series that occur twice or that do
// not match their family are left out and counted in nasight_exposition_dropped_series. It never fails.
func (s *Store) Gather() ([]*dto.MetricFamily, error) {
	return s.gather(nil), nil
}

// gather renders the collectors of the given names; nil for all.
func (s *Store) gather(names []string) []*dto.MetricFamily {
	g := gathering{families: make(map[string]*gathered)}
	now := time.Now()
	for _, source := range s.sources() {
		if names == nil || slices.Contains(names, source.collector) {
			g.source(source, now)
		}
	}
	return g.finish()
}

// gathering merges batches into one exposition.
type gathering struct {
	families                map[string]*gathered
	duplicate, inconsistent int
}

// gathered is one family with the batches that have samples of it.
type gathered struct {
	schema *schema.Family
	parts  [][]*dto.Metric
}

func (g *gathering) source(s *source, now time.Time) {
	if s.newest.stale(now) {
		return
	}
	newest := s.newest.render()
	for _, f := range newest {
		g.add(f)
	}
	if s.good == nil || s.good.stale(now) {
		return
	}
	for _, f := range s.good.render() {
		renewed := slices.ContainsFunc(newest, func(n *family) bool { return n.schema == f.schema })
		if !renewed {
			g.add(f)
		}
	}
}

func (g *gathering) add(f *family) {
	g.duplicate += f.duplicate
	g.inconsistent += f.inconsistent
	known, ok := g.families[f.schema.Name]
	if !ok {
		known = &gathered{schema: f.schema}
		g.families[f.schema.Name] = known
	}
	if known.schema != f.schema {
		g.inconsistent += len(f.metrics)
		return
	}
	known.parts = append(known.parts, f.metrics)
}

func (g *gathering) finish() []*dto.MetricFamily {
	all := make([]*dto.MetricFamily, 0, len(g.families)+1)
	for _, f := range g.families {
		if metrics := g.merge(f.schema, f.parts); len(metrics) > 0 {
			all = append(all, header(f.schema, metrics))
		}
	}
	all = append(all, g.dropped())
	slices.SortFunc(all, func(a, b *dto.MetricFamily) int { return strings.Compare(a.GetName(), b.GetName()) })
	return all
}

// merge puts the metrics of several batches in order. They mostly are: the batches come by host, and host is the first
// label of nearly every family.
func (g *gathering) merge(f *schema.Family, parts [][]*dto.Metric) []*dto.Metric {
	if len(parts) == 1 {
		return parts[0]
	}
	all := slices.Concat(parts...)
	order := layoutOf(f).compare
	if !slices.IsSortedFunc(all, order) {
		slices.SortStableFunc(all, order)
	}
	distinct := slices.CompactFunc(all, func(a, b *dto.Metric) bool { return order(a, b) == 0 })
	g.duplicate += len(all) - len(distinct)
	return distinct
}

func (g *gathering) dropped() *dto.MetricFamily {
	f := render([]schema.Sample{
		{Family: schema.ExpositionDropped, Labels: []string{"duplicate"}, Value: float64(g.duplicate)},
		{Family: schema.ExpositionDropped, Labels: []string{"inconsistent"}, Value: float64(g.inconsistent)},
	})
	return header(schema.ExpositionDropped, f[0].metrics)
}

func header(f *schema.Family, metrics []*dto.Metric) *dto.MetricFamily {
	kind := dto.MetricType_GAUGE
	if f.Type == schema.Counter {
		kind = dto.MetricType_COUNTER
	}
	return &dto.MetricFamily{Name: proto.String(f.Name), Help: proto.String(f.Help), Type: &kind, Metric: metrics}
}
