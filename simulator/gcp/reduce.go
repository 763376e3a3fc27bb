package gcp

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/grpc/codes"
)

// reduction is a checked request to join series; a nil join is none.
type reduction struct {
	join     func([]float64) float64
	outValue valueType // 0 for the input's
	groupBy  []string  // canonical fields
}

func reducers() map[monitoringpb.Aggregation_Reducer]reduction {
	return map[monitoringpb.Aggregation_Reducer]reduction{
		monitoringpb.Aggregation_REDUCE_MEAN:  {join: mean, outValue: double},
		monitoringpb.Aggregation_REDUCE_MIN:   {join: slices.Min[[]float64]},
		monitoringpb.Aggregation_REDUCE_MAX:   {join: slices.Max[[]float64]},
		monitoringpb.Aggregation_REDUCE_SUM:   {join: sum},
		monitoringpb.Aggregation_REDUCE_COUNT: {join: count, outValue: integer},
	}
}

func checkReduction(aggregation *monitoringpb.Aggregation, a alignment, m *metric) (reduction, *failure) {
	name := aggregation.GetCrossSeriesReducer()
	if name == monitoringpb.Aggregation_REDUCE_NONE {
		return reduction{}, nil
	}
	row, known := reducers()[name]
	if !known {
		return reduction{}, failed(codes.Unimplemented, "reducer %s is not part of the emulator", name)
	}
	k, v := a.outputs(m)
	if v == boolean && name != monitoringpb.Aggregation_REDUCE_COUNT {
		return reduction{}, failed(codes.InvalidArgument, "Field aggregation.crossSeriesReducer had an invalid value of %q: "+
			"The reducer cannot be applied to metrics with kind %s and value type %s.", name, k, v)
	}
	for _, field := range aggregation.GetGroupByFields() {
		field, err := canonical(field)
		if err != nil || field == "metric.type" || field == "project" {
			return reduction{}, failed(codes.InvalidArgument, "Field aggregation.groupByFields had an invalid value of %q.", field)
		}
		row.groupBy = append(row.groupBy, field)
	}
	return row, nil
}

// group is the series that become one.
type group struct {
	key     string
	members []*series
}

// groups puts series that agree in every field together, in the order of these fields' values.
func (r reduction) groups(all []*series) []group {
	byKey := map[string]*group{}
	for _, s := range all {
		values := make([]string, len(r.groupBy))
		for i, field := range r.groupBy {
			values[i] = s.field(field)
		}
		key := strings.Join(values, "\x00")
		if byKey[key] == nil {
			byKey[key] = &group{key: key}
		}
		byKey[key].members = append(byKey[key].members, s)
	}
	out := make([]group, 0, len(byKey))
	for _, g := range slices.SortedFunc(maps.Values(byKey), func(a, b *group) int { return cmp.Compare(a.key, b.key) }) {
		out = append(out, *g)
	}
	return out
}

// readGroup joins the members' values period by period.
func (r *reading) readGroup(g group) []point {
	values := map[time.Time][]float64{}
	shape := map[time.Time]point{}
	for _, member := range g.members {
		for _, p := range r.read(member) {
			end := p.end.UTC()
			values[end] = append(values[end], p.value)
			shape[end] = p
		}
	}
	out := make([]point, 0, len(values))
	for _, end := range slices.SortedFunc(maps.Keys(values), time.Time.Compare) {
		p := shape[end]
		p.value = r.reduction.join(values[end])
		out = append(out, p)
	}
	return out
}

// field is the value of a canonical filter field, empty where the series has none.
func (s *series) field(field string) string {
	switch field {
	case "metric.type":
		return s.metric.kindType()
	case "resource.type":
		return s.metric.resourceType()
	case "project":
		return s.project.ID
	}
	for before, labels := range map[string]map[string]string{
		"metric.label.": s.labels, "resource.label.": s.resource,
		"metadata.system_labels.": s.system, "metadata.user_labels.": s.user,
	} {
		if name, ok := strings.CutPrefix(field, before); ok {
			return labels[name]
		}
	}
	return ""
}
