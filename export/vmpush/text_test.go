package vmpush

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

// What is written reads as what the Prometheus library writes.
func TestTextReadsAsThatOfTheLibrary(t *testing.T) {
	shared := pairsOf("host", `cli"ent\1`, "export", "/a\nb", "empty", "")
	values := []float64{0, 1, -1, 1.5, 1e15, 1 << 53, -(1 << 53), 1<<53 + 2, 1e300, 5e-324, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1)}
	families := []*dto.MetricFamily{
		familyOf("a_total", "Line one,\nline \\ two.", dto.MetricType_COUNTER, shared, values...),
		familyOf("b", "", dto.MetricType_GAUGE, shared, values...), familyOf("c", "No labels.", dto.MetricType_GAUGE, nil, 3),
		{
			Name: proto.String("d"), Type: dto.MetricType_SUMMARY.Enum(), Metric: []*dto.Metric{{
				Label: pairsOf("x", "y"), Summary: &dto.Summary{SampleCount: proto.Uint64(2), SampleSum: proto.Float64(3), Quantile: []*dto.Quantile{{Quantile: proto.Float64(0.5), Value: proto.Float64(1)}}},
			}},
		},
	}
	for name, extra := range map[string][]*dto.LabelPair{"as they are": nil, "with labels": pairs(map[string]string{"env": `"pro\duction"`})} {
		t.Run(name, func(t *testing.T) {
			writer := newText(extra)
			for range 2 { // the second push has what the first has left
				var got, want bytes.Buffer
				writer.begin()
				for _, family := range families {
					if err := writer.write(&got, family); err != nil {
						t.Fatal(err)
					}
					if _, err := expfmt.MetricFamilyToText(&want, writer.labelled(family)); err != nil {
						t.Fatal(err)
					}
				}
				if diff := cmp.Diff(parsed(t, &want), parsed(t, &got), protocmp.Transform(), cmpopts.EquateNaNs()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

func parsed(t *testing.T, text *bytes.Buffer) map[string]*dto.MetricFamily {
	t.Helper()
	shown := text.String()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, shown)
	}
	return families
}

func familyOf(name, help string, kind dto.MetricType, labels []*dto.LabelPair, values ...float64) *dto.MetricFamily {
	family := &dto.MetricFamily{Name: &name, Type: &kind}
	if help != "" {
		family.Help = &help
	}
	for _, value := range values {
		metric := &dto.Metric{Label: labels}
		if kind == dto.MetricType_COUNTER {
			metric.Counter = &dto.Counter{Value: &value}
		} else {
			metric.Gauge = &dto.Gauge{Value: &value}
		}
		family.Metric = append(family.Metric, metric)
	}
	return family
}

func pairsOf(text ...string) []*dto.LabelPair {
	var made []*dto.LabelPair
	for i := 0; i < len(text); i += 2 {
		made = append(made, &dto.LabelPair{Name: &text[i], Value: &text[i+1]})
	}
	return made
}
