package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// Flags take numbers as the configuration does, those that may be left out too.
func TestFlagsAreNumbersInPlainDigits(t *testing.T) {
	type flags struct {
		Whole    int
		Seed     uint64
		Real     float64
		Span     time.Duration
		MaySpan  *time.Duration
		MayReal  *float64
		Standard int `default:"3"`
	}
	parse := func(args ...string) (flags, error) {
		var f flags
		parser, err := kong.New(&f, Numbers())
		if err != nil {
			t.Fatal(err)
		}
		_, err = parser.Parse(args)
		return f, err
	}
	f, err := parse("--whole=-5", "--seed=18446744073709551615", "--real=.5", "--span=1d", "--may-span=1w", "--may-real=1e3")
	if err != nil || f.Whole != -5 || f.Seed != 1<<64-1 || f.Real != .5 || f.Span != 24*time.Hour || *f.MaySpan != 7*24*time.Hour || *f.MayReal != 1000 || f.Standard != 3 {
		t.Errorf("%+v, error %v", f, err)
	}
	for flag, values := range map[string][]string{
		"--whole": {"1.5", "0x10", "017", "1_000", "1e3", "NaN", "Inf", "", "99999999999999999999"}, "--seed": {"-1", "1.5", "0x10", "NaN"},
		"--real": {"NaN", "Inf", "-Inf", "1e400", "0x1p4", "017", ""}, "--may-real": {"NaN", "1e400"},
		"--span": {"5", "NaN", "Inf", "-1s", "1e400s", "1ns", "", "9999999w"}, "--may-span": {"-1s", "NaN"},
	} {
		for _, value := range values {
			if _, err := parse(flag + "=" + value); err == nil || !strings.HasPrefix(err.Error(), flag+": ") || !strings.Contains(err.Error(), "write ") {
				t.Errorf("%s=%s: %v", flag, value, err)
			}
		}
	}
}
