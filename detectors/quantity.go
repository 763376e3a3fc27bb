package detectors

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// Numbers with their units as people read them: days, MiB/s, per cent, µs. This is the one place where that is done, for the page,
// the report and the text of check; JSON keeps numbers and units as they are.

const (
	unknownQuantity = "not known"
	usualDigits     = 3 // significant ones of a number below 100; larger ones are whole
	mostDigits      = 9
)

// Quantity is a number in a unit of evidence, scaled to what people read. It is never in scientific notation.
func Quantity(v fleet.Value, unit string) string { return quantity(v, unit, usualDigits) }

// Count is a number of things, each of which is called so.
func Count(n int, what string) string { return Quantity(fleet.Value(n), what+"s") }

func quantity(v fleet.Value, unit string, digits int) string {
	value := float64(v)
	switch unit {
	case "bytes", "bytes per second", "seconds":
		return scaled(v, scales()[unit], digits)
	case "ratio":
		value, unit = value*100, "%"
	case unitFactor:
		unit = "×"
	case "operations per second":
		unit = "op/s"
	case "USD per month":
		unit = "USD a month"
	case unitBoolean:
		return map[bool]string{true: "yes", false: "no"}[value != 0]
	default:
		unit = unitOf(figures(value, digits) == "1", unit)
	}
	if !v.Known() {
		return unknownQuantity
	}
	return strings.TrimSpace(figures(value, digits) + " " + unit)
}

// Units of evidence that no feature has.
const (
	unitFactor  = "factor"  // one number over another of its kind, which is more or less than one: 2.5 times as much
	unitBoolean = "boolean" // 1 for yes
)

// scale is a unit that people read, for what is at least as much as it is.
type scale struct {
	from, size float64
	name       string
}

// scales are those of a unit, the largest first. What is below the last is shown in it.
func scales() map[string][]scale {
	const minute, hour, day = 60, 3600, 24 * 3600
	return map[string][]scale{
		"bytes":            {{1 << 50, 1 << 50, "PiB"}, {1 << 40, 1 << 40, "TiB"}, {1 << 30, 1 << 30, "GiB"}, {1 << 20, 1 << 20, "MiB"}, {1 << 10, 1 << 10, "KiB"}, {0, 1, "B"}},
		"bytes per second": {{1 << 20 / 10.0, 1 << 20, "MiB/s"}, {1 << 10 / 10.0, 1 << 10, "KiB/s"}, {0, 1, "B/s"}},
		"seconds":          {{2 * day, day, "days"}, {hour, hour, "h"}, {minute, minute, "min"}, {1, 1, "s"}, {1e-3, 1e-3, "ms"}, {0, 1e-6, "µs"}},
	}
}

func scaled(v fleet.Value, scales []scale, digits int) string {
	if !v.Known() {
		return unknownQuantity
	}
	value, zero := float64(v), map[string]string{"µs": "0 s", "B/s": "0 MiB/s", "B": "0 B"}
	for _, s := range scales {
		if math.Abs(value) >= s.from && value != 0 {
			return figures(value/s.size, digits) + " " + s.name
		}
	}
	return zero[scales[len(scales)-1].name]
}

// unitOf is a unit that counts things, of one thing without its plural.
func unitOf(single bool, unit string) string {
	things, per, _ := strings.Cut(unit, " per ")
	if single {
		things = map[string]string{"series": "series", "replies": "reply"}[things]
		if things == "" {
			things, _, _ = strings.Cut(unit, " per ")
			things = strings.TrimSuffix(things, "s")
		}
	}
	if per != "" {
		things += " per " + per
	}
	return things
}

// figures prints so many significant digits, or the whole number where that has more, with commas between thousands.
func figures(value float64, digits int) string {
	size := math.Abs(value)
	if size == 0 {
		return "0"
	}
	after := digits - 1 - int(math.Floor(math.Log10(size)))
	const most = 6 // after the point
	if smallest := math.Pow10(-most); size < smallest/2 {
		return "< " + strconv.FormatFloat(smallest, 'f', most, 64)
	}
	text := strconv.FormatFloat(size, 'f', min(max(after, 0), most), 64)
	before, fraction, _ := strings.Cut(text, ".")
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		fraction = "." + fraction
	}
	for i := len(before) - 3; i > 0; i -= 3 {
		before = before[:i] + "," + before[i:]
	}
	if value < 0 {
		before = "-" + before
	}
	return before + fraction
}

// Shown is the number in units that people read: with more digits than usual where it would look like its threshold and is not.
func (e Evidence) Shown() string {
	text := Quantity(e.Value, e.Unit)
	if !e.Value.Known() {
		return text
	}
	for _, word := range strings.Fields(e.Threshold) {
		limit, err := strconv.ParseFloat(word, 64)
		for digits := usualDigits + 1; err == nil && limit != float64(e.Value) && text == Quantity(fleet.Value(limit), e.Unit) && digits <= mostDigits; digits++ {
			text = quantity(e.Value, e.Unit, digits)
		}
	}
	return text
}

// Asked is the threshold in units that people read; empty for context.
func (e Evidence) Asked() string {
	words := strings.Fields(e.Threshold)
	for i, word := range words {
		if limit, err := strconv.ParseFloat(word, 64); err == nil {
			words[i] = Quantity(fleet.Value(limit), e.Unit)
			continue
		}
		words[i] = strings.NewReplacer(">=", "≥", "<=", "≤").Replace(word)
	}
	return strings.Join(words, " ")
}

// Line is the whole of it in one line, such as "used space over size: 85 % (threshold ≥ 80 %)".
func (e Evidence) Line() string {
	line := e.Name + ": " + e.Shown()
	if asked := e.Asked(); asked != "" {
		line += " (threshold " + asked + ")"
	}
	return line
}

// met tells whether a number is beyond its threshold, as atLeast and the others write them.
func met(value float64, threshold string) bool {
	words := strings.Fields(threshold)
	if len(words) < 2 {
		return true
	}
	first, _ := strconv.ParseFloat(words[0], 64)
	limit, err := strconv.ParseFloat(words[len(words)-1], 64)
	if err != nil {
		return true
	}
	switch words[len(words)-2] {
	case ">=":
		return value >= limit
	case ">":
		return value > limit
	case "<=":
		return value <= limit
	case "<":
		return value < limit
	case "=":
		return value == limit
	case "to":
		return first <= value && value <= limit
	}
	return true
}

// Bracket is what a remedy is expected to bring, in units that people read.
func (g Gain) Bracket() string {
	low, high := g.Low, g.High
	show := func(value float64) string { return figures(value, usualDigits) }
	unit, beside := strings.CutPrefix(g.Unit, "share of ")
	switch {
	case g.Unit == unitFactor:
		unit = "times today's throughput"
	case beside:
		low, high, unit = math.Round(100*low), math.Round(100*high), "% of "+unit // a forecast
	default:
		unit, show = "", func(value float64) string { return Quantity(fleet.Value(value), g.Unit) }
	}
	bracket := show(low)
	if other := show(high); other != bracket {
		bracket = fmt.Sprintf("%s to %s", bracket, other)
	}
	return strings.TrimSpace(bracket + " " + unit)
}
