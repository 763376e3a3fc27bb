package export

import (
	dto "github.com/prometheus/client_model/go"

	"github.com/nasight/nasight/schema"
)

// slab is the memory of many metrics: one allocation for each of them would cost more than all the rest.
type slab struct {
	metrics  []dto.Metric
	pointers []*dto.Metric
	values   []float64
}

func newSlab(count int) *slab {
	return &slab{metrics: make([]dto.Metric, count), pointers: make([]*dto.Metric, count), values: make([]float64, count)}
}

// take returns so many metrics without labels, and the function that gives one of them its value.
func (s *slab) take(t schema.Type, count int) ([]*dto.Metric, func(i int, value float64)) {
	pointers, metrics, values := s.pointers[:count:count], s.metrics[:count], s.values[:count]
	s.pointers, s.metrics, s.values = s.pointers[count:], s.metrics[count:], s.values[count:]
	if t == schema.Counter {
		counters := make([]dto.Counter, count)
		for i := range metrics {
			counters[i].Value, metrics[i].Counter, pointers[i] = &values[i], &counters[i], &metrics[i]
		}
	} else {
		gauges := make([]dto.Gauge, count)
		for i := range metrics {
			gauges[i].Value, metrics[i].Gauge, pointers[i] = &values[i], &gauges[i], &metrics[i]
		}
	}
	return pointers, func(i int, value float64) { values[i] = value }
}
