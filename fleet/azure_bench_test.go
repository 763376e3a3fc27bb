package fleet_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// BenchmarkDaysOfShares is the daily look over shares whose samples of five weeks are in history.
func BenchmarkDaysOfShares(b *testing.B) {
	const count, weeks = 50, 5
	memory := history.NewMemory(history.MemoryOptions{MaxSamples: 100_000_000})
	b.Cleanup(func() { _ = memory.Close() })
	for i := range count {
		labels := shareLabels(fmt.Sprint("share-", i))
		batch := []schema.Sample{{Family: schema.ShareInfo, Labels: append(append([]string{}, labels...), "smb", "Premium", "available", ""), Value: 1, Time: start}}
		for step := range weeks * 7 * 24 * 12 {
			at := start.Add(-schema.AzureDelay - time.Duration(step)*schema.AzureRollUpGrain)
			for _, family := range []*schema.Family{schema.SharePeakOperationsRollUp, schema.SharePeakThroughputRollUp, schema.ShareBurstCreditsRollUp} {
				batch = append(batch, schema.Sample{Family: family, Labels: labels, Value: float64(step % 97), Time: at})
			}
		}
		if err := memory.Append(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
	}
	profile := fleet.Profile{Peaks: &fleet.Peaks{}}
	for b.Loop() {
		days, err := fleet.LearnDays(context.Background(), memory, start, profile)
		if err != nil || days.Pools() != 1 {
			b.Fatalf("%d accounts, %v", days.Pools(), err)
		}
	}
}
