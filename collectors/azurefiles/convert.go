package azurefiles

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

// conversion turns the answer to one request into points in base units.
type conversion struct {
	group  *group
	rows   []*row // those that were asked for
	split  bool   // by share
	window azureapi.Window
	words  *vocabulary
	top    int // most series of a metric that the request let through
}

// found is what a conversion gave.
type found struct {
	points map[seriesKey][]azureapi.Point
	failed map[string]error // metrics that the answer does not have, by name
	odd    map[string]int
	full   []string // metrics with as many series as the request let through: some are missing
}

func newFound() *found {
	return &found{points: map[seriesKey][]azureapi.Point{}, failed: map[string]error{}, odd: map[string]int{}}
}

// success is what the service says of a metric that it answers.
const success = "success"

// convert takes an answer apart.
func (c *conversion) convert(answers []azureapi.MetricAnswer) *found {
	f := newFound()
	told := map[string]azureapi.MetricAnswer{}
	for _, answer := range answers {
		told[strings.ToLower(answer.Name)] = answer
	}
	words := map[seriesKey]map[string][]azureapi.Point{}
	for _, r := range c.rows {
		answer, ok := told[strings.ToLower(r.metric)]
		switch {
		case !ok:
			f.failed[r.metric] = &azureapi.MetricError{Metric: r.metric, Code: "Missing", Message: "the answer does not have it"}
			continue
		case answer.Code != "" && !strings.EqualFold(answer.Code, success):
			f.failed[r.metric] = &azureapi.MetricError{Metric: r.metric, Code: answer.Code, Message: answer.Message}
			continue
		case len(answer.Series) >= c.top:
			f.full = append(f.full, r.metric)
			f.odd[oddTop]++
		}
		for _, series := range answer.Series {
			c.series(f, r, series, words)
		}
	}
	unite(f, words)
	return f
}

// series takes one series apart. Several words of the service may stand for one label value: they wait to be united.
func (c *conversion) series(f *found, r *row, series azureapi.SeriesAnswer, words map[seriesKey]map[string][]azureapi.Point) {
	key, word, ok := c.identify(f, r, series)
	if !ok {
		f.odd[oddSeries]++
		return
	}
	if words[key] == nil {
		words[key] = map[string][]azureapi.Point{}
	}
	words[key][word] = merge(words[key][word], c.points(f, r, series.Buckets))
}

// identify finds out which series it is and the service's own word for its kind.
func (c *conversion) identify(f *found, r *row, series azureapi.SeriesAnswer) (key seriesKey, word string, ok bool) {
	key = seriesKey{row: r}
	if c.split {
		if key.share = series.Dimensions[strings.ToLower(byShare)]; key.share == "" {
			return key, "", false
		}
	}
	if c.group.by == "" {
		return key, "", true
	}
	word = series.Dimensions[strings.ToLower(c.group.by)]
	if word == "" {
		return key, "", false
	}
	name, odd := c.words.api, oddAPI
	if c.group.by == byResponse {
		name, odd = c.words.response, oddResponse
	}
	kind, known := name(word)
	if !known {
		f.odd[odd]++
	}
	key.kind = kind
	return key, word, true
}

// points are the values within the window, oldest first, each bucket once.
func (c *conversion) points(f *found, r *row, buckets []azureapi.Bucket) []azureapi.Point {
	var kept []azureapi.Point
	for _, b := range buckets {
		value := b.Of(r.aggregation)
		switch {
		case b.Start == nil || !b.Start.Equal(b.Start.Truncate(c.group.grain)):
			f.odd[oddPoint]++
			continue
		case value == nil || b.Start.Before(c.window.Start) || !b.Start.Before(c.window.End):
			continue
		case !azureapi.Sane(*value*r.scale, r.family.Unit):
			f.odd[oddValue]++
			continue
		}
		kept = append(kept, azureapi.Point{End: b.Start.Add(c.group.grain).UnixMilli(), Value: *value * r.scale})
	}
	slices.SortStableFunc(kept, func(x, y azureapi.Point) int { return cmp.Compare(x.End, y.End) })
	return slices.CompactFunc(kept, func(x, y azureapi.Point) bool { return x.End == y.End })
}

// merge puts points together in order; of several of one bucket the first stays.
func merge(a, b []azureapi.Point) []azureapi.Point {
	if len(a) == 0 {
		return b // in order already, as all that comes from points
	}
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y azureapi.Point) int { return cmp.Compare(x.End, y.End) })
	return slices.CompactFunc(all, func(x, y azureapi.Point) bool { return x.End == y.End })
}

// unite makes one series of all words for one thing: sums of rates, and means of latencies weighted by the operations. A
// latency without its weight is left out unless it is the only one.
func unite(f *found, words map[seriesKey]map[string][]azureapi.Point) {
	weights := map[seriesKey]map[string][]azureapi.Point{}
	for key, theirs := range words {
		if key.row.family == schema.ShareOperations {
			weights[seriesKey{share: key.share, kind: key.kind}] = theirs
		}
	}
	for key, theirs := range words {
		if key.row.family == schema.ShareLatency {
			f.points[key] = mean(theirs, weights[seriesKey{share: key.share, kind: key.kind}])
		} else {
			f.points[key] = sum(theirs)
		}
	}
}

// sum adds up the series of several words bucket by bucket.
func sum(words map[string][]azureapi.Point) []azureapi.Point {
	if points, ok := only(words); ok {
		return points
	}
	sums := map[int64]float64{}
	for _, word := range slices.Sorted(maps.Keys(words)) {
		for _, p := range words[word] {
			sums[p.End] += p.Value
		}
	}
	return sorted(sums)
}

func mean(words, weights map[string][]azureapi.Point) []azureapi.Point {
	if points, ok := only(words); ok {
		return points
	}
	sums, totals := map[int64]float64{}, map[int64]float64{}
	for _, word := range slices.Sorted(maps.Keys(words)) {
		weight := map[int64]float64{}
		for _, p := range weights[word] {
			weight[p.End] = p.Value
		}
		for _, p := range words[word] {
			sums[p.End] += p.Value * weight[p.End]
			totals[p.End] += weight[p.End]
		}
	}
	for end, weight := range totals {
		if weight > 0 {
			sums[end] /= weight
		} else {
			delete(sums, end)
		}
	}
	return sorted(sums)
}

// only is the series of the word that is alone.
func only(words map[string][]azureapi.Point) (points []azureapi.Point, ok bool) {
	for _, points = range words {
		return points, len(words) == 1
	}
	return nil, false
}

func sorted(values map[int64]float64) []azureapi.Point {
	points := make([]azureapi.Point, 0, len(values))
	for _, end := range slices.Sorted(maps.Keys(values)) {
		points = append(points, azureapi.Point{End: end, Value: values[end]})
	}
	return points
}
