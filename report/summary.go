package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/plan"
)

// summary are five sentences that can be read alone.
func (o *builder) summary() []string {
	return []string{o.scope(), o.usedSentence(), o.hurts(), o.worth(), o.first()}
}

// scope says what the report is about and how much of the week is known.
func (o *builder) scope() string {
	w := o.weekly
	var parts []string
	for _, cloud := range w.rowsOf("cloud") {
		parts = append(parts, fmt.Sprintf("%s of %s", count(cloud.Volumes, thing(cloud.Resource)), serviceName(cloud.Resource)))
	}
	if hosts := len(o.view.Clients); hosts > 0 && (selection{o.Pool, o.Project}).all() {
		read := ""
		if o.hostsRead() == 0 {
			read = " that were not read closely"
		}
		parts = append(parts, count(hosts, "client host")+read)
	}
	what := "nothing of a cloud and no host"
	if len(parts) > 0 {
		what = listed(parts)
	}
	covered := "no sample of a cloud covers it"
	if w.Quality.Days.Known() {
		covered = fmt.Sprintf("samples cover %s of 7 days", daysOf(w.Quality.Days))
	}
	return fmt.Sprintf("Week %s, %s to %s (UTC), has %s; %s.", w.Week, w.From.Format("2 January"), w.To.Add(-day).Format("2 January 2006"), what, covered)
}

func thing(of fleet.Resource) string {
	if of.Service == serviceShares {
		return "share"
	}
	return "volume"
}

// usedSentence says what was granted and used.
func (o *builder) usedSentence() string {
	var parts []string
	for _, cloud := range o.weekly.rowsOf("cloud") {
		if !cloud.Granted.Known() || !cloud.P99.Known() {
			continue
		}
		measure := "99 %% of the time less than %s (%s) was used, and never more than %s"
		if cloud.Measure == measurePeak {
			measure = "99 %% of the busiest seconds used less than %s (%s), and none more than %s"
		}
		granted := rate(cloud.Granted)
		if cloud.Paid.Above(1.005 * float64(cloud.Granted)) { // the rest no volume can use
			granted += " of the " + rate(cloud.Paid) + " that are paid for"
		}
		text := fmt.Sprintf("%s granted %s; "+measure, serviceName(cloud.Resource), granted, rate(cloud.P99), percent(cloud.Use), rate(cloud.Max))
		if moved := change(cloud.P99, cloud.Before); moved != unknown {
			text += ", " + moved + " against " + o.Compare.String()
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return "How much of what is paid for was used is not known: there are no samples of a cloud with their limits."
	}
	return strings.Join(parts, "; ") + "."
}

// hurts says what users suffered from. The worst is what the first repair is for, so that it is also what to begin with.
func (o *builder) hurts() string {
	found, over, worst := o.conditions()
	alone := 0 // that the week's samples show, and no finding
	for i := len(o.weekly.Actions) - 1; i >= 0; i-- {
		action := o.weekly.Actions[i]
		if action.Kind != Repair {
			continue
		}
		worst = cmp.Or(action.worst, action.Why)
		if action.Finding == "" {
			alone++
		}
	}
	ended := ""
	if over > 0 {
		ended = fmt.Sprintf("; %s ended within the week", count(over, "other"))
	}
	unheard := o.unheard()
	switch {
	case found+alone == 0 && unheard != "":
		return "What slowed users down is not known: " + unheard + ended + "."
	case found+alone == 0:
		return "Nothing slowed users down when the week ended" + ended + "."
	}
	seen := " when the week ended"
	switch {
	case found == 0:
		seen = " by the week's samples"
	case alone > 0:
		seen = fmt.Sprintf(", %d when the week ended and %d by the week's samples", found, alone)
	}
	text := count(found+alone, "condition") + " slowed users down or came near a limit" + seen + ended + "; the worst: " + worst
	if unheard != "" {
		text += " What else did is not known: " + unheard + "."
	}
	return text
}

// conditions counts what findings say that users suffered from when the week ended, and what was over by then. The worst of them is
// the first that is sure.
func (o *builder) conditions() (found, over int, worst string) {
	sureOf := false
	for _, finding := range o.weekly.Findings {
		switch {
		case finding.Severity < detectors.Warning || finding.Hint || len(finding.BlockedBy) > 0 || kindOf(finding) == Saving:
			continue
		case !finding.AtEnd:
			over++
			continue
		}
		found++
		if worst == "" || !sureOf && finding.Confidence >= sure {
			worst, sureOf = finding.Summary, finding.Confidence >= sure
		}
	}
	return found, over, worst
}

// worth says what money there is, case by case.
func (o *builder) worth() string {
	var parts []string
	unpriced := 0
	words := map[string]string{
		caseBought: "%s USD a month by lowering what is bought apart from capacity", caseCapacity: "%s USD by a cheaper level or a smaller pool",
		caseAzure: "%s USD by lowering what Azure shares provision", caseManual: "%s USD of new capacity avoided by moving throughput within pools",
	}
	for _, one := range o.weekly.Money {
		if one.Total.Known() {
			parts = append(parts, fmt.Sprintf(words[one.Case], money(one.Total)))
		}
		for _, row := range one.Rows {
			if !row.Value.Known() {
				unpriced++
			}
		}
	}
	switch {
	case len(parts) == 0 && unpriced > 0:
		return fmt.Sprintf("%s would save money, how much is not known: no price is given.", count(unpriced, "action"))
	case len(parts) == 0 && o.unjudged() != "":
		return "Whether money can be saved is not known: " + o.unjudged() + "."
	case len(parts) == 0 && o.weekly.unpriced():
		return "Whether money can be saved is not known: no price is given."
	case len(parts) == 0:
		return "No action was found that saves money worth speaking of."
	}
	text := "At the prices given: " + listed(parts) + "; these are different kinds of money and are not added up"
	if unpriced > 0 {
		text += fmt.Sprintf(", and %s %s no price", count(unpriced, "further action"), verb(unpriced, "has", "have"))
	}
	return text + "."
}

// first says what to begin with.
func (o *builder) first() string {
	if len(o.weekly.Actions) == 0 {
		return o.weekly.nothing()
	}
	action := o.weekly.Actions[0]
	text := fmt.Sprintf("Begin with %s%s: %s", action.foremost(), label(action.Resource), lowered(strings.TrimSuffix(action.What, ".")))
	if rest := len(o.weekly.Actions) - 1; rest > 0 {
		text += fmt.Sprintf("; %s %s", count(rest, "more action"), verb(rest, "follows", "follow"))
	}
	return text + "."
}

// foremost says by what an action is the first of all.
func (a Action) foremost() string {
	switch {
	case a.Kind == Repair:
		return "the worst, "
	case a.Kind == Free:
		return "what costs nothing, "
	case a.Kind == Faster && a.gain > 0:
		return "what gains most, "
	case a.Kind == Saving && a.Money.Above(0):
		return "what saves most, "
	}
	return ""
}

// lowered begins a sentence's part with a small letter.
func lowered(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + text[size:]
}

// listed joins parts as a sentence does.
func listed(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// missing says what the report cannot tell and how to add it.
func (o *builder) missing() []Missing {
	w, all := o.weekly, []Missing{}
	add := func(is bool, what, how string) {
		if is {
			all = append(all, Missing{what, how})
		}
	}
	add(len(o.terms.Settings.Prices) == 0, noPrice, "List what you pay under detection.prices in the configuration, with date and source; nasight has no prices of its own.")
	add(len(w.rowsOf("cloud")) == 0, "What clouds granted and what was used: no samples of a cloud in this week.", "Set gcnv.projects, azurefiles.subscriptions or azurenetapp.subscriptions in the configuration of nasight serve.")
	add(len(o.view.Clients) == 0 && o.hostsRead() == 0 && (selection{o.Pool, o.Project}).all(), "Sessions, slots and channels: no client host was read when the week ended.", "Run nasight-agent on the hosts, or name their Prometheus under promhost.")
	add(len(o.view.Clients) > 0 && o.hostsRead() == 0 && (selection{o.Pool, o.Project}).all(), fmt.Sprintf("Sessions, slots and channels: %s %s known by daily sums alone; none was read minute by minute in this week.", count(len(o.view.Clients), "client host"), verb(len(o.view.Clients), "is", "are")), "Leave nasight serve running through the week, and history.retention at a week or more.")
	read := coverageOf(o.listened.hosts)
	add(read.Above(0) && read.Below(1-mostUnread), "Most of what clients did: they were read for "+hours(o.hostsRead().Hours())+" of the week.", "Leave nasight serve running through the week.")
	add(len(o.recorded) > 0 && len(w.Quality.Unrecorded) > 0, "For how long findings fired in all: they were recorded for "+hours(o.listened.findings.spell().Hours())+" of the week; what fired when that began may be older.", "Leave nasight serve running: clouds do not tell what fired.")
	add(len(o.recorded) == 0, "For how long findings fired: none was recorded in this week; what the week's end shows is judged anew.", "Leave nasight serve running: it records what fires, minute by minute.")
	add(o.Week.To().Sub(o.heard) > stillFiring, "What fired when the week ended: nothing was recorded after "+stamp(o.heard)+" UTC; what fired then counts as still true.", "Leave nasight serve running.")
	add(w.Quality.Days.Below(6.9), fmt.Sprintf("Full days: samples cover %s of 7.", daysOf(w.Quality.Days)), "Set gcnv.backfill_days or azurefiles.backfill_days so that the past is filled in, and history.retention so that it is kept.")
	earlier := 0
	for _, row := range w.rowsOf("cloud") {
		earlier = max(earlier, row.EarlierSeen)
	}
	add(len(w.rowsOf("cloud")) > 0 && earlier < 4, fmt.Sprintf("The four weeks before: history has %s of them.", count(earlier, "week")), "Set history.retention to 36 days or more.")
	add(o.inventory.IsZero() && len(w.rowsOf("cloud")) > 0, "What pools and volumes there are: no inventory is in this history, so that limits of shares, plans and savings are not known.", "Leave nasight serve running: it reads the inventory every hour.")
	add(o.thinBefore != "", "The comparison with "+o.Compare.String()+": "+o.thinBefore, "Name another week with --compare, or set history.retention so that earlier weeks are kept.")
	add(!o.inventory.IsZero() && o.inventory.After(o.Week.To()), "The inventory of the week itself: that of "+o.inventory.UTC().Format("2006-01-02 15:04 UTC")+" stands for it.", "Leave nasight serve running: clouds do not tell what pools and volumes there were.")
	return all
}

// sections are the topics that the report speaks of apart, with their findings.
func (o *builder) sections() []Section {
	topics := []struct {
		name, title, none string
		clients           bool // it is client hosts that show it
		is                func(Finding) bool
	}{
		{"sessions", "NFS and iSCSI sessions", "No client was held back by its sessions or slots.", true, func(f Finding) bool { return f.Detector == detectors.SessionSaturated }},
		{"multichannel", "SMB multichannel", "Multichannel was found neither missing nor harmful.", true, func(f Finding) bool { return f.Detector == detectors.SMBMultichannel }},
		{"metadata", "Metadata", "No share was bound by opens, closes and lookups.", false, func(f Finding) bool {
			return f.Detector == detectors.MetadataHeavy || f.Variant == detectors.VariantMetadata
		}},
		{"limits", "Limits and burst credits", "No volume, share or pool was held at a limit, and no burst credits ran out.", false, func(f Finding) bool {
			return f.Detector == detectors.LimitReached || f.Detector == detectors.HardLimit
		}},
	}
	sections := []Section{}
	for _, topic := range topics {
		section := Section{Name: topic.name, Title: topic.title, Findings: []string{}}
		ended := 0
		for _, finding := range o.weekly.Findings {
			if topic.is(finding) {
				section.Findings = append(section.Findings, finding.ID)
				if !finding.AtEnd {
					ended++
				}
			}
		}
		switch n := len(section.Findings); {
		case n == 0 && topic.clients && o.hostsRead() == 0:
			section.Text = "Not known: no client host was read minute by minute in this week."
		case n == 0 && !topic.clients && o.unheard() != "":
			section.Text = "Not known: " + o.unheard() + "."
		case n == 0:
			section.Text = topic.none
		default:
			section.Text = fmt.Sprintf("%s, of which %d ended within the week.", count(n, "finding"), ended)
		}
		if read := o.hostsRead(); topic.clients && read > 0 && coverageOf(o.listened.hosts).Below(1-mostUnread) {
			section.Text += " That is what was seen in " + hours(read.Hours()) + ": for the rest of the week no client host was read."
		}
		sections = append(sections, section)
	}
	return sections
}

// What stands beside tables.
const (
	idleNote  = "Granted less p99: what 99 of 100 samples left. Where operations have a limit too, and more of it is used, no larger part than of the operations. The limit of operations is known of Azure shares and of Flex pools; elsewhere operations have none of their own."
	reachNote = "Reachable is what a volume could move at most: its limit, or what was measured of its protocol, level, block size and share of reads in its most favourable busy hour, where that is lower; " +
		"of an Azure share what it provisions, or its operations times the block size of its most favourable busy five minutes. It is – where no measurement of the service and protocol is published, or no hour was busy. " +
		"Of a group, p99 / reachable is the sum of the p99 of its volumes that have one over the sum of what these could reach, of a Flex pool at most its own limit; (3 of 5) says how many those are."
)

// notes say how the figures are made.
func (o *builder) notes() []string {
	settings := o.terms.Settings
	return []string{
		"A week is an ISO week in UTC, from Monday 00:00 to the Monday after it. A sample belongs to it where its five minutes end within it.",
		"Used is the sum of reads, writes and metadata in means of five minutes, as the service measures them; of Azure shares it is the busiest second of each five minutes, whose sum over shares is an upper bound.",
		"Of a group, p50, p95 and p99 are those of the sum, moment by moment, which is less than the sum of its members'. Only what was moved and what was granted add up.",
		"Granted is the mean of the limit that the service grants; of Flex pools the pool's, of Azure shares what is provisioned. The limit in the tables is of throughput alone.",
		"Paid for is what pools have, given to volumes or not: with automatic QoS a volume has what its own size brings, and the rest of its pool is paid for as well.",
		"Idle: " + lowered(idleNote) + fmt.Sprintf(" A volume is called idle where 99 of 100 samples are below %s and, as far as they are known, below %s operations per second: what is idle to every rule.", rate(fleet.Value(settings.Activity.Bytes)), grouped(settings.Activity.Operations)),
		reachNote,
		"A sample that is missing is not zero: it is left out, and coverage says how many there are.",
		fmt.Sprintf("A volume's need is %.2g times its 99th percentile with its growth, and never below its highest sample of up to 35 days. Below %s of the samples nothing is advised, and no plan is made by less than %.0f days of history.", settings.Pool.Headroom, percent(fleet.Value(settings.MinimumCoverage)), plan.Defaults().MinDays),
		fmt.Sprintf("Findings with a duration were recorded as they fired. Those without were judged as of %s; a finding that is over was judged again in the middle of its time.", o.weekly.Judged.Format(time.RFC3339)),
		"Money is by the operator's prices, each with its date and source; committed use and discounts are left out. nasight proposes and changes nothing.",
	}
}
