package detectors_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// shares fills a history with a quarter of an hour of busy shares, fifty to an account.
func shares(b *testing.B, count int) (*history.Memory, time.Time) {
	b.Helper()
	memory := history.NewMemory(history.MemoryOptions{MaxSamples: 100_000_000})
	b.Cleanup(func() { _ = memory.Close() })
	now := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	for i := range count {
		account := []string{"azure", "azurefiles", "subscription-1", "westeurope", fmt.Sprint("account", i/50)}
		of := func(more ...string) []string {
			return append(append(append([]string{}, account...), fmt.Sprint("share-", i)), more...)
		}
		var batch []schema.Sample
		add := func(at time.Time, family *schema.Family, value float64, labels []string) {
			batch = append(batch, schema.Sample{Family: family, Labels: labels, Value: value, Time: at})
		}
		if i%50 == 0 {
			add(now, schema.AccountInfo, 1, append(append([]string{}, account...), "rg", "FileStorage", "PremiumV2_LRS", "ssd", "v2", "true", "", account[4]+".file.core.windows.net"))
		}
		add(now, schema.ShareInfo, 1, of("smb", "Premium", "available", ""))
		for family, value := range map[*schema.Family]float64{
			schema.ShareQuota: 1e12, schema.ShareProvisionedOperations: 3_000, schema.ShareProvisionedThroughput: 2e8,
			schema.ShareBurstOperations: 10_000, schema.ShareBurstCreditsMost: 25_200_000,
		} {
			add(now, family, value, of())
		}
		for minute := range 16 {
			at := now.Add(-schema.AzureDelay - time.Duration(minute)*time.Minute)
			add(at, schema.SharePeakOperations, 2_000, of())
			add(at, schema.SharePeakThroughput, 5e7, of())
			add(at, schema.ShareBurstCredits, 1e7, of())
			add(at, schema.ShareResponses, 500, of("Success"))
			for _, api := range []string{"Create", "Close", "Read", "Write", "QueryInfo"} {
				add(at, schema.ShareOperations, 100, of(api))
				add(at, schema.ShareLatency, 0.002, of(api, "server"))
				add(at, schema.ShareLatency, 0.003, of(api, "end_to_end"))
			}
			add(at, schema.ShareThroughput, 1e6, of("egress"))
			add(at, schema.ShareThroughput, 1e6, of("ingress"))
		}
		if err := memory.Append(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
	}
	return memory, now
}

// BenchmarkMinutePassOfShares is what serve does every minute for Azure Files: the view from history, then every rule.
func BenchmarkMinutePassOfShares(b *testing.B) {
	for _, count := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("shares=%d", count), func(b *testing.B) {
			memory, at := shares(b, count)
			profile, settings := fleet.Spacing(time.Minute, 15*time.Second), detectors.DefaultSettings()
			b.ReportAllocs()
			for b.Loop() {
				view, err := fleet.Build(context.Background(), memory, at, profile)
				if err != nil || len(view.Accounts) != count/50 {
					b.Fatalf("%d accounts, %v", len(view.Accounts), err)
				}
				detectors.Judge(view, settings, detectors.Minute)
			}
		})
	}
}
