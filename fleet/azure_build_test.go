package fleet_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

const account = "exampleaccount"

func accountLabels(name string, more ...string) []string {
	return append([]string{"azure", "azurefiles", "subscription-1", "westeurope", name}, more...)
}

func shareLabels(name string, more ...string) []string {
	return append(accountLabels(account, name), more...)
}

func (r *recorder) account(name, media, billing, multichannel, created, endpoint string) {
	r.add(schema.AccountInfo, 1, accountLabels(name, "files-rg", "FileStorage", "PremiumV2_LRS", media, billing, multichannel, created, endpoint)...)
}

func (r *recorder) share(name, protocol, state string) {
	r.add(schema.ShareInfo, 1, shareLabels(name, protocol, "Premium", state, "2026-01-01T00:00:00Z")...)
}

// minutes records so many newest minutes of a family: the last one has settled just now.
func (r *recorder) minutes(n int, family *schema.Family, value func(i int) float64, labels ...string) {
	now := r.now
	for i := range n {
		r.now = now.Add(-schema.AzureDelay - time.Duration(n-1-i)*schema.AzureGrain)
		r.add(family, value(i), labels...)
	}
	r.now = now
}

func provisioned(r *recorder) {
	r.account(account, "ssd", "v2", "null", "2026-01-01T00:00:00Z", account+".file.core.windows.net")
	r.share("home", "smb", "available")
	for family, value := range map[*schema.Family]float64{
		schema.ShareQuota: 1e12, schema.ShareProvisionedOperations: 3_000, schema.ShareProvisionedThroughput: 2e8,
		schema.ShareBurstOperations: 10_000, schema.ShareBurstCreditsMost: 25_200_000,
	} {
		r.add(family, value, shareLabels("home")...)
	}
}

func TestBuildOfAzure(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	provisioned(r)
	r.share("gone", "smb", "deleted")
	r.add(schema.ShareDowngradeAllowed, float64(start.Unix()), shareLabels("home", "operations")...)
	r.add(schema.AccountLimit, 102_400, accountLabels(account, "operations_per_second")...)
	r.add(schema.SubscriptionFeatureInfo, 1, "azure", "azurefiles", "subscription-1", "Microsoft.Storage/AzurePremiumFilesMetadataCacheFeature", "Registered")
	r.minutes(5, schema.ShareThroughput, constant(10), shareLabels("home", "egress")...)
	r.minutes(5, schema.ShareThroughput, constant(4), shareLabels("home", "ingress")...)
	for api, rate := range map[string]float64{"Create": 100, "Read": 300, "TreeConnect": 1, "ChangeNotify": 2, "Somethingnew": 3} {
		r.minutes(5, schema.ShareOperations, constant(rate), shareLabels("home", api)...)
	}
	for scope, seconds := range map[string]float64{"server": 0.001, "end_to_end": 0.003} {
		r.minutes(5, schema.ShareLatency, constant(seconds), shareLabels("home", "Read", scope)...)
		r.minutes(5, schema.ShareLatency, constant(2*seconds), shareLabels("home", "Create", scope)...)
	}
	r.minutes(16, schema.SharePeakOperations, func(i int) float64 { return 2_000 + float64(i) }, shareLabels("home")...)
	r.minutes(16, schema.SharePeakThroughput, constant(5e7), shareLabels("home")...)
	r.minutes(16, schema.ShareBurstCredits, func(i int) float64 { return 1e6 - 60*float64(i) }, shareLabels("home")...)
	r.minutes(5, schema.ShareResponses, constant(95), shareLabels("home", "Success")...)
	r.minutes(3, schema.ShareResponses, constant(5), shareLabels("home", "SuccessWithShareIopsThrottling")...)
	now := r.now
	r.now = now.Add(-schema.AzureCapacityDelay)
	r.add(schema.ShareUsed, 8e11, shareLabels("home")...)
	r.add(schema.ShareSnapshots, 7, shareLabels("home")...)
	r.now = now

	view := r.build(fleet.Moments(r.times))
	if len(view.Accounts) != 1 || len(view.Accounts[0].Shares) != 1 || len(view.Pools) != 0 {
		t.Fatalf("accounts %+v", view.Accounts)
	}
	a := view.Accounts[0]
	share := a.Shares[0]
	if a.ResourceGroup != "files-rg" || a.Media != "ssd" || a.Billing != "v2" || a.Multichannel != "null" || a.ByUse() || !a.CachingAsked || share.Of != a {
		t.Errorf("account %+v", a)
	}
	if share.Identity.Volume != "home" || share.Identity.Pool != account || share.Protocol != "smb" || !share.LowerAfter["operations"].Equal(start) {
		t.Errorf("share %+v", share)
	}
	working := func(api string) bool {
		return fleet.ClassOf(api) == fleet.APIData || fleet.ClassOf(api) == fleet.APIMetadata
	}
	for what, row := range map[string]struct {
		got  fleet.Value
		want float64
	}{
		"quota": {share.Quota, 1e12}, "operations": {share.IOPS, 3_000}, "throughput": {share.Throughput, 2e8}, "burst": {share.BurstLimit(), 10_000},
		"bucket": {share.Bucket(), 25_200_000}, "most operations of the account": {a.Limits.Operations, 102_400},
		"egress": {share.Load.Egress, 10}, "ingress": {share.Load.Ingress, 4}, "data": {share.Load.Rate(fleet.APIData), 300},
		"metadata": {share.Load.Rate(fleet.APIMetadata), 100}, "session": {share.Load.Rate(fleet.APISession), 1}, "notify": {share.Load.Rate(fleet.APINotify), 2},
		"names that are not known": {share.Load.Rate(fleet.APIOther), 3}, "all": {share.Load.Total(), 406},
		"inside": {share.Load.Latency(share.Load.Server, working), 0.00125}, "whole": {share.Load.Latency(share.Load.EndToEnd, working), 0.00375},
		"newest peak": {share.Load.Recent[15].Peak, 2_015}, "oldest peak": {share.Load.Recent[0].Peak, 2_000}, "credits": {share.Load.Recent[15].Credits, 999_100},
		"used": {share.Used, 8e11}, "snapshots": {share.Snapshots, 7}, "held back": {share.Load.Responses["SuccessWithShareIopsThrottling"][15], 5},
		"utilisation": {share.Utilisation(), 0.25},
	} {
		within(t, what, row.got, row.want)
	}
	unknown(t, "files", share.Files)
	unknown(t, "a minute without such a response", share.Load.Responses["SuccessWithShareIopsThrottling"][12])
	if !share.Throttled() || !share.Load.Told() {
		t.Error("3 % of the requests are held back")
	}
	if at := share.Load.Recent[15].At; !at.Equal(view.At.Add(-schema.AzureDelay)) {
		t.Errorf("newest minute at %s, want the watermark", at)
	}
	for feature, want := range map[string]float64{
		fleet.FeatureShareThrottled: 15.0 / 490, fleet.FeatureShareMetadata: 100, fleet.FeatureShareData: 300, fleet.FeatureShareSession: 1,
		fleet.FeatureShareEgress: 10, fleet.FeatureSharePeakIOPS: 2_015, fleet.FeatureShareDrain: -1, fleet.FeatureShareCredits: 999_100,
	} {
		points, err := r.memory.Instant(context.Background(), view.Query(feature, share.Identity), view.At)
		if err != nil || len(points) != 1 {
			t.Errorf("%s: %d points, %v", feature, len(points), err)
			continue
		}
		within(t, feature, fleet.Value(points[0].Value), want)
	}
}

// Of an account paid by use the service tells sums, with no share's name.
func TestAccountPaidByUse(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	r.account(account, "hdd", "payg", "null", "", account+".file.core.windows.net")
	r.share("home", "smb", "available")
	r.add(schema.AccountLimit, 20_000, accountLabels(account, "operations_per_second")...)
	r.minutes(5, schema.ShareOperations, constant(5_000), shareLabels("", "Read")...)
	r.minutes(5, schema.ShareResponses, constant(5_000), shareLabels("", "Success")...)
	r.minutes(5, schema.ShareResponses, constant(100), shareLabels("", "ClientAccountRequestThrottlingError")...)
	a := r.build(fleet.Moments(r.times)).Accounts[0]
	within(t, "operations of the account", a.Load.Total(), 5_000)
	within(t, "utilisation of its share", a.Shares[0].Utilisation(), 0.25)
	unknown(t, "operations of the share", a.Shares[0].Load.Total())
	unknown(t, "a share that is paid by use does not burst", a.Shares[0].BurstLimit())
	if !a.Shares[0].Throttled() {
		t.Error("the account's throttling is its shares'")
	}
}

func TestChannelsOfAnAccount(t *testing.T) {
	for _, row := range []struct{ media, setting, created, want string }{
		{"ssd", "true", "2020-01-01T00:00:00Z", fleet.ChannelsOn}, {"ssd", "false", "2026-01-01T00:00:00Z", fleet.ChannelsOff},
		{"ssd", "null", "2025-10-23T23:59:59Z", fleet.ChannelsOff}, {"ssd", "null", "2025-10-24T00:00:00Z", fleet.ChannelsExpected},
		{"ssd", "null", "not a time", ""}, {"ssd", "", "2026-01-01T00:00:00Z", ""}, {"hdd", "true", "2026-01-01T00:00:00Z", fleet.ChannelsOff},
	} {
		r := newRecorder(t)
		r.at(0)
		r.account(account, row.media, "v2", row.setting, row.created, "")
		if got := r.build(fleet.Moments(r.times)).Accounts[0].Channels(); got != row.want {
			t.Errorf("%+v: %q", row, got)
		}
	}
}

// What the service does not say of bursts follows from what it publishes (azure.md §2.5).
func TestBurstByTheFormula(t *testing.T) {
	for _, row := range []struct {
		media, billing string
		iops, gib      fleet.Value
		want           float64 // 0: not known
	}{
		{"ssd", "v2", 3_000, 0, 10_000}, {"ssd", "v2", 4_000, 0, 12_000}, {"ssd", "v2", 50_000, 0, 102_400},
		{"hdd", "v2", 1_000, 0, 5_000}, {"hdd", "v2", 20_000, 0, 50_000}, {"ssd", "v1", 36_792, 33_792, 101_376}, {"ssd", "v1", 3_100, 100, 10_000},
		{"ssd", "payg", 1_000, 0, 0}, {"", "v2", 1_000, 0, 0}, {"ssd", "v2", fleet.Unknown, 0, 0},
	} {
		share := &fleet.Share{
			IOPS: row.iops, Quota: row.gib * (1 << 30), Burst: fleet.Unknown, CreditsLimit: fleet.Unknown,
			Of: &fleet.Account{Media: row.media, Billing: row.billing},
		}
		if row.want == 0 {
			unknown(t, "burst", share.BurstLimit())
			continue
		}
		within(t, "burst", share.BurstLimit(), row.want)
		within(t, "bucket", share.Bucket(), (row.want-float64(row.iops))*3600)
		within(t, "ceiling without credits", share.Ceiling(0), float64(row.iops))
		within(t, "ceiling with them", share.Ceiling(1), row.want)
	}
}

// A share that pays for bursts may do more than it was provisioned with, whether or not it has credits left.
func TestPaidBursts(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	provisioned(r)
	r.share("plain", "smb", "available")
	r.add(schema.SharePaidBurstLimit, 102_400, shareLabels("home", "operations_per_second")...)
	r.add(schema.SharePaidBurstLimit, 1e10, shareLabels("home", "throughput_bytes_per_second")...)
	shares := r.build(fleet.Moments(r.times)).Accounts[0].Shares
	within(t, "paid operations", shares[0].Paid.Operations, 102_400)
	within(t, "paid throughput", shares[0].Paid.Throughput, 1e10)
	unknown(t, "paid operations of a share without", shares[1].Paid.Operations)
	unknown(t, "paid throughput of a share without", shares[1].Paid.Throughput)
}

func TestCeilingOfPaidBursts(t *testing.T) {
	moments := make([]fleet.ShareMoment, 5)
	for i := range moments {
		moments[i] = fleet.ShareMoment{Peak: 8_000, PeakBytes: 500 << 20, Credits: 0}
	}
	share := &fleet.Share{IOPS: 4_000, Throughput: 200 << 20, Burst: 10_000, Load: fleet.ShareLoad{Recent: moments}}
	within(t, "utilisation", share.Utilisation(), 2.5)
	share.Paid = fleet.PaidBursts{Operations: 100_000, Throughput: 10_000 << 20}
	within(t, "ceiling", share.Ceiling(0), 100_000)
	within(t, "ceiling of throughput", share.ThroughputCeiling(), 10_000<<20)
	within(t, "utilisation with paid bursts", share.Utilisation(), 0.08)
}

func TestClassOf(t *testing.T) {
	for api, want := range map[string]fleet.APIClass{
		"Read": "data", "read": "data", "PutRange": "data", "GetFile": "data", "Create": "metadata", "Close": "metadata", "QueryDirectory": "metadata",
		"DirectoryOpen": "metadata", "Flush": "metadata", "ChangeNotify": "notify", "SessionSetup": "session", "TreeDisconnect": "session",
		"Unknown": "other", "other": "other", "": "other", "ReadX": "other",
	} {
		if got := fleet.ClassOf(api); got != want {
			t.Errorf("%s is %s, want %s", api, got, want)
		}
	}
	for api, want := range map[string]bool{"Create": true, "close": true, "DeleteFile": true, "DirectoryClose": true, "QueryInfo": false, "Read": false} {
		if fleet.Cacheable(api) != want {
			t.Errorf("%s cacheable: %v", api, !want)
		}
	}
}

func TestSlope(t *testing.T) {
	at := func(minutes ...int) []time.Time {
		times := make([]time.Time, len(minutes))
		for i, m := range minutes {
			times[i] = start.Add(time.Duration(m) * time.Minute)
		}
		return times
	}
	within(t, "a line", fleet.Slope(at(0, 1, 2), []fleet.Value{0, 60, 120}), 1)
	within(t, "with an odd value", fleet.Slope(at(0, 1, 2, 3, 4, 5, 6), []fleet.Value{0, 60, 120, 9e9, 240, 300, 360}), 1)
	within(t, "with a gap", fleet.Slope(at(0, 1, 5), []fleet.Value{0, fleet.Unknown, 300}), 1)
	unknown(t, "one value", fleet.Slope(at(0, 1), []fleet.Value{1, fleet.Unknown}))
	unknown(t, "none", fleet.Slope(nil, nil))
	unknown(t, "no time between", fleet.Slope(at(1, 1), []fleet.Value{1, 2}))
}

// A look over days: quiet minutes are zero where the service told of the share, and unknown where it did not.
func TestDaysOfShares(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	provisioned(r)
	now := r.now
	const weeks = 5
	for minute := 0; minute < weeks*7*24*60; minute += 5 {
		r.now = now.Add(-schema.AzureDelay - time.Duration(minute)*time.Minute)
		switch inWeek := minute < 7*24*60; {
		case inWeek:
			r.add(schema.ShareBurstCreditsRollUp, 25_200_000, shareLabels("home")...)
			if minute < 3.5*24*60 {
				r.add(schema.SharePeakOperationsRollUp, 1_000, shareLabels("home")...)
			}
		case minute < 14*24*60:
			r.add(schema.SharePeakOperationsRollUp, 800, shareLabels("home")...)
		case minute < 14*24*60+5:
			r.add(schema.SharePeakOperationsRollUp, 2_900, shareLabels("home")...)
		}
	}
	for hours := 0; hours < 7*24; hours++ {
		r.now = now.Add(-schema.AzureCapacityDelay - time.Duration(hours)*time.Hour)
		r.add(schema.ShareUsed, 1e12-3600*1e3*float64(hours), shareLabels("home")...)
	}
	r.now = now
	days, err := fleet.LearnDays(context.Background(), r.memory, r.now, fleet.Profile{})
	if err != nil || days.Pools() != 1 {
		t.Fatalf("%d accounts, %v", days.Pools(), err)
	}
	profile := fleet.Moments(r.times)
	profile.Days = days
	view := r.build(profile)
	got := view.Accounts[0].Shares[0].Days
	if !got.Full || !view.DaysAt.Equal(days.At()) {
		t.Errorf("%+v, want a full week", got)
	}
	for what, row := range map[string]struct {
		got  fleet.Value
		want float64
	}{
		"coverage": {got.Coverage, 1}, "p99": {got.Operations.P99, 1_000}, "max": {got.Operations.Max, 1_000}, "p99 before": {got.Operations.Before, 800},
		"peak of 35 days": {got.Operations.Highest(), 2_900}, "throughput that nobody used": {got.Throughput.P99, 0}, "growth": {got.Growth, 1e3},
	} {
		within(t, what, row.got, row.want)
	}
}

func TestSharesWithoutDays(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	provisioned(r)
	days, err := fleet.LearnDays(context.Background(), r.memory, r.now, fleet.Profile{})
	if err != nil {
		t.Fatal(err)
	}
	profile := fleet.Moments(r.times)
	profile.Days = days
	got := r.build(profile).Accounts[0].Shares[0].Days
	unknown(t, "p99 of what was not told", got.Operations.P99)
	unknown(t, "coverage", got.Coverage)
	if got.Full {
		t.Error("full without a sample")
	}
}

func TestJoinOfShares(t *testing.T) {
	const host = account + ".file.core.windows.net"
	for name, row := range map[string]struct {
		server, serverName, export, protocol string
		want                                 string // share, or a part of the reason
	}{
		"SMB":                               {"192.0.2.10", host, `\home`, "smb", "home"},
		"SMB, a directory, any case":        {"192.0.2.10", strings.ToUpper(host), `/Home/ann`, "smb", "home"},
		"NFS":                               {"192.0.2.10", host, "/" + account + "/data", "nfs", "data"},
		"NFS, a directory":                  {"192.0.2.10", host, "/" + account + "/data/a/b", "nfs", "data"},
		"name of a private endpoint":        {"192.0.2.10", account + ".privatelink.file.core.windows.net", "home", "smb", "home"},
		"an account whose name is not told": {"192.0.2.10", "untold.file.core.chinacloudapi.cn", "home", "smb", "share is not"},
		"another cloud's account":           {"192.0.2.10", account + ".file.core.usgovcloudapi.net", "home", "smb", "no volume of the inventory"},
		"sovereign cloud":                   {"192.0.2.10", "govaccount.file.core.usgovcloudapi.net", "gov", "smb", "share is not"},
		"another account":                   {"192.0.2.10", "stranger.file.core.windows.net", "home", "smb", "no volume of the inventory"},
		"address alone":                     {"192.0.2.10", "192.0.2.10", "home", "smb", "no volume of the inventory"},
		"NFS by a bare address":             {"192.0.2.10", "192.0.2.10", "/" + account + "/data/a", "nfs", "data"},
		"NFS by a name of one's own":        {"192.0.2.10", "files.example.com", "/" + account + "/data", "nfs", "data"},
		"address, no such share":            {"192.0.2.10", "", "/" + account + "/other", "nfs", "no volume of the inventory"},
		"address, an SMB share's path":      {"192.0.2.10", "", "/" + account + "/home", "nfs", "no volume of the inventory"},
		"address, a path beneath":           {"192.0.2.10", "", "/srv/" + account + "/data", "nfs", "no volume of the inventory"},
		"SMB by a bare address":             {"192.0.2.10", "", "home", "smb", "an address and a share name no account"},
		"NFS of another account's path":     {"192.0.2.10", host, "/stranger/data", "nfs", "share is not"},
		"NFS root":                          {"192.0.2.10", host, "/", "nfs", "share is not"},
		"NFS account alone":                 {"192.0.2.10", host, "/" + account, "nfs", "share is not"},
		"a share that is not listed":        {"192.0.2.10", host, "new", "smb", "share is not"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecorder(t)
			r.at(0)
			provisioned(r)
			r.share("data", "nfs", "available")
			r.account("govaccount", "ssd", "v2", "null", "", "govaccount.file.core.usgovcloudapi.net")
			r.account("untold", "ssd", "v2", "null", "", "")
			r.mountOf("h", row.server, row.serverName, row.export, row.protocol)
			view := r.build(fleet.Moments(r.times))
			mount := view.Clients[0].Mounts[0]
			if mount.Share != nil {
				if mount.Share.Identity.Volume != row.want || mount.Resource().Volume != row.want || len(mount.Share.MountedBy) != 1 {
					t.Errorf("joined %+v, want %s", mount.Share.Identity, row.want)
				}
				if view.Clients[0].Endpoints[0].Provider != fleet.ProviderAzure {
					t.Error("the endpoint is no Azure one")
				}
				return
			}
			for _, u := range view.Unjoined {
				if u.Resource.Host == "h" && strings.Contains(u.Reason, row.want) {
					return
				}
			}
			t.Errorf("not joined: %+v, want %q", view.Unjoined, row.want)
		})
	}
}

// A mount by the bare address of a private endpoint is joined where another mount shows whose address it is.
func TestJoinByPrivateAddress(t *testing.T) {
	const host, other = account + ".file.core.windows.net", "untold.file.core.windows.net"
	for name, row := range map[string]struct {
		address, export string
		named           []string // mounts of other hosts by these names have the same address
		joined          bool
	}{
		"another host goes by name": {"10.10.2.20", "home", []string{host}, true},
		"over IPv6":                 {"fd00::20", "home", []string{host}, true},
		"nobody goes by name":       {"10.10.2.20", "home", nil, false},
		"a public address":          {"192.0.2.20", "home", []string{host}, false},
		"two accounts, one address": {"10.10.2.20", "home", []string{host, other}, false},
		"no such share":             {"10.10.2.20", "new", []string{host}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecorder(t)
			r.at(0)
			provisioned(r)
			r.account("untold", "ssd", "v2", "null", "", "")
			for i, server := range row.named {
				r.mountOf("named-"+string(rune('a'+i)), row.address, server, "home", "smb")
			}
			r.mountOf("bare", row.address, row.address, row.export, "smb")
			view := r.build(fleet.Moments(r.times))
			for _, client := range view.Clients {
				if joined := client.Mounts[0].Share != nil; client.Host == "bare" && joined != row.joined {
					t.Errorf("joined: %v, want %v; %+v", joined, row.joined, view.Unjoined)
				}
			}
		})
	}
}

// Endpoints know how near their share is to a limit, and that it is held back.
func TestEndpointOfAShare(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	provisioned(r)
	r.minutes(5, schema.SharePeakOperations, constant(8_000), shareLabels("home")...)
	r.minutes(5, schema.ShareResponses, constant(99), shareLabels("home", "Success")...)
	r.mountOf("h", "192.0.2.10", account+".file.core.windows.net", "home", "smb")
	endpoint := r.build(fleet.Moments(r.times)).Clients[0].Endpoints[0]
	within(t, "utilisation", endpoint.VolumeUtilisation, 0.8)
	if endpoint.Throttled || endpoint.Cloud().Volume != "home" {
		t.Errorf("throttled %v, cloud %+v", endpoint.Throttled, endpoint.Cloud())
	}
	r.minutes(5, schema.ShareResponses, constant(1), shareLabels("home", "SuccessWithShareIopsThrottling")...)
	if endpoint = r.build(fleet.Moments(r.times)).Clients[0].Endpoints[0]; !endpoint.Throttled {
		t.Error("1 % held back")
	}
}
