package detectors

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/fleet"
)

// ThrottleMinute is a minute of a share or an account, in requests per second.
type ThrottleMinute struct {
	Requests fleet.Value            // of all response types; missing: the service tells of none
	Held     map[string]fleet.Value // those that the service delayed or refused, by the variant of the limit
	Refused  map[string]fleet.Value // of those the refused ones
}

// HeldVerdict is the judgement of one limit of a share or an account.
type HeldVerdict struct {
	Severity    Severity
	Near        bool        // by utilisation
	Held        bool        // by what the service throttles
	Throttled   fleet.Value // part of the newest five minutes' requests that this limit delayed or refused
	Refused     fleet.Value // part that it refused
	All         fleet.Value // part that any limit delayed or refused
	Utilisation fleet.Value // the newest minute's
}

// newestMinutes is how many of the newest minutes decide, each by the five that end with it.
const newestMinutes = 5

// limitOf is the variant of the limit that a response type names. Types without a word for it count requests.
func limitOf(response string) string {
	for _, row := range [][2]string{
		{"ShareEgress", VariantEgress}, {"ShareIngress", VariantIngress}, {"ShareIops", VariantIOPS}, {"Metadata", VariantMetadata},
		{"AccountBandwidth", VariantThroughput},
	} {
		if strings.Contains(response, row[0]) {
			return row[1]
		}
	}
	return VariantIOPS
}

// JudgeThrottling applies the rule for what a service counts as throttled (5), to the newest minutes, the last one the
// newest: the limit that holds back most by what all of them do together, and each other one by what it does alone.
func JudgeThrottling(minutes []ThrottleMinute, limits ShareSettings) map[string]HeldVerdict {
	total, now := held{}, windowOf(minutes, len(minutes))
	each := map[string]*held{}
	for end := max(0, len(minutes)-newestMinutes) + 1; end <= len(minutes); end++ {
		window := windowOf(minutes, end)
		total.count(window.grade("", limits))
		for variant := range window.held {
			if each[variant] == nil {
				each[variant] = &held{}
			}
			each[variant].count(window.grade(variant, limits))
		}
	}
	verdicts, most := map[string]HeldVerdict{}, now.most()
	for variant, counted := range each {
		severity := counted.severity(limits)
		if variant == most {
			severity = max(severity, total.severity(limits))
		}
		if severity != 0 {
			verdicts[variant] = HeldVerdict{
				Severity: severity, Held: true, Utilisation: fleet.Unknown,
				Throttled: now.held[variant].Over(now.requests), Refused: fleet.Value(now.refused[variant].Or(0)).Over(now.requests), All: now.sum(now.held).Over(now.requests),
			}
		}
	}
	return verdicts
}

// held counts the windows of each severity.
type held struct{ critical, warning float64 }

func (h *held) count(severity Severity) {
	if severity >= Warning {
		h.warning++
	}
	if severity == Critical {
		h.critical++
	}
}

func (h held) severity(limits ShareSettings) Severity {
	switch {
	case h.critical >= limits.Minutes:
		return Critical
	case h.warning >= limits.Minutes:
		return Warning
	}
	return 0
}

// throttleWindow sums up five minutes, in requests.
type throttleWindow struct {
	requests      fleet.Value
	held, refused map[string]fleet.Value
}

func windowOf(minutes []ThrottleMinute, end int) throttleWindow {
	w := throttleWindow{fleet.Unknown, map[string]fleet.Value{}, map[string]fleet.Value{}}
	for _, minute := range minutes[max(0, end-newestMinutes):end] {
		w.requests = w.requests.Plus(minute.Requests * 60)
		for variant, rate := range minute.Held {
			w.held[variant] += fleet.Value(rate.Or(0) * 60)
		}
		for variant, rate := range minute.Refused {
			w.refused[variant] += fleet.Value(rate.Or(0) * 60)
		}
	}
	return w
}

func (w throttleWindow) sum(parts map[string]fleet.Value) fleet.Value {
	sum := fleet.Value(0)
	for _, part := range parts {
		sum += part
	}
	return sum
}

// most is the limit that holds back most requests.
func (w throttleWindow) most() string {
	best := ""
	for _, variant := range slices.Sorted(maps.Keys(w.held)) {
		if best == "" || w.held[variant] > w.held[best] {
			best = variant
		}
	}
	return best
}

// grade judges one limit, or all of them together.
func (w throttleWindow) grade(variant string, limits ShareSettings) Severity {
	kept, refused := w.held[variant], w.refused[variant]
	if variant == "" {
		kept, refused = w.sum(w.held), w.sum(w.refused)
	}
	part := kept.Over(w.requests)
	switch {
	case kept > 0 && (part.AtLeast(limits.ThrottledCritical-rounding) || refused.Over(w.requests).AtLeast(limits.Refused-rounding)):
		return Critical
	case part.AtLeast(limits.Throttled-rounding) && kept.AtLeast(limits.ThrottledRequests-rounding):
		return Warning
	}
	return 0
}

// JudgeNear tells whether enough of the newest five minutes are near a limit.
func JudgeNear(uses []fleet.Value, limits ShareSettings) HeldVerdict {
	v := HeldVerdict{Throttled: fleet.Unknown, Refused: fleet.Unknown, All: fleet.Unknown, Utilisation: fleet.Unknown}
	near := 0.0
	for _, use := range uses[max(0, len(uses)-newestMinutes):] {
		if use.Known() {
			v.Utilisation = use
		}
		if use.AtLeast(limits.Near) {
			near++
		}
	}
	if near >= limits.Minutes {
		v.Severity, v.Near = Warning, true
	}
	return v
}

// CreditSample is a minute's burst credits.
type CreditSample struct {
	At      time.Time
	Credits fleet.Value
}

// CreditVerdict is the forecast of burst credits.
type CreditVerdict struct {
	Severity Severity
	Credits  fleet.Value // the newest that are known
	Drain    fleet.Value // credits per second; negative while they accrue
	Left     fleet.Value // seconds from now until none is left
}

// JudgeCredits tells when the burst credits will be gone, from a quarter of an hour of samples. A bucket that is full is not
// taken to drain before it has for five minutes.
func JudgeCredits(samples []CreditSample, full fleet.Value, now time.Time, limits ShareSettings) CreditVerdict {
	v := CreditVerdict{Credits: fleet.Unknown, Drain: fleet.Unknown, Left: fleet.Unknown}
	var at []time.Time
	var credits []fleet.Value
	for _, s := range samples {
		if s.Credits.Known() {
			at, credits = append(at, s.At), append(credits, s.Credits)
		}
	}
	if float64(len(credits)) < limits.CreditsPoints {
		return v
	}
	v.Credits, v.Drain = credits[len(credits)-1], -fleet.Slope(at, credits)
	if !v.Drain.Above(0) || !v.Credits.Over(full).Below(limits.CreditsFull) && !falling(credits) {
		return v
	}
	// The service tells of credits minutes late: by now there are fewer.
	v.Left = max(0, v.Credits/v.Drain-fleet.Value(now.Sub(at[len(at)-1]).Seconds()))
	switch {
	case v.Left.Below(limits.CreditsCritical):
		v.Severity = Critical
	case v.Left.Below(limits.CreditsWarning):
		v.Severity = Warning
	}
	return v
}

// falling tells whether the newest five minutes all have less than the one before.
func falling(values []fleet.Value) bool {
	if len(values) <= newestMinutes {
		return false
	}
	for i := len(values) - newestMinutes; i < len(values); i++ {
		if values[i] >= values[i-1] {
			return false
		}
	}
	return true
}
