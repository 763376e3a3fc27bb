package detectors

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// shareMetadata is the metadata load of a share as its service tells it.
func (p *pass) shareMetadata(share *fleet.Share) MetadataLoad {
	metadata := func(api string) bool { return fleet.ClassOf(api) == fleet.APIMetadata }
	load := share.Load
	l := MetadataLoad{
		Total: fleet.Unknown, Metadata: load.Rate(fleet.APIMetadata), Cacheable: fleet.Unknown, Outstanding: fleet.Unknown,
		MetadataLatency: load.Latency(load.Server, metadata), MeanLatency: load.Latency(load.Server, fleet.Working),
		Provider: fleet.ProviderAzure,
		Warnings: held5(load, "MetadataWarning", p.settings.Share), Throttled: held5(load, "MetadataThrottling", p.settings.Share),
	}
	for _, api := range slices.Sorted(maps.Keys(load.Operations)) { // the sum is the same to the last bit each time
		rate := load.Operations[api]
		if fleet.ClassOf(api) != fleet.APISession {
			l.Total = l.Total.Plus(rate)
		}
		if fleet.Cacheable(api) {
			l.Cacheable = l.Cacheable.Plus(rate)
		}
		if seconds, ok := load.EndToEnd[api]; ok && metadata(api) && seconds.Known() && rate.Above(0) {
			l.Outstanding = l.Outstanding.Plus(rate * seconds)
		}
	}
	l.watch(load.Rate(fleet.APINotify))
	return l.on(share)
}

// on puts in what a share's account says.
func (l MetadataLoad) on(share *fleet.Share) MetadataLoad {
	if share != nil {
		l.Protocol, l.HDD, l.Registered = share.Protocol, share.Of.Media == fleet.MediaHDD, share.Of.CachingAsked
	}
	return l
}

// MetadataCeiling is what is published of the metadata operations that a share can do, per second.
func MetadataCeiling(share *fleet.Share, settings Settings) fleet.Value {
	return MetadataLoad{Provider: fleet.ProviderAzure}.on(share).ceiling(settings.Metadata)
}

// held5 is in how many of the newest five minutes a response type came up, 0 if in too few.
func held5(load fleet.ShareLoad, suffix string, limits ShareSettings) fleet.Value {
	count := fleet.Value(0)
	for i := max(0, len(load.Recent)-newestMinutes); i < len(load.Recent); i++ {
		for response, rates := range load.Responses {
			if strings.HasSuffix(response, suffix) && rates[i].Above(0) {
				count++
				break
			}
		}
	}
	if float64(count) < limits.Minutes {
		return 0
	}
	return count
}

// metadataShares judges the shares of which the service tells the operations. A mount of a share that is found needs no
// finding of its own: what its host sees is in the share's.
func (p *pass) metadataShares() (drafts []draft, found map[*fleet.Share]bool) {
	found = map[*fleet.Share]bool{}
	for _, account := range p.view.Accounts {
		for _, share := range account.Shares {
			load := p.shareMetadata(share)
			verdict := JudgeMetadata(load, p.settings.Metadata)
			if verdict.Severity == 0 || p.loadIdle(share.Load) {
				continue
			}
			found[share] = true
			drafts = append(drafts, p.shareMetadataDraft(share, load, verdict))
		}
	}
	return drafts, found
}

func (p *pass) shareMetadataDraft(share *fleet.Share, load MetadataLoad, v MetadataVerdict) draft {
	limits, host := p.settings.Metadata, busiestMetadata(share)
	summary := fmt.Sprintf("%s of the operations on share %s of account %s are metadata: %s of %s, %s of the %s that the share allows.",
		percent(v.Share), share.Identity.Volume, share.Identity.Pool, operations(load.Metadata), operations(load.Total),
		percent(load.Metadata.Over(v.Ceiling)), operations(v.Ceiling))
	switch {
	case load.Throttled.Above(0):
		summary += " The service throttles them."
	case load.Warnings.Above(0):
		summary += " The service warns that it is about to throttle them."
	}
	if !v.Eligible {
		summary += " It is not eligible for metadata caching, which SMB shares on SSD have."
	}
	facts := []fact{
		{"metadata share of the operations", v.Share, "ratio", atLeast(limits.Share), ""},
		{"metadata operations", load.Metadata, "operations per second", atLeast(limits.Rate), fleet.FeatureShareMetadata},
		{"metadata over the share's ceiling", load.Metadata.Over(v.Ceiling), "ratio", atLeast(limits.CeilingShare), ""},
		{"opens, closes and deletes", load.Cacheable.Over(load.Total), "ratio", "", ""},
		{"minutes of the last five with metadata warnings", load.Warnings, "minutes", "", fleet.FeatureShareResponses},
		{"minutes of the last five with metadata throttling", load.Throttled, "minutes", "", fleet.FeatureShareResponses},
		{"part of the requests that do not succeed", failing(share.Load), "ratio", "", ""},
	}
	if host != nil {
		rate := metadataLoad(host, fleet.ProviderAzure).Metadata
		summary += fmt.Sprintf(" Most of it that a host is seen to do comes from %s: %s.", host.Host, operations(rate))
		if option := cachingOff(host.Options); option != "" {
			summary += " Its mount option " + option + " turns attribute caching off and is the likely cause."
		}
		facts = append(facts, fact{"metadata operations of " + host.Host, rate, "operations per second", "", ""})
	} else if client := busiestInLog(share, func(c fleet.ShareClient) fleet.Value { return c.Other }); client != nil {
		summary += fmt.Sprintf(" In the service's log most of it comes from %s.", client.Address)
		facts = append(facts, fact{"operations other than reads and writes of " + client.Address, client.Other, "operations per second", "", ""})
	}
	return draft{
		name: Name{MetadataHeavy, v.Variant}, severity: v.Severity, resource: share.Resource(), coverage: 1,
		signals: []signal{
			seen(weightAPISplit), {weightResponses, len(share.Load.Responses) > 0, true},
			{weightLatencySplit, load.MetadataLatency.Known(), true}, {weightOperationMix, host != nil, true},
		},
		summary: summary, evidence: p.evidence(share.Resource(), facts...), gain: shareCachingGain(v),
		remedy: shareMetadataAdvice(share, host), affects: mountsOfShares(share),
	}
}

func shareCachingGain(v MetadataVerdict) *Gain {
	if !v.Reduction.Above(0) {
		return nil
	}
	return &Gain{Low: 0, High: float64(v.Reduction), Unit: "share of the mean latency saved", Model: "metadata caching: 30 % of the time of opens, closes and deletes"}
}

// shareMetadataAdvice is what the service can do, and what the busiest host can.
func shareMetadataAdvice(share *fleet.Share, host *fleet.Mount) []Remedy {
	remedies := shareMetadataRemedy(share)
	if host != nil && len(host.MountPoints) > 0 {
		return append(remedies, metadataRemedy(host)[0])
	}
	return remedies
}

// busiestMetadata is the mount of the share that does most metadata operations, nil where no host tells.
func busiestMetadata(share *fleet.Share) *fleet.Mount {
	var busiest *fleet.Mount
	highest := 0.0
	for _, mount := range share.Mounts {
		if rate := metadataLoad(mount, fleet.ProviderAzure).Metadata; rate.Above(highest) {
			busiest, highest = mount, float64(rate)
		}
	}
	return busiest
}

// failing is the part of the requests of the newest five minutes that neither succeed nor are throttled.
func failing(load fleet.ShareLoad) fleet.Value {
	failed, all := fleet.Unknown, fleet.Unknown
	for response, rates := range load.Responses {
		for _, rate := range newestOnes(rates) {
			all = all.Plus(rate)
			if !strings.Contains(response, "Success") && !fleet.Throttles(response) {
				failed = failed.Plus(rate)
			}
		}
	}
	return failed.Over(all)
}
