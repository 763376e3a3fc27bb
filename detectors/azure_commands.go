package detectors

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// The commands that change a share, an account or a subscription. nasight prints them and never runs them.

const lowerLater = "It can be lowered again 24 hours after it was raised, no sooner."

func updateShare(share *fleet.Share, flags string) string {
	return ofShare(share, fmt.Sprintf("az storage share-rm update --subscription %s -g %s --storage-account %s --name %s %s",
		quote(share.Identity.Project), groupOf(share.Of), quote(share.Identity.Pool), quote(share.Identity.Volume), flags))
}

// ofShare is a command for a share, with what has to be said before it.
func ofShare(share *fleet.Share, command string) string {
	group := ""
	if share.Of != nil {
		group = share.Of.ResourceGroup
	}
	return WithGroup(group, share.Identity.Project, share.Identity.Pool, typeStorage, command)
}

func groupOf(account *fleet.Account) string {
	if account == nil {
		return unknownGroup
	}
	return Group(account.ResourceGroup)
}

// accountChannels switches multichannel on for an account: that of the inventory, else one of which the name alone is known.
func accountChannels(account *fleet.Account, name string) string {
	const update = "az storage account file-service-properties update"
	if account != nil {
		return WithGroup(account.ResourceGroup, account.Identity.Project, account.Identity.Pool, typeStorage, fmt.Sprintf("%s --subscription %s -g %s -n %s --enable-smb-multichannel true",
			update, quote(account.Identity.Project), groupOf(account), quote(account.Identity.Pool)))
	}
	if name != "" {
		return WithGroup("", "", name, typeStorage, fmt.Sprintf("%s -g %s -n %s --enable-smb-multichannel true", update, unknownGroup, quote(name)))
	}
	return "# Not ready to run: neither the storage account nor its resource group is known here: the server goes by an address or a name of its own. To see those there are:\n" +
		"# az storage account list --query '[].[name, resourceGroup]' --output table\n" + update + " -g " + unknownGroup + " -n ACCOUNT --enable-smb-multichannel true"
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
		return append(p.largerShare(share), spread)
	}
	set := Setting{Resource: share.Identity, Property: SetOperations, To: p.wantedIOPS(share)}
	flag, what := fmt.Sprintf("--provisioned-iops %.0f", set.To), fmt.Sprintf("Provision %.0f operations per second.", set.To)
	if variant != VariantIOPS {
		set.Property, set.To = SetThroughput, p.wantedMiBps(share)
		flag, what = fmt.Sprintf("--provisioned-bandwidth-mibps %.0f", set.To), fmt.Sprintf("Provision %.0f MiB/s.", set.To)
	}
	set.Command = updateShare(share, flag)
	return []Remedy{{What: what, Command: set.Command, Caveat: "Costs money from the moment that it is set. " + lowerLater, Sets: []Setting{set}}, spread}
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

// sizeV1 is the size in GiB with which a share of provisioned v1 has what a limit holds it back from: a GiB brings an operation per
// second and a tenth of a MiB/s.
func (p *pass) sizeV1(share *fleet.Share, variant string) float64 {
	gib := p.wantedIOPS(share) - leastIOPSSSD
	if variant != VariantIOPS && variant != VariantCredits {
		gib = (p.wantedMiBps(share) - leastMiBpsSSD) / 0.1
	}
	return gib
}

// shareSize is how large a share has to be by all that is advised of it: for its data, and on provisioned v1, where operations and
// throughput come with size, for each limit that holds it back. 0 where nothing asks for it.
func (p *pass) shareSize(share *fleet.Share) float64 {
	gib := 0.0
	if p.spaceOf(share).Severity != 0 {
		gib = p.spaceGiB(share)
	}
	if share.Of.Billing == fleet.BillingV1 {
		for variant := range p.nearShare[share] {
			if variant != VariantMetadata {
				gib = max(gib, p.sizeV1(share, variant))
			}
		}
		if p.credits(share).Severity != 0 {
			gib = max(gib, p.sizeV1(share, VariantCredits))
		}
	}
	if gib == 0 {
		return 0
	}
	return math.Ceil(max(gib, float64(share.Quota.Or(0)/gibibyte)) - 1e-9)
}

// shareOfSize is the remedy that gives a share another size.
func shareOfSize(share *fleet.Share, gib float64, what, caveat string) Remedy {
	command := updateShare(share, fmt.Sprintf("--quota %.0f", gib))
	return Remedy{What: what, Command: command, Caveat: caveat, Sets: []Setting{{Resource: share.Identity, Property: SetSize, To: gib, Command: command}}}
}

// largerShare: on provisioned v1 operations and throughput come with size.
func (p *pass) largerShare(share *fleet.Share) []Remedy {
	gib := p.shareSize(share)
	larger := []Remedy{
		shareOfSize(share, gib, fmt.Sprintf("Make the share %.0f GiB large: a GiB brings an operation per second and 0.1 MiB/s.", gib), "Costs money from the moment that it is set. "+lowerLater),
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
