package export

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	dto "github.com/prometheus/client_model/go"

	"github.com/nasight/nasight/schema"
)

// family is what one batch has of one family, ready to be encoded. Immutable: scrapes share it.
type family struct {
	schema       *schema.Family
	layout       layout
	places       []int32       // of the metrics' samples in the batch
	metrics      []*dto.Metric // ordered by label values, no two alike
	duplicate    int           // samples dropped
	inconsistent int
}

// render turns samples into what the encoders take, and remembers their shape. Rendering is done once a batch, however often it is
// scraped.
func render(samples []schema.Sample, last *atomic.Pointer[shape]) []*family {
	if before := last.Load(); before.fits(samples) {
		return before.render(samples)
	}
	families := renderNew(samples)
	last.Store(shapeOf(len(samples), families))
	return families
}

// renderNew groups samples by family and sorts them. Labels are in the order of their names, as the Prometheus libraries write them.
func renderNew(samples []schema.Sample) []*family {
	var order []*schema.Family
	groups := make(map[*schema.Family][]int32)
	for i, sample := range samples {
		if sample.Family == nil {
			continue
		}
		if _, known := groups[sample.Family]; !known {
			order = append(order, sample.Family)
		}
		groups[sample.Family] = append(groups[sample.Family], int32(i))
	}
	r := renderer{samples: samples, alike: make(map[*string][]*dto.Metric)}
	families := make([]*family, len(order))
	for i, f := range order {
		families[i] = r.family(f, groups[f])
	}
	return families
}

// renderer remembers, by label set, the metrics of the family rendered last: the families of mounts have the same
// labels one after the other, and sharing them halves the memory.
type renderer struct {
	samples []schema.Sample
	alike   map[*string][]*dto.Metric
}

// family renders the samples at the given places, all of one family.
func (r *renderer) family(f *schema.Family, places []int32) *family {
	labels := func(place int32) []string { return r.samples[place].Labels }
	all := len(places)
	places = slices.DeleteFunc(places, func(place int32) bool { return len(labels(place)) != len(f.Labels) })
	consistent := len(places)
	slices.SortFunc(places, func(a, b int32) int { // of two alike the first comes first, and stays
		return cmp.Or(slices.Compare(labels(a), labels(b)), cmp.Compare(a, b))
	})
	places = slices.CompactFunc(places, func(a, b int32) bool { return slices.Equal(labels(a), labels(b)) })
	set := layoutOf(f)
	return &family{
		schema: f, layout: set, places: places, metrics: r.metrics(f, set, places),
		inconsistent: all - consistent, duplicate: consistent - len(places),
	}
}

func (r *renderer) metrics(f *schema.Family, set layout, places []int32) []*dto.Metric {
	metrics, assign := newSlab(len(places)).take(f.Type, len(places))
	var before []*dto.Metric
	var last []*dto.LabelPair
	if len(f.Labels) > 0 {
		before = r.alike[&f.Labels[0]]
		r.alike[&f.Labels[0]] = metrics
	}
	for i, place := range places {
		metric, labels := metrics[i], r.samples[place].Labels
		assign(i, r.samples[place].Value)
		if i < len(before) && set.matches(before[i].Label, labels) {
			metric.Label = before[i].Label
		} else {
			metric.Label = set.pairs(labels, last)
		}
		last = metric.Label
	}
	return metrics
}

// layout says in which order a family's labels are written: that of their names, as the Prometheus libraries do.
type layout struct {
	names []string // in alphabetical order
	place []int    // of each name in Sample.Labels
}

func layoutOf(f *schema.Family) layout {
	l := layout{place: make([]int, len(f.Labels))}
	for i := range l.place {
		l.place[i] = i
	}
	slices.SortFunc(l.place, func(a, b int) int { return strings.Compare(f.Labels[a], f.Labels[b]) })
	for _, place := range l.place {
		l.names = append(l.names, f.Labels[place])
	}
	return l
}

// compare orders metrics by their label values as the samples have them.
func (l layout) compare(a, b *dto.Metric) int {
	for place := range l.place {
		i := slices.Index(l.place, place)
		if order := strings.Compare(a.Label[i].GetValue(), b.Label[i].GetValue()); order != 0 {
			return order
		}
	}
	return 0
}

// pairs are the labels of a metric. Those that the one before it has as well are shared: metrics are in order, so that most of
// their labels are the same, and labels take most of the memory.
func (l layout) pairs(values []string, last []*dto.LabelPair) []*dto.LabelPair {
	pairs := make([]*dto.LabelPair, len(values))
	for i, place := range l.place {
		if last != nil && last[i].GetValue() == values[place] {
			pairs[i] = last[i]
			continue
		}
		label := &struct {
			pair dto.LabelPair
			text string
		}{text: valid(values[place])}
		label.pair.Name, label.pair.Value = &l.names[i], &label.text
		pairs[i] = &label.pair
	}
	return pairs
}

func (l layout) matches(pairs []*dto.LabelPair, values []string) bool {
	for i, place := range l.place {
		if pairs[i].GetValue() != values[place] {
			return false
		}
	}
	return true
}

// valid repairs text that is no UTF-8: encoders would put it out as it is and spoil the whole exposition.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
