package gcnv

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors/connect"
)

// mostNamed bounds how many resources an answer names.
const mostNamed = 3

// answers are what the cloud said to the questions that its documentation leaves open. left is how many projects were
// not asked.
func answers(visits []*visit, samples []*sample, left int, cfg Config, prices []Price) []connect.Answer {
	all := []connect.Answer{
		metricsAnswer(visits, cfg.Tiers), latencyAnswer(visits, samples), limitAnswer(samples), idleAnswer(samples), endpointsAnswer(visits),
		pricesAnswer(visits, cfg, prices),
	}
	if left > 0 {
		for i := 1; i <= 3; i++ {
			all[i].Details = append(all[i].Details, fmt.Sprintf("%s not asked, to keep it cheap", connect.Count(left, "more project")))
		}
	}
	return all
}

// latencyAnswer tells the label key of the mean latency, from its descriptors and from series.
func latencyAnswer(visits []*visit, samples []*sample) connect.Answer {
	answer := connect.Answer{Name: "latency_label", Asks: "Which label key does average_latency have: type or method?"}
	described, seen := map[string]bool{}, map[string]bool{}
	for _, v := range visits {
		for _, key := range labelKeys(descriptorsOf(v)[latencyMetric]) {
			described[key] = true
		}
	}
	for _, s := range samples {
		for key := range s.latency.GetMetric().GetLabels() {
			seen[key] = true
		}
		answer.Details = append(answer.Details, s.trouble(latencyMetric)...)
	}
	by, from := slices.Sorted(maps.Keys(seen)), slices.Sorted(maps.Keys(described))
	switch {
	case len(by) > 0 && slices.Equal(by, from):
		answer.Known, answer.Says = true, strings.Join(by, ", ")+": the descriptor and series agree."
	case len(by) > 0:
		answer.Known, answer.Says = true, fmt.Sprintf("%s, as series carry it; the descriptor says %s.", strings.Join(by, ", "), orNone(from))
	case len(from) > 0:
		answer.Known, answer.Says = true, strings.Join(from, ", ")+", as the descriptor says; no series was there to confirm it."
	default:
		answer.Says = "neither a descriptor nor a series of it could be read"
	}
	return answer
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// sameLimit is how near a limit has to be to the assigned throughput: the metric is in whole KiB/s.
const sameLimit = 1e-3

// limitAnswer compares the limits that the service reports of volumes with manual QoS with what is assigned to them.
func limitAnswer(samples []*sample) connect.Answer {
	answer := connect.Answer{Name: "throughput_limit", Asks: "Is throughput_limit of a volume with manual QoS its assigned throughput?"}
	manual, compared := 0, 0
	var other []string
	for _, s := range samples {
		answer.Details = append(answer.Details, s.trouble(limitMetric)...)
		manual += len(s.manual)
		for _, v := range s.manual {
			limit, ok := s.limits[v.key]
			if !ok {
				continue
			}
			compared++
			if assigned := v.ThroughputMibps * mib; math.Abs(limit.value-assigned) > sameLimit*max(assigned, mib) {
				other = append(other, fmt.Sprintf("%s: limit %.6g MiB/s, assigned %.6g MiB/s", s.pathOf(v), limit.value/mib, v.ThroughputMibps))
			}
		}
	}
	switch {
	case manual == 0:
		answer.Says = "no volume with manual QoS and an assigned throughput is known"
	case compared == 0:
		answer.Says = fmt.Sprintf("no point of throughput_limit in the last %s for any of %s with manual QoS", spanText(span), connect.Count(manual, "volume"))
	case len(other) > 0:
		answer.Known, answer.Says = true, fmt.Sprintf("No: it differs for %d of %s (a change less than an hour ago would explain it).", len(other), connect.Count(compared, "volume"))
		answer.Details = append(answer.Details, connect.Few(other, mostNamed))
	default:
		answer.Known, answer.Says = true, fmt.Sprintf("Yes, for %d of %d volumes that were looked at; none differs.", compared, manual)
	}
	answer.Details = append(answer.Details, "how soon after a change cannot be told from one moment: change one and run this again")
	return answer
}

func (s *sample) pathOf(v *volume) string {
	return s.project + "/" + v.key.location + "/" + v.key.name
}

// trouble says why a metric could not be read, whole or in part.
func (s *sample) trouble(metric string) []string {
	err := s.errs[metric]
	if err == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s of project %s could not be read whole: %s", metric, s.project, saidBy(err))}
}

// idleAnswer tells whether a volume that moves nothing has points of 0 or none. One that has a limit but no throughput is
// known to the monitoring and silent; what it does is not known otherwise, and the answer says no more than that.
func idleAnswer(samples []*sample) connect.Answer {
	answer := connect.Answer{Name: "idle_volumes", Asks: "Do idle volumes send points of 0, or none?"}
	asked, types := 0, 0
	var zero, silent []string
	for _, s := range samples {
		answer.Details = append(answer.Details, s.trouble(throughputMetric)...)
		for _, v := range s.volumes() {
			asked++
			_, limited := s.limits[v.key]
			moved := s.moved[v.key]
			still := stillTypes(moved)
			switch {
			case len(moved) == 0 && limited && s.errs[throughputMetric] == nil:
				silent = append(silent, s.pathOf(v))
			case len(moved) > 0 && still == len(moved):
				zero = append(zero, s.pathOf(v))
			default:
				types += still
			}
		}
	}
	if types > 0 {
		answer.Details = append(answer.Details, connect.Count(types, "single type")+" of operations, of volumes that moved other ones, had points of 0 alone")
	}
	answer.Known = len(zero)+len(silent) > 0
	switch {
	case asked == 0:
		answer.Says = "no volume could be asked about"
	case len(zero) > 0 && len(silent) > 0:
		answer.Says = fmt.Sprintf("Both: of %s, %d had points of 0 alone in the last %s, and %d had a throughput_limit but no throughput.", connect.Count(asked, "volume"), len(zero), spanText(span), len(silent))
	case len(zero) > 0:
		answer.Says = fmt.Sprintf("Points of 0: %d of %s had those alone in the last %s.", len(zero), connect.Count(asked, "volume"), spanText(span))
	case len(silent) > 0:
		answer.Says = fmt.Sprintf("None: %d of %s had a throughput_limit but no point of throughput in the last %s.", len(silent), connect.Count(asked, "volume"), spanText(span))
	default:
		answer.Says = fmt.Sprintf("no idle volume among the %d that were looked at", asked)
	}
	if len(zero) > 0 {
		answer.Details = append(answer.Details, "0 alone: "+connect.Few(zero, mostNamed))
	}
	if len(silent) > 0 {
		answer.Details = append(answer.Details, "no point: "+connect.Few(silent, mostNamed))
	}
	return answer
}

// stillTypes counts the types of operations whose points are all 0.
func stillTypes(moved map[string][]point) int {
	still := 0
	for _, points := range moved {
		if !slices.ContainsFunc(points, func(p point) bool { return p.value != 0 }) {
			still++
		}
	}
	return still
}

// allEndpoints is how many addresses a large-capacity volume has.
const allEndpoints = 6

// endpointsAnswer tells whether volumes with several endpoints list all their addresses.
func endpointsAnswer(visits []*visit) connect.Answer {
	answer := connect.Answer{Name: "multiple_endpoints", Asks: "Do volumes with multipleEndpoints list six mountOptions?"}
	several := 0
	var other []string
	for _, v := range visits {
		for _, volume := range v.inv.sorted() {
			if !volume.MultipleEndpoints || !volume.wanted {
				continue
			}
			several++
			addresses := map[string]bool{}
			for _, option := range volume.MountOptions {
				for _, e := range volume.endpoints(option) {
					addresses[e[0]] = true
				}
			}
			if len(addresses) != allEndpoints {
				other = append(other, fmt.Sprintf("%s/%s/%s: %s in %s", v.project, volume.key.location, volume.key.name,
					strings.Replace(connect.Count(len(addresses), "address"), "addresss", "addresses", 1), connect.Count(len(volume.MountOptions), "mount option")))
			}
		}
	}
	switch {
	case several == 0:
		answer.Says = "no volume with multipleEndpoints is known"
	case len(other) > 0:
		answer.Known, answer.Says = true, fmt.Sprintf("No: %d of %s list another number of addresses.", len(other), connect.Count(several, "volume"))
		answer.Details = []string{connect.Few(other, mostNamed)}
	default:
		answer.Known, answer.Says = true, fmt.Sprintf("Yes: %d of %d list six addresses.", several, several)
	}
	return answer
}
