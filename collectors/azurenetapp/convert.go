package azurenetapp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

// The reasons that odd input is counted under.
const (
	oddItem   = "odd_item"
	oddValue  = "odd_value"
	oddPoint  = "odd_point"
	oddSeries = "odd_series"
	oddLevel  = "unknown_service_level"
	oddQoS    = "unknown_qos_type"
	oddGone   = "vanished"
)

// found is what a conversion gave.
type found struct {
	points map[*row][]azureapi.Point
	failed map[string]error // metrics that the answer does not have, by name
	odd    map[string]int
}

func newFound() *found {
	return &found{points: map[*row][]azureapi.Point{}, failed: map[string]error{}, odd: map[string]int{}}
}

// convert turns the answers to a question into points in base units.
func (f *found) convert(g *group, rows []*row, w azureapi.Window, answers []azureapi.MetricAnswer) {
	told := map[string]azureapi.MetricAnswer{}
	for _, answer := range answers {
		told[strings.ToLower(answer.Name)] = answer
	}
	for _, r := range rows {
		answer, ok := told[strings.ToLower(r.metric)]
		switch {
		case !ok:
			f.failed[r.metric] = &azureapi.MetricError{Metric: r.metric, Code: "Missing", Message: "the answer does not have it"}
		case answer.Code != "" && !strings.EqualFold(answer.Code, "success"):
			f.failed[r.metric] = &azureapi.MetricError{Metric: r.metric, Code: answer.Code, Message: answer.Message}
		case len(answer.Series) > 1: // the metrics have no dimension: two series cannot be told apart
			f.odd[oddSeries]++
		case len(answer.Series) == 1:
			f.points[r] = f.within(g, r, w, answer.Series[0].Buckets)
		}
	}
}

// within are the values within the window, oldest first, each bucket once. A bucket without a value is none: it is no zero.
func (f *found) within(g *group, r *row, w azureapi.Window, buckets []azureapi.Bucket) []azureapi.Point {
	unit := schema.None
	if r.family != nil {
		unit = r.family.Unit
	}
	var kept []azureapi.Point
	for _, b := range buckets {
		value := b.Average
		switch {
		case b.Start == nil || !b.Start.Equal(b.Start.Truncate(g.pace.Grain)):
			f.odd[oddPoint]++
		case value == nil || b.Start.Before(w.Start) || !b.Start.Before(w.End):
		case !azureapi.Sane(*value*r.scale, unit):
			f.odd[oddValue]++
		default:
			kept = append(kept, azureapi.Point{End: b.Start.Add(g.pace.Grain).UnixMilli(), Value: *value * r.scale})
		}
	}
	slices.SortStableFunc(kept, func(x, y azureapi.Point) int { return cmp.Compare(x.End, y.End) })
	return slices.CompactFunc(kept, func(x, y azureapi.Point) bool { return x.End == y.End })
}

// at are the values of a row by their moments.
func (f *found) at(r *row) map[int64]float64 {
	values := make(map[int64]float64, len(f.points[r]))
	for _, p := range f.points[r] {
		values[p.End] = p.Value
	}
	return values
}

// deriveLoad adds the limit that the inventory knows, to each point of throughput, and the mean latency of reads and writes.
func deriveLoad(f *found, v *volume) {
	if v != nil && v.limit != nil {
		for _, p := range f.points[totalRow] {
			f.points[limitRow] = append(f.points[limitRow], azureapi.Point{End: p.End, Value: *v.limit})
		}
	}
	reads, readTimes, writeTimes := f.at(readIopsRow), f.at(readTimeRow), f.at(writeTimeRow)
	for _, writes := range f.points[writeIopsRow] {
		r, ok := reads[writes.End]
		if !ok {
			continue
		}
		readTime, readKnown := readTimes[writes.End]
		writeTime, writeKnown := writeTimes[writes.End]
		if r+writes.Value == 0 || r > 0 && !readKnown || writes.Value > 0 && !writeKnown {
			continue
		}
		mean := (r*readTime + writes.Value*writeTime) / (r + writes.Value)
		f.points[meanLatencyRow] = append(f.points[meanLatencyRow], azureapi.Point{End: writes.End, Value: mean})
	}
}

// deriveInodes turns the share of the inodes into numbers, where the inventory tells how many there may be.
func deriveInodes(f *found, v *volume) {
	shares := f.points[inodesRow]
	delete(f.points, inodesRow)
	if v == nil || v.files == nil {
		return
	}
	for _, p := range shares {
		f.points[inodeLimitRow] = append(f.points[inodeLimitRow], azureapi.Point{End: p.End, Value: *v.files})
		f.points[inodeUsedRow] = append(f.points[inodeUsedRow], azureapi.Point{End: p.End, Value: p.Value * *v.files})
	}
}
