package azure

import "strings"

// sample is what aggregations are made of; without a count there is none.
type sample struct{ total, count, least, most float64 }

func one(value float64) sample { return sample{value, 1, value, value} }

// merge is both as samples of one thing.
func (s sample) merge(other sample) sample {
	switch {
	case s.count == 0:
		return other
	case other.count == 0:
		return s
	}
	return sample{s.total + other.total, s.count + other.count, min(s.least, other.least), max(s.most, other.most)}
}

// join is both as parts of one thing: capacities of shares make the account's.
func (s sample) join(other sample) sample {
	if s.count == 0 {
		return other
	}
	return one(s.total + other.total)
}

// point is one bucket of a series. A bucket without a sample has its time alone: no value is not zero.
type point struct {
	TimeStamp string   `json:"timeStamp"`
	Total     *float64 `json:"total,omitempty"`
	Average   *float64 `json:"average,omitempty"`
	Minimum   *float64 `json:"minimum,omitempty"`
	Maximum   *float64 `json:"maximum,omitempty"`
	Count     *float64 `json:"count,omitempty"`
}

// show puts the aggregations that were asked for into a point, as far as the metric has them.
func (s sample) show(p *point, asked, possible string) {
	if s.count == 0 {
		return
	}
	mean := s.total / s.count
	for name, field := range map[string]struct {
		into  **float64
		value *float64
	}{
		"Total": {&p.Total, &s.total}, "Average": {&p.Average, &mean}, "Minimum": {&p.Minimum, &s.least}, "Maximum": {&p.Maximum, &s.most}, "Count": {&p.Count, &s.count},
	} {
		if listed(asked, name) && (listed(possible, name) || name == "Count") {
			*field.into = field.value
		}
	}
}

// listed tells whether a list with commas has a name, without case.
func listed(list, name string) bool {
	for part := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(part), name) {
			return true
		}
	}
	return false
}
