package numerals

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestNumbers(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "5": 5, "+5": 5, "-5": -5, "9223372036854775807": math.MaxInt64} {
		if got, err := Whole(text, 64); err != nil || got != want {
			t.Errorf("%q is %d, error %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5 ", "1.5", "2.0", "1e3", "0x10", "0o17", "017", "0b1", "1_000", "NaN", "Inf", "--5", "9223372036854775808", strings.Repeat("9", 400)} {
		if got, err := Whole(text, 64); err == nil || !strings.Contains(err.Error(), "; write ") || len(err.Error()) > 150 {
			t.Errorf("%.20q is %d, error %v", text, got, err)
		}
		if got, err := Unsigned(text, 64); (err == nil) != (text == "9223372036854775808") {
			t.Errorf("%.20q is %d, error %v", text, got, err)
		}
	}
	if got, err := Unsigned("-1", 64); err == nil {
		t.Errorf("-1 is %d", got)
	}
	if got, err := Unsigned("+18446744073709551615", 64); err != nil || got != math.MaxUint64 {
		t.Errorf("the largest is %d, error %v", got, err)
	}
	for text, want := range map[string]float64{"0": 0, "0.5": 0.5, ".5": 0.5, "1.": 1, "-1.5e-3": -0.0015, "1E3": 1000} {
		if got, err := Real(text); err != nil || got != want {
			t.Errorf("%q is %g, error %v", text, got, err)
		}
	}
	for _, text := range []string{"", ".", "e3", "NaN", "Inf", "+Inf", "infinity", "1e400", "-1e400", "0x1p4", "1_000", "017", "1,5", "50%"} {
		if got, err := Real(text); err == nil || !strings.Contains(err.Error(), "; write ") {
			t.Errorf("%q is %g, error %v", text, got, err)
		}
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{"0": 0, "1.5s": 1500 * time.Millisecond, "1d": 24 * time.Hour, "2w1d": 15 * 24 * time.Hour, "1h0m0s": time.Hour} {
		if got, err := Duration(text); err != nil || got != want {
			t.Errorf("%q is %s, error %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5", "-1s", "+1s", "1e3s", "1e400s", "NaN", "Infs", "0x1s", "1ns", "1y", "5 s", "9999999w"} {
		if got, err := Duration(text); err == nil || !strings.Contains(err.Error(), "with a unit, as 15s") {
			t.Errorf("%q is %s, error %v", text, got, err)
		}
	}
}
