package psout

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Truth is the value of a property that is true or false: "true", "false", or "unknown" where the record does not tell.
func (r Record) Truth(property string) string {
	switch value := strings.ToLower(r.Text(property)); value {
	case "true", "false":
		return value
	}
	return "unknown"
}

// Integer is the value of a whole number, not negative. Digits may be grouped as any language does.
func (r Record) Integer(property string) (value float64, ok bool) { return integer(r.Text(property)) }

// Decimal is the value of a number, not negative, with a point or a comma. One that could be read in two ways is none.
func (r Record) Decimal(property string) (value float64, ok bool) { return decimal(r.Text(property)) }

// BitRate is a speed in bits per second: a plain number, or one with a unit, such as "32 Gbps".
func (r Record) BitRate(property string) (value float64, ok bool) { return bitRate(r.Text(property)) }

var (
	digits = regexp.MustCompile(`^[0-9]{1,20}$`)
	// grouped has the same mark between all its groups of three.
	grouped = regexp.MustCompile(`^[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+|(?:,[0-9]{3})+|(?:['’\x{a0}\x{202f} ][0-9]{3})+)$`)
	plain   = regexp.MustCompile(`^[0-9]+(?:[.,][0-9]+)?(?:e[+-]?[0-9]{1,3})?$`)
	// marked has groups and a decimal mark, which differ.
	marked  = regexp.MustCompile(`^[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+\.[0-9]+|(?:\.[0-9]{3})+,[0-9]+|(?:['’\x{a0}\x{202f} ][0-9]{3})+[.,][0-9]+)$`)
	twofold = regexp.MustCompile(`^[1-9][0-9]{0,2}[.,][0-9]{3}$`)
	speed   = regexp.MustCompile(`^(.*?)[\s\x{a0}\x{202f}]*([KMGT]?)bps$`)
)

func integer(text string) (float64, bool) {
	if grouped.MatchString(text) {
		text = strings.Map(digitsOnly, text)
	}
	if !digits.MatchString(text) {
		return 0, false
	}
	value, err := strconv.ParseUint(text, 10, 64)
	return float64(value), err == nil
}

func digitsOnly(r rune) rune {
	if r < '0' || r > '9' {
		return -1
	}
	return r
}

func decimal(text string) (float64, bool) {
	switch {
	case twofold.MatchString(text):
		return 0, false
	case marked.MatchString(text):
		at := strings.LastIndexAny(text, ".,")
		text = strings.Map(digitsOnly, text[:at]) + "." + text[at+1:]
	case grouped.MatchString(text):
		text = strings.Map(digitsOnly, text)
	case !plain.MatchString(text):
		return 0, false
	}
	value, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", "."), 64)
	return value, err == nil && !math.IsInf(value, 0)
}

var unitFactors = map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}

func bitRate(text string) (float64, bool) {
	parts := speed.FindStringSubmatch(text)
	if parts == nil {
		return integer(text)
	}
	value, ok := decimal(parts[1])
	return value * unitFactors[parts[2]], ok
}
