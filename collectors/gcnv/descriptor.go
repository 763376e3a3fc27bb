package gcnv

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	monitoring "cloud.google.com/go/monitoring/apiv3/v2"
	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/api/iterator"
	metricpb "google.golang.org/genproto/googleapis/api/metric"

	"github.com/nasight/nasight/schema"
)

// meta is how the values of a metric are to be read.
type meta struct {
	kind   metricpb.MetricDescriptor_MetricKind
	scale  float64 // from the metric's unit to base units
	period time.Duration
	delay  time.Duration
	odd    error // the descriptor does not fit the row: its values cannot be told
}

// descriptors are what the service says of its metrics: read once and kept, as they are the same for every project.
type descriptors struct {
	mu    sync.Mutex
	known map[string]*meta // by the metric's name without the prefix; nil before they are read
}

const (
	longestIngest = time.Hour
	defaultIngest = 10 * time.Minute // where a descriptor tells none
)

// of returns what is known of a metric; nil where the service does not have it.
func (d *descriptors) of(metric string) *meta {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.known[metric]
}

// load reads the descriptors by way of a project unless they are known. Callers at the same time wait for one reading.
func (d *descriptors) load(ctx context.Context, client *monitoring.MetricClient, project string, delay time.Duration) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known != nil {
		return nil
	}
	found := map[string]*meta{}
	answers := client.ListMetricDescriptors(ctx, &monitoringpb.ListMetricDescriptorsRequest{
		Name: "projects/" + project, Filter: fmt.Sprintf("metric.type = starts_with(%q)", metricPrefix),
	})
	for {
		descriptor, err := answers.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		if err != nil {
			return fmt.Errorf("list the metric descriptors: %w", err)
		}
		name, ours := strings.CutPrefix(descriptor.GetType(), metricPrefix)
		if r := rowOf(name); ours && r != nil {
			found[name] = describe(r, descriptor, delay)
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("list the metric descriptors: %w: none begins with %s", errInvalid, metricPrefix)
	}
	d.known = found
	return nil
}

// describe reads a descriptor. A kind and a unit that do not give what the row wants make the metric unreadable: no
// number is better than one that is wrong by a factor of 300.
func describe(r *row, descriptor *metricpb.MetricDescriptor, delay time.Duration) *meta {
	m := &meta{kind: descriptor.GetMetricKind(), period: schema.GCNVGrain, delay: defaultIngest}
	data := descriptor.GetMetadata()
	if period := data.GetSamplePeriod().AsDuration(); period > 0 && period <= 24*time.Hour {
		m.period = period
	}
	if ingest := data.GetIngestDelay().AsDuration(); ingest > 0 && ingest <= longestIngest {
		m.delay = ingest
	}
	if delay > 0 {
		m.delay = delay
	}
	unit := descriptor.GetUnit()
	if unit == "" {
		unit = r.unit
	}
	scale, perSecond, ok := unitScale(unit)
	m.scale = scale
	gauge := m.kind == metricpb.MetricDescriptor_GAUGE
	rate := r.family.Unit == schema.BytesPerSecond || r.family.Unit == schema.OperationsPerSecond
	switch {
	case !ok:
		m.odd = fmt.Errorf("%w: unit %q of %s is not known", errInvalid, unit, r.metric)
	case m.kind == metricpb.MetricDescriptor_METRIC_KIND_UNSPECIFIED:
		m.odd = fmt.Errorf("%w: kind of %s is not told", errInvalid, r.metric)
	case rate && gauge != perSecond, !rate && (!gauge || perSecond):
		m.odd = fmt.Errorf("%w: a %s in %s cannot be read as %s (%s)", errInvalid, m.kind, unit, r.family.Unit, r.metric)
	}
	return m
}
