package alerts

import (
	"fmt"
	"strings"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/schema"
)

// Finding is one row: how the finding of a detector's variant becomes an alert. What has to hold, and for how long, is the
// detector's own rule: the life cycle of findings has waited already, so the alert has no time of its own to wait. How severe it
// is changes with what it finds, so that comes with the series.
type Finding struct {
	detectors.Name

	Cause string // the words of the summary, before the resource
	Way   string // the first thing to do, a sentence
}

// Alert is the alert's name: NasightLimitReachedThroughput.
func (f Finding) Alert() string {
	name := "Nasight"
	for _, word := range strings.FieldsFunc(f.Detector+"_"+f.Variant, func(r rune) bool { return r == '_' }) {
		name += initials(word)
	}
	return name
}

// initials writes abbreviations as such and other words with a capital.
func initials(word string) string {
	switch word {
	case "cpu", "iops", "smb":
		return strings.ToUpper(word)
	case "qos":
		return "QoS"
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// rule is the finding's alert. Its severity comes with the series: a rule for each would say the same three times.
func (f Finding) rule(options Options) Rule {
	return Rule{
		Alert:         f.Alert(),
		Expr:          fmt.Sprintf("%s{detector=%q, variant=%q}", notifies, f.Detector, f.Variant),
		KeepFiringFor: duration(f.Keep(options.Interval)),
		Annotations: Annotations{
			Summary:     f.Cause + ":" + resourceWords,
			Description: f.Way + f.numbers(),
			RunbookURL:  runbook(options, f.Alert()),
		},
	}
}

// Keep is how long the alert stays after its series is gone. It bridges scrapes that fail and a restart of nasight, after which history is judged anew: the look over days takes
// longer than that over minutes. What is no longer true is kept by the life cycle, before this.
func (f Finding) Keep(interval time.Duration) time.Duration {
	keep := 5 * interval
	for _, rule := range detectors.Rules() {
		if rule.Detector == f.Detector && rule.Clock == detectors.Daily {
			keep = 15 * interval
		}
	}
	return max(keep, 5*time.Minute)
}

// pagesFrom is the confidence from which a finding may page (a warning or worse); below it, the finding is told as info.
const pagesFrom = 0.6

// The recorded series. Of several nasights that watch the same, the surest counts.
const (
	surest   = "finding:nasight_finding_confidence:max"
	severest = "finding:nasight_finding_severity:max"
	quiet    = "finding:nasight_finding_quiet:max"
	notifies = "finding:nasight_finding_confidence:notify" // with the severity at which the finding notifies as a label
)

// recordings decide in one place at which severity a finding notifies: at exactly one, or at none where it is a hint or nobody is to
// be notified of it, as of anomalies beyond the day's ration.
func recordings() []Rule {
	identity := strings.Join(schema.FindingActive.Labels, ", ")
	highest := func(family *schema.Family) string { return fmt.Sprintf("max by (%s) (%s)", identity, family.Name) }
	at := func(severity detectors.Severity, expr string) Rule {
		expr = fmt.Sprintf("(%s) unless %s == 1", expr, quiet)
		return Rule{Record: notifies, Expr: expr, Labels: map[string]string{"severity": severity.String()}}
	}
	sure := func(severity detectors.Severity) Rule {
		return at(severity, fmt.Sprintf("%s >= %g and %s == %d", surest, pagesFrom, severest, severity))
	}
	return []Rule{
		{Record: surest, Expr: highest(schema.FindingConfidence)},
		{Record: severest, Expr: highest(schema.FindingSeverity)},
		{Record: quiet, Expr: highest(schema.FindingQuiet)},
		sure(detectors.Critical),
		sure(detectors.Warning),
		at(detectors.Info, fmt.Sprintf("%[1]s >= %[2]g and (%[3]s == %[4]d or %[1]s < %[5]g)",
			surest, detectors.DefaultSettings().HintBelow, severest, detectors.Info, pagesFrom)),
	}
}
