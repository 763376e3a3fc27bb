package detectors

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/envelope"
	"github.com/nasight/nasight/fleet"
)

// EnvelopeCase is a volume's limit and what it does, for beyond_envelope.
type EnvelopeCase struct {
	Protocols   []string // as envelope names them; the most favourable counts
	Level       string   // as envelope names it
	CapacityGiB float64  // where throughput comes with the volume's capacity; 0 elsewhere
	Large       bool     // large-capacity volume, used over all its addresses
	Hours       []fleet.Hour
	Limit       fleet.Value // bytes per second
}

// EnvelopeVerdict is the judgement of an EnvelopeCase.
type EnvelopeVerdict struct {
	Variant string           // empty: the limit can be reached, or is not known to be out of reach
	Hour    fleet.Hour       // the most favourable one
	Query   envelope.Query   // what the ceiling was asked for
	Ceiling envelope.Ceiling // of that hour
	Most    fleet.Value      // bytes per second that can be reached: the ceiling, or the most that a volume can have
	Waste   fleet.Value      // of the limit, bytes per second
}

// JudgeEnvelope compares a limit with the most that the protocol, level, block size and share of reads of the most
// favourable hour can reach. Without an hour, and for a query that the table does not answer, there is only the second
// form: the most that one volume can have.
func JudgeEnvelope(c EnvelopeCase, table *envelope.Table, limits EnvelopeSettings) EnvelopeVerdict {
	v := EnvelopeVerdict{Most: fleet.Unknown, Waste: fleet.Unknown}
	for _, protocol := range c.Protocols {
		for _, hour := range c.Hours {
			query := envelope.Query{
				Protocol: protocol, Level: c.Level, BlockBytes: min(float64(hour.Block), envelope.MaxBlockBytes),
				ReadShare: float64(hour.ReadShare), CapacityGiB: c.CapacityGiB, LargeCapacity: c.Large,
			}
			ceiling, err := table.Ceiling(query)
			if err != nil || !(ceiling.BytesPerSecond > v.Ceiling.BytesPerSecond) {
				continue
			}
			v.Hour, v.Query, v.Ceiling = hour, query, ceiling
		}
	}
	maximum := limits.VolumeMaximum
	if c.Large {
		maximum = limits.LargeVolumeMaximum
	}
	switch {
	case c.Limit.Known() && envelope.Beyond(float64(c.Limit), v.Ceiling.BytesPerSecond):
		v.Variant, v.Most = VariantEnvelope, fleet.Value(v.Ceiling.BytesPerSecond)
	case c.Limit.Above(maximum):
		v.Variant, v.Most = VariantVolumeMaximum, fleet.Value(maximum)
	}
	v.Waste = c.Limit - v.Most
	return v
}

// beyondEnvelope asks of every volume whether its limit can ever be reached. On Flex the limit is the pool's: only a
// volume that has its pool for itself is judged.
func beyondEnvelope(p *pass) []draft {
	table, err := envelope.Load()
	if err != nil {
		return nil // the program's own table; its tests fail before this can happen
	}
	var drafts []draft
	for _, pool := range p.view.Pools {
		for _, volume := range pool.Volumes {
			if !p.measured(volume) {
				continue
			}
			c := p.envelopeCase(volume)
			if verdict := JudgeEnvelope(c, table, p.settings.Envelope); verdict.Variant != "" {
				drafts = append(drafts, p.envelopeDraft(volume, c, verdict))
			}
		}
	}
	return drafts
}

// published tells whether the published measurements, which are of Google's service, say something of the volume.
func published(volume *fleet.Volume) bool {
	pool := volume.Of
	return pool != nil && !netapp(pool.Identity) && !pool.ONTAP() && readable(volume)
}

// measured tells whether enough of a week is known to judge a volume that the measurements are about, and its limit is its own.
func (p *pass) measured(volume *fleet.Volume) bool {
	return published(volume) && (!volume.Of.Flex() || len(volume.Of.Volumes) == 1) && volume.Days.Full && volume.Days.Coverage.AtLeast(p.settings.MinimumCoverage)
}

// Reach is the most that a volume can reach, in bytes per second, whatever it is granted: the ceiling of beyond_envelope.
// It is missing where the rule would not judge, or the table has no answer.
func Reach(volume *fleet.Volume, table *envelope.Table, settings Settings) fleet.Value {
	p := &pass{settings: settings}
	if !p.measured(volume) {
		return fleet.Unknown
	}
	return ceilingOf(p.envelopeCase(volume), table, settings)
}

// Reachable is the most that a volume can move, in bytes per second: its limit, or the ceiling of the most favourable hour of its
// week where that is lower. It is missing where no published measurement is about the service, or no hour was busy.
func Reachable(volume *fleet.Volume, table *envelope.Table, settings Settings) fleet.Value {
	if !published(volume) {
		return fleet.Unknown
	}
	c := (&pass{settings: settings}).envelopeCase(volume)
	ceiling := ceilingOf(c, table, settings)
	if ceiling.Known() && c.Limit.Below(float64(ceiling)) {
		return c.Limit
	}
	return ceiling
}

func ceilingOf(c EnvelopeCase, table *envelope.Table, settings Settings) fleet.Value {
	ceiling := JudgeEnvelope(c, table, settings.Envelope).Ceiling.BytesPerSecond
	if !(ceiling > 0) {
		return fleet.Unknown
	}
	return fleet.Value(ceiling)
}

func (p *pass) envelopeCase(volume *fleet.Volume) EnvelopeCase {
	pool := volume.Of
	c := EnvelopeCase{
		Level: envelopeLevel(pool), Large: volume.LargeCapacity && volume.MultipleEndpoints,
		Hours: p.busyHours(volume.Days.Hours), Limit: volumeLimit(volume),
	}
	for _, protocol := range volume.Protocols {
		if name, err := envelope.ParseProtocol(protocol); err == nil {
			c.Protocols = append(c.Protocols, name)
		}
	}
	switch {
	case pool.Flex() && pool.Custom:
	case pool.Flex():
		c.CapacityGiB = knownOr0(pool.Capacity)
	case !pool.Manual() && !pool.AutoTiering:
		c.CapacityGiB = knownOr0(volume.Capacity)
	}
	return c
}

// envelopeLevel is the pool's level as the table of benchmarks calls it.
func envelopeLevel(pool *fleet.Pool) string {
	switch {
	case !pool.Flex():
		return pool.ServiceLevel
	case pool.Type == "unified":
		return envelope.FlexUnifiedCustom
	case pool.Custom:
		return envelope.FlexFileCustom
	}
	return envelope.FlexFile
}

// busyHours drops the hours of a volume that does next to nothing: their block size tells nothing of what it is for.
func (p *pass) busyHours(hours []fleet.Hour) []fleet.Hour {
	var busy []fleet.Hour
	for _, hour := range hours {
		if hour.Operations.AtLeast(p.settings.Activity.Operations) || hour.Throughput.AtLeast(p.settings.Activity.Bytes) {
			busy = append(busy, hour)
		}
	}
	return busy
}

func (p *pass) envelopeDraft(volume *fleet.Volume, c EnvelopeCase, v EnvelopeVerdict) draft {
	resource, limits := volume.Resource(), p.settings.Envelope
	d := draft{
		name: Name{BeyondEnvelope, v.Variant}, severity: Info, resource: resource, coverage: float64(volume.Days.Coverage),
		remedy: p.envelopeRemedy(volume, c, v),
	}
	if v.Variant == VariantVolumeMaximum {
		d.signals = []signal{seen(weightAllocation)}
		d.summary = fmt.Sprintf("Volume %s is granted %s; one volume can have %s at most.", resource.Volume, mebibytes(c.Limit), mebibytes(v.Most))
		d.evidence = p.evidence(resource,
			fact{"throughput granted", c.Limit, "bytes per second", above(float64(v.Most)), hasFeature(volume)},
			fact{"of it beyond reach", v.Waste, "bytes per second", "", ""})
		return d
	}
	d.certainty = v.Ceiling.Confidence
	d.signals = []signal{
		{weightFamily, v.Ceiling.ExactFamily, true}, {weightBlock, v.Ceiling.BlockInside, true},
		{weightReads, true, readSpread(c.Hours) <= limits.StableReads},
	}
	d.summary = fmt.Sprintf("Volume %s is granted %s; with blocks of %s KiB and %s reads, the most favourable hour of the week, %s can reach %s at most.",
		resource.Volume, mebibytes(c.Limit), whole(v.Hour.Block/1024), percent(v.Hour.ReadShare), v.Query.Protocol, mebibytes(v.Most))
	if !volume.Of.Manual() {
		d.summary += " Its limit comes with capacity: if it is this large for its data, nothing is lost."
	}
	d.evidence = p.evidence(resource,
		fact{"throughput granted", c.Limit, "bytes per second", above(envelope.BeyondMargin * float64(v.Most)), hasFeature(volume)},
		fact{"most that can be reached", v.Most, "bytes per second", "", ""},
		fact{"lower end of that, by the model's error", fleet.Value(v.Ceiling.Low), "bytes per second", "", ""},
		fact{"upper end of that", fleet.Value(v.Ceiling.High), "bytes per second", "", ""},
		fact{"of the limit beyond reach", v.Waste, "bytes per second", "", ""},
		fact{"mean block of the hour that ended " + v.Hour.At.UTC().Format("2006-01-02 15:04") + " UTC", v.Hour.Block, "bytes", "", ""},
		fact{"share of reads of that hour", v.Hour.ReadShare, "ratio", "", ""},
	)
	return d
}

// readSpread is how far the hours' shares of reads lie apart.
func readSpread(hours []fleet.Hour) float64 {
	low, high := 1.0, 0.0
	for _, hour := range hours {
		low, high = min(low, float64(hour.ReadShare)), max(high, float64(hour.ReadShare))
	}
	return high - low
}

func (p *pass) envelopeRemedy(volume *fleet.Volume, c EnvelopeCase, v EnvelopeVerdict) []Remedy {
	workload := Remedy{What: "Or change the workload: larger blocks, more reads.", Command: alternative(v), Caveat: "Shows what the volume can do with other block sizes."}
	pool, enough := volume.Of, p.reachLimit(volume, v)
	switch {
	case !pool.Manual() && (!pool.Flex() || !pool.Custom):
		return []Remedy{{
			ByHand: handChoice,
			What:   "Leave it if the volume has its size for its data; else a lower service level or a smaller volume would do.",
			Caveat: "The limit comes with capacity and cannot be lowered by itself.",
		}, workload}
	case enough == 0 || c.Limit.Below(enough*mebibyte): // it was seen to use what the model takes to be out of reach, or is at its limit
		workload.What = "Change the workload: larger blocks, more reads."
		return []Remedy{workload}
	case pool.Manual():
		lower := Remedy{What: fmt.Sprintf("Lower the volume to %.0f MiB/s and give the rest to others.", enough), Caveat: "Not if larger blocks are planned. " + nothingCuts}
		lower.Command, lower.Sets = limitTo(volume, enough)
		lower.Command += "\n" + planCommand(pool)
		return []Remedy{lower, workload}
	}
	command := updatePool(pool, fmt.Sprintf("--total-throughput=%.0f", enough))
	return []Remedy{{
		What: fmt.Sprintf("Lower the pool to %.0f MiB/s.", enough), Command: command, Caveat: "Not if larger blocks are planned.",
		Sets: []Setting{{Resource: pool.Identity, Property: SetThroughput, To: enough, Command: command}},
	}, workload}
}

// reachLimit is the limit in MiB/s that is enough for what a volume can reach, and no less than it was seen to use; 0 where it is at
// its limit. Where another finding advises on the same number, by what is needed, it is that one's.
func (p *pass) reachLimit(volume *fleet.Volume, v EnvelopeVerdict) float64 {
	pool := volume.Of
	if p.near[volume].Severity != 0 || p.nearPool[pool].Severity != 0 {
		return 0
	}
	demand := p.demand(volume)
	if verdict := JudgeDemand(demand, p.settings.MinimumCoverage, p.settings.Pool); pool.Manual() && verdict.State == DemandFires {
		return leastLimit(verdict, demand.Max)
	}
	if pool.Flex() && p.readAll(pool) {
		if c, _ := p.flexCase(pool); JudgeFlex(c, p.settings.Pool).Fires {
			return JudgeFlex(c, p.settings.Pool).MiBps
		}
	}
	enough := v.Most
	if v.Variant != VariantVolumeMaximum {
		enough *= fleet.Value(p.settings.Envelope.Headroom)
	}
	return math.Max(mibs(enough), mibs(fleet.Value(demand.Max.Or(0))))
}

func alternative(v EnvelopeVerdict) string {
	if v.Query.Protocol == "" {
		return "nasight envelope --help"
	}
	return fmt.Sprintf("nasight envelope --protocol %s --service-level %s --block 64KiB --read-share %.2f", v.Query.Protocol, v.Query.Level, v.Query.ReadShare)
}

// knownOr0 is a capacity in GiB as the table of benchmarks takes it: 0 is not known.
func knownOr0(bytes fleet.Value) float64 { return (bytes / gibibyte).Or(0) }
