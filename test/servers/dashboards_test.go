//go:build servers

package servers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"

	"github.com/nasight/nasight/dashboards/dashtest"
)

// silent are the queries that the demo has no data for, each with the reason.
func silent() map[string]string {
	const noPrices = "the demo has no prices"
	return map[string]string{
		"nasight-fleet: Now / Waste a month A":                      noPrices,
		"nasight-fleet: Findings / Findings D":                      noPrices,
		"nasight-fleet: Money / What could be saved A":              noPrices,
		"nasight-pools: Findings / Findings D":                      noPrices,
		"nasight-volume: Findings / Findings D":                     noPrices,
		"nasight-own: Collectors / Odd input A":                     "its hosts' files have nothing odd",
		"nasight-own: Clouds: freshness / What cannot be read A":    "all can be read",
		"nasight-own: Clouds: calls and cost / Cost of the month C": "no limit is set",
		"nasight-own: History and writing / Configuration A":        "the demo reads its file once",
		"nasight-smb: Load / Size of writes A":                      "no client of SMB writes",
	}
}

// fillsDashboards asks the Prometheus that Grafana asks, as Grafana does, every query of every dashboard. One that gives no
// data is either wrong or listed, and one that is listed gives none.
func (s *stack) fillsDashboards(t *testing.T) {
	prometheus := s.url(t, "prometheus", "9090")
	awaitSeries(t, prometheus, `count_over_time(up{job="nasight"}[10m]) >= 10`, 1, startLimit) // enough for rates
	client, err := api.NewClient(api.Config{Address: prometheus})
	if err != nil {
		t.Fatal(err)
	}
	boards := walked(t)
	var wrong []string
	eventually(t, startLimit, func() bool {
		wrong = mistakes(t, boards, v1.NewAPI(client))
		return len(wrong) == 0
	}, func() string { return strings.Join(wrong, "\n") })
}

func walked(t *testing.T) []*dashtest.Board {
	t.Helper()
	boards, err := dashtest.Walked()
	if err != nil || len(boards) != 7 {
		t.Fatalf("%d dashboards, error %v, want seven", len(boards), err)
	}
	return boards
}

// mistakes are what is wrong with the answers, a line each.
func mistakes(t *testing.T, boards []*dashtest.Board, client v1.API) (wrong []string) {
	t.Helper()
	fail := func(format string, arguments ...any) { wrong = append(wrong, fmt.Sprintf(format, arguments...)) }
	exceptions := silent()
	times := dashtest.Times{End: time.Now(), Range: 5 * time.Minute, Step: 15 * time.Second, Scrape: 15 * time.Second}
	for _, board := range boards {
		answers, err := board.Run(t.Context(), client, times)
		if err != nil {
			fail("%v", err)
		}
		for _, answer := range answers {
			name := answer.Query.Name()
			reason, listed := exceptions[name]
			delete(exceptions, name)
			switch {
			case answer.Err != nil:
				fail("%s: %v: %s", name, answer.Err, answer.Asked)
			case answer.Odd != "":
				fail("%s: %s: %s", name, answer.Odd, answer.Asked)
			case answer.Series == 0 && !listed:
				fail("%s: no data: %s", name, answer.Asked)
			case answer.Series > 0 && listed:
				fail("%s gives data, yet it is listed as one that does not: %s", name, reason)
			}
		}
	}
	for name, reason := range exceptions {
		fail("listed as without data and not there: %s (%s)", name, reason)
	}
	return wrong
}
