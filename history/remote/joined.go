package remote

import (
	"maps"
	"slices"
	"strings"

	"github.com/nasight/nasight/history"
)

// joined puts the answers for parts of a range, one after the other, together by series.
type joined struct {
	series []history.Series
	known  map[string]int
}

func (j *joined) add(part []history.Series) {
	if j.known == nil {
		j.known = map[string]int{}
	}
	for _, one := range part {
		var key strings.Builder
		for _, name := range slices.Sorted(maps.Keys(one.Labels)) {
			key.WriteString(name + "\x00" + one.Labels[name] + "\x00")
		}
		at, ok := j.known[key.String()]
		if !ok {
			j.known[key.String()] = len(j.series)
			j.series = append(j.series, one)
			continue
		}
		j.series[at].Times = append(j.series[at].Times, one.Times...)
		j.series[at].Values = append(j.series[at].Values, one.Values...)
	}
}
