package detectors

import (
	"fmt"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// MetadataLoad is what metadata_heavy judges of one share or mount: rates per second, latencies in seconds.
type MetadataLoad struct {
	Total       fleet.Value // operations of all kinds
	Metadata    fleet.Value // those that move no data
	Cacheable   fleet.Value // those that a cache would answer: opens and closes for SMB, attribute reads for NFS
	Outstanding fleet.Value // mean number of metadata operations under way

	MetadataLatency fleet.Value
	MeanLatency     fleet.Value // of all operations

	Provider   fleet.Provider
	Protocol   string
	HDD        bool
	Registered bool // metadata caching is registered for the subscription

	Warnings  fleet.Value // responses that warn of metadata throttling, in 3 of the last 5 minutes
	Throttled fleet.Value // responses that metadata throttling delayed, likewise
}

// MetadataVerdict is the judgement of a MetadataLoad.
type MetadataVerdict struct {
	Severity  Severity // 0: not metadata-heavy
	Variant   string
	Share     fleet.Value // metadata over all operations
	Ceiling   fleet.Value // operations per second; missing where none is published
	Eligible  bool        // metadata caching can be had
	Reduction fleet.Value // part of the mean latency that metadata caching takes away
}

// JudgeMetadata applies the rule to one load.
func JudgeMetadata(load MetadataLoad, limits MetadataSettings) MetadataVerdict {
	verdict := MetadataVerdict{
		Share: load.Metadata.Over(load.Total), Ceiling: load.ceiling(limits),
		Eligible:  load.Provider == fleet.ProviderAzure && load.Protocol == "smb" && !load.HDD,
		Reduction: fleet.Unknown,
	}
	if verdict.Eligible {
		verdict.Reduction = 0.30 * load.Cacheable.Over(load.Total) * load.MetadataLatency.Over(load.MeanLatency)
	}
	verdict.Severity, verdict.Variant = load.grade(verdict, limits)
	return verdict
}

func (l MetadataLoad) grade(v MetadataVerdict, limits MetadataSettings) (Severity, string) {
	switch {
	case !l.Metadata.AtLeast(limits.Rate) && !l.Outstanding.AtLeast(limits.Outstanding):
		return 0, ""
	case l.Throttled.Above(0):
		return Critical, VariantCeiling
	case l.Warnings.Above(0), l.Metadata.Over(v.Ceiling).AtLeast(limits.CeilingShare):
		return Warning, VariantCeiling
	case l.mostly(v.Share, limits):
		return Info, VariantShare
	}
	return 0, ""
}

// mostly: more than half is metadata where the service publishes a ceiling; without one it takes more to say so.
func (l MetadataLoad) mostly(share fleet.Value, limits MetadataSettings) bool {
	switch l.Provider {
	case fleet.ProviderAzure:
		return share.AtLeast(limits.Share)
	case fleet.ProviderUnknown:
		return share.AtLeast(limits.ShareNoCeiling)
	}
	return share.AtLeast(limits.ShareNoCeiling) && l.Metadata.AtLeast(limits.RateNoCeiling)
}

// ceiling is what Azure publishes for one share; NFS shares are on SSD and have the higher one.
func (l MetadataLoad) ceiling(limits MetadataSettings) fleet.Value {
	switch {
	case l.Provider != fleet.ProviderAzure:
		return fleet.Unknown
	case l.Registered || l.Protocol != "smb":
		return fleet.Value(limits.CeilingCached)
	}
	return fleet.Value(limits.Ceiling)
}

// metadataHeavy asks of every mount whether opens, closes and lookups are most of what it does.
func metadataHeavy(p *pass) []draft {
	var drafts []draft
	for client, endpoint := range p.endpoints() {
		for _, mount := range endpoint.Mounts {
			if MountIdle(mount, p.settings) {
				continue
			}
			load := metadataLoad(mount, endpoint.Provider)
			if verdict := JudgeMetadata(load, p.settings.Metadata); verdict.Severity != 0 {
				drafts = append(drafts, p.metadataDraft(client, mount, load, verdict))
			}
		}
	}
	return drafts
}

func metadataLoad(mount *fleet.Mount, provider fleet.Provider) MetadataLoad {
	load := MetadataLoad{
		Total: mount.Operations(), Metadata: fleet.Unknown, Cacheable: fleet.Unknown, Outstanding: fleet.Unknown,
		MetadataLatency: fleet.Unknown, MeanLatency: fleet.Unknown, Provider: provider, Protocol: mount.Protocol,
		Warnings: fleet.Unknown, Throttled: fleet.Unknown,
	}
	for name, class := range mount.EachClass() {
		if name == "read" || name == "write" || name == "commit" || !class.Rate.Known() {
			continue
		}
		load.Metadata = load.Metadata.Plus(class.Rate)
		if class.Execute.Known() {
			load.Outstanding = load.Outstanding.Plus(class.Rate * class.Execute)
		}
	}
	if attributes, ok := mount.Classes["attr"]; ok {
		load.Cacheable = attributes.Rate
	}
	load.MetadataLatency = load.Outstanding.Over(load.Metadata)
	load.MeanLatency = mount.Outstanding().Over(load.Total)
	return load
}

func (p *pass) metadataDraft(client *fleet.Client, mount *fleet.Mount, load MetadataLoad, v MetadataVerdict) draft {
	limits := p.settings.Metadata
	summary := fmt.Sprintf("%s of the operations on %s are metadata: %s of %s.",
		percent(v.Share), mountedAt(mount), operations(load.Metadata), operations(load.Total))
	if v.Ceiling.Known() {
		summary += fmt.Sprintf(" That is %s of the %s that the share allows.", percent(load.Metadata.Over(v.Ceiling)), operations(v.Ceiling))
	}
	remedy := metadataRemedy(mount)
	if option := cachingOff(mount.Options); option != "" {
		summary += " The mount option " + option + " turns attribute caching off and is the likely cause."
	}
	signals := []signal{seen(weightOperationMix), {weightLatencySplit, load.MetadataLatency.Known(), true}}
	if load.Provider == fleet.ProviderAzure {
		signals = append(signals, unseen(weightAPISplit), unseen(weightResponses))
	}
	facts := []fact{
		{"metadata share of the operations", v.Share, "ratio", atLeast(shareLimit(load, limits)), fleet.FeatureMetadataShare},
		{"metadata operations", load.Metadata, "operations per second", atLeast(limits.Rate), fleet.FeatureMetadataRate},
		{"metadata requests outstanding", load.Outstanding, "requests", atLeast(limits.Outstanding), ""},
		{"metadata over the share's ceiling", load.Metadata.Over(v.Ceiling), "ratio", "", ""},
		{"attribute reads (GETATTR, ACCESS)", load.Cacheable.Over(load.Total), "ratio", "", ""},
	}
	return draft{
		name: Name{MetadataHeavy, v.Variant}, severity: v.Severity, resource: mount.Resource(),
		coverage: float64(p.settings.coverage(client)), signals: signals, summary: summary,
		evidence: p.evidence(mount.Resource(), facts...), gain: cachingGain(load), remedy: remedy,
	}
}

func shareLimit(load MetadataLoad, limits MetadataSettings) float64 {
	if load.Provider == fleet.ProviderAzure {
		return limits.Share
	}
	return limits.ShareNoCeiling
}

// cachingGain: in one vendor's tests nocto removed 65 to 70 % of the GETATTR and ACCESS calls. An upper-side estimate.
func cachingGain(load MetadataLoad) *Gain {
	share := load.Cacheable.Over(load.Total)
	if !share.Above(0) {
		return nil
	}
	return &Gain{Low: 0, High: 0.65 * float64(share), Unit: "share of the operations saved", Model: "0.65 × share of GETATTR and ACCESS, upper side"}
}

// cachingOff is the mount option that turns attribute caching off, empty where none does. The kernel prints actimeo=0
// as the four limits that it stands for.
func cachingOff(options string) string {
	zero := 0
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "noac", "actimeo=0":
			return option
		case "acregmin=0", "acregmax=0", "acdirmin=0", "acdirmax=0":
			zero++
		}
	}
	if zero == 4 {
		return "actimeo=0"
	}
	return ""
}

func metadataRemedy(mount *fleet.Mount) []Remedy {
	if option := cachingOff(mount.Options); option != "" {
		return []Remedy{{
			What:    "Mount without " + option + " unless several clients have to see each change at once.",
			Command: mountAgainWith(mount, ",actimeo=60"),
			Caveat:  "Changes made by other clients are then seen up to 60 seconds late. " + interrupts + " " + keepOptions,
		}}
	}
	return []Remedy{
		{
			What:    "Cache attributes for longer where the data are mostly read.",
			Command: mountAgainWith(mount, ",actimeo=600,nocto"),
			Caveat:  "Stale reads are possible: changes made by other clients may be seen up to ten minutes late. " + interrupts + " " + keepOptions,
		},
		{What: "Open and close fewer files, or spread them over several shares.", Caveat: "A change to the application."},
	}
}

// mountedAt names a mount as its user knows it.
func mountedAt(mount *fleet.Mount) string {
	if len(mount.MountPoints) == 0 {
		return mount.Server + ":" + mount.Export
	}
	return mount.MountPoints[0]
}
