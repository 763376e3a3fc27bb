package dashtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
)

const example = `{
  "uid": "u",
  "templating": {"list": [
    {"type": "datasource", "name": "datasource", "query": "prometheus"},
    {"type": "query", "name": "pool", "includeAll": true, "allValue": ".*", "query": {"query": "label_values(info{}, pool)"}},
    {"type": "query", "name": "volume", "query": {"query": "label_values(info{pool=~\"$pool\"}, volume)"}},
    {"type": "textbox", "name": "page", "query": "x"}]},
  "annotations": {"list": [{"name": "found", "expr": "found{pool=~\"${pool}\"}", "step": "60s"}]},
  "panels": [
    {"type": "row", "title": "Open"},
    {"type": "timeseries", "title": "Rate", "targets": [
      {"refId": "A", "expr": "rate(x{volume=\"$volume\"}[$__rate_interval])", "legendFormat": "{{host}}", "range": true},
      {"refId": "B", "expr": "y[$__interval]", "range": true, "interval": "5m"}]},
    {"type": "row", "title": "Closed", "panels": [{"type": "stat", "title": "Sum", "targets": [{"refId": "A", "expr": "sum(z[$__range])"}]}]}]
}`

func TestWalk(t *testing.T) {
	board, err := Walk([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	want := &Board{
		UID: "u",
		Queries: []Query{
			{Board: "u", Where: "Open / Rate A", Panel: "timeseries", Expr: `rate(x{volume="$volume"}[$__rate_interval])`, Legend: "{{host}}", Range: true},
			{Board: "u", Where: "Open / Rate B", Panel: "timeseries", Expr: "y[$__interval]", Range: true, Least: 5 * time.Minute},
			{Board: "u", Where: "Closed / Sum A", Panel: "stat", Expr: "sum(z[$__range])"},
			{Board: "u", Where: "annotation found", Expr: `found{pool=~"${pool}"}`, Range: true, Least: time.Minute},
		},
		Variables: []Variable{
			{Name: "pool", Selector: "info{}", Label: "pool", All: ".*"},
			{Name: "volume", Selector: `info{pool=~"$pool"}`, Label: "volume"},
		},
	}
	if diff := cmp.Diff(want, board); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, text := range map[string]string{
		"no JSON": "{", "step": `{"panels": [{"targets": [{"interval": "often"}]}]}`, "annotation": `{"annotations": {"list": [{"step": "x"}]}}`,
		"variable": `{"templating": {"list": [{"type": "query", "query": {"query": "metrics(x)"}}]}}`, "query": `{"templating": {"list": [{"type": "query", "query": 7}]}}`,
	} {
		if _, err := Walk([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// answering is an API that gives one series for what it knows.
type answering struct {
	v1.API
	asked  []string
	values map[string]model.LabelValues
	knows  func(query string) model.SampleValue
}

func (a *answering) LabelValues(_ context.Context, label string, matches []string, _, _ time.Time, _ ...v1.Option) (model.LabelValues, v1.Warnings, v1.Infos, error) {
	a.asked = append(a.asked, strings.Join(matches, ";"))
	if a.values == nil {
		return nil, nil, nil, errors.New("down")
	}
	return a.values[label], nil, nil, nil
}

func (a *answering) Query(_ context.Context, query string, _ time.Time, _ ...v1.Option) (model.Value, v1.Warnings, v1.Infos, error) {
	a.asked = append(a.asked, query)
	return model.Vector{{Metric: model.Metric{"host": "h"}, Value: a.knows(query)}}, nil, nil, nil
}

func (a *answering) QueryRange(_ context.Context, query string, r v1.Range, _ ...v1.Option) (model.Value, v1.Warnings, v1.Infos, error) {
	a.asked = append(a.asked, query+" by "+r.Step.String())
	if strings.Contains(query, "found") {
		return nil, nil, nil, errors.New("refused")
	}
	return model.Matrix{{Metric: model.Metric{"server": "s"}, Values: []model.SamplePair{{Value: a.knows(query)}}}}, nil, nil, nil
}

// Variables are chosen in their order, windows follow from steps as Grafana makes them, and an answer without a number is none.
func TestRun(t *testing.T) {
	board, err := Walk([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	api := &answering{
		values: map[string]model.LabelValues{"pool": {"p"}, "volume": {"v", "w"}},
		knows: func(query string) model.SampleValue {
			if strings.Contains(query, `"v"`) || strings.Contains(query, "z") {
				return model.SampleValue(0) / model.SampleValue(zero)
			}
			return 1
		},
	}
	times := Times{End: time.Unix(1e9, 0), Range: time.Hour, Step: time.Minute, Scrape: 15 * time.Second}
	answers, err := board.Run(context.Background(), api, times)
	if err != nil {
		t.Fatal(err)
	}
	asked := []string{
		"info{}", `info{pool=~".*"}`,
		`rate(x{volume="v"}[75000ms]) by 1m0s`, `rate(x{volume="w"}[75000ms]) by 1m0s`,
		"y[300000ms] by 5m0s", "sum(z[3600000ms])", "sum(z[3600000ms])", `found{pool=~".*"} by 1m0s`,
	}
	if diff := cmp.Diff(asked, api.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	var got []string
	for _, answer := range answers {
		state := map[bool]string{true: "data", false: "nothing"}[answer.Series > 0] + answer.Odd
		if answer.Err != nil {
			state = answer.Err.Error()
		}
		got = append(got, state)
	}
	want := []string{"datano series has the label host of the legend", "data", "nothing", "refused"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	api.values = map[string]model.LabelValues{"pool": {"p"}}
	if _, err := board.Run(context.Background(), api, times); err == nil || !strings.Contains(err.Error(), "variable volume has no values") {
		t.Errorf("without volumes: %v", err)
	}
	api.values = nil
	if _, err := board.Run(context.Background(), api, times); err == nil || !strings.Contains(err.Error(), "down") {
		t.Errorf("an API that is down: %v", err)
	}
}

// zero makes what is no number.
var zero = 0.0
