package diagnose

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// How numbers are shown to people: three significant digits, the unit beside them, a dash for what is not known.

const unknown = "-"

func rate(v fleet.Value) string { return show(v, 1, "op/s") }

func throughput(v fleet.Value) string { return show(v, 1<<20, "MiB/s") }

func duration(v fleet.Value) string {
	if v.Below(0.001) {
		return show(v, 1e-6, "µs")
	}
	if v.Below(1) {
		return show(v, 1e-3, "ms")
	}
	return show(v, 1, "s")
}

func percent(v fleet.Value) string {
	if !v.Known() {
		return unknown
	}
	return fmt.Sprintf("%.0f %%", 100*float64(v))
}

func show(v fleet.Value, unit float64, name string) string {
	if !v.Known() {
		return unknown
	}
	return digits(float64(v)/unit) + " " + name
}

// digits prints about three significant digits, without an exponent.
func digits(v float64) string {
	switch magnitude := math.Abs(v); {
	case magnitude >= 100 || v == math.Trunc(v):
		return fmt.Sprintf("%.0f", v)
	case magnitude >= 10:
		return fmt.Sprintf("%.1f", v)
	case magnitude >= 0.1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.4f", v)
}

// quantity shows a ladder's number in the step's unit.
func quantity(v fleet.Value, step Step) string {
	switch step.Step {
	case StepSessions, StepChannels, StepNetwork, StepVolume, StepPool:
		return throughput(v)
	case StepCPU:
		return percent(v)
	}
	if !v.Known() {
		return unknown
	}
	return digits(float64(v))
}
