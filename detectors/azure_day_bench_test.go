//go:build unix

package detectors_test

import (
	"fmt"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

const sharesAnAccount = 50

// shareEstate is the embedded history of shares: their inventory, a quarter of an hour of minutes, and two weeks of what the
// looks over days read.
func shareEstate(b *testing.B, count int) (*history.Embedded, time.Time) {
	b.Helper()
	database, err := history.OpenEmbedded(b.Context(), history.EmbeddedOptions{
		Path: b.TempDir(), Retention: 30 * 24 * time.Hour, MaxSeries: 2_000_000,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = database.Close() })
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	for first := 0; first < count; first += sharesAnAccount {
		if err := database.Append(b.Context(), accountSamples(first, now)); err != nil {
			b.Fatal(err)
		}
	}
	const span = 18 * time.Hour
	for from := now.Add(-2*estateWeek - time.Hour); from.Before(now.Add(-schema.AzureDelay)); from = from.Add(span) {
		var batch []schema.Sample
		for i := range count {
			batch = append(batch, daySamples(i, from, min(span, now.Add(-schema.AzureDelay).Sub(from)))...)
		}
		if err := database.Backfill(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := database.Backfill(b.Context(), nil); err != nil { // has the files tidied
		b.Fatal(err)
	}
	debug.FreeOSMemory()
	return database, now
}

func shareOf(i int, more ...string) []string {
	labels := []string{"azure", "azurefiles", "subscription-1", "westeurope", fmt.Sprint("account", i/sharesAnAccount), fmt.Sprint("share-", i)}
	return append(labels, more...)
}

// daySamples are what the looks over days read of a share: a curve of each day, and the space by hours.
func daySamples(i int, from time.Time, span time.Duration) []schema.Sample {
	var batch []schema.Sample
	for _, family := range []*schema.Family{
		schema.SharePeakOperationsRollUp, schema.SharePeakThroughputRollUp, schema.ShareBurstCreditsRollUp, schema.ShareUsed,
	} {
		labels := shareOf(i)
		for at := from.Truncate(family.Grain).Add(family.Grain); !at.After(from.Add(span)); at = at.Add(family.Grain) {
			step := at.Unix()/300 + int64(i)
			noise := float64(uint64(step) * 0x9e3779b97f4a7c15 >> 54)
			batch = append(batch, schema.Sample{Family: family, Labels: labels, Value: 1e6 + 1e4*float64(min(step%288, 288-step%288)) + noise, Time: at})
		}
	}
	return batch
}

// accountSamples are the inventory of an account and what its shares have done of late.
func accountSamples(first int, now time.Time) []schema.Sample {
	var batch []schema.Sample
	add := func(at time.Time, family *schema.Family, value float64, labels []string) {
		batch = append(batch, schema.Sample{Family: family, Labels: labels, Value: value, Time: at})
	}
	account := shareOf(first)[:5]
	add(now, schema.AccountInfo, 1, append(slices.Clone(account), "rg", "FileStorage", "PremiumV2_LRS", "ssd", "v2", "true", "", account[4]+".file.core.windows.net"))
	for i := first; i < first+sharesAnAccount; i++ {
		add(now, schema.ShareInfo, 1, shareOf(i, "smb", "Premium", "available", ""))
		for family, value := range map[*schema.Family]float64{
			schema.ShareQuota: 1e12, schema.ShareProvisionedOperations: 1e7, schema.ShareProvisionedThroughput: 2e8,
			schema.ShareBurstOperations: 1e8, schema.ShareBurstCreditsMost: 25_200_000,
		} {
			add(now, family, value, shareOf(i))
		}
		for minute := range 16 {
			at := now.Add(-schema.AzureDelay - time.Duration(minute)*time.Minute)
			add(at, schema.SharePeakOperations, 2_000, shareOf(i))
			add(at, schema.SharePeakThroughput, 5e7, shareOf(i))
			add(at, schema.ShareBurstCredits, 1e7, shareOf(i))
			add(at, schema.ShareResponses, 500, shareOf(i, "Success"))
		}
	}
	return batch
}

// BenchmarkDayOfShares is what serve does for each day of Azure Files: the looks over the two weeks before it, the view and every
// rule of the day. The history is the one in files.
func BenchmarkDayOfShares(b *testing.B) {
	for _, count := range []int{1_000, 3_000, 10_000} {
		b.Run(fmt.Sprintf("shares=%d", count), func(b *testing.B) {
			database, now := shareEstate(b, count)
			profile := fleet.Spacing(time.Minute, 15*time.Second)
			b.ResetTimer()
			begin := processor(b)
			for b.Loop() {
				days, err := fleet.LearnDays(b.Context(), database, now, profile)
				if err != nil || days.Pools() != count/sharesAnAccount {
					b.Fatalf("%d accounts, %v", days.Pools(), err)
				}
				profile.Days = days
				view, err := fleet.Build(b.Context(), database, now, profile)
				if err != nil {
					b.Fatal(err)
				}
				if found := detectors.Judge(view, detectors.DefaultSettings(), detectors.Daily).Found; len(found) < count {
					b.Fatalf("%d findings of %d shares", len(found), count)
				}
			}
			b.ReportMetric((processor(b)-begin).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}
