package azurefiles

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/collectors/internal/azuretrial"
)

// definition is what the service says of a metric.
type definition struct {
	name, unit                       string
	aggregations, dimensions, grains []string
}

// expectation is what nasight takes a metric for, in all groups that ask for it.
type expectation struct {
	metric, unit, grain      string
	aggregations, dimensions []string
}

// expectations are those of all groups, in their order.
func expectations(all []*group) []*expectation {
	var found []*expectation
	byName := map[string]*expectation{}
	for _, g := range all {
		for _, r := range g.rows {
			e := byName[r.metric]
			if e == nil {
				e = &expectation{metric: r.metric, unit: unitOf(r), grain: g.interval(), dimensions: []string{byShare}}
				byName[r.metric], found = e, append(found, e)
			}
			if g.by != "" {
				e.dimensions = append(e.dimensions, g.by)
			}
			if !slices.Contains(e.aggregations, string(r.aggregation)) {
				e.aggregations = append(e.aggregations, string(r.aggregation))
			}
		}
	}
	return found
}

// unitOf is the service's word for the unit of a metric, as its scale and its family take it.
func unitOf(r *row) string {
	switch name := r.metric; {
	case r.scale == milliseconds:
		return "MilliSeconds"
	case r.scale == percent:
		return "Percent"
	case strings.HasSuffix(name, "MiBps"), strings.HasSuffix(name, "UsedIOPS"):
		return "CountPerSecond"
	case strings.HasSuffix(name, "gress"), strings.HasSuffix(name, "Capacity"):
		return "Bytes"
	}
	return "Count"
}

// mostDefinitions bounds what is kept; the service has about twenty.
const mostDefinitions = 1000

// askDefinitions asks what metrics the first sample has. It is no need of the collector: what fails is told in the answer.
func askDefinitions(ctx context.Context, asks *session, v *visit) {
	if len(v.samples) == 0 {
		return
	}
	client, err := asks.Metrics()
	if err != nil {
		v.definedErr = err
		return
	}
	namespace := metricNamespace
	pager := client.NewListDefinitionsPager(v.samples[0].details.service(), &azquery.MetricsClientListDefinitionsOptions{MetricNamespace: &namespace})
	for pager.More() && len(v.defined) < mostDefinitions {
		page, err := pager.NextPage(ctx)
		if err != nil {
			v.defined, v.definedErr = nil, err
			return
		}
		for _, item := range page.Value {
			if item != nil && item.Name != nil && azureapi.Text(item.Name.Value) != "" {
				v.defined = append(v.defined, definitionOf(item))
			}
		}
	}
}

func definitionOf(item *azquery.MetricDefinition) definition {
	d := definition{name: azureapi.Text(item.Name.Value), unit: azureapi.Text(item.Unit)}
	for _, a := range item.SupportedAggregationTypes {
		d.aggregations = append(d.aggregations, azureapi.Text(a))
	}
	for _, dimension := range item.Dimensions {
		if dimension != nil {
			d.dimensions = append(d.dimensions, azureapi.Text(dimension.Value))
		}
	}
	for _, a := range item.MetricAvailabilities {
		if a != nil {
			d.grains = append(d.grains, azureapi.Text(a.TimeGrain))
		}
	}
	return d
}

// metricsAnswer is what the service says of each metric that is read, beside what nasight takes it for.
func metricsAnswer(visits []*visit, groups []*group) connect.Answer {
	answer := connect.Answer{Name: "metrics", Asks: "Are the metrics what nasight takes them for: unit, aggregation, grain, dimensions?"}
	first := slices.IndexFunc(visits, func(v *visit) bool { return len(v.defined) > 0 })
	if first < 0 {
		answer.Says = "no account tells the definitions of its metrics"
		for _, v := range visits {
			if v.definedErr != nil {
				answer.Details = append(answer.Details, "subscription "+v.sub.id+": "+azuretrial.CauseOf(v.definedErr).Cause)
			}
		}
		return answer
	}
	byName := map[string]definition{}
	for _, d := range visits[first].defined {
		byName[strings.ToLower(d.name)] = d
	}
	table := &connect.Table{Columns: []string{"metric", "unit", "aggregations", "grain", "dimensions", "note"}}
	expected, differ, missing := 0, 0, 0
	all := expectations(groups)
	for _, e := range all {
		d, described := byName[strings.ToLower(e.metric)]
		delete(byName, strings.ToLower(e.metric))
		if !described {
			missing++
			table.Rows = append(table.Rows, []string{e.metric, "", "", "", "", "not described"})
			continue
		}
		notes := e.differences(d)
		if len(notes) > 0 {
			differ++
		} else {
			expected++
		}
		table.Rows = append(table.Rows, d.cells(strings.Join(notes, "; ")))
	}
	for _, d := range visits[first].defined {
		if _, left := byName[strings.ToLower(d.name)]; left {
			table.Rows = append(table.Rows, d.cells("nasight does not read it"))
		}
	}
	answer.Known, answer.Table = true, table
	answer.Says = fmt.Sprintf("Of %d that nasight knows, %d are as expected, %d differ and %d are missing; %d more are described (by %s of subscription %s).",
		len(all), expected, differ, missing, len(byName), visits[first].samples[0].part(), visits[first].sub.id)
	return answer
}

func (d definition) cells(note string) []string {
	grain := ""
	if len(d.grains) > 0 {
		grain = d.grains[0]
	}
	return []string{d.name, d.unit, strings.Join(d.aggregations, ","), grain, strings.Join(d.dimensions, ","), note}
}

// differences are what the service has other than nasight expects.
func (e *expectation) differences(d definition) []string {
	var notes []string
	if !strings.EqualFold(d.unit, e.unit) {
		notes = append(notes, "unit: expected "+e.unit)
	}
	for what, lists := range map[string][2][]string{
		"aggregation": {e.aggregations, d.aggregations}, "dimension": {e.dimensions, d.dimensions}, "grain": {{e.grain}, d.grains},
	} {
		for _, name := range lists[0] {
			if !slices.ContainsFunc(lists[1], func(one string) bool { return strings.EqualFold(one, name) }) {
				notes = append(notes, what+": "+name+" is not there")
			}
		}
	}
	slices.Sort(notes)
	return notes
}
