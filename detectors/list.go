package detectors

import (
	"slices"
	"time"
)

// Rule is one row of the table: what is judged, over which window, and how long it has to hold.
type Rule struct {
	Detector string
	Variants []string
	Question string        // what the rule answers
	Window   time.Duration // what the features it reads should cover
	Clock    Clock         // how often it is judged
	Timing   Timing
	judge    func(*pass) []draft
}

// Clock is how often a rule is judged.
type Clock int

const (
	// Minute is the clock of rules over short windows: judged with every view.
	Minute Clock = iota
	// Daily is the clock of rules over days: judged once a day, on a view that carries the looks over days.
	Daily
)

// dailyGap is how far apart two daily evaluations may lie and still add up.
const dailyGap = 72 * time.Hour

// ruleOf finds the row that judges a name; a name of another version has none.
func ruleOf(name Name) (Rule, bool) {
	for _, rule := range Rules() {
		if rule.Detector == name.Detector && slices.Contains(rule.Variants, name.Variant) {
			return rule, true
		}
	}
	return Rule{}, false
}

// clockOf is the clock by which a name is judged.
func clockOf(name Name) Clock {
	rule, _ := ruleOf(name)
	return rule.Clock
}

// Timing is the life cycle's part of a rule, in evaluations.
type Timing struct {
	Needed        int           // true evaluations before firing …
	Of            int           // … of so many
	Keep          int           // false evaluations in a row before resolving
	CriticalAfter time.Duration // how long until the finding becomes critical; 0: never by age alone
}

// minutes is a timing on the usual grid of one evaluation a minute.
func minutes(needed, of int, keep time.Duration) Timing {
	return Timing{Needed: needed, Of: of, Keep: int(keep / time.Minute)}
}

// Rules is the table of the detectors.
func Rules() []Rule { return append(hostRules(), cloudRules()...) }

// hostRules are those that judge what clients see.
func hostRules() []Rule {
	return []Rule{
		{
			Detector: ServerUnresponsive, Variants: []string{VariantStalled},
			Question: "Do requests wait for a server that completes none?",
			Window:   time.Minute, Timing: Timing{Needed: 1, Of: 1, Keep: 1, CriticalAfter: stalledCritical},
			judge: serverUnresponsive,
		},
		{
			Detector: ClientBound, Variants: []string{VariantNetwork},
			Question: "Is the client's network cap the limit?",
			Window:   time.Minute, Timing: minutes(10, 15, 30*time.Minute),
			judge: networkBound,
		},
		{
			Detector: ClientBound, Variants: []string{VariantCPU},
			Question: "Are the client's processors the limit?",
			Window:   time.Minute, Timing: minutes(10, 15, 30*time.Minute),
			judge: cpuBound,
		},
		{
			Detector: SessionSaturated,
			Variants: []string{VariantSlots, VariantSessionSlots, VariantFlow, VariantCPU, VariantSender, VariantSkew},
			Question: "Would more sessions, or more slots, make this client faster, by how much, and to which value?",
			Window:   time.Minute, Timing: minutes(5, 6, 30*time.Minute),
			judge: sessionSaturated,
		},
		{
			Detector: SMBMultichannel, Variants: []string{VariantPenalty, VariantHotFile, VariantMissing, VariantTooFew, VariantTooMany},
			Question: "Does multichannel not help this work, or is it missing where it would?",
			// Three evaluations ten minutes apart span twenty-one of the minute's grid.
			Window: 30 * time.Minute, Timing: minutes(21, 21, 2*time.Hour),
			judge: smbMultichannel,
		},
		{
			Detector: ClientBound, Variants: []string{VariantSingleThread},
			Question: "Does the application wait for one request at a time?",
			Window:   time.Minute, Timing: minutes(10, 15, 30*time.Minute),
			judge: singleThread,
		},
		{
			Detector: ServerLatency, Variants: []string{VariantServer},
			Question: "Do requests spend their time in the server rather than in the path?",
			Window:   time.Minute, Timing: minutes(5, 6, 30*time.Minute),
			judge: serverLatency,
		},
		{
			Detector: MetadataHeavy, Variants: []string{VariantCeiling, VariantShare},
			Question: "Is the share bound by opens, closes and lookups?",
			Window:   time.Minute, Timing: minutes(20, 30, 6*time.Hour),
			judge: metadataHeavy,
		},
		{
			Detector: ClientBound, Variants: []string{VariantSlotBudget},
			Question: "Do the slots of all clients together pass the service's budget?",
			Window:   time.Minute, Timing: minutes(1, 1, 24*time.Hour),
			judge: slotBudget,
		},
	}
}
