package detectors

import (
	"fmt"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
)

// The share of the truth table of detectors.md §5: v2 on SSD, 3,000 operations provisioned, bursts to 10,000, a bucket of 25.2 M.
const (
	tableIOPS, tableBurst = 3_000, 10_000
	tableBucket           = 25_200_000
)

// answers makes n minutes of requests, so many of five minutes, of which the service held back a part by a limit.
func answers(n int, requests, held, refused fleet.Value, variant string) []ThrottleMinute {
	minutes := make([]ThrottleMinute, n)
	for i := range minutes {
		minutes[i] = ThrottleMinute{
			Requests: requests / 300, Held: map[string]fleet.Value{variant: held / 300}, Refused: map[string]fleet.Value{variant: refused / 300},
		}
	}
	return minutes
}

func TestThrottlingTable(t *testing.T) {
	for _, row := range []struct {
		name     string
		minutes  []ThrottleMinute
		severity Severity
	}{
		{"row 4: 180,000 of 900,000", answers(9, 900_000, 180_000, 0, VariantIOPS), Critical},
		{"row 5: θ exactly .01", answers(9, 900_000, 9_000, 0, VariantIOPS), Warning},
		{"row 5 just below", answers(9, 900_000, 8_999, 0, VariantIOPS), 0},
		{"row 6: 50 of 1,000", answers(9, 1_000, 50, 0, VariantIOPS), 0},
		{"row 6 with 59 of 5,900", answers(9, 5_900, 59, 0, VariantIOPS), 0},
		{"row 6 with 60 of 6,000", answers(9, 6_000, 60, 0, VariantIOPS), Warning},
		{"row 7: 9,000 errors", answers(9, 900_000, 9_000, 9_000, VariantIOPS), Critical},
		{"row 7 with 8,999", answers(9, 900_000, 9_000, 8_999, VariantIOPS), Warning},
		{"row 8: nothing held back", answers(9, 120_000, 0, 0, VariantIOPS), 0},
		{"θ exactly .10", answers(9, 900_000, 90_000, 0, VariantIOPS), Critical},
		{"θ just below .10", answers(9, 900_000, 89_999, 0, VariantIOPS), Warning},
		{"nothing is told", make([]ThrottleMinute, 9), 0},
		{"no minute", nil, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			v := JudgeThrottling(row.minutes, DefaultSettings().Share)[VariantIOPS]
			if v.Severity != row.severity || v.Held != (row.severity != 0) {
				t.Errorf("%+v, want %s", v, row.severity)
			}
		})
	}
}

// Each of the newest five minutes is judged by the five that end with it, and three of them have to agree.
func TestThrottlingTakesThreeOfFive(t *testing.T) {
	for after, want := range map[int]Severity{1: 0, 2: 0, 3: Warning, 5: Warning} {
		minutes := append(answers(9, 900_000, 0, 0, VariantIOPS), answers(after, 900_000, 45_000, 0, VariantIOPS)...)
		if v := JudgeThrottling(minutes, DefaultSettings().Share)[VariantIOPS]; v.Severity != want {
			t.Errorf("%d minutes of throttling: %s, want %s", after, v.Severity, want)
		}
	}
}

// What several limits do together is the finding of the one that does most.
func TestThrottlingNamesTheLimit(t *testing.T) {
	minutes := answers(9, 900_000, 0, 0, VariantIOPS)
	for i := range minutes {
		minutes[i].Held = map[string]fleet.Value{VariantIOPS: 8, VariantEgress: 14, VariantIngress: 8}
	}
	found := JudgeThrottling(minutes, DefaultSettings().Share)
	if len(found) != 1 || found[VariantEgress].Severity != Warning {
		t.Errorf("%+v, want egress: .0047 of .01 in all", found)
	}
	for i := range minutes {
		minutes[i].Held[VariantIngress] = 60
	}
	if found = JudgeThrottling(minutes, DefaultSettings().Share); len(found) != 1 || found[VariantIngress].Severity != Warning {
		t.Errorf("%+v, want ingress alone", found)
	}
	closeTo(t, "its part", found[VariantIngress].Throttled, 0.02)
}

func TestLimitOfAResponse(t *testing.T) {
	for response, want := range map[string]struct {
		variant string
		refused bool
	}{
		"SuccessWithShareEgressThrottling":         {VariantEgress, false},
		"KerberosSuccessWithShareEgressThrottling": {VariantEgress, false},
		"SuccessWithShareIngressThrottling":        {VariantIngress, false},
		"SuccessWithShareIopsThrottling":           {VariantIOPS, false},
		"ClientShareIopsThrottlingError":           {VariantIOPS, true},
		"ClientShareEgressThrottlingError":         {VariantEgress, true},
		"SuccessWithMetadataThrottling":            {VariantMetadata, false},
		"ClientAccountBandwidthThrottlingError":    {VariantThroughput, true},
		"ClientAccountRequestThrottlingError":      {VariantIOPS, true},
		"SuccessWithThrottling":                    {VariantIOPS, false},
		"ClientThrottlingError":                    {VariantIOPS, true},
		"Success":                                  {"", false},
		"SuccessWithMetadataWarning":               {"", false},
		"ServerBusyError":                          {"", false},
		"ClientOtherError":                         {"", false},
		"ThrottlingErrorOfAnotherKind":             {"", false},
	} {
		if fleet.Throttles(response) != (want.variant != "") {
			t.Errorf("%s throttles: %v", response, fleet.Throttles(response))
			continue
		}
		if want.variant != "" && (limitOf(response) != want.variant || refuses(response) != want.refused) {
			t.Errorf("%s: %s, refused %v; want %+v", response, limitOf(response), refuses(response), want)
		}
	}
}

func TestNearALimit(t *testing.T) {
	none := fleet.Unknown
	for name, row := range map[string]struct {
		uses []fleet.Value
		want Severity
	}{
		"three of five at .90": {[]fleet.Value{0.9, 0.2, 0.9, 0.1, 0.9}, Warning},
		"three at .899":        {[]fleet.Value{0.899, 0.899, 0.899, 0, 0}, 0},
		"two of five":          {[]fleet.Value{1, 1, 0, 0, 0}, 0},
		"older minutes":        {[]fleet.Value{1, 1, 1, 0, 0, 0, 1, 1}, 0},
		"above the limit":      {[]fleet.Value{1.2, 1.2, 1.2}, Warning},
		"missing is not zero":  {[]fleet.Value{none, 1, none, 1, 1}, Warning},
		"nothing known":        {[]fleet.Value{none, none, none}, 0},
	} {
		if v := JudgeNear(row.uses, DefaultSettings().Share); v.Severity != row.want {
			t.Errorf("%s: %+v, want %s", name, v, row.want)
		}
	}
}

// draining is a quarter of an hour of credits that end at an amount.
func draining(end, perSecond fleet.Value) []CreditSample {
	samples := make([]CreditSample, 16)
	for i := range samples {
		back := 15 - i
		samples[i] = CreditSample{noon.Add(-time.Duration(back) * time.Minute), end + perSecond*60*fleet.Value(back)}
	}
	return samples
}

func TestCreditTable(t *testing.T) {
	for _, row := range []struct {
		name     string
		samples  []CreditSample
		severity Severity
		minutes  float64 // 0: no forecast
	}{
		{"row 1: a full bucket", draining(tableBucket, 5_000), 0, 84},
		{"row 2: 15.0 M left", draining(15e6, 5_000), Warning, 50},
		{"row 3: 3.0 M left", draining(3e6, 5_000), Critical, 10},
		{"18.0 M: 60 min are not less", draining(18e6, 5_000), 0, 60},
		{"just below", draining(18e6-5_000, 5_000), Warning, 59.98},
		{"4.5 M: 15 min are a warning", draining(4.5e6, 5_000), Warning, 15},
		{"just below 15 min", draining(4.5e6-5_000, 5_000), Critical, 14.98},
		{"row 8: they accrue", draining(3e6, -2_600), 0, 0},
		{"they stay", draining(3e6, 0), 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			v := JudgeCredits(row.samples, tableBucket, noon, DefaultSettings().Share)
			if v.Severity != row.severity || v.Left.Known() != (row.minutes > 0) {
				t.Fatalf("%+v, want %s", v, row.severity)
			}
			if row.minutes > 0 {
				closeTo(t, "minutes left", v.Left/60, row.minutes)
			}
		})
	}
}

// Row 1, and what the forecast is worth: 8,000 operations a second on a share of 3,000 with a full bucket, told 3 minutes late.
// The warning comes 24 minutes after the start and an hour before the credits are gone.
func TestCreditsWarnAnHourAhead(t *testing.T) {
	const drain, late = 8_000 - tableIOPS, 3
	credits := func(minute int) fleet.Value { return fleet.Value(tableBucket - drain*60*max(0, minute)) }
	gone := tableBucket / drain / 60
	if gone != 84 {
		t.Fatalf("a full bucket lasts %d minutes, want 84", gone)
	}
	warned, critical := 0, 0
	for now := range gone {
		var samples []CreditSample
		for minute := now - late - 15; minute <= now-late; minute++ {
			samples = append(samples, CreditSample{noon.Add(time.Duration(minute) * time.Minute), credits(minute)})
		}
		v := JudgeCredits(samples, tableBucket, noon.Add(time.Duration(now)*time.Minute), DefaultSettings().Share)
		if v.Severity >= Warning && warned == 0 {
			warned = now
		}
		if v.Severity == Critical && critical == 0 {
			critical = now
		}
		if warned != 0 && v.Severity == 0 {
			t.Errorf("minute %d: the warning is gone", now)
		}
	}
	if warned < 24 || warned > 25 || critical < 69 || critical > 70 {
		t.Errorf("warned after %d minutes and critical after %d, want 24 and 69 of %d", warned, critical, gone)
	}
}

func TestCreditsNeedAReason(t *testing.T) {
	limits := DefaultSettings().Share
	small := fleet.Value(1_000_000) // a bucket that a burst empties in minutes
	fall := func(n int) []CreditSample {
		samples := make([]CreditSample, 16)
		for i := range samples {
			down := max(0, i-(15-n))
			samples[i] = CreditSample{noon.Add(time.Duration(i-15) * time.Minute), small - 50*fleet.Value(down)}
		}
		return samples
	}
	if v := JudgeCredits(fall(4), small, noon, limits); v.Severity != 0 {
		t.Errorf("a full bucket that fell for 4 minutes: %+v", v)
	}
	few := draining(3e6, 5_000)
	for i := range 9 {
		few[i].Credits = fleet.Unknown
	}
	if v := JudgeCredits(few, tableBucket, noon, limits); v.Severity != 0 {
		t.Errorf("7 points: %+v", v)
	}
	few[8].Credits = few[9].Credits + 300_000
	if v := JudgeCredits(few, tableBucket, noon, limits); v.Severity != Critical {
		t.Errorf("8 points: %+v", v)
	}
	odd := draining(3e6, 5_000)
	odd[7].Credits = 0
	if v := JudgeCredits(odd, tableBucket, noon, limits); v.Severity != Critical || v.Drain < 4_900 || v.Drain > 5_100 {
		t.Errorf("one odd sample moves the slope: %+v", v)
	}
	if v := JudgeCredits(draining(3e6, 5_000), fleet.Unknown, noon, limits); v.Severity != Critical {
		t.Errorf("bucket not known, falling for a quarter of an hour: %+v", v)
	}
	if v := JudgeCredits(nil, tableBucket, noon, limits); v.Severity != 0 || v.Left.Known() {
		t.Errorf("no samples: %+v", v)
	}
}

// The time that a verdict is late counts.
func TestCreditsCountFromNow(t *testing.T) {
	v := JudgeCredits(draining(15e6, 5_000), tableBucket, noon.Add(3*time.Minute), DefaultSettings().Share)
	closeTo(t, "minutes left", v.Left/60, 47)
	gone := JudgeCredits(draining(1e5, 5_000), tableBucket, noon.Add(3*time.Minute), DefaultSettings().Share)
	if gone.Left != 0 || gone.Severity != Critical {
		t.Errorf("credits that are gone by now: %+v", gone)
	}
}

func TestSpaceTable(t *testing.T) {
	const day, gib = 86_400, gibibyte
	settings := DefaultSettings()
	for _, row := range []struct {
		used, growth fleet.Value // GiB of 1,000, GiB a day
		want         Severity
	}{
		{800, 0, Warning}, {799.9, 0, 0}, {950, 0, Critical}, {949.9, 0, Warning}, {fleet.Unknown, 0, 0},
		{300, 100, Warning}, {300, 99.9, 0}, {300, -100, 0}, {300, fleet.Unknown, 0}, {1_000, 1, Critical}, {1_001, 1, Critical},
	} {
		v := JudgeSpace(row.used*gib, 1_000*gib, row.growth*gib/day, settings.Hard, settings.Share)
		if v.Severity != row.want {
			t.Errorf("%v GiB growing %v a day: %+v, want %s", row.used, row.growth, v, row.want)
		}
	}
	if v := JudgeSpace(900*gib, fleet.Unknown, 1, settings.Hard, settings.Share); v.Severity != 0 {
		t.Errorf("size not known: %+v", v)
	}
	for count, want := range map[fleet.Value]Severity{180: Warning, 179: 0, 200: Warning, fleet.Unknown: 0} {
		if got := JudgeSnapshots(count, settings.Share); got != want {
			t.Errorf("%v snapshots: %s, want %s", count, got, want)
		}
	}
}

func TestShareDemandTable(t *testing.T) {
	limits := DefaultSettings().Pool
	for _, row := range []struct {
		has, p99, before, max, coverage fleet.Value // MiB/s
		want                            string
		need                            fleet.Value
	}{
		{1_000, 100, 100, 180, 1, DemandFires, 180}, // the highest second is more than 1.2 × 100
		{1_000, 300, 200, 350, 1, DemandFires, 480},
		{1_000, 100, 100, 900, 1, DemandBursty, 0},
		{480, 200, 200, 240, 1, DemandFires, 240},
		{478, 200, 200, 240, 1, DemandUsed, 0},
		{200, 1, 1, 2, 1, DemandFires, 100}, // what every share has
		{199, 1, 1, 2, 1, DemandUsed, 0},
		{100, 1, 1, 2, 1, DemandUsed, 0},
		{1_000, 0, 0, 0, 1, DemandFires, 100}, // not used at all
		{1_000, 100, 100, 180, 0.7, DemandInsufficient, 0},
		{1_000, fleet.Unknown, 100, 180, 1, DemandInsufficient, 0},
		{fleet.Unknown, 100, 100, 180, 1, DemandInsufficient, 0},
	} {
		v := JudgeShareDemand(VolumeDemand{
			Has: row.has * mebibyte, P99: row.p99 * mebibyte, Before: row.before * mebibyte, Max: row.max * mebibyte,
			Coverage: row.coverage, Full: true, Bound: fleet.Unknown,
		}, leastMiBpsSSD*mebibyte, 0.8, limits)
		if v.State != row.want {
			t.Errorf("%+v: %s, want %s", row, v.State, row.want)
		}
		if row.want == DemandFires {
			closeTo(t, fmt.Sprintf("need of %+v", row), v.Need/mebibyte, float64(row.need))
		}
	}
}
