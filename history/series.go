package history

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"

	"github.com/nasight/nasight/schema"
)

// Bounds of one series. They are far above what nasight's own families need; they keep a broken or hostile sender from
// filling the index.
const (
	MaxLabels          = 64   // labels of a series, its name included
	MaxLabelNameBytes  = 256  // a series with a longer label name is refused
	MaxLabelValueBytes = 8192 // a longer value is cut
)

const metricName = "__name__"

// SeriesSample is one value of a series that need not belong to a family of this build: what a newer agent sends.
type SeriesSample struct {
	Labels labels.Labels // with __name__
	Time   int64         // milliseconds since 1970
	Value  float64
}

// SeriesWriter stores samples of any series, under the same promise as Writer.Append.
type SeriesWriter interface {
	// AppendSeries stores samples and says what became of each; the batch counts as a whole when there is an error.
	AppendSeries(ctx context.Context, samples []SeriesSample) (Written, error)
}

// seriesBuilder makes label sets, with one scratch space for a whole batch.
type seriesBuilder struct {
	scratch labels.ScratchBuilder
	tally   *Written
}

func newSeriesBuilder(tally *Written) *seriesBuilder {
	return &seriesBuilder{scratch: labels.NewScratchBuilder(16), tally: tally}
}

// fromSchema turns samples of the schema's families into series; those that fit no family are counted and left out.
func fromSchema(samples []schema.Sample) ([]SeriesSample, Written) {
	var tally Written
	builder := newSeriesBuilder(&tally)
	series := make([]SeriesSample, 0, len(samples))
	for i := range samples {
		sample := &samples[i]
		if sample.Family == nil || sample.Family.Name == "" || len(sample.Labels) != len(sample.Family.Labels) {
			tally.Malformed++
			continue
		}
		series = append(series, SeriesSample{Labels: builder.family(sample), Time: sample.Time.UnixMilli(), Value: sample.Value})
	}
	return series, tally
}

// family builds the label set of a sample. An empty value is the same as no label, as everywhere in Prometheus.
func (b *seriesBuilder) family(sample *schema.Sample) labels.Labels {
	b.scratch.Reset()
	b.scratch.Add(metricName, sample.Family.Name)
	for i, name := range sample.Family.Labels {
		if text := b.bounded(sample.Labels[i]); text != "" {
			b.scratch.Add(name, text)
		}
	}
	b.scratch.Sort()
	return b.scratch.Labels()
}

// bounded makes a label value valid UTF-8 of a bounded length and counts when it had to change it.
func (b *seriesBuilder) bounded(text string) string {
	if len(text) <= MaxLabelValueBytes && utf8.ValidString(text) {
		return text
	}
	b.tally.Altered++
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= MaxLabelValueBytes {
		return text
	}
	cut := MaxLabelValueBytes
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

// admit checks samples from outside, counts those that can never be stored and returns the others, oldest first. The
// input is left as it is.
func admit(samples []SeriesSample, tally *Written) []SeriesSample {
	builder := newSeriesBuilder(tally)
	kept := make([]SeriesSample, 0, len(samples))
	for _, sample := range samples {
		switch {
		case !finite(sample.Value):
			tally.NotFinite++
		case sample.Time <= 0 || sample.Time > maxTime:
			tally.Malformed++
		default:
			series, ok := builder.admit(sample.Labels)
			if !ok {
				tally.Malformed++
				continue
			}
			kept = append(kept, SeriesSample{Labels: series, Time: sample.Time, Value: sample.Value})
		}
	}
	// Old samples first: a batch that spans days would otherwise make its own beginning too old to be stored.
	byTime := func(a, b SeriesSample) int { return cmp.Compare(a.Time, b.Time) }
	if !slices.IsSortedFunc(kept, byTime) {
		slices.SortStableFunc(kept, byTime)
	}
	return kept
}

// maxTime is the year 2200: a later sample is a broken clock or unit, and would make all others too old.
var maxTime = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()

// finite tells whether a value can be stored: any number, and the marker that says that a series has ended.
func finite(v float64) bool {
	return value.IsStaleNaN(v) || !math.IsNaN(v) && !math.IsInf(v, 0)
}

// same compares the bits, so that the marker of an ended series equals itself.
func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// admit checks a label set and rewrites it where a value is too long, empty or not valid UTF-8.
func (b *seriesBuilder) admit(series labels.Labels) (labels.Labels, bool) {
	count, odd, bad := 0, false, false
	series.Range(func(l labels.Label) {
		count++
		odd = odd || l.Value == "" || len(l.Value) > MaxLabelValueBytes || !utf8.ValidString(l.Value)
		bad = bad || l.Name == "" || len(l.Name) > MaxLabelNameBytes || !utf8.ValidString(l.Name)
	})
	_, twice := series.HasDuplicateLabelNames()
	if bad || twice || count > MaxLabels || series.Get(metricName) == "" {
		return series, false
	}
	if !odd {
		return series, true
	}
	b.scratch.Reset()
	series.Range(func(l labels.Label) {
		if text := b.bounded(l.Value); text != "" {
			b.scratch.Add(l.Name, text)
		}
	})
	return b.scratch.Labels(), true
}
