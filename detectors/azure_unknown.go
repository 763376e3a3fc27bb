package detectors

import (
	"github.com/nasight/nasight/fleet"
)

// thinShares are the shares and accounts of which too little is known for the rules that are due. A service that is not used
// tells of no requests, but of burst credits all the same; of shares paid by use it tells by account alone.
func (p *pass) thinShares(due []Clock) []fleet.Resource {
	var thin []fleet.Resource
	for _, account := range p.view.Accounts {
		if account.ByUse() && (Round{Due: due}).due(Minute) && !account.Load.Told() {
			thin = append(thin, account.Resource())
		}
		for _, share := range account.Shares {
			for _, clock := range due {
				if !account.ByUse() && p.thinShare(share, clock) {
					thin = append(thin, share.Resource())
					break
				}
			}
		}
	}
	return thin
}

func (p *pass) thinShare(share *fleet.Share, clock Clock) bool {
	if clock == Daily {
		return !share.Days.Full || !share.Days.Coverage.AtLeast(p.settings.MinimumCoverage)
	}
	return !share.Load.Told()
}

// unknownShares are the conditions of shares of which a number is missing while the share is there.
func (p *pass) unknownShares() []string {
	var ids []string
	for _, account := range p.view.Accounts {
		for _, share := range account.Shares {
			for name, known := range map[Name]bool{
				{HardLimit, VariantCapacity}:    share.Used.Over(share.Quota).Known(),
				{HardLimit, VariantFile}:        len(share.BusiestFile) > 0,
				{HardLimit, VariantSnapshots}:   share.Snapshots.Known(),
				{LimitReached, VariantCredits}:  p.credits(share).Drain.Known(),
				{ClientBound, VariantPlacement}: shareTimes(share).Operation.Known(),
				{MetadataHeavy, VariantShare}:   share.Load.Total().Known(),
				{MetadataHeavy, VariantCeiling}: share.Load.Total().Known(),
				{LimitReached, VariantMetadata}: len(share.Load.Responses) > 0,
				{LimitReached, VariantEgress}:   len(share.Load.Responses) > 0,
				{LimitReached, VariantIngress}:  len(share.Load.Responses) > 0,
			} {
				if !known && !account.ByUse() {
					ids = append(ids, id(name, share.Resource()))
				}
			}
		}
	}
	return ids
}

// azureWindow says what time a number of Azure Files covers; empty for other numbers.
func azureWindow(feature string) string {
	switch feature {
	case fleet.FeatureSharePeakIOPS, fleet.FeatureSharePeakBytes, fleet.FeatureShareCredits, fleet.FeatureShareResponses:
		return "newest minute"
	case fleet.FeatureShareEgress, fleet.FeatureShareIngress, fleet.FeatureShareOperations, fleet.FeatureShareData,
		fleet.FeatureShareMetadata, fleet.FeatureShareSession, fleet.FeatureShareServer, fleet.FeatureShareEndToEnd,
		fleet.FeatureShareAvailability, fleet.FeatureShareThrottled:
		return "newest 5 minutes"
	case fleet.FeatureShareBusiestFile, fleet.FeatureShareBusiestStream:
		return "newest sampled minute"
	case fleet.FeatureClientConcurrency, fleet.FeatureClientChannels, fleet.FeatureClientFiles, fleet.FeatureClientOperations, fleet.FeatureClientThroughput:
		return "sampled minutes of 45"
	case fleet.FeatureShareDrain:
		return "15 minutes"
	case fleet.FeatureShareP99, fleet.FeatureShareIOPSP99, fleet.FeatureShareGrowth:
		return "7 days"
	case fleet.FeatureShareBefore, fleet.FeatureShareIOPSBefore:
		return "the 7 days before"
	case fleet.FeatureShareMax, fleet.FeatureShareIOPSMax:
		return "35 days, as far as history reaches back"
	case fleet.FeatureShareQuota, fleet.FeatureShareIOPS, fleet.FeatureShareThroughput, fleet.FeatureShareBurst,
		fleet.FeatureShareCreditsMost, fleet.FeatureShareUsed, fleet.FeatureShareSnapshots, fleet.FeatureShareFiles,
		fleet.FeatureAccountLimit, fleet.FeatureShareLowerAfter, fleet.FeatureSharePaidBurst:
		return "now"
	}
	return ""
}
