package detectors

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
)

// limitCase is an hour of samples of a volume with a limit of 512 MiB/s, of which so many of the last four are as given and
// the rest move 100 MiB/s.
func limitCase(throughput, latency fleet.Value, of4 int) []LimitSample {
	samples := make([]LimitSample, 12)
	for i := range samples {
		samples[i] = LimitSample{fleet.Value(100.0 / 512), 1.5 * ms}
		if i >= len(samples)-of4 {
			samples[i] = LimitSample{throughput / 512, latency}
		}
	}
	return samples
}

func TestLimitTable(t *testing.T) {
	flat := func(throughput, latency fleet.Value, of4 int) []LimitSample {
		samples := limitCase(throughput, latency, of4)
		for i := range 8 { // the hour's highest quarter lies within 2 %
			samples[i].Utilisation = throughput / 512 * fleet.Value(1+0.02*float64(i%2))
		}
		return samples
	}
	for _, row := range []struct {
		number  string
		samples []LimitSample
		fires   bool
		waiting bool
	}{
		{"1", limitCase(500, 6*ms, 4), true, true},
		{"2", flat(470, 1.6*ms, 3), true, false},
		{"3", limitCase(460.8, 2.25*ms, 4), true, true},
		{"4", limitCase(460.2, 2.25*ms, 4), false, false},
		{"5", limitCase(510, 1.5*ms, 1), false, false},
		{"6", limitCase(100, 6*ms, 4), false, false},
	} {
		t.Run("5 GCNV row "+row.number, func(t *testing.T) {
			v := JudgeLimit(row.samples, 1.5*ms, DefaultSettings().Limit)
			if fires := v.Severity != 0; fires != row.fires || v.Waiting != row.waiting {
				t.Errorf("%+v: want fires %v, waiting %v", v, row.fires, row.waiting)
			}
			if row.fires && (v.Variant != VariantThroughput || v.Severity != Warning) {
				t.Errorf("%s/%s, want throughput as a warning", v.Variant, v.Severity)
			}
		})
	}
}

// uneven is a volume that comes near its limit three times, to .979, .93 and .90: no plateau.
func uneven(latency fleet.Value) []LimitSample {
	samples := limitCase(460.8, latency, 3)
	samples[9].Utilisation, samples[10].Utilisation = 0.979, 0.93
	return samples
}

func TestLimitBoundaries(t *testing.T) {
	limits := DefaultSettings().Limit
	for _, row := range []struct {
		name     string
		samples  []LimitSample
		baseline fleet.Value
		severity Severity
	}{
		{"3 of 4 are enough", limitCase(505, 1.5*ms, 3), 1.5 * ms, Warning},
		{"2 of 4 are not", limitCase(505, 1.5*ms, 2), 1.5 * ms, 0},
		{".98 needs no latency", limitCase(501.76, fleet.Unknown, 4), fleet.Unknown, Warning},
		{".979 does", uneven(1.5 * ms), 1.5 * ms, 0},
		{"and has it", uneven(2.25 * ms), 1.5 * ms, Warning},
		{"above the limit is at the limit", limitCase(560, 1.5*ms, 4), 1.5 * ms, Warning},
		{"without a baseline latency says nothing", uneven(60 * ms), fleet.Unknown, 0},
		{"5 × the baseline", limitCase(500, 7.5*ms, 4), 1.5 * ms, Critical},
		{"slow and full at different times", slices.Concat(limitCase(505, 1.5*ms, 2)[:11], limitCase(470, 6*ms, 1)[11:]), 1.5 * ms, 0},
		{"no samples", nil, 1.5 * ms, 0},
	} {
		if v := JudgeLimit(row.samples, row.baseline, limits); v.Severity != row.severity {
			t.Errorf("%s: %+v, want %s", row.name, v, row.severity)
		}
	}
}

// Three equal samples of an otherwise unknown hour are no plateau.
func TestPlateauNeedsAnHour(t *testing.T) {
	samples := limitCase(470, 1.5*ms, 3)
	for i := range 9 {
		samples[i].Utilisation = fleet.Unknown
	}
	if v := JudgeLimit(samples, 1.5*ms, DefaultSettings().Limit); v.Severity != 0 || v.Variation.Known() {
		t.Errorf("%+v, want nothing", v)
	}
}

func TestIOPSBoundary(t *testing.T) {
	for rate, want := range map[fleet.Value]Severity{152_000: Warning, 151_999: 0} {
		v := JudgeIOPS([]fleet.Value{rate, rate, 0, rate}, 160_000, DefaultSettings().Limit)
		if v.Severity != want || want != 0 && v.Variant != VariantIOPS {
			t.Errorf("%v of 160,000 in 3 of 4: %+v, want %s", rate, v, want)
		}
	}
	if v := JudgeIOPS([]fleet.Value{1e6, 1e6, 1e6, 1e6}, fleet.Unknown, DefaultSettings().Limit); v.Severity != 0 {
		t.Errorf("limit not known: %+v", v)
	}
}

func TestLimitFinding(t *testing.T) {
	volume := full(aVolume("busy"))
	pool := aPool(levelPremium, "manual", volume)
	pool.Available, pool.AvailableLow = 100*mebibyte, 10*mebibyte
	found := only(t, Evaluate(cloudView(pool), DefaultSettings()), "limit_reached/throughput")
	if found.Confidence != 0.85 || found.Severity != Warning || found.Resource != volume.Identity {
		t.Errorf("confidence %v, %s, %+v; want 0.85, warning, the volume", found.Confidence, found.Severity, found.Resource)
	}
	if want := "Volume busy moves 500 MiB/s of the 512 MiB/s that it is granted, 98 %. Its operations take 6 ms, usually 1.5 ms."; found.Summary != want {
		t.Errorf("summary %q, want %q", found.Summary, want)
	}
	if found.Gain == nil || found.Gain.High != 100*mebibyte {
		t.Errorf("gain %+v, want the pool's 100 MiB/s", found.Gain)
	}
	if command := found.Remedy[0].Command; !strings.HasPrefix(command, "gcloud netapp volumes update busy --project=files-example --location=europe-west3 --throughput-mibps=612\n") {
		t.Errorf("command %q", command)
	}
	volume.Days.Latency = fleet.Unknown
	volume.Recent = steady(12, 510*mebibyte, 512*mebibyte, 6*ms)
	if found := only(t, Evaluate(cloudView(pool), DefaultSettings()), "limit_reached/throughput"); found.Confidence != 0.6 {
		t.Errorf("confidence %v from utilisation alone, want 0.6", found.Confidence)
	}
}

func TestLoweredLimitIsNamed(t *testing.T) {
	volume := full(aVolume("busy"))
	for i := range 8 {
		volume.Recent[i].Limit = 1024 * mebibyte
	}
	found := only(t, Evaluate(cloudView(aPool(levelPremium, "auto", volume)), DefaultSettings()), "limit_reached/throughput")
	if !strings.Contains(found.Summary, "The limit was lowered from 1024 MiB/s within the last hour.") {
		t.Errorf("summary %q", found.Summary)
	}
}

// On Flex the limit is the pool's, repeated on each volume: three volumes that move a third each fill it, and the finding
// is one, about the pool.
func TestFlexCountsThePoolOnce(t *testing.T) {
	pool := aPool("flex", "auto")
	for i := range 3 {
		volume := aVolume(fmt.Sprintf("v%d", i))
		volume.Recent = steady(12, 170*mebibyte, 512*mebibyte, 1*ms)
		for j := range volume.Recent {
			volume.Recent[j].Operations = 300
		}
		addTo(pool, volume)
	}
	pool.IOPS = 8_192
	found := Evaluate(cloudView(pool), DefaultSettings())
	if len(found) != 1 || found[0].Name().String() != "limit_reached/throughput" || found[0].Resource != pool.Identity {
		t.Fatalf("findings %v, want one about the pool", names(found))
	}
	if use := pool.Volumes[0].Utilisation(); use < 0.99 || use > 1 {
		t.Errorf("utilisation of a volume %v, want the pool's", use)
	}
	pool.IOPS = 940
	if found := Evaluate(cloudView(pool), DefaultSettings()); len(found) != 2 || without(found, "limit_reached/iops") {
		t.Errorf("findings %v, want the operations as well: 900 of 940", names(found))
	}
}

// A limit that is reached for a moment is gone half an hour later, and samples that are late resolve nothing.
func TestLimitLifecycle(t *testing.T) {
	busy, idle, late := full(aVolume("v")), quiet("v"), aVolume("v")
	for name, row := range map[string]struct {
		then *fleet.Volume
		want State
	}{"quiet for half an hour": {idle, Resolved}, "no samples for half an hour": {late, Firing}} {
		lifecycle := NewLifecycle(DefaultSettings())
		states := foldMinutes(lifecycle, func(minute int) Round {
			volume := busy
			if minute > 0 {
				volume = row.then
			}
			view := cloudView(aPool(levelPremium, "auto", volume))
			view.At = noon.Add(time.Duration(minute) * time.Minute)
			return Judge(view, DefaultSettings())
		}, 31)
		if states[0] != Firing || states[30] != row.want {
			t.Errorf("%s: %v, want firing at once and %s at the end", name, states, row.want)
		}
	}
}
