package history

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/tsdb/chunkenc"

	"github.com/nasight/nasight/schema"
)

// Raw reads the stored samples of the metrics whose names begin with a prefix, the samples themselves, at their own times, from one moment to another, both included. Each call of what
// it returns gives the next samples: those of whole series, each with its oldest first, until there are at least so many;
// none at the end. Nothing of the history is held open between two calls, and a failed call may be repeated.
func (e *engine) Raw(prefix string, from, to time.Time, atLeast int) func(context.Context) ([]schema.Sample, error) {
	r := &raw{engine: e, prefix: prefix, from: from.UnixMilli(), to: to.UnixMilli(), atLeast: atLeast, families: newFamilies()}
	return r.next
}

// raw is one reading. Series come in the order of their labels, so that the last one says where to go on.
type raw struct {
	engine   *engine
	prefix   string
	from, to int64
	atLeast  int
	families *families

	last labels.Labels // of the series that was read last
	done bool
}

// named matches every series: each has a name.
var named = &labels.Matcher{Type: labels.MatchNotEqual, Name: metricName, Value: ""}

func (r *raw) next(ctx context.Context) (samples []schema.Sample, err error) {
	if r.done {
		return nil, nil
	}
	querier, err := r.engine.store.Querier(r.from, r.to)
	if err != nil {
		return nil, fmt.Errorf("read samples: %w", err)
	}
	defer func() {
		if err = errors.Join(err, querier.Close()); err != nil {
			samples, err = nil, fmt.Errorf("read samples: %w", err)
		}
	}()
	set := querier.Select(ctx, true, nil, named)
	last := r.last
	var iterator chunkenc.Iterator
	for set.Next() {
		series := set.At()
		if !last.IsEmpty() && labels.Compare(series.Labels(), last) <= 0 || !strings.HasPrefix(series.Labels().Get(metricName), r.prefix) {
			continue
		}
		iterator = series.Iterator(iterator)
		if samples, err = r.appendSeries(samples, series.Labels(), iterator); err != nil {
			return nil, err
		}
		if last = series.Labels(); len(samples) >= r.atLeast {
			r.last = last
			return samples, nil
		}
	}
	if err := errors.Join(set.Err(), ctx.Err()); err != nil {
		return nil, err
	}
	r.done = true
	return samples, nil
}

func (r *raw) appendSeries(samples []schema.Sample, series labels.Labels, iterator chunkenc.Iterator) ([]schema.Sample, error) {
	var family *schema.Family
	var texts []string
	for iterator.Next() == chunkenc.ValFloat {
		t, v := iterator.At()
		if t < r.from || t > r.to {
			continue
		}
		if family == nil {
			family, texts = r.families.of(series)
		}
		samples = append(samples, schema.Sample{Family: family, Labels: texts, Time: time.UnixMilli(t), Value: v})
	}
	return samples, iterator.Err()
}

// Samples turns samples of any series into those of families: the schema's where they have its labels, else ones made for
// them, without help, for what a newer agent sends. They share no memory with the series.
func Samples(series []SeriesSample) []schema.Sample {
	families := newFamilies()
	samples := make([]schema.Sample, len(series))
	for i, one := range series {
		family, texts := families.of(one.Labels)
		samples[i] = schema.Sample{Family: family, Labels: texts, Time: time.UnixMilli(one.Time), Value: one.Value}
	}
	return samples
}

// families finds the family of a series by its name and the names of its labels.
type families struct {
	known map[string]*schema.Family // the schema's, by name
	made  map[string]*schema.Family // by name and names of the labels
}

func newFamilies() *families {
	return &families{known: familiesByName(), made: map[string]*schema.Family{}}
}

func familiesByName() map[string]*schema.Family {
	byName := map[string]*schema.Family{}
	for _, family := range schema.All() {
		byName[family.Name] = family
	}
	return byName
}

// of gives a family that has just the labels that the series has, as an empty label is none, and their values.
func (f *families) of(series labels.Labels) (*schema.Family, []string) {
	texts := make([]string, 0, series.Len())
	var key strings.Builder
	series.Range(func(l labels.Label) {
		if l.Name == metricName {
			key.WriteString(l.Value)
			return
		}
		key.WriteByte(0)
		key.WriteString(l.Name)
		texts = append(texts, strings.Clone(l.Value))
	})
	family, ok := f.made[key.String()]
	if !ok {
		family = f.make(series)
		f.made[key.String()] = family
	}
	return family, texts
}

func (f *families) make(series labels.Labels) *schema.Family {
	made := &schema.Family{Type: schema.Gauge}
	if known, ok := f.known[series.Get(metricName)]; ok {
		*made = *known
	}
	made.Name, made.Labels = strings.Clone(series.Get(metricName)), nil
	series.Range(func(l labels.Label) {
		if l.Name != metricName {
			made.Labels = append(made.Labels, strings.Clone(l.Name))
		}
	})
	return made
}
