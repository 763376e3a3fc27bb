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
	Watching    bool        // change notifications are left out: they are much of the metadata

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
	drafts, found := p.metadataShares()
	for client, endpoint := range p.endpoints() {
		for _, mount := range endpoint.Mounts {
			if MountIdle(mount, p.settings) || found[mount.Share] {
				continue
			}
			load := metadataLoad(mount, endpoint.Provider).on(mount.Share)
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
	watching := fleet.Unknown
	for name, class := range mount.EachClass() {
		switch {
		case name == "read" || name == "write" || name == "commit" || !class.Rate.Known():
			continue
		case name == fleet.ClassNotify:
			watching = class.Rate
			continue
		}
		load.Metadata = load.Metadata.Plus(class.Rate)
		if class.Execute.Known() {
			load.Outstanding = load.Outstanding.Plus(class.Rate * class.Execute)
		}
	}
	load.watch(watching)
	load.Cacheable = cacheable(mount)
	load.MetadataLatency = load.Outstanding.Over(load.Metadata)
	load.MeanLatency = mount.Outstanding().Over(load.Total)
	return load
}

// watchingShare is the part of the metadata operations beyond which change notifications are a storm of their own.
const watchingShare = 0.3

// watch counts the change notifications as metadata, unless they are much of it: such a storm says nothing of opens, closes
// and lookups. Where these are many as well, they are found without it.
func (l *MetadataLoad) watch(rate fleet.Value) {
	if !rate.Known() {
		return
	}
	all := l.Metadata.Plus(rate)
	if rate.Over(all).Above(watchingShare) {
		l.Total, l.Watching = l.Total.Plus(-rate), true
		return
	}
	l.Metadata = all
}

// cacheable are the operations that a cache would answer: attribute reads for NFS, opens and closes for SMB.
func cacheable(mount *fleet.Mount) fleet.Value {
	names := []string{"attr"}
	if mount.Protocol == fleet.SMB {
		names = []string{"open", "close"}
	}
	sum := fleet.Unknown
	for _, name := range names {
		if class, ok := mount.Classes[name]; ok {
			sum = sum.Plus(class.Rate)
		}
	}
	return sum
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
	shareFeature, rateFeature := fleet.FeatureMetadataShare, fleet.FeatureMetadataRate
	if load.Watching {
		shareFeature, rateFeature = "", "" // these count change notifications
	}
	facts := []fact{
		{"metadata share of the operations", v.Share, "ratio", atLeast(shareLimit(load, limits)), shareFeature},
		{"metadata operations", load.Metadata, "operations per second", atLeast(limits.Rate), rateFeature},
		{"metadata requests outstanding", load.Outstanding, "requests", atLeast(limits.Outstanding), ""},
		{"metadata over the share's ceiling", load.Metadata.Over(v.Ceiling), "ratio", "", ""},
		{cacheableName(mount), load.Cacheable.Over(load.Total), "ratio", "", ""},
	}
	return draft{
		name: Name{MetadataHeavy, v.Variant}, severity: v.Severity, resource: mount.Resource(),
		coverage: float64(p.settings.coverage(client)), signals: signals, summary: summary,
		evidence: p.evidence(mount.Resource(), facts...), gain: cachingGain(load, v), remedy: remedy,
	}
}

func cacheableName(mount *fleet.Mount) string {
	if mount.Protocol == fleet.SMB {
		return "opens and closes"
	}
	return "attribute reads (GETATTR, ACCESS)"
}

func shareLimit(load MetadataLoad, limits MetadataSettings) float64 {
	if load.Provider == fleet.ProviderAzure {
		return limits.Share
	}
	return limits.ShareNoCeiling
}

// cachingGain: in one vendor's tests nocto removed 65 to 70 % of the GETATTR and ACCESS calls of NFS. An upper-side estimate.
// What metadata caching of an SMB share saves is known of Azure alone.
func cachingGain(load MetadataLoad, v MetadataVerdict) *Gain {
	share := load.Cacheable.Over(load.Total)
	switch {
	case load.Protocol == fleet.SMB && v.Reduction.Above(0):
		return &Gain{Low: 0, High: float64(v.Reduction), Unit: "share of the mean latency saved", Model: "metadata caching: 30 % of the time of opens and closes"}
	case load.Protocol == fleet.SMB || !share.Above(0):
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
	if mount.Protocol == fleet.SMB {
		return smbMetadataRemedy(mount)
	}
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
		{ByHand: handWork, What: "Open and close fewer files, or spread them over several shares."},
	}
}

func smbMetadataRemedy(mount *fleet.Mount) []Remedy {
	fewer := Remedy{ByHand: handWork, What: "Open and close fewer files, keep them open, or spread them over several shares."}
	disk := Remedy{ByHand: handWork, What: "For a single writer keep the files in a disk image (VHD) on the share.", Caveat: "One client at a time can use it."}
	if len(mount.MountPoints) == 0 {
		return []Remedy{fewer, disk}
	}
	var lines []string
	for _, point := range pointsOf(mount) {
		lines = append(lines, "mount -o remount,actimeo=30 "+point)
	}
	return []Remedy{{
		What: "Cache attributes for longer.", Command: strings.Join(lines, "\n"),
		Caveat: "Changes made by other clients are then seen up to 30 seconds late. " + keepOptions,
	}, fewer, disk}
}

// mountedAt names a mount as its user knows it.
func mountedAt(mount *fleet.Mount) string {
	switch {
	case len(mount.MountPoints) > 0:
		return mount.MountPoints[0]
	case mount.Protocol == fleet.SMB:
		return unc(mount)
	}
	return mount.Server + ":" + mount.Export
}
