package config

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "500ms": 500 * time.Millisecond, "15s": 15 * time.Second, "1m30s": 90 * time.Second, "6h": 6 * time.Hour,
		"15d": 15 * 24 * time.Hour, "2w": 14 * 24 * time.Hour, "1.5h": 90 * time.Minute, "1d12h": 36 * time.Hour,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q is %s (error %v), want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "15", "-5s", "5 s", "s", "1y", "5sec", "1e3s", "99999999w", strings.Repeat("9", 400) + "h"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%.20q is %s, want an error", text, got)
		}
	}
}

func TestDurationsPrintedByGoAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "milliseconds")) * time.Millisecond
		got, err := ParseDuration(want.String())
		if err != nil || (got-want).Abs() > time.Microsecond {
			t.Fatalf("%s is read as %s (error %v)", want, got, err)
		}
	})
}

func TestSizesAndRates(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "1048576": 1 << 20, "512MiB": 512 << 20, "10GB": 1e10, "1.5 KiB": 1536, "7B": 7} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("size %q is %d (error %v), want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]float64{
		"4000000000": 4e9, "32Gbit/s": 4e9, "4GB/s": 4e9, "512MiB/s": 512 << 20, "100 Mbit/s": 12.5e6, "8bit/s": 1,
	} {
		if got, err := parseRate(text); err != nil || got != want {
			t.Errorf("rate %q is %g (error %v), want %g", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "1GB/s", "10 gigs", "1e30", strings.Repeat("9", 400)} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("size %.20q is %d, want an error", text, got)
		}
	}
	for _, text := range []string{"", "32Gbit", "32Gbps", "4GB", "x/s", "/s", "9/s", strings.Repeat("9", 400)} {
		if got, err := parseRate(text); err == nil {
			t.Errorf("rate %.20q is %g, want an error", text, got)
		}
	}
}

func TestLogHandler(t *testing.T) {
	for format, want := range map[string]string{"logfmt": "msg=hello", "json": `"msg":"hello"`} {
		var out strings.Builder
		log := slog.New(Log{Level: "warn", Format: format}.Handler(&out))
		log.Info("quiet")
		log.Warn("hello")
		if got := out.String(); !strings.Contains(got, want) || strings.Contains(got, "quiet") {
			t.Errorf("%s: %q", format, got)
		}
	}
}
