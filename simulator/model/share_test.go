package model_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/simulator/model"
)

// drawShares is a fleet of one account with up to three shares of any load.
func drawShares(t *rapid.T) *model.Fleet {
	sku := rapid.SampledFrom([]string{"PremiumV2_LRS", "Premium_ZRS", "StandardV2_GRS", "Standard_LRS"}).Draw(t, "sku")
	account := &model.Account{Name: "example", ResourceGroup: "files", Location: "westeurope", Kind: model.FileStorage, SKU: sku, Created: epoch}
	if sku == "Standard_LRS" {
		account.Kind = model.StorageV2
	}
	mibps := rapid.Float64Range(0, 300)
	for i := range rapid.IntRange(1, 3).Draw(t, "shares") {
		share := &model.Share{
			Name: fmt.Sprintf("share-%d", i), QuotaGiB: rapid.Int64Range(100, 20_000).Draw(t, "quota"), Kerberos: rapid.Bool().Draw(t, "kerberos"),
			FailedCreates: rapid.Float64Range(0, 1).Draw(t, "failed"),
			Load: model.Workload{
				Pattern:   rapid.SampledFrom([]model.Pattern{"constant", "daily", "bursty", "growing", "step"}).Draw(t, "pattern"),
				ReadMiBps: mibps.Draw(t, "read"), WriteMiBps: mibps.Draw(t, "write"), BlockKiB: rapid.SampledFrom([]float64{4, 64, 256}).Draw(t, "block"),
				Noise: 0.2, PerWeek: 0.5, At: model.Span(time.Hour),
			},
			Metadata: map[string]float64{"Create": rapid.Float64Range(0, 30_000).Draw(t, "create"), "Close": rapid.Float64Range(0, 30_000).Draw(t, "close")},
		}
		if account.Billing() == model.V2 {
			share.IOPS, share.MiBps = rapid.Int64Range(500, 50_000).Draw(t, "iops"), rapid.Int64Range(60, 5120).Draw(t, "mibps")
		}
		account.Shares = append(account.Shares, share)
	}
	fleet := &model.Fleet{Subscriptions: []*model.Subscription{{ID: "00000000-0000-4000-8000-000000000001", Accounts: []*model.Account{account}}}}
	if err := fleet.Complete(); err != nil {
		t.Fatal(err)
	}
	return fleet
}

// No share passes its limits, and its credits stay within the bucket and pay for what is beyond the provision.
func TestSharesStayWithinTheirLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := model.New(drawShares(t), rapid.Uint64().Draw(t, "seed"), epoch)
		at := epoch.Add(time.Duration(rapid.Int64Range(-3*24*60, 3*24*60).Draw(t, "minute")) * time.Minute)
		for _, p := range m.Shares() {
			before, did, provision := m.ShareMinute(p, at.Add(-time.Minute)), m.ShareMinute(p, at), p.Provision()
			var operations, bytes, metadata float64
			for _, c := range did.Calls {
				operations += c.Operations()
				bytes += c.Ingress + c.Egress
				if c.API != "Read" && c.API != "Write" {
					metadata += c.Operations()
					bytes -= c.Egress
				}
				if !(c.ServerMS > 0 && c.ClientMS >= c.ServerMS && !math.IsInf(c.ClientMS, 0)) {
					t.Fatalf("%s takes %g and %g ms", c.API, c.ServerMS, c.ClientMS)
				}
			}
			const rounding = 2 // each of four kinds of operations is a whole number
			if metadata > 60*p.MetadataCeiling()+rounding {
				t.Fatalf("%g metadata operations of %g", metadata, 60*p.MetadataCeiling())
			}
			if provision.IOPS == 0 {
				if operations > 60*20_000+rounding {
					t.Fatalf("%g operations of an account that is paid by use", operations)
				}
				continue
			}
			if most := 60*provision.IOPS + before.Credits + rounding; operations > most || operations > 60*provision.BurstIOPS+rounding {
				t.Fatalf("%g operations of %g, with %g credits", operations, 60*provision.IOPS, before.Credits)
			}
			if most := provision.MiBps * 60 * (1 << 20); bytes > most+2*256<<10 {
				t.Fatalf("%g bytes of %g", bytes, most)
			}
			want := min(max(0, before.Credits+60*provision.IOPS-operations), provision.Credits)
			if math.Abs(did.Credits-want) > 2*rounding || did.MaxIOPS > provision.BurstIOPS || did.MaxMiBps > provision.MiBps {
				t.Fatalf("credits %g, want %g; %g op/s, %g MiB/s of %+v", did.Credits, want, did.MaxIOPS, did.MaxMiBps, provision)
			}
		}
	})
}

// A minute is the same whenever and in whatever order it is asked for.
func TestSharesAreAPureFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet, seed := drawShares(t), rapid.Uint64().Draw(t, "seed")
		one, other := model.New(fleet, seed, epoch), model.New(fleet, seed, epoch)
		minutes := rapid.SliceOfN(rapid.Int64Range(-2000, 2000), 1, 5).Draw(t, "minutes")
		for i := range minutes {
			at := epoch.Add(time.Duration(minutes[i]) * time.Minute)
			other.ShareMinute(other.Shares()[0], epoch.Add(time.Duration(minutes[len(minutes)-1-i])*time.Minute))
			if diff := cmp.Diff(one.ShareMinute(one.Shares()[0], at), other.ShareMinute(other.Shares()[0], at.Add(20*time.Second))); diff != "" {
				t.Fatalf("%s (-one +other):\n%s", at, diff)
			}
		}
	})
}

// The documentation's formulas, by which the service grants.
func TestProvision(t *testing.T) {
	for _, row := range []struct {
		sku              string
		gib, iops, mibps int64
		want             model.Provision
	}{
		{"Premium_LRS", 100, 0, 0, model.Provision{IOPS: 3100, BurstIOPS: 10_000, MiBps: 110, Credits: 24_840_000}},
		{"Premium_LRS", 10_240, 0, 0, model.Provision{IOPS: 13_240, BurstIOPS: 30_720, MiBps: 1125, Credits: 62_928_000}},
		{"Premium_LRS", 33_792, 0, 0, model.Provision{IOPS: 36_792, BurstIOPS: 101_376, MiBps: 3480, Credits: 232_502_400}},
		{"Premium_LRS", 102_400, 0, 0, model.Provision{IOPS: 102_400, BurstIOPS: 102_400, MiBps: 10_340}},
		{"PremiumV2_LRS", 1024, 3000, 100, model.Provision{IOPS: 3000, BurstIOPS: 10_000, MiBps: 100, Credits: 25_200_000}},
		{"StandardV2_LRS", 1024, 1000, 60, model.Provision{IOPS: 1000, BurstIOPS: 5000, MiBps: 60, Credits: 14_400_000}},
		{"Standard_LRS", 1024, 0, 0, model.Provision{}},
	} {
		account := &model.Account{Name: "example", ResourceGroup: "g", Location: "westeurope", Kind: model.FileStorage, SKU: row.sku, Created: epoch}
		if row.sku == "Standard_LRS" {
			account.Kind = model.StorageV2
		}
		account.Shares = []*model.Share{{Name: "share", QuotaGiB: row.gib, IOPS: row.iops, MiBps: row.mibps}}
		fleet := &model.Fleet{Subscriptions: []*model.Subscription{{ID: "00000000-0000-4000-8000-000000000001", Accounts: []*model.Account{account}}}}
		if err := fleet.Complete(); err != nil {
			t.Fatal(err)
		}
		if got := model.New(fleet, 1, epoch).Shares()[0].Provision(); got != row.want {
			t.Errorf("%s with %d GiB: %+v, want %+v", row.sku, row.gib, got, row.want)
		}
	}
}

func TestParseRefusesSubscriptions(t *testing.T) {
	const head = "subscriptions:\n  - id: 00000000-0000-4000-8000-000000000001\n"
	const account = head + "    accounts:\n      - {name: example, resource_group: g, location: westeurope, kind: FileStorage, sku: PremiumV2_LRS, created: 2026-01-01T00:00:00Z, shares: ["
	for text, want := range map[string]string{
		"subscriptions:\n  - id: none\n":           `subscriptions[0].id: "none" is no GUID`,
		"subscriptions: [null]\n":                  "subscriptions[0]: is empty",
		head + "    features: {a: On}\n":           "is none of Registered",
		head + "    unregistered: [insights]\n":    "is no name of a resource provider",
		head + "    accounts: [null]\n":            "subscriptions[0].accounts[0]: is empty",
		head + "    accounts: [{name: Example}]\n": "is no name of an account",
		head + "    accounts: [{name: example, resource_group: g, location: westeurope, kind: FileStorage, sku: Ultra_LRS}]\n": `"Ultra_LRS" is none such as`,
		account + "null]}\n": "shares[0]: is empty",
		account + "{name: s, quota_gib: 0, iops: 3000, mibps: 100}]}\n":                                                      "quota_gib: 0 is out of range",
		account + "{name: s, quota_gib: 100}]}\n":                                                                            "iops: 0 is out of range",
		account + "{name: s, quota_gib: 100, iops: 3000, mibps: 100, tier: Cool}]}\n":                                        `tier: "Cool" is none of Premium`,
		account + "{name: s, quota_gib: 100, iops: 3000, mibps: 100, paid_bursting: true}]}\n":                               "paid_bursting: is for SSD v1 only",
		account + "{name: s, quota_gib: 100, iops: 3000, mibps: 100, metadata: {create: 1}}]}\n":                             `"create" is no ApiName`,
		account + "{name: s, quota_gib: 100, iops: 3000, mibps: 100, load: {metadata_mibps: 1}}]}\n":                         "instead",
		account + "{name: s, quota_gib: 100, iops: 3000, mibps: 100}, {name: s, quota_gib: 100, iops: 3000, mibps: 100}]}\n": "share example/s is there twice",
	} {
		_, err := model.Parse("fleet.yml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want one line with %s", text, err, want)
		}
	}
}

// A bucket of 25.2 million operations that loses 5,000 a second is empty after 84 minutes, and the share then has what it is
// provisioned with.
func TestCreditsRunOut(t *testing.T) {
	share := &model.Share{
		Name: "share", QuotaGiB: 1024, IOPS: 3000, MiBps: 100,
		Load: model.Workload{Pattern: model.Step, ReadMiBps: 3.125, BlockKiB: 4, Factor: 10, Noise: -1},
	}
	account := &model.Account{Name: "example", ResourceGroup: "g", Location: "westeurope", Kind: model.FileStorage, SKU: "PremiumV2_LRS", Created: epoch, Shares: []*model.Share{share}}
	fleet := &model.Fleet{Subscriptions: []*model.Subscription{{ID: "00000000-0000-4000-8000-000000000001", Accounts: []*model.Account{account}}}}
	if err := fleet.Complete(); err != nil {
		t.Fatal(err)
	}
	m := model.New(fleet, 1, epoch)
	p := m.Shares()[0]
	for minute, want := range map[int]struct{ credits, operations float64 }{
		-1: {25_200_000, 800}, 0: {24_900_000, 8000}, 41: {12_600_000, 8000}, 83: {0, 8000}, 84: {0, 3000}, 500: {0, 3000},
	} {
		did := m.ShareMinute(p, epoch.Add(time.Duration(minute)*time.Minute))
		read := did.Calls[0]
		throttled := read.Operations() > read.Responses[len(read.Responses)-1].Count
		if math.Abs(did.Credits-want.credits) > 1e-3 || read.Operations() != 60*want.operations || throttled != (minute > 83) {
			t.Errorf("minute %d: %g credits, %+v", minute, did.Credits, read.Responses)
		}
	}
}

// What waits for a limit says which one it was.
func TestEachLimitHasAResponseType(t *testing.T) {
	for want, row := range map[string]struct {
		sku      string
		iops     int64
		load     model.Workload
		metadata map[string]float64
	}{
		"SuccessWithShareEgressThrottling":    {"PremiumV2_LRS", 20_000, model.Workload{ReadMiBps: 300}, nil},
		"SuccessWithShareIngressThrottling":   {"PremiumV2_LRS", 20_000, model.Workload{WriteMiBps: 300}, nil},
		"SuccessWithShareIopsThrottling":      {"PremiumV2_LRS", 3000, model.Workload{ReadMiBps: 90, BlockKiB: 4}, nil},
		"SuccessWithMetadataThrottling":       {"PremiumV2_LRS", 20_000, model.Workload{}, map[string]float64{"Close": 15_000}},
		"ClientAccountRequestThrottlingError": {"Standard_LRS", 0, model.Workload{ReadMiBps: 90, BlockKiB: 4}, nil},
	} {
		account := &model.Account{Name: "example", ResourceGroup: "g", Location: "westeurope", Kind: model.FileStorage, SKU: row.sku, Created: epoch}
		share := &model.Share{Name: "share", QuotaGiB: 1024, Load: row.load, Metadata: row.metadata}
		if account.Shares = []*model.Share{share}; row.sku == "Standard_LRS" {
			account.Kind = model.StorageV2
		} else {
			share.IOPS, share.MiBps = row.iops, 100
		}
		fleet := &model.Fleet{Subscriptions: []*model.Subscription{{ID: "00000000-0000-4000-8000-000000000001", Accounts: []*model.Account{account}}}}
		if err := fleet.Complete(); err != nil {
			t.Fatal(err)
		}
		m := model.New(fleet, 1, epoch)
		if got := m.ShareMinute(m.Shares()[0], epoch).Calls[0].Responses; got[0].Type != want || len(got) != 2 {
			t.Errorf("%+v, want %s", got, want)
		}
	}
}

// Where bursts are paid for nothing is throttled, and what is beyond the provision is counted.
func TestPaidBursts(t *testing.T) {
	share := &model.Share{
		Name: "share", QuotaGiB: 1000, PaidBursting: true, Load: model.Workload{ReadMiBps: 500, BlockKiB: 32, Noise: -1},
	}
	account := &model.Account{Name: "example", ResourceGroup: "g", Location: "westeurope", Kind: model.FileStorage, SKU: "Premium_LRS", Created: epoch, Shares: []*model.Share{share}}
	fleet := &model.Fleet{Subscriptions: []*model.Subscription{{ID: "00000000-0000-4000-8000-000000000001", Accounts: []*model.Account{account}}}}
	if err := fleet.Complete(); err != nil {
		t.Fatal(err)
	}
	did := model.New(fleet, 1, epoch).ShareMinute(model.New(fleet, 1, epoch).Shares()[0], epoch)
	if got := did.Calls[0].Responses; len(got) != 1 || got[0].Type != "Success" || did.PaidOperations != 60*(16_000-4000) || did.PaidBytes != 60*(500-200)*(1<<20) {
		t.Errorf("%+v", did)
	}
}

func FuzzParseShares(f *testing.F) {
	f.Add("subscriptions: [{id: 00000000-0000-4000-8000-000000000001, accounts: [{name: example, resource_group: g, location: westeurope, kind: StorageV2, " +
		"sku: Standard_LRS, created: 2026-01-01T00:00:00Z, shares: [{name: a, quota_gib: 100, load: {read_mibps: 1}, metadata: {Create: 1}}]}]}]")
	f.Add("subscriptions: [{id: null}]")
	f.Fuzz(func(t *testing.T, text string) {
		fleet, err := model.Parse("fleet.yml", []byte(text))
		if err != nil {
			return
		}
		m := model.New(fleet, 1, epoch)
		for _, p := range m.Shares() {
			did := m.ShareMinute(p, epoch)
			if !(did.Credits >= 0 && did.MaxIOPS >= 0 && did.MaxMiBps >= 0 && did.Credits <= p.Provision().Credits) {
				t.Fatalf("%+v", did)
			}
		}
	})
}
