package detectors

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// The commands that change a share, an account or a subscription. nasight prints them and never runs them.

const lowerLater = "It can be lowered again 24 hours after it was raised, no sooner."

func updateShare(share *fleet.Share, flags string) string {
	return fmt.Sprintf("az storage share-rm update --subscription %s -g %s --storage-account %s --name %s %s",
		quote(share.Identity.Project), groupOf(share.Of), quote(share.Identity.Pool), quote(share.Identity.Volume), flags)
}

func groupOf(account *fleet.Account) string {
	if account == nil || account.ResourceGroup == "" {
		return "RESOURCE_GROUP"
	}
	return quote(account.ResourceGroup)
}

func accountChannels(account *fleet.Account) string {
	if account == nil {
		return "az storage account file-service-properties update -g RESOURCE_GROUP -n ACCOUNT --enable-smb-multichannel true"
	}
	return fmt.Sprintf("az storage account file-service-properties update --subscription %s -g %s -n %s --enable-smb-multichannel true",
		quote(account.Identity.Project), groupOf(account), quote(account.Identity.Pool))
}

// moreForShare is what helps a share that is at a limit of its own.
func (p *pass) moreForShare(share *fleet.Share, variant string) []Remedy {
	spread := Remedy{ByHand: handWork, What: "Or spread the data over several shares, or the work over more time."}
	switch {
	case variant == VariantMetadata:
		return append(shareMetadataRemedy(share), spread)
	case share.Of.ByUse():
		return moreForAccount(share.Of)
	case share.Of.Billing == fleet.BillingV1:
		return append(p.largerShare(share, variant), spread)
	}
	flag, what := fmt.Sprintf("--provisioned-iops %.0f", p.wantedIOPS(share)), fmt.Sprintf("Provision %.0f operations per second.", p.wantedIOPS(share))
	if variant != VariantIOPS {
		flag, what = fmt.Sprintf("--provisioned-bandwidth-mibps %.0f", p.wantedMiBps(share)), fmt.Sprintf("Provision %.0f MiB/s.", p.wantedMiBps(share))
	}
	return []Remedy{{What: what, Command: updateShare(share, flag), Caveat: "Costs money from the moment that it is set. " + lowerLater}, spread}
}

// wantedIOPS is a fifth over the most that is known to be wanted: what a limit cuts off is not seen, so the limit counts as used.
func (p *pass) wantedIOPS(share *fleet.Share) float64 {
	return p.wanted(share.Of.Limits.Operations, share.IOPS, share.Days.Operations.P99, lastShareMoment(share.Load).Peak)
}

func (p *pass) wantedMiBps(share *fleet.Share) float64 {
	limit := share.Of.Limits.Throughput / mebibyte
	return p.wanted(limit, share.Throughput/mebibyte, share.Days.Throughput.P99/mebibyte, lastShareMoment(share.Load).PeakBytes/mebibyte)
}

func (p *pass) wanted(most fleet.Value, used ...fleet.Value) float64 {
	highest := 0.0
	for _, value := range used {
		highest = max(highest, value.Or(0))
	}
	return min(math.Ceil(p.settings.Share.Headroom*highest-1e-9), most.Or(math.Inf(1)))
}

// largerShare: on provisioned v1 operations and throughput come with size.
func (p *pass) largerShare(share *fleet.Share, variant string) []Remedy {
	gib := p.wantedIOPS(share) - 3000
	if variant != VariantIOPS {
		gib = (p.wantedMiBps(share) - 100) / 0.1
	}
	gib = max(gib, math.Ceil(float64(share.Quota/gibibyte)))
	larger := []Remedy{
		{
			What:    fmt.Sprintf("Make the share %.0f GiB large: a GiB brings an operation per second and 0.1 MiB/s.", gib),
			Command: updateShare(share, fmt.Sprintf("--quota %.0f", gib)), Caveat: "Costs money from the moment that it is set. " + lowerLater,
		},
		{
			What: "Or let the share burst for money.", Command: updateShare(share, "--paid-bursting-enabled true"),
			Caveat: "What is used beyond what is provisioned is billed.",
		},
	}
	if share.Paid.Operations.Above(0) {
		return larger[:1]
	}
	return larger
}

func moreForAccount(account *fleet.Account) []Remedy {
	spread := Remedy{ByHand: handCopy, What: "Move shares to other storage accounts: the limit is the account's.", Caveat: "Clients have to mount the new account's name."}
	if !account.ByUse() {
		return []Remedy{spread}
	}
	return []Remedy{spread, {
		ByHand: handCopy,
		What:   "Or move them to an account with provisioned shares, each of which has limits of its own.",
		Caveat: "A copy to a new account: shares do not change their way of paying in place.",
	}}
}

// shareMetadataRemedy is what helps a share whose work is opens and closes.
func shareMetadataRemedy(share *fleet.Share) []Remedy {
	fewer := Remedy{ByHand: handWork, What: "Open and close fewer files, keep them open, or spread them over several shares."}
	if share.Protocol != fleet.SMB {
		return []Remedy{fewer}
	}
	disk := Remedy{ByHand: handWork, What: "For a single writer keep the files in a disk image (VHD) on the share.", Caveat: "One client at a time can use it."}
	if share.Of.Media != fleet.MediaSSD || share.Of.CachingAsked {
		return []Remedy{fewer, disk}
	}
	return []Remedy{{
		What: "Register the subscription for metadata caching: 30 % less time for opens and closes, and a ceiling of 35,000 instead of 12,000 a second.",
		Command: "Register-AzProviderFeature -FeatureName AzurePremiumFilesMetadataCacheFeature -ProviderNamespace Microsoft.Storage\n" +
			"# or: az feature register --namespace Microsoft.Storage --name AzurePremiumFilesMetadataCacheFeature --subscription " + quote(share.Identity.Project),
		Caveat: "Costs nothing. Concerns the whole subscription; the service's page says what to write to whom after it. No property tells when it is active.",
	}, fewer, disk}
}
