package gcnv

import (
	"strings"

	"github.com/nasight/nasight/schema"
)

// unitScale turns a value of a UCUM unit into base units: bytes, seconds, counts, and those per second. ok is false for
// a unit that is not known.
func unitScale(unit string) (scale float64, perSecond, ok bool) {
	unit, perSecond = strings.CutSuffix(strings.TrimSpace(unit), "/s")
	for strings.Contains(unit, "{") { // an annotation, as in {operation} or 10^2.%{x}
		before, rest, _ := strings.Cut(unit, "{")
		_, after, closed := strings.Cut(rest, "}")
		if !closed {
			return 0, false, false
		}
		unit = before + after
	}
	scale, ok = map[string]float64{
		"": 1, "1": 1,
		"By": 1, "kBy": 1e3, "MBy": 1e6, "GBy": 1e9, "TBy": 1e12,
		"KiBy": 1 << 10, "kiBy": 1 << 10, "MiBy": 1 << 20, "GiBy": 1 << 30, "TiBy": 1 << 40,
		"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60, "h": 3600, "d": 86400,
	}[unit]
	return scale, perSecond, ok
}

// largest is the largest value of a unit that can be true; anything beyond is a broken answer.
func largest(unit schema.Unit) float64 {
	switch unit {
	case schema.BytesPerSecond:
		return 1e13
	case schema.OperationsPerSecond:
		return 1e10
	case schema.Seconds:
		return 366 * 86400
	case schema.Bytes:
		return 1e18
	}
	return 1e15
}
