package gcnv

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metricpb "google.golang.org/genproto/googleapis/api/metric"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/schema"
)

// metricsAnswer is what the service says of each metric that is read, beside what the table of metrics expects.
func metricsAnswer(visits []*visit, tiers Tiers) connect.Answer {
	answer := connect.Answer{Name: "metrics", Asks: "Are the metrics what nasight takes them for: kind, value type, unit, sample period, ingest delay?"}
	first := slices.IndexFunc(visits, func(v *visit) bool { return v.descriptors != nil })
	if first < 0 {
		answer.Says = "no project lists its metric descriptors"
		return answer
	}
	byName := descriptorsOf(visits[first])
	table := &connect.Table{Columns: []string{"metric", "kind", "value", "unit", "period", "delay", "label", "note"}}
	expected, odd, missing := 0, 0, 0
	for _, r := range rows() {
		descriptor := byName[r.metric]
		if descriptor == nil {
			missing++
			table.Rows = append(table.Rows, []string{r.metric, "", "", "", "", "", "", "not described: it is not read"})
			continue
		}
		notes := differences(r, descriptor)
		if len(notes) > 0 {
			odd++
		} else {
			expected++
		}
		if slices.Contains(tiers.Off, r.metric) {
			notes = append(notes, "off by gcnv.tiers.off")
		}
		table.Rows = append(table.Rows, cells(r.metric, descriptor, strings.Join(notes, "; ")))
		delete(byName, r.metric)
	}
	others := 0
	for _, descriptor := range visits[first].descriptors {
		if name := strings.TrimPrefix(descriptor.GetType(), metricPrefix); byName[name] != nil {
			others++
			table.Rows = append(table.Rows, cells(name, descriptor, "nasight does not read it"))
		}
	}
	answer.Known, answer.Table = true, table
	answer.Says = fmt.Sprintf("Of %d that nasight knows, %d are as expected, %d differ and %d are missing; %d more are described (by way of project %s).",
		len(rows()), expected, odd, missing, others, visits[first].project)
	answer.Details = disagreeing(visits[first:])
	return answer
}

func descriptorsOf(v *visit) map[string]*metricpb.MetricDescriptor {
	byName := map[string]*metricpb.MetricDescriptor{}
	for _, descriptor := range v.descriptors {
		if name, ours := strings.CutPrefix(descriptor.GetType(), metricPrefix); ours {
			byName[name] = descriptor
		}
	}
	return byName
}

func cells(name string, d *metricpb.MetricDescriptor, note string) []string {
	return []string{
		name, d.GetMetricKind().String(), d.GetValueType().String(), d.GetUnit(), spanText(d.GetMetadata().GetSamplePeriod().AsDuration()),
		spanText(d.GetMetadata().GetIngestDelay().AsDuration()), strings.Join(labelKeys(d), ","), note,
	}
}

// spanText is a duration without the units that are zero; empty for none.
func spanText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func labelKeys(d *metricpb.MetricDescriptor) []string {
	var keys []string
	for _, label := range d.GetLabels() {
		keys = append(keys, label.GetKey())
	}
	slices.Sort(keys)
	return keys
}

// differences are what a descriptor has other than its row expects.
func differences(r *row, d *metricpb.MetricDescriptor) []string {
	var notes []string
	note := func(format string, arguments ...any) { notes = append(notes, fmt.Sprintf(format, arguments...)) }
	if m := describe(r, d, 0); m.odd != nil {
		note("not read: %v", m.odd)
	}
	gauge := d.GetMetricKind() == metricpb.MetricDescriptor_GAUGE
	if r.rate == gauge {
		note("kind: expected %s", map[bool]string{true: "DELTA", false: "GAUGE"}[r.rate])
	}
	switch d.GetValueType() {
	case metricpb.MetricDescriptor_INT64, metricpb.MetricDescriptor_DOUBLE, metricpb.MetricDescriptor_BOOL:
	default:
		note("values of this type cannot be read")
	}
	switch unit := d.GetUnit(); {
	case unit == "" && r.unit != "1":
		note("unit: none told, %s is taken", r.unit)
	case unit != "" && unit != r.unit:
		note("unit: expected %s", r.unit)
	}
	data := d.GetMetadata()
	if period := data.GetSamplePeriod().AsDuration(); period != schema.GCNVGrain {
		note("period: expected %s", spanText(schema.GCNVGrain))
	}
	if delay := data.GetIngestDelay().AsDuration(); delay <= 0 || delay > longestIngest {
		note("delay: %s is taken", spanText(defaultIngest))
	}
	if keys := labelKeys(d); r.typed != (len(keys) == 1) {
		note("labels: expected %s", map[bool]string{true: "one", false: "none"}[r.typed])
	}
	if types := d.GetMonitoredResourceTypes(); len(types) > 0 && !slices.Contains(types, metricPrefix+r.resource) {
		note("resource: expected %s, it has %s", r.resource, strings.Join(types, ","))
	}
	return notes
}

// disagreeing names the projects whose descriptors are not those of the first one: the collector reads them once for all.
func disagreeing(visits []*visit) []string {
	var details []string
	first := descriptorsOf(visits[0])
	for _, v := range visits[1:] {
		if v.descriptors == nil {
			continue
		}
		others, differ := descriptorsOf(v), 0
		for _, r := range rows() {
			if a, b := first[r.metric], others[r.metric]; (a == nil) != (b == nil) || a != nil && !slices.Equal(cells("", a, ""), cells("", b, "")) {
				differ++
			}
		}
		if differ > 0 {
			details = append(details, fmt.Sprintf("project %s describes %s differently from project %s", v.project, connect.Count(differ, "metric"), visits[0].project))
		}
	}
	return details
}
