package alerting

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// scraper keeps in history what /metrics shows of the metrics that a group of rules reads, when it is evaluated: as a
// Prometheus would, with a mark where a series has ended. Much of it is in history only as often as it is read from its source,
// and some, as how a reload went, not at all.
type scraper struct {
	metrics  []prometheus.Gatherer
	instance string
	history  history.SeriesWriter

	mu    sync.Mutex
	shown map[string]map[string]labels.Labels // by group and series: what the last scrape had
}

func newScraper(options Options) *scraper {
	return &scraper{
		metrics: options.Metrics, instance: options.Instance, history: options.History,
		shown: map[string]map[string]labels.Labels{},
	}
}

// scrape stores the present values for one group.
func (s *scraper) scrape(ctx context.Context, group *rules.Group, at time.Time) error {
	wanted := metricsOf(group)
	if len(wanted) == 0 {
		return nil
	}
	var samples []history.SeriesSample
	var errs []error
	for _, gatherer := range s.metrics {
		families, err := gatherer.Gather()
		errs = append(errs, err)
		for _, family := range families {
			if wanted[family.GetName()] {
				samples = append(samples, s.samples(family, at)...)
			}
		}
	}
	_, err := s.history.AppendSeries(ctx, append(samples, s.ended(groupKey(group), samples, at)...))
	return errors.Join(append(errs, err)...)
}

// samples are those of a family; histograms and summaries have no part in rules about nasight.
func (s *scraper) samples(family *dto.MetricFamily, at time.Time) []history.SeriesSample {
	samples := make([]history.SeriesSample, 0, len(family.GetMetric()))
	for _, metric := range family.GetMetric() {
		number := math.NaN()
		switch family.GetType() {
		case dto.MetricType_COUNTER:
			number = metric.GetCounter().GetValue()
		case dto.MetricType_GAUGE:
			number = metric.GetGauge().GetValue()
		case dto.MetricType_UNTYPED:
			number = metric.GetUntyped().GetValue()
		}
		if !math.IsNaN(number) && !math.IsInf(number, 0) {
			samples = append(samples, history.SeriesSample{Labels: s.series(family.GetName(), metric), Time: at.UnixMilli(), Value: number})
		}
	}
	return samples
}

// series is the label set. What names neither a host nor a cloud is about this process, and gets the label by which a
// Prometheus would tell it from another.
func (s *scraper) series(name string, metric *dto.Metric) labels.Labels {
	builder := labels.NewBuilder(labels.EmptyLabels()).Set(model.MetricNameLabel, scraped+name)
	ofProcess := true
	for _, pair := range metric.GetLabel() {
		builder.Set(pair.GetName(), pair.GetValue())
		ofProcess = ofProcess && pair.GetName() != schema.Host && pair.GetName() != cloudLabel
	}
	if ofProcess {
		builder.Set("instance", s.instance)
	}
	return builder.Labels()
}

// ended marks the series that the last scrape had and this one has not.
func (s *scraper) ended(key string, samples []history.SeriesSample, at time.Time) []history.SeriesSample {
	now := make(map[string]labels.Labels, len(samples))
	for _, sample := range samples {
		now[sample.Labels.String()] = sample.Labels
	}
	s.mu.Lock()
	before := s.shown[key]
	s.shown[key] = now
	s.mu.Unlock()
	var marks []history.SeriesSample
	for text, series := range before {
		if _, there := now[text]; !there {
			marks = append(marks, history.SeriesSample{Labels: series, Time: at.UnixMilli(), Value: math.Float64frombits(value.StaleNaN)})
		}
	}
	return marks
}

// forget drops what was noted of groups that are no more.
func (s *scraper) forget(present []*rules.Group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := map[string]map[string]labels.Labels{}
	for _, group := range present {
		if shown, known := s.shown[groupKey(group)]; known {
			kept[groupKey(group)] = shown
		}
	}
	s.shown = kept
}

const cloudLabel = "cloud"

func groupKey(group *rules.Group) string { return rules.GroupKey(group.File(), group.Name()) }

// metricsOf are the names of the metrics that a group's rules select.
func metricsOf(group *rules.Group) map[string]bool {
	names := map[string]bool{}
	for _, rule := range group.Rules() {
		parser.Inspect(rule.Query(), func(node parser.Node, _ []parser.Node) error {
			if selector, ok := node.(*parser.VectorSelector); ok {
				for _, matcher := range selector.LabelMatchers {
					if matcher.Name == model.MetricNameLabel && matcher.Type == labels.MatchEqual {
						names[matcher.Value] = true
					}
				}
			}
			return nil
		})
	}
	return names
}
