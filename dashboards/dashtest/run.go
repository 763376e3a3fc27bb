package dashtest

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
)

// Times are what a dashboard shows and how.
type Times struct {
	End    time.Time
	Range  time.Duration // before it
	Step   time.Duration // between two points of a chart
	Scrape time.Duration // the scrape interval that the data source is set to
}

// Answer is what a query gave.
type Answer struct {
	Query  Query
	Asked  string // the expression with everything filled in
	Series int    // with a number among their values
	Odd    string // what is wrong with what came: a label of the legend that no series has
	Err    error
}

// Run asks everything that a dashboard asks. A variable that offers all of its values stands for all; of one that does not,
// the values are tried until one gives an answer. The error says that a variable has no values, without which nothing
// can be chosen.
func (b *Board) Run(ctx context.Context, api v1.API, times Times) ([]Answer, error) {
	values, err := b.choose(ctx, api, times)
	if err != nil {
		return nil, err
	}
	answers := make([]Answer, 0, len(b.Queries))
	for _, query := range b.Queries {
		answers = append(answers, query.run(ctx, api, times, values))
	}
	return answers, nil
}

// choices are the values of the variables, each choice of one-at-a-time ones a map of its own.
type choices []map[string]string

func (b *Board) choose(ctx context.Context, api v1.API, times Times) (choices, error) {
	all := choices{{}}
	for _, variable := range b.Variables {
		selector := fill(variable.Selector, all[0])
		found, _, _, err := api.LabelValues(ctx, variable.Label, []string{selector}, times.End.Add(-times.Range), times.End)
		if err != nil {
			return nil, fmt.Errorf("dashboard %s: variable %s: %s: %w", b.UID, variable.Name, selector, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("dashboard %s: variable %s has no values: %s", b.UID, variable.Name, selector)
		}
		all = all.with(variable, found)
	}
	return all, nil
}

func (c choices) with(variable Variable, found model.LabelValues) choices {
	values := []string{variable.All}
	if variable.All == "" {
		values = nil
		for _, value := range found {
			values = append(values, string(value))
		}
	}
	var out choices
	for _, before := range c {
		for _, value := range values {
			next := map[string]string{variable.Name: value}
			for name, value := range before {
				next[name] = value
			}
			out = append(out, next)
		}
	}
	return out
}

func (q Query) run(ctx context.Context, api v1.API, times Times, values choices) Answer {
	answer := Answer{Query: q}
	for _, chosen := range values {
		answer.Asked = fill(q.Expr, q.builtIn(times, chosen))
		answer.ask(ctx, api, times)
		if answer.Err != nil || answer.Series > 0 {
			break
		}
	}
	return answer
}

// step is what Grafana makes of the chart's resolution and the query's least step.
func (q Query) step(times Times) time.Duration { return max(times.Step, q.Least) }

// builtIn are the variables of Grafana's own beside those of the dashboard.
func (q Query) builtIn(times Times, chosen map[string]string) map[string]string {
	least := q.Least
	if least == 0 {
		least = times.Scrape
	}
	step := q.step(times)
	all := map[string]string{
		"__interval": promDuration(step), "__rate_interval": promDuration(max(step+least, 4*least)), "__range": promDuration(times.Range),
	}
	for name, value := range chosen {
		all[name] = value
	}
	return all
}

func promDuration(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + "ms" }

var use = regexp.MustCompile(`\$(\{[a-zA-Z_]+\}|[a-zA-Z_]+)`)

// fill puts values in the place of variables; one that is not known stays, and is an error to PromQL.
func fill(text string, values map[string]string) string {
	return use.ReplaceAllStringFunc(text, func(found string) string {
		if value, ok := values[strings.Trim(found, "${}")]; ok {
			return value
		}
		return found
	})
}

func (a *Answer) ask(ctx context.Context, api v1.API, times Times) {
	var value model.Value
	if a.Query.Range {
		span := v1.Range{Start: times.End.Add(-times.Range), End: times.End, Step: a.Query.step(times)}
		value, _, _, a.Err = api.QueryRange(ctx, a.Asked, span)
	} else {
		value, _, _, a.Err = api.Query(ctx, a.Asked, times.End)
	}
	if a.Err != nil {
		return
	}
	series := numbers(value)
	a.Series, a.Odd = len(series), ""
	for _, label := range legendLabels(a.Query.Legend) {
		if len(series) > 0 && !anyHas(series, label) {
			a.Odd = "no series has the label " + label + " of the legend"
		}
	}
}

// numbers are the labels of the series that have a number.
func numbers(value model.Value) (found []model.Metric) {
	number := func(v model.SampleValue) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }
	switch v := value.(type) {
	case model.Vector:
		for _, sample := range v {
			if number(sample.Value) {
				found = append(found, sample.Metric)
			}
		}
	case model.Matrix:
		for _, series := range v {
			for _, pair := range series.Values {
				if number(pair.Value) {
					found = append(found, series.Metric)
					break
				}
			}
		}
	}
	return found
}

var inLegend = regexp.MustCompile(`\{\{ *([a-zA-Z_]+) *\}\}`)

func legendLabels(legend string) (labels []string) {
	for _, match := range inLegend.FindAllStringSubmatch(legend, -1) {
		labels = append(labels, match[1])
	}
	return labels
}

func anyHas(series []model.Metric, label string) bool {
	for _, metric := range series {
		if _, ok := metric[model.LabelName(label)]; ok {
			return true
		}
	}
	return false
}
