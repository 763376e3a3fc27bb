package detectors

import (
	"time"

	"github.com/nasight/nasight/fleet"
)

// anAccount has shares of provisioned v2 on SSD, unless a test says otherwise. Every number starts as missing.
func anAccount(shares ...*fleet.Share) *fleet.Account {
	account := unknown(&fleet.Account{})
	account.Identity = fleet.Resource{Cloud: "azure", Service: "azurefiles", Project: "subscription-1", Location: "westeurope", Pool: "exampleaccount"}
	account.ResourceGroup, account.Media, account.Billing, account.Multichannel = "files-rg", fleet.MediaSSD, fleet.BillingV2, "null"
	account.Created = time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	account.Load = quietLoad()
	for _, share := range shares {
		name := share.Identity.Volume
		share.Identity, share.Of = account.Identity, account
		share.Identity.Volume = name
		account.Shares = append(account.Shares, share)
	}
	return account
}

// aShare provisions 3,000 operations and 200 MiB/s and is idle, with a full bucket.
func aShare(name string) *fleet.Share {
	share := unknown(&fleet.Share{})
	share.Identity.Volume, share.Protocol = name, fleet.SMB
	share.IOPS, share.Throughput, share.Burst, share.CreditsLimit = tableIOPS, 200*mebibyte, tableBurst, tableBucket
	share.Quota, share.Used, share.Snapshots = 1_000*gibibyte, 100*gibibyte, 1
	share.Load, share.LowerAfter = quietLoad(), map[string]time.Time{}
	share.Days.Full, share.Days.Coverage = true, 1
	for i := range share.Load.Recent {
		share.Load.Recent[i].Credits = tableBucket
	}
	return share
}

func quietLoad() fleet.ShareLoad {
	load := *unknown(&fleet.ShareLoad{})
	load.Operations, load.Server, load.EndToEnd = map[string]fleet.Value{}, map[string]fleet.Value{}, map[string]fleet.Value{}
	load.Responses = map[string][]fleet.Value{}
	for i := range 16 {
		m := *unknown(&fleet.ShareMoment{})
		m.At = noon.Add(time.Duration(i-15) * time.Minute)
		load.Recent = append(load.Recent, m)
	}
	return load
}

// answer puts a response type into every minute, per second.
func answer(load *fleet.ShareLoad, response string, rate fleet.Value) {
	load.Responses[response] = make([]fleet.Value, len(load.Recent))
	for i := range load.Recent {
		load.Responses[response][i] = rate
	}
}

// busy makes a share do so many operations and bytes in the busiest second of every minute.
func busy(share *fleet.Share, operations, bytes, credits fleet.Value) *fleet.Share {
	for i := range share.Load.Recent {
		m := &share.Load.Recent[i]
		m.Peak, m.PeakBytes, m.Credits = operations, bytes, credits
	}
	return share
}

func azureView(accounts ...*fleet.Account) *fleet.Fleet {
	view := cloudView()
	view.Accounts = accounts
	return view
}

// mountShare joins a mount to a share.
func mountShare(share *fleet.Share, mount *fleet.Mount) {
	mount.Share = share
	share.Mounts = append(share.Mounts, mount)
}
