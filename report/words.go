package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// unknown is what is shown for a number that is missing. Missing is not zero.
const unknown = "–"

// rate is a throughput in MiB/s, or what is larger.
func rate(v fleet.Value) string {
	if !v.Known() {
		return unknown
	}
	mibps := float64(v) / (1 << 20)
	switch {
	case math.Abs(mibps) >= 10 || mibps == 0:
		return grouped(mibps) + " MiB/s"
	case math.Abs(mibps) >= 0.01:
		return strconv.FormatFloat(mibps, 'g', 2, 64) + " MiB/s"
	}
	return "< 0.01 MiB/s"
}

// mibs is a throughput as a number of MiB/s, for a table that names the unit.
func mibs(v fleet.Value) string { return strings.TrimSuffix(rate(v), " MiB/s") }

// lead is the first sentence of a text.
func lead(text string) string {
	if i := strings.Index(text, ". "); i > 0 {
		return text[:i+1]
	}
	return text
}

// money is a sum in whole dollars.
func money(v fleet.Value) string {
	if !v.Known() {
		return unknown
	}
	return grouped(float64(v))
}

// plainNumber is a price as people write it, however small.
func plainNumber(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

// grouped is a whole number with commas between thousands.
func grouped(value float64) string {
	digits := strconv.FormatFloat(math.Abs(math.Round(value)), 'f', 0, 64)
	var parts []string
	for len(digits) > 3 {
		parts = append([]string{digits[len(digits)-3:]}, parts...)
		digits = digits[:len(digits)-3]
	}
	text := strings.Join(append([]string{digits}, parts...), ",")
	if math.Round(value) < 0 {
		return "-" + text
	}
	return text
}

func percent(v fleet.Value) string {
	if !v.Known() {
		return unknown
	}
	if v > 0 && v < 0.01 {
		return "< 1 %"
	}
	return fmt.Sprintf("%.0f %%", float64(v)*100)
}

// bytesOf is a size in the unit that people read.
func bytesOf(v fleet.Value) string {
	if !v.Known() {
		return unknown
	}
	units, i, value := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}, 0, float64(v)
	for ; math.Abs(value) >= 1024 && i < len(units)-1; i++ {
		value /= 1024
	}
	return strconv.FormatFloat(value, 'f', min(i, 1), 64) + " " + units[i]
}

// change is how much a figure differs from an earlier one.
func change(now, before fleet.Value) string {
	if !now.Known() || !before.Above(0) {
		return unknown
	}
	part := math.Round((float64(now/before) - 1) * 100)
	if part == 0 {
		return "±0 %"
	}
	return fmt.Sprintf("%+.0f %%", part)
}

func daysOf(v fleet.Value) string {
	if !v.Known() {
		return unknown
	}
	text := strconv.FormatFloat(math.Floor(float64(v)*10+0.05)/10, 'f', 1, 64)
	return strings.TrimSuffix(text, ".0")
}

func hours(h float64) string {
	switch {
	case h < 1:
		return fmt.Sprintf("%.0f min", h*60)
	case h < 48:
		return fmt.Sprintf("%.1f h", h)
	}
	return fmt.Sprintf("%.1f days", h/24)
}

func stamp(at time.Time) string { return at.UTC().Format("Mon 2006-01-02 15:04") }

func count(n int, what string) string { return detectors.Count(n, what) }

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// services are how people call what is stored where.
func serviceName(of fleet.Resource) string {
	switch of.Service {
	case "gcnv":
		return "Google Cloud NetApp Volumes"
	case serviceShares:
		return "Azure Files"
	case "azurenetapp":
		return "Azure NetApp Files"
	}
	return strings.TrimSpace(of.Cloud + " " + of.Service)
}

// label names a resource in a few words.
func label(of fleet.Resource) string {
	var named []string
	add := func(parts ...string) {
		for _, part := range parts {
			if part != "" {
				named = append(named, part)
			}
		}
	}
	if of.Host != "" {
		add(of.Host, of.Server, of.Export)
		return strings.Join(named, " ")
	}
	add(of.Pool, of.Volume)
	if len(named) == 0 {
		if of.Project != "" {
			return of.Project
		}
		return serviceName(of)
	}
	return strings.Join(named, "/")
}
