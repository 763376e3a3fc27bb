package dashboards_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"

	"github.com/nasight/nasight/dashboards/dashtest"
	"github.com/nasight/nasight/promapi"
)

// silent are the queries that the demo's fleet has nothing for, each with the reason.
func silent() map[string]string {
	return map[string]string{
		"nasight-own: Clouds: freshness / What cannot be read A":    "all can be read",
		"nasight-own: Clouds: calls and cost / Cost of the month C": "no limit is set",
		"nasight-own: History and writing / Configuration A":        "on /metrics alone, as the panel says",
		"nasight-smb: Load / Size of writes A":                      "no client of SMB writes",
	}
}

// asked is an API of nasight's own over the fixture, as Grafana would ask it.
func asked(t *testing.T, f *fixture) v1.API {
	t.Helper()
	server := httptest.NewServer(promapi.NewHandler(f, promapi.Options{}))
	transport := server.Client()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	client, err := api.NewClient(api.Config{Address: server.URL, Client: transport})
	if err != nil {
		t.Fatal(err)
	}
	return v1.NewAPI(client)
}

// Every query of every panel, variable and annotation is asked as Grafana would ask it, and gives data of the demo's fleet. A
// query that gives none is either wrong or listed, and one that is listed gives none.
func TestEveryQueryGivesData(t *testing.T) {
	f := filled(t)
	client, exceptions := asked(t, f), silent()
	times := dashtest.Times{End: f.end, Range: 8 * time.Minute, Step: time.Minute, Scrape: pace}
	for _, board := range walked(t) {
		answers, err := board.Run(t.Context(), client, times)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, answer := range answers {
			name := answer.Query.Name()
			reason, listed := exceptions[name]
			delete(exceptions, name)
			switch {
			case answer.Err != nil:
				t.Errorf("%s: %v\n%s", name, answer.Err, answer.Asked)
			case answer.Odd != "":
				t.Errorf("%s: %s\n%s", name, answer.Odd, answer.Asked)
			case answer.Series == 0 && !listed:
				t.Errorf("%s: no data\n%s", name, answer.Asked)
			case answer.Series > 0 && listed:
				t.Errorf("%s gives data, yet it is listed as one that does not: %s", name, reason)
			case answer.Series > 250:
				t.Errorf("%s: %d series", name, answer.Series)
			}
		}
	}
	for name, reason := range exceptions {
		t.Errorf("listed as without data and not there: %s (%s)", name, reason)
	}
}

// walked are the dashboards as the walker reads them.
func walked(t *testing.T) []*dashtest.Board {
	t.Helper()
	boards, err := dashtest.Walked()
	if err != nil || len(boards) != 7 {
		t.Fatalf("%d dashboards, error %v, want seven", len(boards), err)
	}
	return boards
}
