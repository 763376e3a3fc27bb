package gcnv

import (
	"maps"
	"slices"
)

// kinds are the tracks of one volume by type.
type kinds map[string]*track

// byVolume groups the series of a row.
func (state *rowState) byVolume() map[key]kinds {
	grouped := map[key]kinds{}
	for k, t := range state.series {
		if len(t.points) == 0 {
			continue
		}
		if grouped[k.key] == nil {
			grouped[k.key] = kinds{}
		}
		grouped[k.key][k.kind] = t
	}
	return grouped
}

// names are the types in order: sums of the same numbers in another order differ in their last digit.
func (k kinds) names() []string { return slices.Sorted(maps.Keys(k)) }

// ends are the moments at which any type has a point, oldest first.
func (k kinds) ends() []int64 {
	var ends []int64
	for _, t := range k {
		for _, p := range t.points {
			ends = append(ends, p.end)
		}
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}

// complete says whether every type has a point at a moment.
func (k kinds) complete(end int64) bool {
	for _, t := range k {
		if _, ok := t.at(end); !ok {
			return false
		}
	}
	return true
}

// sumOf adds up the types of each volume at each moment. A moment that lacks a type waits until nothing can come late.
func sumOf(state *rowState) map[key][]point {
	sums := map[key][]point{}
	settled := state.settled()
	for k, types := range state.byVolume() {
		sums[k] = types.sums(settled)
	}
	return sums
}

func (k kinds) sums(settled int64) []point {
	var found []point
	names := k.names()
	for _, end := range k.ends() {
		if end > settled && !k.complete(end) {
			continue
		}
		sum := 0.0
		for _, name := range names {
			value, _ := k[name].at(end)
			sum += value
		}
		found = append(found, point{end, sum})
	}
	return found
}

// meanOf weighs the latencies of each volume's types by their operations.
func meanOf(latency, operations *rowState) map[key][]point {
	means := map[key][]point{}
	settled := min(latency.settled(), operations.settled())
	weights := operations.byVolume()
	for k, types := range latency.byVolume() {
		means[k] = types.means(weights[k], settled)
	}
	return means
}

func (k kinds) means(weights kinds, settled int64) []point {
	var found []point
	names := weights.names()
	for _, end := range k.ends() {
		whole := k.complete(end) && weights.complete(end)
		if end > settled && !whole {
			continue
		}
		if mean, ok := k.mean(weights, names, end); ok {
			found = append(found, point{end, mean})
		}
	}
	return found
}

// mean is the weighted mean at a moment. There is none without operations, nor where a type that has operations has no
// latency, or a latency no weight.
func (k kinds) mean(weights kinds, names []string, end int64) (float64, bool) {
	sum, total := 0.0, 0.0
	for _, kind := range names {
		operations, _ := weights[kind].at(end)
		if operations == 0 {
			continue
		}
		t := k[kind]
		if t == nil {
			return 0, false
		}
		latency, ok := t.at(end)
		if !ok {
			return 0, false
		}
		sum += latency * operations
		total += operations
	}
	for kind, t := range k {
		if _, told := t.at(end); told && weights[kind] == nil {
			return 0, false
		}
	}
	return sum / total, total > 0
}
