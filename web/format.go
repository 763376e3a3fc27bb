package web

import (
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

func functions() template.FuncMap {
	return template.FuncMap{
		"rate":     func(v fleet.Value) string { return detectors.Quantity(v, "bytes per second") },
		"count":    func(v fleet.Value) string { return detectors.Quantity(v, "") },
		"counted":  detectors.Count,
		"ago":      ago,
		"clock":    clock,
		"duration": short,
		"percent":  func(share float64) string { return fmt.Sprintf("%.0f %%", share*100) },
		"money":    func(usd *float64) string { return fmt.Sprintf("%.0f USD a month", *usd) },
		"join":     func(parts []string) string { return strings.Join(parts, ", ") },
		"machine":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	}
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
