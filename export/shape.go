package export

import (
	dto "github.com/prometheus/client_model/go"

	"github.com/nasight/nasight/schema"
)

// shape is which series a batch had, and in which order they are shown. The next batch of a collector nearly always has the same
// ones, with other values: it is neither grouped nor sorted then, and shares the labels, which take most of the time and memory.
type shape struct {
	samples  int
	families []familyShape
}

// familyShape is one family's part.
type familyShape struct {
	schema *schema.Family
	layout layout
	places []int32            // of the series' samples in the batch
	labels [][]*dto.LabelPair // of the series
}

// shapeOf remembers how a batch was rendered; nil where samples were left out.
func shapeOf(samples int, families []*family) *shape {
	s := &shape{samples: samples, families: make([]familyShape, len(families))}
	shown := 0
	for i, f := range families {
		shown += len(f.places)
		labels := make([][]*dto.LabelPair, len(f.metrics))
		for k, metric := range f.metrics {
			labels[k] = metric.Label
		}
		s.families[i] = familyShape{schema: f.schema, layout: f.layout, places: f.places, labels: labels}
	}
	if shown < samples {
		return nil
	}
	return s
}

// fits tells whether a batch has the same series. The shape may be nil.
func (s *shape) fits(samples []schema.Sample) bool {
	if s == nil || s.samples != len(samples) {
		return false
	}
	for _, f := range s.families {
		for k, place := range f.places {
			sample := &samples[place]
			if sample.Family != f.schema || len(sample.Labels) != len(f.layout.place) || !f.layout.matches(f.labels[k], sample.Labels) {
				return false
			}
		}
	}
	return true
}

// render gives the series the values of a batch that the shape fits.
func (s *shape) render(samples []schema.Sample) []*family {
	families, slab := make([]*family, len(s.families)), newSlab(len(samples))
	for i, f := range s.families {
		metrics, assign := slab.take(f.schema.Type, len(f.places))
		for k, place := range f.places {
			metrics[k].Label = f.labels[k]
			assign(k, samples[place].Value)
		}
		families[i] = &family{schema: f.schema, layout: f.layout, places: f.places, metrics: metrics}
	}
	return families
}
