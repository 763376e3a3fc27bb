package gcnv

import (
	"context"
	"errors"
	"fmt"
	"slices"

	metricpb "google.golang.org/genproto/googleapis/api/metric"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
)

// Bounds of what a trial reads to answer questions: a thousand series at most, a twentieth of a cent.
const (
	mostSampledVolumes  = 20 // of a project; their names have to fit into a filter of 2,048 characters
	mostSampledProjects = 10
)

// sample is what some volumes of a project did in the last hour.
type sample struct {
	project string
	manual  []*volume // with manual QoS and an assigned throughput
	plain   []*volume // all others; both together are what was asked about
	limits  map[key]point
	moved   map[key]map[string][]point // throughput by volume and type
	latency *monitoringpb.TimeSeries   // one series of the mean latency, without points; nil where there is none
	errs    map[string]error           // by metric; why it could not be read
}

// sampleAll asks about volumes of the first projects that can tell. left counts the other ones.
func (t *trial) sampleAll(ctx context.Context, conns *connections, visits []*visit) (samples []*sample, left int) {
	for _, v := range visits {
		if !v.series || v.descriptors == nil || len(v.inv.volumes) == 0 {
			continue
		}
		if len(samples) == mostSampledProjects || ctx.Err() != nil {
			left++
			continue
		}
		samples = append(samples, t.sample(ctx, conns, v))
	}
	return samples, left
}

func (t *trial) sample(ctx context.Context, conns *connections, v *visit) *sample {
	s := &sample{project: v.project, limits: map[key]point{}, moved: map[key]map[string][]point{}, errs: map[string]error{}}
	s.choose(v.inv)
	limits, err := t.readSample(ctx, conns, v, limitMetric, s.names())
	s.errs[limitMetric] = err
	for k, points := range limits {
		if canonical, known := v.find(k.key); known && len(points) > 0 {
			s.limits[canonical] = points[len(points)-1]
		}
	}
	moved, err := t.readSample(ctx, conns, v, throughputMetric, s.names())
	s.errs[throughputMetric] = err
	for k, points := range moved {
		canonical, known := v.find(k.key)
		if !known || len(points) == 0 {
			continue
		}
		if s.moved[canonical] == nil {
			s.moved[canonical] = map[string][]point{}
		}
		s.moved[canonical][k.kind] = points
	}
	s.latency, _, s.errs[latencyMetric] = peek(ctx, conns.metrics, v, rowOf(latencyMetric))
	return s
}

// choose takes volumes that are ready: those with manual QoS first.
func (s *sample) choose(inv *inventory) {
	for _, v := range inv.sorted() {
		p := inv.poolOf(v)
		switch {
		case !v.wanted || v.State != "" && v.State != "READY":
		case p != nil && p.QosType == "MANUAL" && v.fields.has("throughputMibps"):
			s.manual = append(s.manual, v)
		default:
			s.plain = append(s.plain, v)
		}
	}
	s.manual = s.manual[:min(len(s.manual), mostSampledVolumes)]
	s.plain = s.plain[:min(len(s.plain), mostSampledVolumes-len(s.manual))]
}

func (s *sample) volumes() []*volume { return slices.Concat(s.manual, s.plain) }

func (s *sample) names() []string {
	var names []string
	for _, v := range s.volumes() {
		names = append(names, v.key.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// find looks up the volume of a series by what the series calls it.
func (v *visit) find(k key) (canonical key, known bool) {
	found := v.inv.find(k)
	if found == nil {
		return k, false
	}
	return found.key, true
}

// readSample reads the last hour of one metric of some volumes.
func (t *trial) readSample(ctx context.Context, conns *connections, v *visit, metric string, names []string) (map[seriesKey][]point, error) {
	r := rowOf(metric)
	at := slices.IndexFunc(v.descriptors, func(d *metricpb.MetricDescriptor) bool { return d.GetType() == metricPrefix+metric })
	switch {
	case at < 0:
		return nil, fmt.Errorf("%w: there is no descriptor of %s", errInvalid, metric)
	case len(names) == 0:
		return nil, errors.New("no volume is ready")
	}
	m := describe(r, v.descriptors[at], 0)
	if m.odd != nil {
		return nil, m.odd
	}
	found, err := reading{
		client: conns.metrics, project: v.project, foreign: t.foreign(newProject(v.project, nil)), row: r, meta: m,
		window: window{v.at.Add(-span), v.at}, names: names,
	}.do(ctx)
	return found.series, err
}
