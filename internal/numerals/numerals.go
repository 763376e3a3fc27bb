// Package numerals is how people write numbers and times to nasight, in the configuration and on the command line: in plain decimal
// digits, and times with a unit. Libraries take more, and read it as something else than some mean: 017 as 15, 1.5 as 1, NaN as a number.
package numerals

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	wholes = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*)$`)
	reals  = regexp.MustCompile(`^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
)

// IsWhole tells whether a text is a whole number in plain digits.
func IsWhole(text string) bool { return wholes.MatchString(text) }

// IsReal tells whether a text is a number in plain digits, with a point or an exponent at most.
func IsReal(text string) bool { return reals.MatchString(text) }

// Whole reads a whole number of so many bits.
func Whole(text string, bits int) (int64, error) {
	if !IsWhole(text) {
		return 0, fmt.Errorf("%.50q is no whole number; write one in plain digits, such as 10", text)
	}
	value, err := strconv.ParseInt(text, 10, bits)
	if err != nil {
		return 0, tooLarge(text)
	}
	return value, nil
}

// Unsigned reads a whole number that is not negative.
func Unsigned(text string, bits int) (uint64, error) {
	if !IsWhole(text) || strings.HasPrefix(text, "-") {
		return 0, fmt.Errorf("%.50q is no whole number from 0 on; write one in plain digits, such as 10", text)
	}
	value, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, bits)
	if err != nil {
		return 0, tooLarge(text)
	}
	return value, nil
}

// Real reads a finite number.
func Real(text string) (float64, error) {
	if !IsReal(text) {
		return 0, fmt.Errorf("%.50q is no number; write one in plain digits, such as 0.5", text)
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, tooLarge(text)
	}
	return value, nil
}

func tooLarge(text string) error {
	return fmt.Errorf("%.50q is too large or too small; write fewer digits", text)
}

var durationPart = regexp.MustCompile(`^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)`)

var durationUnits = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
}

// Duration reads a duration such as 500ms, 1m30s or 15d. A bare 0 needs no unit; nothing is negative.
func Duration(text string) (time.Duration, error) {
	if text == "0" {
		return 0, nil
	}
	total, rest := 0.0, text
	for rest != "" {
		part := durationPart.FindStringSubmatch(rest)
		if part == nil {
			return 0, fmt.Errorf("%q is not a duration: write it with a unit, as 15s, 1m30s, 6h or 15d", text)
		}
		number, err := strconv.ParseFloat(part[1], 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration: %w", text, err)
		}
		total += number * float64(durationUnits[part[2]])
		rest = rest[len(part[0]):]
	}
	if text == "" || total > math.MaxInt64/2 {
		return 0, fmt.Errorf("%q is not a duration of less than a century: write it with a unit, as 15s, 1m30s, 6h or 15d", text)
	}
	return time.Duration(total), nil
}
