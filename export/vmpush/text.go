package vmpush

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// text writes families in the text format, one push after the other, with the buffers of the one before. Nearly all of them are
// gauges and counters that share their labels with others of the same source, which are written once; the rest is for the
// Prometheus library. It is for one goroutine.
type text struct {
	extra []*dto.LabelPair  // on every series
	help  *strings.Replacer // escapes

	labels map[**dto.LabelPair]place // of this push, by the first place of a metric's labels
	slab   []byte                    // the labels' text
	lines  []byte                    // of one family
}

func newText(extra []*dto.LabelPair) text {
	return text{extra: extra, help: strings.NewReplacer(`\`, `\\`, "\n", `\n`), labels: map[**dto.LabelPair]place{}}
}

// place is where in the slab a text is.
type place struct{ from, to int }

// begin opens a push.
func (t *text) begin() {
	clear(t.labels)
	t.slab = t.slab[:0]
}

// write writes one family.
func (t *text) write(w io.Writer, family *dto.MetricFamily) error {
	var value func(*dto.Metric) float64
	switch family.GetType() {
	case dto.MetricType_GAUGE:
		value = func(m *dto.Metric) float64 { return m.GetGauge().GetValue() }
	case dto.MetricType_COUNTER:
		value = func(m *dto.Metric) float64 { return m.GetCounter().GetValue() }
	default:
		_, err := expfmt.MetricFamilyToText(w, t.labelled(family))
		return err
	}
	t.lines = t.appendHead(t.lines[:0], family)
	for _, metric := range family.GetMetric() {
		t.lines = append(append(t.lines, family.GetName()...), t.labelsOf(metric.GetLabel())...)
		t.lines = append(appendValue(append(t.lines, ' '), value(metric)), '\n')
	}
	_, err := w.Write(t.lines)
	return err
}

func (t *text) appendHead(b []byte, family *dto.MetricFamily) []byte {
	if family.Help != nil {
		b = append(append(append(b, "# HELP "...), family.GetName()...), ' ')
		b = append(append(b, t.help.Replace(family.GetHelp())...), '\n')
	}
	b = append(append(append(b, "# TYPE "...), family.GetName()...), ' ')
	return append(append(b, strings.ToLower(family.GetType().String())...), '\n')
}

// labelsOf is the text of labels with their braces.
func (t *text) labelsOf(labels []*dto.LabelPair) []byte {
	if len(labels) == 0 {
		return appendLabels(nil, t.extra)
	}
	at, known := t.labels[&labels[0]]
	if !known {
		at.from = len(t.slab)
		t.slab = appendLabels(t.slab, t.extra, labels)
		at.to = len(t.slab)
		t.labels[&labels[0]] = at
	}
	return t.slab[at.from:at.to]
}

func appendLabels(b []byte, parts ...[]*dto.LabelPair) []byte {
	separator := byte('{')
	for _, labels := range parts {
		for _, label := range labels {
			b = append(append(append(b, separator), label.GetName()...), '=', '"')
			b = append(appendEscaped(b, label.GetValue()), '"')
			separator = ','
		}
	}
	if separator == '{' {
		return b
	}
	return append(b, '}')
}

// appendEscaped appends a label's value as the text format writes it.
func appendEscaped(b []byte, value string) []byte {
	for {
		i := strings.IndexAny(value, "\\\n\"")
		if i < 0 {
			return append(b, value...)
		}
		b = append(append(b, value[:i]...), '\\')
		if value[i] == '\n' {
			b = append(b, 'n')
		} else {
			b = append(b, value[i])
		}
		value = value[i+1:]
	}
}

// exact is the first whole number beyond which floating point has gaps.
const exact = 1 << 53

// appendValue appends a number. Most are whole, and written five times as fast as such.
func appendValue(b []byte, value float64) []byte {
	switch {
	case math.Abs(value) < exact && value == math.Trunc(value) && (value != 0 || !math.Signbit(value)):
		return strconv.AppendInt(b, int64(value), 10)
	case math.IsInf(value, 1):
		return append(b, "+Inf"...)
	}
	return strconv.AppendFloat(b, value, 'g', -1, 64) // NaN and -Inf as the format writes them
}

// labelled is a family with the extra labels. What the source gave stays as it is: others read it too.
func (t *text) labelled(family *dto.MetricFamily) *dto.MetricFamily {
	if len(t.extra) == 0 {
		return family
	}
	labelled := &dto.MetricFamily{Name: family.Name, Help: family.Help, Type: family.Type, Unit: family.Unit}
	for _, m := range family.GetMetric() {
		labelled.Metric = append(labelled.Metric, &dto.Metric{
			Label: slices.Concat(t.extra, m.GetLabel()), Gauge: m.Gauge, Counter: m.Counter, Summary: m.Summary, Untyped: m.Untyped,
			Histogram: m.Histogram, TimestampMs: m.TimestampMs,
		})
	}
	return labelled
}
