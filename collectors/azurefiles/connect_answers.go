package azurefiles

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/collectors/internal/azuretrial"
)

// answers are what the cloud said to the questions that its documentation leaves open.
func answers(visits []*visit, groups []*group, words *vocabulary) []connect.Answer {
	return []connect.Answer{metricsAnswer(visits, groups), batchAnswer(visits), wildcardAnswer(visits), namesAnswer(visits, words)}
}

// batchAnswer tells whether the batch API takes file services. A role that lacks, and a service that is not reached, are
// no answer.
func batchAnswer(visits []*visit) connect.Answer {
	answer := connect.Answer{Name: "batch", Asks: "Does the batch API of metrics take file services (azurefiles.batch)?"}
	var taken, refused, unknown []string
	for _, v := range visits {
		switch b := v.batch; {
		case b.asked == nil:
		case b.err == nil:
			taken = append(taken, b.region)
		case b.refusesFiles():
			refused = append(refused, b.region)
			answer.Details = append(answer.Details, "in "+b.region+" it said "+azuretrial.CauseOf(b.err).Said)
		default:
			unknown = append(unknown, fmt.Sprintf("%s of subscription %s: %s", b.region, v.sub.id, azureapi.ReasonOf(b.err)))
		}
	}
	taken, refused, answer.Details = distinct(taken), distinct(refused), distinct(answer.Details)
	answer.Known = len(taken)+len(refused) > 0
	switch {
	case len(taken) > 0 && len(refused) > 0:
		answer.Says = fmt.Sprintf("Yes in %s; no in %s, where the accounts are asked one by one.", connect.Few(taken, mostNamed), connect.Few(refused, mostNamed))
	case len(taken) > 0:
		answer.Says = "Yes: in " + connect.Few(taken, mostNamed) + "."
	case len(refused) > 0:
		answer.Says = "No: not in " + connect.Few(refused, mostNamed) + ". The accounts are asked one by one, whatever azurefiles.batch says."
	case len(unknown) == 0:
		answer.Says = "no account could be asked for"
	case strings.HasSuffix(unknown[0], azureapi.ReasonPermission):
		answer.Says = "it may not be asked; that takes the role " + azuretrial.MonitoringRole + " on the subscription"
	default:
		answer.Says = "it could not be asked"
	}
	if len(unknown) > 0 {
		answer.Details = append(answer.Details, "no answer in "+connect.Few(unknown, mostNamed))
	}
	return answer
}

func distinct(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// wildcardAnswer tells whether one request may be split by two dimensions.
func wildcardAnswer(visits []*visit) connect.Answer {
	answer := connect.Answer{Name: "wildcards", Asks: "Does Azure Monitor split metrics by share and by operation in one request?"}
	taken, asked := 0, 0
	for _, v := range visits {
		for _, one := range v.read {
			if one.group.by == "" || !one.sample.details.class.split() {
				continue
			}
			asked++
			if one.mode == whole {
				taken++
			}
		}
	}
	answer.Known = asked > 0
	switch {
	case asked == 0:
		answer.Says = "no account with metrics by share could be asked for"
	case taken == asked:
		answer.Says = "Yes."
	case taken == 0:
		answer.Says = fmt.Sprintf("No: it is asked for %d shares at a time, by their names.", listedShares)
	default:
		answer.Says = fmt.Sprintf("In %d of %d cases; else it is asked for %d shares at a time, by their names.", taken, asked, listedShares)
	}
	return answer
}

// namesAnswer tells which names of operations are not known, by the protocol of the account's shares.
func namesAnswer(visits []*visit, words *vocabulary) connect.Answer {
	answer := connect.Answer{Name: "operations", Asks: "Which operations does Azure Monitor name that nasight does not know?"}
	heard := map[string]map[string]bool{"smb": {}, "nfs": {}}
	for _, v := range visits {
		for _, one := range v.read {
			protocol := "smb"
			if one.sample.has("nfs") && !one.sample.has("smb") {
				protocol = "nfs"
			}
			if one.group.by == byAPI {
				maps.Copy(heard[protocol], one.words)
			}
		}
	}
	var all, strange []string
	for _, protocol := range []string{"smb", "nfs"} {
		names := slices.Sorted(maps.Keys(heard[protocol]))
		unknown := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			_, known := words.api(name)
			return known
		})
		all, strange = append(all, names...), append(strange, unknown...)
		if len(unknown) > 0 {
			answer.Details = append(answer.Details, "of accounts with "+strings.ToUpper(protocol)+" shares: "+connect.Few(quoted(unknown), mostWords))
		}
	}
	switch {
	case len(all) == 0:
		answer.Says = "no operation happened in the last hour on what was looked at"
	case len(strange) == 0:
		answer.Known, answer.Says = true, fmt.Sprintf("None: all %d that happened are known.", len(distinct(all)))
	default:
		answer.Known = true
		answer.Says = fmt.Sprintf("%d of the %d that happened: they are counted as %s, unless azurefiles.api_names lists them.", len(distinct(strange)), len(distinct(all)), other)
	}
	if len(heard["nfs"]) == 0 {
		answer.Details = append(answer.Details, "what NFS calls its own is not told by this: nothing happened on an account with NFS shares alone")
	}
	return answer
}

// mostWords bounds how many of the service's words are told one by one.
const mostWords = 20

// quoted are names as somebody else writes them, each of bounded length.
func quoted(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = name
		if !wordLike.MatchString(name) {
			all[i] = fmt.Sprintf("%.80q", name)
		}
	}
	return all
}
