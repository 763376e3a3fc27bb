package detectors

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/envelope"
	"github.com/nasight/nasight/fleet"
)

func theTable(t testing.TB) *envelope.Table {
	table, err := envelope.Load()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func anHour(block, share fleet.Value) fleet.Hour {
	return fleet.Hour{At: noon, Throughput: 100 * mebibyte, Operations: 100 * mebibyte / block, Block: block, ReadShare: share}
}

// The truth table of detectors.md §6.
func TestEnvelopeTable(t *testing.T) {
	table := theTable(t)
	for _, row := range []struct {
		number          int
		protocol, level string
		block, share    fleet.Value
		ceiling, limit  float64
		waste           float64 // 0: no finding
	}{
		{1, envelope.NFSv3, envelope.Extreme, 64, 1, 5_237.0, 9_600, 4_363},
		{2, envelope.NFSv3, envelope.Extreme, 64, 0.5, 2_831.0, 4_608, 1_777},
		{3, envelope.NFSv3, envelope.Extreme, 8, 0.875, 1_653.1, 1_500, 0},
		{4, envelope.NFSv3, envelope.Extreme, 16, 1, 3_163.3, 4_608, 1_444.7},
		{5, envelope.SMB, envelope.Extreme, 4, 0, 427.0, 600, 173},
		{6, envelope.ISCSI, envelope.FlexUnifiedCustom, 1024, 1, 4_954.0, 5_120, 0},
		{7, envelope.NFSv3, envelope.Extreme, 2, 1, 742.2, 500, 0},
		{8, envelope.NFSv3, envelope.FlexFileCustom, 8, 0.5, 894.1, 1_000, 0},
	} {
		t.Run(fmt.Sprintf("6 row %d", row.number), func(t *testing.T) {
			limits := DefaultSettings().Envelope
			limits.VolumeMaximum = 1e12 // the second form is another test's
			v := JudgeEnvelope(EnvelopeCase{
				Protocols: []string{row.protocol}, Level: row.level, Hours: []fleet.Hour{anHour(row.block*1024, row.share)},
				Limit: fleet.Value(row.limit * mebibyte),
			}, table, limits)
			if got := v.Ceiling.BytesPerSecond / mebibyte; got < row.ceiling-0.1 || got > row.ceiling+0.1 {
				t.Errorf("ceiling %.1f MiB/s, want %.1f (%+v)", got, row.ceiling, v.Ceiling)
			}
			if fires := v.Variant == VariantEnvelope; fires != (row.waste > 0) {
				t.Errorf("variant %q, want fires %v", v.Variant, row.waste > 0)
			}
			if waste := float64(v.Waste / mebibyte); row.waste > 0 && (waste < row.waste-0.5 || waste > row.waste+0.5) {
				t.Errorf("waste %.1f, want %.1f", waste, row.waste)
			}
		})
	}
}

// The most favourable hour counts, over hours and protocols; without any hour the most that a volume can have.
func TestEnvelopeTakesTheMostFavourable(t *testing.T) {
	table, limits := theTable(t), DefaultSettings().Envelope
	c := EnvelopeCase{Protocols: []string{envelope.NFSv3}, Level: envelope.Extreme, Limit: 4_000 * mebibyte, Hours: []fleet.Hour{anHour(8<<10, 1)}}
	if v := JudgeEnvelope(c, table, limits); v.Variant != VariantEnvelope {
		t.Errorf("8 KiB reads alone: %q, want beyond the envelope", v.Variant)
	}
	c.Hours = append(c.Hours, anHour(64<<10, 1))
	if v := JudgeEnvelope(c, table, limits); v.Variant != "" || v.Hour.Block != 64<<10 {
		t.Errorf("an hour of 64 KiB reads as well: %q of an hour with blocks of %v", v.Variant, v.Hour.Block)
	}
	for limit, want := range map[fleet.Value]string{4_608: "", 4_609: VariantVolumeMaximum} {
		if v := JudgeEnvelope(EnvelopeCase{Level: envelope.Extreme, Limit: limit * mebibyte}, table, limits); v.Variant != want {
			t.Errorf("%v MiB/s: %q, want %q", limit, v.Variant, want)
		}
	}
	for limit, want := range map[fleet.Value]string{30_720: "", 30_721: VariantVolumeMaximum} {
		if v := JudgeEnvelope(EnvelopeCase{Level: envelope.Extreme, Large: true, Limit: limit * mebibyte}, table, limits); v.Variant != want {
			t.Errorf("large, %v MiB/s: %q, want %q", limit, v.Variant, want)
		}
	}
}

// A limit that is below the ceiling of some hour is never called out of reach, whatever the hours and the level.
func TestEnvelopeProperties(t *testing.T) {
	table, limits := theTable(t), DefaultSettings().Envelope
	limits.VolumeMaximum, limits.LargeVolumeMaximum = 1e12, 1e12
	rapid.Check(t, func(t *rapid.T) {
		c := EnvelopeCase{
			Protocols: rapid.SliceOfN(rapid.SampledFrom(append(envelope.Protocols(), "nvme")), 0, 3).Draw(t, "protocols"),
			Level:     rapid.SampledFrom(append(envelope.Levels(), "")).Draw(t, "level"),
			Limit:     fleet.Value(rapid.Float64Range(0, 1e11).Draw(t, "limit")), Large: rapid.Bool().Draw(t, "large"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "hours") {
			c.Hours = append(c.Hours, anHour(fleet.Value(rapid.Float64Range(0.5, 1e8).Draw(t, "block")), fleet.Value(rapid.Float64Range(0, 1).Draw(t, "share"))))
		}
		v := JudgeEnvelope(c, table, limits)
		if v.Variant != "" && (!(v.Waste > 0) || float64(c.Limit) <= envelope.BeyondMargin*v.Ceiling.BytesPerSecond) {
			t.Fatalf("%+v: %+v", c, v)
		}
		for _, hour := range c.Hours {
			one := c
			one.Hours = []fleet.Hour{hour}
			if w := JudgeEnvelope(one, table, limits); w.Variant == "" && v.Variant != "" && w.Ceiling.BytesPerSecond > 0 {
				t.Fatalf("one hour reaches the limit, all together do not: %+v", hour)
			}
		}
	})
}

func TestEnvelopeFinding(t *testing.T) {
	volume := quiet("analytics")
	volume.Assigned, volume.Days.Hours = 4_000*mebibyte, []fleet.Hour{anHour(8<<10, 1)}
	pool := aPool(levelExtreme, "manual", volume)
	found := only(t, Evaluate(cloudView(pool), DefaultSettings()), "beyond_envelope/envelope")
	if found.Severity != Info || found.Confidence != 1 {
		t.Errorf("%s, confidence %v: want info, 1 (measured family and block)", found.Severity, found.Confidence)
	}
	if !strings.Contains(found.Summary, "with blocks of 8 KiB and 100 % reads") || !strings.Contains(found.Remedy[0].Command, "--throughput-mibps=") {
		t.Errorf("summary %q, command %q", found.Summary, found.Remedy[0].Command)
	}
	for _, row := range []struct {
		name   string
		change func(*fleet.Pool, *fleet.Volume)
	}{
		{"less than a week", func(_ *fleet.Pool, v *fleet.Volume) { v.Days.Full = false }},
		{"thin", func(_ *fleet.Pool, v *fleet.Volume) { v.Days.Coverage = 0.79 }},
		{"an ONTAP-mode pool", func(p *fleet.Pool, _ *fleet.Volume) { p.Mode = "ontap" }},
		{"next to no work", func(_ *fleet.Pool, v *fleet.Volume) {
			v.Days.Hours[0].Operations, v.Days.Hours[0].Throughput = 49, 4.9*mebibyte
		}},
		{"not ready", func(_ *fleet.Pool, v *fleet.Volume) { v.State = "error" }},
		{"a Flex pool of two", func(p *fleet.Pool, _ *fleet.Volume) { p.ServiceLevel = "flex"; addTo(p, quiet("other")) }},
		{"limit not known", func(_ *fleet.Pool, v *fleet.Volume) { v.Assigned, v.Limit = fleet.Unknown, fleet.Unknown }},
	} {
		volume := quiet("analytics")
		volume.Assigned, volume.Days.Hours = 4_000*mebibyte, []fleet.Hour{anHour(8<<10, 1)}
		pool := aPool(levelExtreme, "manual", volume)
		row.change(pool, volume)
		if found := Evaluate(cloudView(pool), DefaultSettings()); !without(found, "beyond_envelope/envelope") {
			t.Errorf("%s: %v, want no word of the envelope", row.name, names(found))
		}
	}
}
