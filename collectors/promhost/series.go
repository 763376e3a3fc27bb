package promhost

import (
	"maps"
	"net"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

const (
	nameLabel = "__name__"

	maxLabelBytes = 1024
	// The times of an operation cannot sum up to more seconds: what does is a counter that went below zero and wrapped.
	mostSeconds = 1e12
	mostValue   = 1 << 63
	// farFuture is how far ahead of this clock a sample may be.
	farFuture = 5 * time.Minute
	farPast   = longestWindow + farFuture
)

type skipFunc = func(reason string, count int)

// found is a series that is read, with the row that says what it means.
type found struct {
	row    *row
	host   string
	labels map[string]string
	times  []time.Time
	values []float64
}

// last is the time of the newest sample; zero where all were odd.
func (f *found) last() time.Time {
	if len(f.times) == 0 {
		return time.Time{}
	}
	return f.times[len(f.times)-1]
}

// newest is the newest value; 0 where all were odd.
func (f *found) newest() float64 {
	if len(f.values) == 0 {
		return 0
	}
	return f.values[len(f.values)-1]
}

// sort keeps the series of an answer that make sense, those of one source for each host.
func (s *Source) sort(g *group, answer []history.Series, now time.Time, skip skipFunc) []found {
	rows := map[string]*row{}
	for i := range g.rows {
		rows[g.rows[i].series] = &g.rows[i]
	}
	var kept []found
	var from []string
	for _, series := range answer {
		r := rows[series.Labels[nameLabel]]
		host := s.hostOf(series.Labels)
		switch {
		case r == nil:
			skip("unasked_series", 1)
		case host == "" || hasOddLabel(series.Labels):
			skip("odd_label", 1)
		default:
			one := found{row: r, host: host, labels: series.Labels}
			odd := one.take(series, now, skip)
			if len(one.times) > 0 || odd { // an odd one is missing where it is part of a sum
				kept = append(kept, one)
				from = append(from, sourceOf(series.Labels))
			}
		}
	}
	return s.chosen.choose(g.name, kept, from, skip)
}

// hostOf is the value of the host label: an instance without its port.
func (s *Source) hostOf(labels map[string]string) string {
	label := s.cfg.hostLabel()
	text := labels[label]
	if label != instanceLabel {
		return text
	}
	if host, _, err := net.SplitHostPort(text); err == nil {
		return host
	}
	return text
}

func hasOddLabel(labels map[string]string) bool {
	for _, value := range labels {
		if len(value) > maxLabelBytes || strings.ContainsFunc(value, unicode.IsControl) || strings.ContainsRune(value, unicode.ReplacementChar) {
			return true
		}
	}
	return false
}

// take keeps the samples that make sense, and tells whether there were others of a moment that counts.
func (f *found) take(series history.Series, now time.Time, skip skipFunc) bool {
	most, reason := float64(mostValue), "odd_value"
	if f.row.seconds {
		most, reason = mostSeconds, "wrapped_counter"
	}
	odd, misdated := 0, 0
	for i, value := range series.Values {
		at := series.Times[i]
		switch {
		case at.After(now.Add(farFuture)) || at.Before(now.Add(-farPast)):
			misdated++
		case value < 0 || value >= most:
			odd++
		default:
			f.times, f.values = append(f.times, at), append(f.values, value)
		}
	}
	if odd > 0 {
		skip(reason, 1) // a series, however often it was scraped
	}
	if misdated > 0 {
		skip("odd_time", 1)
	}
	return odd > 0
}

// ofExporters are the labels that exporters give their series. All others say where a series comes from.
var ofExporters = []string{
	nameLabel, "export", "mountaddr", schema.Protocol, "operation", "transport", "mountpoint",
	"server", "share", "device", "nic", "cpu", "core", "mode",
}

// sourceOf writes the labels that say where a series comes from, in order.
func sourceOf(labels map[string]string) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if !slices.Contains(ofExporters, name) {
			text.WriteString(name + "\xff" + labels[name] + "\xff")
		}
	}
	return text.String()
}

// sources remembers which source of a host is read. Two jobs that scrape one exporter, or two replicas of a Prometheus,
// tell the same twice, and a sum over both would be wrong.
type sources map[[2]string]string // by group and host

// choose keeps the series of one source for each host: the one that was read before, else the one with the newest sample.
func (s *sources) choose(group string, kept []found, from []string, skip skipFunc) []found {
	if *s == nil {
		*s = sources{}
	}
	newest := map[[2]string]map[string]time.Time{}
	for i, one := range kept {
		key := [2]string{group, one.host}
		if newest[key] == nil {
			newest[key] = map[string]time.Time{}
		}
		if last, seen := newest[key][from[i]]; !seen || one.last().After(last) {
			newest[key][from[i]] = one.last()
		}
	}
	for key, seen := range newest {
		if _, still := seen[(*s)[key]]; !still {
			(*s)[key] = best(seen)
		}
	}
	for key := range *s {
		if key[0] == group && newest[key] == nil {
			delete(*s, key)
		}
	}
	out, second := kept[:0], 0
	for i, one := range kept {
		if from[i] == (*s)[[2]string{group, one.host}] {
			out = append(out, one)
		} else {
			second++
		}
	}
	if second > 0 {
		skip("second_source", second)
	}
	return out
}

// best is the source with the newest sample, of several the first by name.
func best(seen map[string]time.Time) string {
	names := slices.Sorted(maps.Keys(seen))
	return slices.MaxFunc(names, func(a, b string) int {
		if order := seen[a].Compare(seen[b]); order != 0 {
			return order
		}
		return strings.Compare(b, a)
	})
}
