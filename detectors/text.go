package detectors

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nasight/nasight/fleet"
)

// Numbers as the summaries say them. A missing number says so.

const unsaid = "an unknown number of"

// number prints about three significant digits, without zeros at the end of a fraction.
func number(v fleet.Value) string {
	if !v.Known() {
		return unsaid
	}
	size := math.Abs(float64(v))
	digits := 0
	switch {
	case size >= 100 || size == math.Trunc(size):
	case size >= 10:
		digits = 1
	default:
		digits = 2
	}
	text := strconv.FormatFloat(float64(v), 'f', digits, 64)
	if digits > 0 {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// whole prints a count that is a whole number by nature.
func whole(v fleet.Value) string { return number(fleet.Value(math.Round(float64(v)))) }

func milliseconds(seconds fleet.Value) string { return number(seconds*1000) + " ms" }

func mebibytes(perSecond fleet.Value) string { return number(perSecond/mebibyte) + " MiB/s" }

func operations(perSecond fleet.Value) string { return whole(perSecond) + " op/s" }

func percent(share fleet.Value) string {
	if !share.Known() || share.Below(0.01) {
		return number(share*100) + " %"
	}
	return strconv.FormatFloat(float64(share)*100, 'f', 0, 64) + " %"
}

// several is a mean number of things, which need not be whole: what is printed as 1 is one of them.
func several(mean fleet.Value, one string) string {
	text := number(mean)
	if text == "1" {
		return text + " " + one
	}
	return text + " " + one + "s"
}

func plural(count fleet.Value, one string) string {
	return several(fleet.Value(math.Round(float64(count))), one)
}

// quote makes a word of a shell command out of any text.
func quote(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-:@%+,=", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	if strings.ContainsFunc(text, hidden) {
		return ansiQuote(text)
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// hidden runes do not show as themselves: a terminal obeys them, and a reader copies something else than is written.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar
}

// ansiQuote spells every byte of hidden runes out, as bash reads it.
func ansiQuote(text string) string {
	var out strings.Builder
	out.WriteString("$'")
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case hidden(r):
			for _, b := range []byte(text[i : i+size]) {
				fmt.Fprintf(&out, "\\x%02x", b)
			}
		case r == '\'' || r == '\\':
			out.WriteString("\\" + string(r))
		default:
			out.WriteString(text[i : i+size])
		}
		i += size
	}
	return out.String() + "'"
}

// Thresholds as evidence shows them.

func atLeast(limit float64) string { return fmt.Sprintf(">= %g", limit) }

func above(limit float64) string { return fmt.Sprintf("> %g", limit) }

func below(limit float64) string { return fmt.Sprintf("< %g", limit) }

func between(low, high float64) string { return fmt.Sprintf("%.2g to %g", low, high) }
