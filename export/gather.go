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
	for source := range s.sources() {
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
	layout layout
	parts  [][]*dto.Metric // none is empty
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
		known = &gathered{schema: f.schema, layout: f.layout}
		g.families[f.schema.Name] = known
	}
	if known.schema != f.schema {
		g.inconsistent += len(f.metrics)
		return
	}
	if len(f.metrics) > 0 {
		known.parts = append(known.parts, f.metrics)
	}
}

func (g *gathering) finish() []*dto.MetricFamily {
	all := make([]*dto.MetricFamily, 0, len(g.families)+1)
	for _, f := range g.families {
		if len(f.parts) > 0 {
			all = append(all, header(f.schema, g.merge(f)))
		}
	}
	all = append(all, g.dropped())
	slices.SortFunc(all, func(a, b *dto.MetricFamily) int { return strings.Compare(a.GetName(), b.GetName()) })
	return all
}

// merge puts the metrics of several batches in order. They mostly are: each batch's own are, and the batches come by host, which is
// the first label of nearly every family, so that one batch ends before the next begins.
func (g *gathering) merge(f *gathered) []*dto.Metric {
	if len(f.parts) == 1 {
		return f.parts[0]
	}
	all, order := slices.Concat(f.parts...), f.layout.compare
	if inOrder(f.parts, order) {
		return all
	}
	slices.SortStableFunc(all, order)
	distinct := slices.CompactFunc(all, func(a, b *dto.Metric) bool { return order(a, b) == 0 })
	g.duplicate += len(all) - len(distinct)
	return distinct
}

// inOrder tells whether every part, none of which is empty, ends before the next one begins.
func inOrder(parts [][]*dto.Metric, order func(a, b *dto.Metric) int) bool {
	for i := range parts[1:] {
		if order(parts[i][len(parts[i])-1], parts[i+1][0]) >= 0 {
			return false
		}
	}
	return true
}

func (g *gathering) dropped() *dto.MetricFamily {
	f := renderNew([]schema.Sample{
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
