package detectors

import (
	"math"
	"strings"
	"testing"

	"github.com/nasight/nasight/fleet"
)

func TestQuantity(t *testing.T) {
	for _, test := range []struct {
		value fleet.Value
		unit  string
		want  string
	}{
		{26731400, "seconds", "309 days"}, {604800, "seconds", "7 days"}, {3600, "seconds", "1 h"}, {927.3, "seconds", "15.5 min"}, {2.5, "seconds", "2.5 s"},
		{0.0019673, "seconds", "1.97 ms"}, {0.00035, "seconds", "350 µs"}, {0, "seconds", "0 s"},
		{314572800, "bytes per second", "300 MiB/s"}, {5 << 30, "bytes per second", "5,120 MiB/s"}, {25029.8, "bytes per second", "24.4 KiB/s"}, {0, "bytes per second", "0 MiB/s"},
		{3, "bytes per second", "3 B/s"}, {1 << 42, "bytes", "4 TiB"}, {16384.03, "bytes", "16 KiB"}, {0, "bytes", "0 B"}, {13194139533312, "bytes", "12 TiB"},
		{0.85, "ratio", "85 %"}, {-0.2, "ratio", "-20 %"}, {0.00067, "ratio", "0.067 %"}, {0.001, "ratio", "0.1 %"}, {1.0086, "ratio", "101 %"}, {1e-12, "ratio", "< 0.000001 %"},
		{2.3693, unitFactor, "2.37 ×"}, {1.1, unitFactor, "1.1 ×"}, {1, unitBoolean, "yes"},
		{15813831.7, "operations", "15,813,832 operations"}, {1, "operations", "1 operation"}, {1, "replies per second", "1 reply per second"}, {0, "replies per second", "0 replies per second"},
		{1, "series", "1 series"}, {16.1, "requests", "16.1 requests"}, {0.9999, "requests", "1 request"}, {127506841, "inodes", "127,506,841 inodes"}, {4000, "operations per second", "4,000 op/s"},
		{4153.4, "USD per month", "4,153 USD a month"}, {0.04, "USD per month", "0.04 USD a month"}, {5.3268, "", "5.33"}, {999.6, "", "1,000"},
		{fleet.Unknown, "ratio", "not known"}, {fleet.Unknown, "seconds", "not known"}, {fleet.Value(math.Inf(1)), "", "not known"},
	} {
		if got := Quantity(test.value, test.unit); got != test.want {
			t.Errorf("%v %s is shown as %q, want %q", test.value, test.unit, got, test.want)
		}
	}
}

// A number beside its threshold: both in the same units, and never so rounded that they look alike.
func TestEvidenceLine(t *testing.T) {
	for want, e := range map[string]Evidence{
		"x: 309 days":                          {Value: 26731400, Unit: "seconds"},
		"x: 6 days (threshold ≤ 7 days)":       {Value: 518400, Unit: "seconds", Threshold: "<= 604800"},
		"x: 700 MiB/s (threshold > 576 MiB/s)": {Value: 700 << 20, Unit: "bytes per second", Threshold: "> 6.041600183106871e+08"},
		"x: 84.96 % (threshold < 85 %)":        {Value: 0.8496, Unit: "ratio", Threshold: "< 0.85"},
		"x: 85 % (threshold ≥ 85 %)":           {Value: 0.85, Unit: "ratio", Threshold: ">= 0.85"},
		"x: 1.14 × (threshold 0.5 × to 2 ×)":   {Value: 1.1427, Unit: unitFactor, Threshold: "0.5 to 2"},
		"x: not known (threshold < 85 %)":      {Value: fleet.Unknown, Unit: "ratio", Threshold: "< 0.85"},
		"x: 1 channel (threshold = 1 channel)": {Value: 1, Unit: "channels", Threshold: "= 1"},
	} {
		if e.Name = "x"; e.Line() != want {
			t.Errorf("%v %s %s is shown as %q, want %q", e.Value, e.Unit, e.Threshold, e.Line(), want)
		}
	}
}

func TestBracket(t *testing.T) {
	for want, g := range map[string]Gain{
		"1 to 3.06 times today's throughput": {Low: 1, High: 3.0559, Unit: "factor"},
		"1.3 times today's throughput":       {Low: 1.3, High: 1.3001, Unit: "factor"},
		"0 MiB/s to 42 MiB/s":                {Low: 0, High: 42 << 20, Unit: "bytes per second"},
		"0 to 44 % of the operations saved":  {Low: 0, High: 0.444, Unit: "share of the operations saved"},
		"20 % of the mean latency saved":     {Low: 0.2, High: 0.2, Unit: "share of the mean latency saved"},
	} {
		if got := g.Bracket(); got != want {
			t.Errorf("%+v is shown as %q, want %q", g, got, want)
		}
	}
}

// A threshold stands beside a number that is beyond it: where one of several is enough, the others are context.
func TestThresholdsThatDidNotDecide(t *testing.T) {
	p := newPass(aView(), DefaultSettings())
	for _, test := range []struct {
		value     fleet.Value
		threshold string
		want      string
	}{
		{0.9, atLeast(0.8), ">= 0.8"}, {0.7, atLeast(0.8), ""}, {fleet.Unknown, atLeast(0.8), ">= 0.8"}, {0.8, above(0.8), ""}, {0.7, below(0.8), "< 0.8"},
		{0.8, "<= 0.8", "<= 0.8"}, {1, "= 1", "= 1"}, {2, "= 1", ""}, {3, between(0.5, 2), ""}, {1, between(0.5, 2), "0.5 to 2"}, {0.3, between(0.5, 2), ""},
	} {
		got := p.evidence(fleet.Resource{}, fact{"x", test.value, "", test.threshold, ""})
		if len(got) != 1 || got[0].Threshold != test.want || strings.HasSuffix(got[0].Threshold, "or") {
			t.Errorf("%v beside %q: %+v", test.value, test.threshold, got)
		}
	}
}
