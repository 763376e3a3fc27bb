package web

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// unknown is what the page shows for a number that is missing. Missing is not zero.
const unknown = "not known"

func functions() template.FuncMap {
	return template.FuncMap{
		"measure":  measure,
		"rate":     func(v fleet.Value) string { return measure(v, "bytes per second") },
		"count":    func(v fleet.Value) string { return measure(v, "") },
		"ago":      ago,
		"clock":    clock,
		"duration": short,
		"percent":  func(share float64) string { return fmt.Sprintf("%.0f %%", share*100) },
		"gain":     gain,
		"money":    func(usd *float64) string { return fmt.Sprintf("%.0f USD a month", *usd) },
		"join":     func(parts []string) string { return strings.Join(parts, ", ") },
		"machine":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	}
}

// measure prints a number with its unit, scaled to what people read: MiB/s, ms, per cent.
func measure(v fleet.Value, unit string) string {
	if !v.Known() {
		return unknown
	}
	value := float64(v)
	switch unit {
	case "":
		return digits(value)
	case "bytes":
		return binary(value)
	case "bytes per second":
		return binary(value) + "/s"
	case "seconds":
		return seconds(value)
	case "ratio":
		return digits(value)
	}
	return digits(value) + " " + unit
}

// digits prints three significant digits, and whole numbers whole.
func digits(value float64) string {
	if value == math.Trunc(value) && math.Abs(value) < 1e15 {
		return strconv.FormatFloat(value, 'f', 0, 64)
	}
	if math.Abs(value) >= 1000 {
		return strconv.FormatFloat(math.Round(value), 'f', 0, 64)
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}

func binary(bytes float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; math.Abs(bytes) >= 1024 && i < len(units)-1; i++ {
		bytes /= 1024
	}
	return digits(bytes) + " " + units[i]
}

func seconds(value float64) string {
	switch size := math.Abs(value); {
	case size == 0 || size >= 1:
		return digits(value) + " s"
	case size >= 1e-3:
		return digits(value*1e3) + " ms"
	}
	return digits(value*1e6) + " µs"
}

// ago says how long before now a moment was.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return short(max(now.Sub(t), 0)) + " ago"
}

func short(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", math.Floor(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", math.Floor(d.Hours()))
	}
	return fmt.Sprintf("%.0f days", math.Floor(d.Hours()/24))
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

func gain(g detectors.Gain) string {
	if g.Unit == "factor" {
		return fmt.Sprintf("%s to %s times today's throughput", digits(g.Low), digits(g.High))
	}
	return fmt.Sprintf("%s to %s", measure(fleet.Value(g.Low), g.Unit), measure(fleet.Value(g.High), g.Unit))
}
