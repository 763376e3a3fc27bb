package config

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/nasight/nasight/internal/numerals"
	"github.com/nasight/nasight/internal/strictyaml"
)

// Duration is a length of time, written with units from milliseconds to weeks: 500ms, 15s, 1m30s, 6h, 15d, 2w.
type Duration time.Duration

// Size is a number of bytes, written plain or with a unit: 1048576, 512MiB, 10GB.
type Size int64

// Rate is bytes per second, written plain or with a unit: 4000000000, 32Gbit/s, 4GB/s, 512MiB/s.
type Rate float64

// UnmarshalYAML reads a duration.
func (d *Duration) UnmarshalYAML(node ast.Node) error {
	return scalar(node, ParseDuration, (*time.Duration)(d))
}

// UnmarshalYAML reads a size.
func (s *Size) UnmarshalYAML(node ast.Node) error { return scalar(node, parseSize, (*int64)(s)) }

// UnmarshalYAML reads a rate.
func (r *Rate) UnmarshalYAML(node ast.Node) error { return scalar(node, parseRate, (*float64)(r)) }

// String prints the duration as Go does: 1m30s.
func (d Duration) String() string { return time.Duration(d).String() }

// scalar parses a value of the file and points at it where it is wrong.
func scalar[T any](node ast.Node, parse func(string) (T, error), into *T) error {
	text, ok := strictyaml.ScalarText(node)
	if !ok {
		message := "expected one value such as 15s, 512MiB or 4GB/s, found a " + node.Type().YAMLName()
		return &yaml.SyntaxError{Message: message, Token: node.GetToken()}
	}
	value, err := parse(text)
	if err != nil {
		return &yaml.SyntaxError{Message: err.Error(), Token: node.GetToken()}
	}
	*into = value
	return nil
}

// ParseDuration reads a duration such as 500ms, 1m30s or 15d. A bare 0 needs no unit; nothing is negative.
func ParseDuration(text string) (time.Duration, error) { return numerals.Duration(text) }

// The units of sizes. Those of rates are the same with "/s", and bits.
var sizeUnits = map[string]float64{
	"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
}

var bitUnits = map[string]float64{"bit": 1. / 8, "kbit": 1e3 / 8, "Mbit": 1e6 / 8, "Gbit": 1e9 / 8, "Tbit": 1e12 / 8}

var quantity = regexp.MustCompile(`^(\d+(?:\.\d+)?)\s*([A-Za-z]*)(/s)?$`)

func parseSize(text string) (int64, error) {
	parts := quantity.FindStringSubmatch(text)
	if parts != nil && parts[3] == "" {
		if unit, ok := sizeUnits[parts[2]]; ok {
			if unit == 1 && strings.Contains(parts[1], ".") {
				return 0, fmt.Errorf("%q is not a size: write whole bytes, or a unit as in 512MiB or 10GB", text)
			}
			if bytes := number(parts[1]) * unit; bytes < math.MaxInt64 {
				return int64(bytes), nil
			}
		}
	}
	return 0, fmt.Errorf("%q is not a size: write bytes, or a unit as in 512MiB or 10GB", text)
}

func parseRate(text string) (float64, error) {
	parts := quantity.FindStringSubmatch(text)
	if parts == nil || (parts[2] != "") != (parts[3] != "") {
		return 0, badRate(text)
	}
	unit, ok := sizeUnits[parts[2]]
	if !ok {
		unit, ok = bitUnits[parts[2]]
	}
	rate := number(parts[1]) * unit
	if !ok || math.IsInf(rate, 0) {
		return 0, badRate(text)
	}
	return rate, nil
}

func badRate(text string) error {
	hint := ""
	if strings.HasSuffix(text, "bps") {
		hint = " (bps is not one: write bit/s)"
	}
	return fmt.Errorf("%q is not a rate: write bytes per second, or a unit as in 32Gbit/s, 4GB/s or 512MiB/s%s", text, hint)
}

// number reads digits that a pattern has matched; one that is too large is infinite, which the callers refuse.
func number(digits string) float64 {
	value, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return math.Inf(1)
	}
	return value
}
