package detectors

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// ChannelLoad is what smb_multichannel judges: the work of one client on one SMB server.
type ChannelLoad struct {
	Channels   fleet.Value // connected channels of the session
	Asked      fleet.Value // channels that the mounts ask for; missing where the client decides by itself
	Requests   fleet.Value // under way: 90th percentile over half an hour, or the mean of a snapshot
	Operations fleet.Value // reads and writes per second
	Size       fleet.Value // bytes of a read or write on average
	Files      fleet.Value // distinct files in use
	Writes     fleet.Value // share of the bytes
	Headroom   float64     // factor that the rest of the path leaves, at least 1
	Provider   fleet.Provider
	HDD        bool   // the share is on HDD, where multichannel does not exist
	Dialect    string // empty where it is not known
}

// ChannelVerdict is the judgement of a ChannelLoad: a variant, empty where there is nothing to say, and the factor that the
// remedy brings.
type ChannelVerdict struct {
	Variant   string
	Low, High float64 // 0 where no figure is published
}

// mostChannels are the channels that an Azure share gains from.
const mostChannels = 4

// penalty is what several channels cost one request at a time by the vendor's figure of about 10 %. In the laboratory it was
// within 1 %: the gain starts at nothing.
const penalty = 1 / 0.9

// JudgeChannels applies the rule of detectors.md §3: what is wrong with the channels to the service, and with those to the work.
func JudgeChannels(l ChannelLoad, limits MultichannelSettings) []ChannelVerdict {
	if l.HDD || !l.Operations.AtLeast(limits.Operations) {
		return nil
	}
	var verdicts []ChannelVerdict
	if l.Provider == fleet.ProviderAzure && l.Channels.Above(mostChannels) {
		verdicts = append(verdicts, ChannelVerdict{Variant: VariantTooMany})
	}
	if verdict := l.forWork(limits); verdict.Variant != "" {
		verdicts = append(verdicts, verdict)
	}
	return verdicts
}

// forWork judges the channels by the requests that go over them.
func (l ChannelLoad) forWork(limits MultichannelSettings) ChannelVerdict {
	several := l.Channels.Above(1)
	switch {
	case several && l.single(limits) && l.noException(limits):
		return ChannelVerdict{VariantPenalty, 1, penalty}
	case several && l.Requests.AtLeast(limits.Several) && l.hotFile(limits):
		return ChannelVerdict{VariantHotFile, 1, penalty}
	case l.Channels == 1 && l.wanting(limits) && !oldDialect(l.Dialect):
		low, high := l.missingGain()
		return ChannelVerdict{VariantMissing, low, high}
	case several && l.Channels.Below(mostChannels) && l.wanting(limits):
		return ChannelVerdict{VariantTooFew, 1, math.Min(float64(mostChannels/l.Channels), l.Headroom)}
	}
	return ChannelVerdict{}
}

// hotFile: small requests, all on one file.
func (l ChannelLoad) hotFile(limits MultichannelSettings) bool {
	return l.Files == 1 && l.Size.Known() && !l.large(limits)
}

// sizeSlack is by how much a mean size may lie above the one of every request: bytes and requests are not counted at the same
// moment, so that at the ends of a window some are in one count and not in the other.
const sizeSlack = 1.005

// large: requests of the size up to which channels cannot help one file are still small ones.
func (l ChannelLoad) large(limits MultichannelSettings) bool {
	return l.Size.Above(limits.SmallSize * sizeSlack)
}

// single: hardly ever two requests under way.
func (l ChannelLoad) single(limits MultichannelSettings) bool {
	return l.Requests.Known() && !l.Requests.Above(limits.Single)
}

// noException: several channels do help one thread on several files with large requests. Where the files are not known, only
// small requests rule that out.
func (l ChannelLoad) noException(limits MultichannelSettings) bool {
	switch {
	case !l.Size.Known():
		return false
	case !l.large(limits):
		return true
	}
	return l.Files.Known() && l.Files.Below(2)
}

// wanting: enough requests are under way for channels to open, and they are not all small ones on one file.
func (l ChannelLoad) wanting(limits MultichannelSettings) bool {
	return !l.hotFile(limits) && l.Requests.AtLeast(l.enough(limits))
}

// enough is how many requests have to be under way to miss channels. A mount that asked for more than it has needs fewer to
// say so.
func (l ChannelLoad) enough(limits MultichannelSettings) float64 {
	if l.Asked.Above(math.Max(1, l.Channels.Or(math.Inf(1)))) {
		return limits.Several
	}
	return limits.Many
}

// missingGain is what four channels bring instead of one by the published figures, under the headroom of the path.
func (l ChannelLoad) missingGain() (low, high float64) {
	low, high = 2, 3
	switch {
	case l.Provider == fleet.ProviderGCNV:
		low, high = 2, 2
	case l.Writes.AtLeast(0.5):
		low, high = 3, 4
	}
	if l.Provider == fleet.ProviderUnknown {
		low = 1
	}
	return math.Min(low, l.Headroom), math.Min(high, l.Headroom)
}

// smbMultichannel asks of every SMB server whether several channels hurt its client's work, or are missing from it.
func smbMultichannel(p *pass) []draft {
	var drafts []draft
	for client, endpoint := range p.endpoints() {
		if endpoint.Protocol != fleet.SMB || EndpointIdle(endpoint, p.settings) {
			continue
		}
		c := p.sessionCase(client, endpoint)
		if c.boundElsewhere() {
			continue
		}
		load := c.channelLoad()
		for _, verdict := range JudgeChannels(load, p.settings.Multichannel) {
			drafts = append(drafts, c.channelDraft(load, verdict))
		}
	}
	return drafts
}

func (c sessionCase) channelLoad() ChannelLoad {
	e := c.endpoint
	operations := e.OverMounts(dataRate)
	bytes := e.OverMounts((*fleet.Mount).Bytes)
	load := ChannelLoad{
		Channels: e.SMB.Channels, Requests: e.SMB.Concurrency, Operations: operations, Size: bytes.Over(operations),
		Files: filesInUse(e), Writes: c.writes(),
		Headroom: c.headroom().high, Provider: e.Provider, Dialect: e.SMB.Dialect, Asked: fleet.Unknown,
	}
	if c.settings.Snapshot {
		load.Requests = e.OnWire()
	}
	if account := accountOf(e); account != nil {
		load.HDD = account.Media == fleet.MediaHDD
	}
	for _, mount := range e.Mounts {
		if !load.Asked.Above(mount.ChannelsAsked.Or(0)) {
			load.Asked = mount.ChannelsAsked
		}
	}
	return load
}

// filesInUse are those of all shares that move data, as the client tells, else as the service's log does. Where one of them does not tell, or tells of none, a file was missed: they
// were counted at one moment, and the work is of a window.
func filesInUse(e *fleet.Endpoint) fleet.Value {
	sum := fleet.Unknown
	for _, mount := range e.Mounts {
		if !dataRate(mount).Above(0) {
			continue
		}
		files := mount.FilesInUse
		if !files.Above(0) {
			files = mount.LoggedFiles()
		}
		if !files.Above(0) {
			return fleet.Unknown
		}
		sum = sum.Plus(files)
	}
	return sum
}

// dataRate is the rate of the operations that move data.
func dataRate(m *fleet.Mount) fleet.Value {
	sum := fleet.Unknown
	for _, name := range []string{"read", "write"} {
		if class, ok := m.Classes[name]; ok {
			sum = sum.Plus(class.Rate)
		}
	}
	return sum
}

func (c sessionCase) channelDraft(l ChannelLoad, v ChannelVerdict) draft {
	e, limits := c.endpoint, c.settings.Multichannel
	requests := map[string]string{
		VariantPenalty: fmt.Sprintf("<= %g", limits.Single), VariantHotFile: atLeast(limits.Several),
		VariantMissing: atLeast(l.enough(limits)), VariantTooFew: atLeast(l.enough(limits)),
	}[v.Variant]
	feature := fleet.FeatureConcurrency
	if c.settings.Snapshot {
		feature = fleet.FeatureOnWire
	}
	facts := []fact{
		{"channels", l.Channels, "channels", channelsThreshold(v.Variant), fleet.FeatureChannels},
		{"requests under way", l.Requests, "requests", requests, feature},
		{"reads and writes", l.Operations, "operations per second", atLeast(limits.Operations), ""},
		{"bytes of a read or write", l.Size, "bytes", "", ""},
		{"distinct files in use", l.Files, "files", "", fleet.FeatureFilesInUse},
		{"channels asked for", l.Asked, "channels", "", fleet.FeatureChannelsAsked},
		{"write share of the bytes", l.Writes, "ratio", "", ""},
	}
	return draft{
		name: Name{SMBMultichannel, v.Variant}, severity: c.channelSeverity(v.Variant), resource: e.Resource(),
		coverage: float64(c.settings.coverage(c.client)), certainty: filesCertainty(l, v.Variant),
		signals: []signal{
			seen(weightConcurrency), seen(weightChannels), {weightSize, l.Size.Known(), true}, {weightFiles, l.Files.Known(), true}, {weightTier, mediaKnown(e), true},
		},
		summary: c.channelSummary(l, v.Variant), evidence: c.evidence(e.Resource(), facts...),
		gain: c.channelGain(v), remedy: c.channelRemedy(v.Variant),
	}
}

func channelsThreshold(variant string) string {
	switch variant {
	case VariantMissing:
		return "= 1"
	case VariantTooFew:
		return below(mostChannels)
	case VariantTooMany:
		return above(mostChannels)
	}
	return above(1)
}

// filesCertainty: without the files in use it may still be one hot file, for which channels are no help.
func filesCertainty(l ChannelLoad, variant string) float64 {
	if variant == VariantMissing && !l.Files.Known() {
		return 0.7
	}
	return 1
}

// channelSeverity: what single threads lose is efficiency; missing channels are a warning where their want is felt.
func (c sessionCase) channelSeverity(variant string) Severity {
	switch variant {
	case VariantPenalty, VariantHotFile:
		return Info
	case VariantTooMany:
		return Warning
	}
	slow := c.endpoint.Execute().Over(c.endpoint.Baseline).AtLeast(c.limits.WarningSlowdown)
	if slow || c.flowAtCeiling() || c.coreAtLimit() {
		return Warning
	}
	return Info
}

func (c sessionCase) channelGain(v ChannelVerdict) *Gain {
	switch v.Variant {
	case VariantTooMany:
		return nil
	case VariantPenalty, VariantHotFile:
		return &Gain{Low: v.Low, High: v.High, Unit: "factor", Model: "about 10 % by the vendor's figure, within 1 % in our measurements"}
	case VariantTooFew:
		return &Gain{Low: v.Low, High: v.High, Unit: "factor", Model: "in proportion to the channels up to four, under the headroom of the path"}
	}
	return c.gain(v.Low, v.High, "four channels instead of one by the published figures, under the headroom of the path")
}
