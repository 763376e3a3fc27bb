package detectors

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
)

func found(view *fleet.Fleet) []Finding { return Evaluate(view, DefaultSettings()) }

// says checks that a finding's command and words hold what they have to.
func says(t *testing.T, f Finding, words ...string) {
	t.Helper()
	text := f.Summary
	for _, r := range f.Remedy {
		text += "\n" + r.What + "\n" + r.Command + "\n" + r.Caveat
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%s lacks %q:\n%s", f.Name(), word, text)
		}
	}
}

func TestAnIdleShareIsHealthy(t *testing.T) {
	if list := found(azureView(anAccount(aShare("home")))); len(list) != 0 {
		t.Errorf("found %v", names(list))
	}
}

// Row 4 of §5 through the view: no credits, 600 of 3,000 requests a second held back.
func TestShareAtItsOperations(t *testing.T) {
	share := busy(aShare("home"), 3_000, 20*mebibyte, 0)
	answer(&share.Load, "Success", 2_400)
	answer(&share.Load, "KerberosSuccessWithShareIopsThrottling", 600)
	client := aClient(anEndpoint(aMount()))
	mountShare(share, client.Mounts[0])
	view := azureView(anAccount(share))
	view.Clients = []*fleet.Client{client}
	f := only(t, found(view), "limit_reached/iops")
	if f.Severity != Critical || f.Resource != share.Identity || f.Confidence < 0.9 || len(f.Affects) != 1 {
		t.Errorf("%+v", f)
	}
	says(t, f, "Share home of account exampleaccount is at its limit of operations, 3000 op/s", "20 % of the requests", "100 % of it",
		"az storage share-rm update --subscription subscription-1 -g files-rg --storage-account exampleaccount --name home --provisioned-iops 3600", "24 hours")
	share.Load.Recent[15].Credits = 1
	if f = only(t, found(view), "limit_reached/iops"); strings.Contains(f.Summary, "op/s") && !strings.Contains(f.Summary, "10000 op/s") {
		t.Errorf("with credits the limit is the burst: %s", f.Summary)
	}
}

func TestShareLimitsByVariant(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*fleet.Share)
		want   []string
	}{
		"throughput near":           {func(s *fleet.Share) { busy(s, 1_000, 180*mebibyte, tableBucket) }, []string{"limit_reached/throughput"}},
		"throughput not near":       {func(s *fleet.Share) { busy(s, 1_000, 179*mebibyte, tableBucket) }, nil},
		"provisioned but bursting":  {func(s *fleet.Share) { busy(s, 3_000, 0, tableBucket) }, nil},
		"near the burst":            {func(s *fleet.Share) { busy(s, 9_000, 0, tableBucket) }, []string{"limit_reached/iops"}},
		"near provisioned, no more": {func(s *fleet.Share) { busy(s, 2_700, 0, 0) }, []string{"limit_reached/iops"}},
		"credits not known":         {func(s *fleet.Share) { busy(s, 3_000, 0, fleet.Unknown) }, nil},
		"burst by the formula":      {func(s *fleet.Share) { busy(s, 9_000, 0, tableBucket).Burst = fleet.Unknown }, []string{"limit_reached/iops"}},
		"egress": {func(s *fleet.Share) {
			answer(&s.Load, "Success", 500)
			answer(&s.Load, "SuccessWithShareEgressThrottling", 10)
		}, []string{"limit_reached/egress"}},
		"ingress": {func(s *fleet.Share) {
			answer(&s.Load, "Success", 500)
			answer(&s.Load, "ClientShareIngressThrottlingError", 6)
		}, []string{"limit_reached/ingress"}},
		"metadata": {func(s *fleet.Share) {
			answer(&s.Load, "Success", 500)
			answer(&s.Load, "SuccessWithMetadataThrottling", 6)
		}, []string{"limit_reached/metadata"}},
		"hardly any work": {func(s *fleet.Share) {
			answer(&s.Load, "Success", 20)
			answer(&s.Load, "SuccessWithShareIopsThrottling", 6)
		}, nil},
	} {
		share := aShare("home")
		row.change(share)
		got := names(found(azureView(anAccount(share))))
		if !slices.Equal(got, row.want) && len(got)+len(row.want) > 0 {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

func TestCreditsFinding(t *testing.T) {
	share := busy(aShare("home"), 8_000, 0, 0)
	for i := range share.Load.Recent {
		share.Load.Recent[i].Credits = 15e6 + fleet.Value(15-i)*300_000
	}
	f := only(t, found(azureView(anAccount(share))), "limit_reached/credits")
	if f.Severity != Warning || f.Confidence != 1 {
		t.Errorf("%s with confidence %v, want a sure warning", f.Severity, f.Confidence)
	}
	if rank(f.Name()) != unranked || rank(Name{LimitReached, VariantIOPS}) != 1 {
		t.Error("credits that last yet are no root cause")
	}
	says(t, f, "gone in 50 minutes", "3000 op/s instead of up to 10000 op/s", "--provisioned-iops 9600")
	for _, e := range f.Evidence {
		if e.Name == "burst credits spent" && (e.Value != 5_000 || e.Query == "" || e.Window != "15 minutes") {
			t.Errorf("evidence %+v", e)
		}
	}
}

// A share that pays for bursts is at no limit of what it was provisioned with, and needs no credits.
func TestShareThatPaysForBursts(t *testing.T) {
	share := busy(aShare("projects"), 2.9*tableIOPS, 250*mebibyte, 0)
	for i := range share.Load.Recent {
		share.Load.Recent[i].Credits = 3e6 - fleet.Value(i)*1e5 // gone in minutes
	}
	view := azureView(anAccount(share))
	for _, name := range []string{"limit_reached/throughput", "limit_reached/credits"} {
		only(t, Evaluate(view, DefaultSettings()), name)
	}
	share.Paid = fleet.PaidBursts{Operations: 102_400, Throughput: 10_340 * mebibyte}
	if found := names(Evaluate(view, DefaultSettings())); len(found) != 0 {
		t.Errorf("found %v", found)
	}
}

// Of shares paid by use the account is judged, and no share of it.
func TestAccountPaidByUse(t *testing.T) {
	share := aShare("home")
	account := anAccount(share, aShare("other"))
	account.Billing, account.Media, account.Limits.Operations = fleet.BillingByUse, fleet.MediaHDD, 20_000
	answer(&account.Load, "Success", 17_000)
	view := azureView(account)
	if list := found(view); len(list) != 0 {
		t.Errorf("17,000 of 20,000: %v", names(list))
	}
	answer(&account.Load, "Success", 18_000)
	f := only(t, found(view), "limit_reached/iops")
	if f.Resource != account.Identity || f.Severity != Warning {
		t.Errorf("%+v", f)
	}
	answer(&account.Load, "ClientAccountRequestThrottlingError", 180)
	f = only(t, found(view), "limit_reached/iops")
	says(t, f, "the service does not tell them apart", "Move shares to other storage accounts")
	answer(&account.Load, "ClientAccountBandwidthThrottlingError", 600)
	if f = only(t, found(view), "limit_reached/throughput"); f.Severity != Critical {
		t.Errorf("%s, want critical: 3 %% of the requests fail", f.Severity)
	}
	account.Billing, account.Media = fleet.BillingV1, fleet.MediaSSD
	account.Load = quietLoad()
	for _, share := range account.Shares {
		share.IOPS, share.Burst = 20_000, 60_000
		answer(&share.Load, "Success", 9_500)
	}
	if f = only(t, found(view), "limit_reached/iops"); f.Resource != account.Identity {
		t.Errorf("an account that has less than its shares together: %+v", f.Resource)
	}
}

// Rows 1, 5, 6 and 7 of §4 through the view, with what the hosts see.
func TestMetadataOfAShare(t *testing.T) {
	share := aShare("home")
	share.Load.Operations = map[string]fleet.Value{"Create": 1_200, "Close": 1_200, "QueryInfo": 800, "Read": 800, "SessionSetup": 50, "Negotiate": 50}
	share.Load.Server = map[string]fleet.Value{"Create": 4 * ms, "Close": 4 * ms, "QueryInfo": 4 * ms, "Read": 2 * ms, "SessionSetup": 1}
	account := anAccount(share)
	view := azureView(account)
	f := only(t, found(view), "metadata_heavy/share")
	if f.Severity != Info || f.Gain == nil || f.Gain.High < 0.199 || f.Gain.High > 0.201 {
		t.Errorf("%s, gain %+v; want 20 %% of the mean latency", f.Severity, f.Gain)
	}
	says(t, f, "80 % of the operations", "3200 op/s of 4000 op/s", "AzurePremiumFilesMetadataCacheFeature", "--subscription subscription-1")

	client := aClient(anEndpoint(aMount()))
	mount := client.Mounts[0]
	mount.Protocol, mount.Options = fleet.SMB, "rw,actimeo=0"
	mount.Classes = map[string]fleet.Class{"open": {Rate: 2_000, RTT: 4 * ms, Execute: 4 * ms}, "read": {Rate: 100, RTT: ms, Execute: ms}}
	mountShare(share, mount)
	view.Clients = []*fleet.Client{client}
	list := found(view)
	says(t, only(t, list, "metadata_heavy/share"), "comes from client.example.com: 2000 op/s", "actimeo=0")
	count := 0
	for _, f := range list {
		if f.Detector == MetadataHeavy {
			count++
		}
	}
	if count != 1 {
		t.Errorf("%v: the share's finding speaks for its mount", names(list))
	}

	view.Clients = nil
	share.Load.Operations = map[string]fleet.Value{"Create": 7_200, "Read": 22_800}
	if f = only(t, found(view), "metadata_heavy/ceiling"); f.Severity != Warning {
		t.Errorf("60 %% of 12,000: %s", f.Severity)
	}
	account.CachingAsked = true
	if list = found(view); len(list) != 0 {
		t.Errorf("registered, 20 %% of 35,000: %v", names(list))
	}
	answer(&share.Load, "Success", 30_000)
	answer(&share.Load, "SuccessWithMetadataWarning", 1)
	if f = only(t, found(view), "metadata_heavy/ceiling"); f.Severity != Warning {
		t.Errorf("warnings: %s", f.Severity)
	}
	answer(&share.Load, "SuccessWithMetadataThrottling", 1)
	if f = only(t, found(view), "metadata_heavy/ceiling"); f.Severity != Critical {
		t.Errorf("throttling: %s", f.Severity)
	}
	for i := range 14 {
		share.Load.Responses["SuccessWithMetadataWarning"][i], share.Load.Responses["SuccessWithMetadataThrottling"][i] = 0, 0
	}
	if list = found(view); len(list) != 0 {
		t.Errorf("two minutes of five: %v", names(list))
	}
}

// Rows 8 and 10 of §4, and what is no metadata.
func TestMetadataNotEligible(t *testing.T) {
	share := aShare("home")
	share.Load.Operations = map[string]fleet.Value{"Create": 2_400, "QueryInfo": 800, "Read": 800}
	account := anAccount(share)
	account.Media = fleet.MediaHDD
	f := only(t, found(azureView(account)), "metadata_heavy/share")
	if says(t, f, "not eligible"); strings.Contains(f.Remedy[0].Command, "Register") {
		t.Errorf("advice for HDD: %+v", f.Remedy)
	}
	account.Media, share.Protocol = fleet.MediaSSD, fleet.NFS
	f = only(t, found(azureView(account)), "metadata_heavy/share")
	says(t, f, "not eligible", "35000 op/s")
	share.Load.Operations = map[string]fleet.Value{"other": 5_000, "Unknown": 100, "Read": 800}
	if list := found(azureView(account)); len(list) != 0 {
		t.Errorf("names that say nothing: %v", names(list))
	}
	share.Load.Operations = map[string]fleet.Value{"ChangeNotify": 3_000, "Create": 100, "Read": 800}
	if list := found(azureView(account)); len(list) != 0 {
		t.Errorf("a storm of change notifications: %v", names(list))
	}
}

// 7c on a share: what the service tells of all its clients together.
func TestPlacementOfAShare(t *testing.T) {
	for _, row := range []struct {
		whole, inside fleet.Value
		fires         bool
	}{{2.4 * ms, 0.6 * ms, true}, {0.9 * ms, 0.6 * ms, false}, {1.0 * ms, 0.5 * ms, true}, {0.98 * ms, 0.49 * ms, false}, {8 * ms, 7.2 * ms, false}} {
		share := aShare("home")
		share.Load.Operations = map[string]fleet.Value{"Read": 1_000, "ChangeNotify": 10}
		share.Load.EndToEnd = map[string]fleet.Value{"Read": row.whole, "ChangeNotify": 60}
		share.Load.Server = map[string]fleet.Value{"Read": row.inside, "ChangeNotify": 0.001}
		list := found(azureView(anAccount(share)))
		if fires := !without(list, "client_bound/placement"); fires != row.fires {
			t.Errorf("%v of which %v inside: %v", row.whole, row.inside, names(list))
		}
	}
}

// A mount whose own times show it needs no second finding of its share.
func TestPlacementOfAMountOfAShare(t *testing.T) {
	share := aShare("home")
	share.Load.Operations, share.Load.EndToEnd = map[string]fleet.Value{"Read": 1_000}, map[string]fleet.Value{"Read": 2.4 * ms}
	share.Load.Server = map[string]fleet.Value{"Read": 0.6 * ms}
	client := aClient(anEndpoint(aMount()))
	client.Mounts[0].Classes = map[string]fleet.Class{"read": {Rate: 1_000, RTT: 2.4 * ms, Execute: 2.4 * ms}}
	mountShare(share, client.Mounts[0])
	view := azureView(anAccount(share))
	view.Clients = []*fleet.Client{client}
	var on []string
	for _, f := range found(view) {
		if f.Name().String() == "client_bound/placement" {
			on = append(on, f.Resource.Host+"/"+f.Resource.Volume)
		}
	}
	if !slices.Equal(on, []string{"client.example.com/home"}) {
		t.Errorf("findings on %v, want the mount's alone", on)
	}
}

func TestSpaceOfAShare(t *testing.T) {
	share := aShare("home")
	share.Used, share.Snapshots = 960*gibibyte, 185
	view := azureView(anAccount(share))
	f := only(t, found(view), "hard_limit/capacity")
	if f.Severity != Critical {
		t.Errorf("%s, want critical at .96", f.Severity)
	}
	says(t, f, "96 % full", "az storage share-rm update --subscription subscription-1 -g files-rg --storage-account exampleaccount --name home --quota 1200")
	says(t, only(t, found(view), "hard_limit/snapshots"), "185 of the 200", "--include-snapshot")
	share.Used, share.Days.Growth = 300*gibibyte, 140*gibibyte/86_400.0
	says(t, only(t, found(view), "hard_limit/capacity"), "5 days")
}

// idle is a share that provisions much more than it was seen to use.
func provisioned() *fleet.Share {
	share := aShare("home")
	share.IOPS, share.Throughput = 20_000, 1_000*mebibyte
	share.Days.Operations = fleet.ShareUse{P99: 2_000, Before: 2_000, Max: 2_500, Peak: 5_000}
	share.Days.Throughput = fleet.ShareUse{P99: 300 * mebibyte, Before: 300 * mebibyte, Max: 350 * mebibyte, Peak: 400 * mebibyte}
	return share
}

func TestProvisionedAndIdle(t *testing.T) {
	share := provisioned()
	view := azureView(anAccount(share))
	f := only(t, found(view), "pool_throughput_unused/allocated_unused")
	if f.WasteUSDPerMonth != nil || f.Severity != Info || f.Confidence < 0.9 {
		t.Errorf("waste %v without prices, %s, %v", f.WasteUSDPerMonth, f.Severity, f.Confidence)
	}
	says(t, f, "--provisioned-iops 5000 --provisioned-bandwidth-mibps 400", "24 hours have passed")
	share.LowerAfter["operations"] = noon.Add(5 * time.Hour)
	says(t, only(t, found(view), "pool_throughput_unused/allocated_unused"), "Allowed from 2026-11-30T17:00:00Z on")

	settings := DefaultSettings()
	settings.Prices = []PriceRow{
		{Cloud: "azure", Service: "azurefiles", Level: "ssd", Item: "iops", USD: 0.01, Unit: "IOPS-month", Date: "2026-09-21"},
		{Cloud: "azure", Service: "azurefiles", Level: "ssd", Item: "throughput", USD: 0.0001, Unit: "MiB/s-hour", Date: "2026-09-21"},
	}
	f = only(t, Evaluate(view, settings), "pool_throughput_unused/allocated_unused")
	if f.WasteUSDPerMonth == nil || *f.WasteUSDPerMonth < 193.79 || *f.WasteUSDPerMonth > 193.81 { // 15,000 × 0.01 + 600 × 0.073
		t.Errorf("waste %v, want 193.80", f.WasteUSDPerMonth)
	}
	settings.Prices[0].USD = 0.0001
	if list := Evaluate(view, settings); len(list) != 0 {
		t.Errorf("45 USD a month: %v", names(list))
	}
	settings.Prices[0].Level, settings.Prices[1].Level = "hdd", "hdd"
	if f = only(t, Evaluate(view, settings), "pool_throughput_unused/allocated_unused"); f.WasteUSDPerMonth != nil {
		t.Errorf("prices of HDD on SSD: %v", *f.WasteUSDPerMonth)
	}
}

func TestProvisionedAndNotIdle(t *testing.T) {
	for name, change := range map[string]func(*fleet.Share){
		"a month's end needs it":         func(s *fleet.Share) { s.Days.Operations.Peak, s.Days.Throughput.Peak = 19_000, 900*mebibyte },
		"too little is known":            func(s *fleet.Share) { s.Days.Coverage = 0.79 },
		"not yet a week":                 func(s *fleet.Share) { s.Days.Full = false },
		"nothing was looked at":          func(s *fleet.Share) { s.Days = *unknown(&fleet.ShareDays{}) },
		"no less can be provisioned":     func(s *fleet.Share) { s.IOPS, s.Throughput = 3_000, 100*mebibyte },
		"paid by use has no such number": func(s *fleet.Share) { s.IOPS, s.Throughput = fleet.Unknown, fleet.Unknown },
	} {
		share := provisioned()
		change(share)
		if list := found(azureView(anAccount(share))); len(list) != 0 {
			t.Errorf("%s: %v", name, names(list))
		}
	}
}

// On v1 size decides: only a share that can be smaller is worth a word.
func TestProvisionedV1(t *testing.T) {
	share := provisioned()
	share.Quota, share.Used = 17_000*gibibyte, 1_000*gibibyte
	account := anAccount(share)
	account.Billing = fleet.BillingV1
	f := only(t, found(azureView(account)), "pool_throughput_unused/auto_qos")
	says(t, f, "--quota 3000") // (400 − 100) / 0.1 MiB/s per GiB
	share.Used = 15_000 * gibibyte
	if list := found(azureView(account)); !without(list, "pool_throughput_unused/auto_qos") {
		t.Errorf("the data need the size: %v", names(list))
	}
}

// 3c with what the account says: off, on, or never set.
func TestChannelsOfAnAccount(t *testing.T) {
	since := time.Date(2025, 10, 24, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		setting string
		created time.Time
		media   string
		fires   bool
		words   string
		first   string
	}{
		{"null", since.Add(-time.Second), fleet.MediaSSD, true, "it was never set", "az storage account file-service-properties update --subscription subscription-1 -g files-rg -n exampleaccount --enable-smb-multichannel true"},
		{"null", since, fleet.MediaSSD, true, "Make sure that multichannel is on", "az storage account"},
		{"null", time.Time{}, fleet.MediaSSD, true, "", "az storage account"},
		{"false", since, fleet.MediaSSD, true, "Multichannel is off for storage account exampleaccount.", "az storage account"},
		{"true", since.Add(-time.Hour), fleet.MediaSSD, true, "", "umount"},
		{"true", since, fleet.MediaHDD, false, "", ""},
	} {
		mount := aMount()
		mount.Protocol, mount.Export = fleet.SMB, "home"
		mount.Classes = map[string]fleet.Class{"read": {Rate: 500, RTT: 20 * ms, Execute: 20 * ms}}
		mount.ReadRate, mount.WriteRate, mount.FilesInUse = 500*64*kib, 0, 10
		endpoint := anEndpoint(mount)
		endpoint.Protocol, endpoint.Provider = fleet.SMB, fleet.ProviderAzure
		endpoint.SMB.Channels, endpoint.SMB.Concurrency, endpoint.SMB.Dialect = 1, 32, "3.1.1"
		account := anAccount(aShare("home"))
		account.Multichannel, account.Created, account.Media = row.setting, row.created, row.media
		mountShare(account.Shares[0], mount)
		view := azureView(account)
		view.Clients = []*fleet.Client{aClient(endpoint)}
		list := found(view)
		if fires := !without(list, "smb_multichannel/missing"); fires != row.fires {
			t.Errorf("%s of %s on %s: %v", row.setting, row.created, row.media, names(list))
			continue
		}
		if row.fires {
			f := only(t, list, "smb_multichannel/missing")
			if says(t, f, row.words); !strings.HasPrefix(f.Remedy[0].Command, row.first) {
				t.Errorf("%s of %s: first %q, want %q", row.setting, row.created, f.Remedy[0].Command, row.first)
			}
		}
	}
}

// What is not told is neither healthy nor over.
func TestSharesThatAreNotJudged(t *testing.T) {
	silent, byUse := aShare("silent"), aShare("a")
	silent.Load = quietLoad()
	account, used := anAccount(silent, aShare("told")), anAccount(byUse)
	used.Billing, used.Identity.Pool = fleet.BillingByUse, "byuse"
	round := Judge(azureView(account, used), DefaultSettings(), Minute)
	if !slices.Contains(round.Unjudged, silent.Identity) || !slices.Contains(round.Unjudged, used.Identity) || len(round.Unjudged) != 2 {
		t.Errorf("unjudged %+v, want the silent share and the silent account", round.Unjudged)
	}
	told := account.Shares[1]
	told.Used = fleet.Unknown
	round = Judge(azureView(account), DefaultSettings(), Minute)
	if !slices.Contains(round.Unknown, id(Name{HardLimit, VariantCapacity}, told.Identity)) {
		t.Errorf("unknown %v lacks the space", round.Unknown)
	}
	told.Days.Coverage = 0.5
	if round = Judge(azureView(account), DefaultSettings(), Daily); !slices.Contains(round.Unjudged, told.Identity) {
		t.Errorf("unjudged %v lacks the share that half a week is known of", round.Unjudged)
	}
}
