package azurefiles

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/model"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(math.Abs(a), math.Abs(b), 1e-9) }

func placement(t testing.TB, l *lab, account, share string) *model.SharePlacement {
	t.Helper()
	for _, p := range l.server.Model().Shares() {
		if p.Account.Name == account && p.Share.Name == share {
			return p
		}
	}
	t.Fatalf("no share %s/%s", account, share)
	return nil
}

// expected is what a sample of a share says, from what the fleet did.
func expected(m model.ShareMinute, labels []string, family *schema.Family) float64 {
	var sum float64
	for _, c := range m.Calls {
		switch {
		case family == schema.ShareThroughput && labels[6] == "egress":
			sum += c.Egress / 60
		case family == schema.ShareThroughput:
			sum += c.Ingress / 60
		case family == schema.ShareOperations && labels[6] == c.API:
			sum += c.Operations() / 60
		case family == schema.ShareLatency && labels[6] == c.API && labels[7] == "server":
			sum += c.ServerMS / 1e3
		case family == schema.ShareLatency && labels[6] == c.API:
			sum += c.ClientMS / 1e3
		case family == schema.ShareResponses:
			for _, r := range c.Responses {
				if cut, _ := newVocabulary(nil).response(r.Type); cut == labels[6] {
					sum += r.Count / 60
				}
			}
		}
	}
	switch family {
	case schema.SharePeakOperations:
		return m.MaxIOPS
	case schema.SharePeakThroughput:
		return m.MaxMiBps * mib
	case schema.ShareBurstCredits:
		return m.Credits
	case schema.ShareAvailability:
		return 1
	}
	return sum
}

// What is read agrees with what the fleet did, share by share and minute by minute: a total is a rate over its minute, a
// latency in seconds, a peak in bytes per second, a response type without Kerberos before it.
func TestPerformanceIsWhatTheFleetDid(t *testing.T) {
	t.Parallel()
	l := newLab(t, nil, nil)
	result := l.good("performance")
	families := []*schema.Family{
		schema.ShareThroughput, schema.ShareOperations, schema.ShareLatency, schema.ShareResponses, schema.SharePeakOperations,
		schema.SharePeakThroughput, schema.ShareBurstCredits, schema.ShareAvailability,
	}
	for _, share := range []string{"projects", "database", "scratch"} {
		p := placement(t, l, "examplessdv2", share)
		checked := map[*schema.Family]int{}
		for _, sample := range slices.Concat(result.Past, result.Samples) {
			if !slices.Contains(families, sample.Family) || sample.Labels[4] != "examplessdv2" || sample.Labels[5] != share {
				continue
			}
			checked[sample.Family]++
			m := l.server.Model().ShareMinute(p, sample.Time.Add(-time.Minute))
			if want := expected(m, sample.Labels, sample.Family); !near(sample.Value, want) {
				t.Errorf("%s at %s is %g, want %g", seriesOf(sample), sample.Time, sample.Value, want)
			}
		}
		for _, family := range families {
			if checked[family] < 60 {
				t.Errorf("%d points of %s of %s", checked[family], family.Name, share)
			}
		}
	}
}

// Every minute is in history once, whatever the time of the runs, and nothing younger than the delay; a run within the
// same minute asks for nothing.
func TestEveryMinuteIsReadOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t, fleetOf(1, 1), nil)
	l.good("performance")
	for i := range 20 {
		asked := l.server.Usage().Of("metrics.query")
		l.good("performance")
		if again := l.server.Usage().Of("metrics.query"); again != asked {
			t.Errorf("%d requests for a minute that was read", again-asked)
		}
		l.clock.add(time.Duration(40+30*(i%4)) * time.Second)
		for _, sample := range l.good("performance").Samples {
			if sample.Family == schema.ShareThroughput && l.clock.Now().Sub(sample.Time) < schema.AzureDelay {
				t.Fatalf("a point at %s was taken at %s", sample.Time, l.clock.Now())
			}
		}
	}
	minutes := l.minutes("nasight_share_throughput_bytes_per_second{azure,azurefiles," + testSubscription + ",westeurope,examplefiles00,share00,egress}")
	last := int(l.clock.Now().Add(-schema.AzureDelay).Sub(noon) / time.Minute)
	if want := last - 4 + firstMinutes; len(minutes) != want || minutes[len(minutes)-1] != last {
		t.Errorf("%d minutes up to %d, want %d up to %d", len(minutes), minutes[len(minutes)-1], want, last)
	}
}

// After a restart the reading goes on where it ended, also over hours, once no past is left to be filled in.
func TestRestartLeavesNoGap(t *testing.T) {
	l := newLab(t, fleetOf(1, 1), func(c *Config, _ *azure.Options) { c.BackfillDays = 0 })
	l.good("performance")
	l.clock.add(3*time.Hour + 17*time.Second)
	l.restart()
	l.good("performance")
	minutes := l.minutes("nasight_share_burst_credits{azure,azurefiles," + testSubscription + ",westeurope,examplefiles00,share00}")
	for i := 1; i < len(minutes); i++ {
		if minutes[i] != minutes[i-1]+1 {
			t.Errorf("nothing from minute %d to %d", minutes[i-1], minutes[i])
		}
	}
	if want := overlapMinutes + firstMinutes + 180; len(minutes) != want { // from before the window that was the last one
		t.Errorf("%d minutes, want %d", len(minutes), want)
	}
}

func TestInventory(t *testing.T) {
	l := newLab(t, nil, nil)
	result := l.good("inventory")
	host := func(name string) string {
		for _, a := range l.source.subscriptions {
			if account := a.accounts[name]; account != nil {
				return account.details.endpoint
			}
		}
		return ""
	}
	want := map[string]float64{
		"examplessdv2,files,FileStorage,PremiumV2_LRS,ssd,v2,null,2025-06-01T08:00:00Z," + host("examplessdv2"):     1,
		"examplessdv1,files,FileStorage,Premium_ZRS,ssd,v1,true,2024-02-01T08:00:00Z," + host("examplessdv1"):       1,
		"examplenfs,linux,FileStorage,PremiumV2_ZRS,ssd,v2,null,2026-03-01T08:00:00Z," + host("examplenfs"):         1,
		"examplehddv2,archive,FileStorage,StandardV2_LRS,hdd,v2,false,2025-11-20T08:00:00Z," + host("examplehddv2"): 1,
		"examplepayg,archive,StorageV2,Standard_GRS,hdd,payg,null,2023-05-01T08:00:00Z," + host("examplepayg"):      1,
	}
	if diff := cmp.Diff(want, of(result.Samples, schema.AccountInfo)); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	if host("examplessdv2") != "examplessdv2.file.core.windows.net" {
		t.Errorf("the endpoint is %q", host("examplessdv2"))
	}
	for series, want := range map[string]float64{
		"examplessdv2,projects,smb,Premium,available,": 1, "examplessdv2,retired,smb,Premium,deleted,": 1,
		"examplenfs,cluster,nfs,Premium,available,": 1,
	} {
		if got := of(result.Samples, schema.ShareInfo)[series]; got != want {
			t.Errorf("share %s is %g in %v", series, got, of(result.Samples, schema.ShareInfo))
		}
	}
	if _, shown := of(result.Samples, schema.ShareQuota)["examplessdv2,retired"]; shown {
		t.Error("a deleted share has a quota")
	}
	features := map[string]float64{}
	for _, sample := range result.Samples {
		if sample.Family == schema.SubscriptionFeatureInfo {
			features[sample.Labels[2][35:]+sample.Labels[3]+sample.Labels[4]] = sample.Value
		}
	}
	if diff := cmp.Diff(map[string]float64{
		"1AzurePremiumFilesMetadataCacheFeatureNotRegistered": 1, "1HigherHandlesCountOnSmbNotRegistered": 1,
		"2AzurePremiumFilesMetadataCacheFeatureRegistered": 1,
	}, features); diff != "" {
		t.Errorf("features (-want +got):\n%s", diff)
	}
}

// What shares have: as the service tells it, by size where the size decides, and nothing where it is paid by use.
func TestWhatSharesHave(t *testing.T) {
	l := newLab(t, nil, nil)
	result := l.good("inventory")
	for _, p := range l.server.Model().Shares() {
		if p.Share.Deleted {
			continue
		}
		name, has := p.Account.Name+","+p.Share.Name, p.Provision()
		for family, want := range map[*schema.Family]float64{
			schema.ShareQuota: float64(p.Share.QuotaGiB) * gib, schema.ShareProvisionedOperations: has.IOPS,
			schema.ShareProvisionedThroughput: has.MiBps * mib, schema.ShareBurstOperations: has.BurstIOPS, schema.ShareBurstCreditsMost: has.Credits,
		} {
			got, shown := of(result.Samples, family)[name]
			if got != want || shown != (want > 0 || p.Account.Billing() != model.PayAsYouGo) {
				t.Errorf("%s of %s is %g, %t; want %g", family.Name, name, got, shown, want)
			}
		}
	}
	for series, want := range map[string]float64{
		"examplessdv2,storage_bytes": 256 * 1024 * gib, "examplessdv2,operations_per_second": 102_400,
		"examplessdv2,throughput_bytes_per_second": 10_340 * mib, "examplessdv2,shares": 50,
	} {
		if got := of(result.Samples, schema.AccountLimit)[series]; got != want {
			t.Errorf("limit %s is %g, want %g", series, got, want)
		}
	}
	if _, shown := of(result.Samples, schema.ShareDowngradeAllowed)["examplessdv2,projects,throughput"]; !shown {
		t.Error("it is not said when throughput may be lowered")
	}
}

// A share that pays for bursts may go as far as any may, and the others have no such limit.
func TestPaidBursts(t *testing.T) {
	l := newLab(t, nil, nil)
	found := of(l.good("inventory").Samples, schema.SharePaidBurstLimit)
	want := map[string]float64{}
	for _, p := range l.server.Model().Shares() {
		if p.Share.PaidBursting {
			name := p.Account.Name + "," + p.Share.Name
			want[name+",operations_per_second"], want[name+",throughput_bytes_per_second"] = 102_400, 10_340*mib
		}
	}
	if diff := cmp.Diff(want, found); diff != "" || len(want) == 0 {
		t.Errorf("%d limits are wanted (-want +got):\n%s", len(want), diff)
	}
}

// Shares that are paid by use are not told apart: the account has the numbers, and no share of it.
func TestPaidByUseIsTheAccountAsAWhole(t *testing.T) {
	l := newLab(t, nil, nil)
	result := l.good("performance")
	for series := range of(result.Samples, schema.ShareThroughput) {
		if len(series) > 12 && series[:12] == "examplepayg," && series[:13] != "examplepayg,," {
			t.Errorf("there is %s", series)
		}
	}
	if got := of(result.Samples, schema.ShareThroughput)["examplepayg,,egress"]; !(got > 0) {
		t.Errorf("egress is %g", got)
	}
	if _, shown := of(result.Samples, schema.SharePeakOperations)["examplepayg,"]; shown {
		t.Error("it has a peak")
	}
	if got := of(l.good("capacity").Samples, schema.ShareUsed)["examplepayg,"]; !(got > 0) {
		t.Errorf("the used space is %g", got)
	}
}

func TestCapacity(t *testing.T) {
	l := newLab(t, nil, nil)
	result := l.good("capacity")
	p := placement(t, l, "examplessdv2", "projects")
	used := of(result.Samples, schema.ShareUsed)["examplessdv2,projects"]
	if !(math.Abs(used/gib-p.Share.UsedGiB) < 100) {
		t.Errorf("used are %g GiB", used/gib)
	}
	if got := of(result.Samples, schema.ShareSnapshots)["examplessdv2,projects"]; got != 30 {
		t.Errorf("%g snapshots", got)
	}
	asked := l.server.Usage().Of("metrics.query")
	l.clock.add(20 * time.Minute)
	l.good("capacity")
	if again := l.server.Usage().Of("metrics.query"); again != asked {
		t.Errorf("%d requests within one hour", again-asked)
	}
}

// Ten accounts of fifty shares: at most sixty requests a minute, none of them throttled, and none by what is excluded.
func TestRequestsOfALargeSubscription(t *testing.T) {
	t.Parallel()
	l := newLab(t, fleetOf(10, 50), nil)
	l.good("inventory")
	lists := l.server.Usage().Of("shares.list") + l.server.Usage().Of("storageAccounts.list")
	if lists != 11 {
		t.Errorf("%d lists", lists)
	}
	l.tiers()
	l.expectSteady("metrics.query", 60)
	l.clock.add(30 * time.Minute)
	l.good("inventory")
	if again := l.server.Usage().Of("shares.list") + l.server.Usage().Of("storageAccounts.list"); again != lists {
		t.Errorf("the inventory was read again after half an hour: %d lists", again-lists)
	}
}

// By batches it is at most ten.
func TestBatchesOfALargeSubscription(t *testing.T) {
	t.Parallel()
	l := newLab(t, fleetOf(10, 5), func(c *Config, _ *azure.Options) { c.Batch = true })
	l.good("inventory")
	l.tiers()
	l.expectSteady("metrics.batch", 10)
	if n := l.server.Usage().Of("metrics.query"); n != 0 {
		t.Errorf("%d single requests", n)
	}
}

// expectSteady complains about more calls in any minute of six than so many, of another kind than one, and about a call that the
// emulator's buckets refuse, which fill up by the lab's clock alone.
func (l *lab) expectSteady(method string, most int64) {
	l.t.Helper()
	for range 6 {
		before, of := calls(l.server.Usage()), l.server.Usage().Of(method)
		l.clock.add(time.Minute)
		l.tiers()
		all, own := calls(l.server.Usage())-before, l.server.Usage().Of(method)-of
		if all > most || own != all {
			l.t.Errorf("%d requests in a minute, %d of them %s; want %d at most", all, own, method, most)
		}
	}
	for _, one := range l.server.Usage().Calls {
		if one.Failed > 0 {
			l.t.Errorf("refused: %+v", one)
		}
	}
}

func calls(usage azure.Usage) (sum int64) {
	for _, one := range usage.Calls {
		sum += one.Count
	}
	return sum
}

func TestExcludedIsLeftOut(t *testing.T) {
	l := newLab(t, nil, func(c *Config, _ *azure.Options) {
		c.Include = []string{".*0001/examplessdv2/(projects|database)", ".*0001/examplenfs/.*"}
		c.Exclude = []string{".*/examplenfs", ".*0002"}
	})
	shares := of(l.good("performance").Samples, schema.ShareBurstCredits)
	if want := map[string]bool{"examplessdv2,projects": true, "examplessdv2,database": true}; len(shares) != 2 || !want[firstKey(shares)] {
		t.Errorf("shares are %v", shares)
	}
	accounts := of(l.good("inventory").Samples, schema.AccountInfo)
	if len(accounts) != 1 {
		t.Errorf("accounts are %v", accounts)
	}
	if n := l.server.Usage().Of("metrics.query"); n != 4 {
		t.Errorf("%d requests for one account", n)
	}
	for _, one := range l.server.Usage().Calls {
		if one.Subscription[35:] == "2" {
			t.Errorf("an excluded subscription was asked: %+v", one)
		}
	}
}

func firstKey(m map[string]float64) string {
	for key := range m {
		return key
	}
	return ""
}
