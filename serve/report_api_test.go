package serve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/plan"
	"github.com/nasight/nasight/report"
)

func askReport(t *testing.T, s *Server, query string) (*httptest.ResponseRecorder, *report.Weekly) {
	t.Helper()
	recorder := httptest.NewRecorder()
	s.reportFigures(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/report?"+query, nil))
	if recorder.Code != http.StatusOK {
		return recorder, nil
	}
	var made report.Weekly
	if err := json.Unmarshal(recorder.Body.Bytes(), &made); err != nil {
		t.Fatalf("%v in %.200s", err, recorder.Body)
	}
	return recorder, &made
}

// The API gives the figures of the report: by the same function where none was written, and else the very file.
func TestReportFigures(t *testing.T) {
	week := report.LastClosed(time.Now())
	server := reporting(t, week)
	for _, query := range []string{"", "week=" + week.String(), "project=example&pool=pool-1"} {
		_, made := askReport(t, server, query)
		if made == nil || made.Format != report.Format || made.Week != week {
			t.Fatalf("%q: %+v", query, made)
		}
		if last := made.Efficiency[len(made.Efficiency)-1]; last.Resource.Volume != "home" || last.P99 != 10*mib {
			t.Errorf("%q: %+v", query, last)
		}
	}
	if names := namesIn(t, server.current().Report.Directory); len(names) > 0 {
		t.Errorf("asking wrote %q", names)
	}
	if err := server.reportOnce(t.Context(), week.To().Add(6*time.Hour)); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(server.current().Report.Directory + "/nasight-weekly-" + week.String() + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := askReport(t, server, "week="+week.String()); got.Body.String() != string(written) {
		t.Errorf("the API tells something else than the file: %.200s", got.Body)
	}
	if got, made := askReport(t, server, "compare="+week.Back(3).String()); made == nil || made.Before != week.Back(3) {
		t.Errorf("held against another week: %d", got.Code)
	}
}

func TestReportFiguresRefuse(t *testing.T) {
	week := report.LastClosed(time.Now())
	server := reporting(t, week)
	for query, want := range map[string]struct {
		code int
		says string
	}{
		"week=2026":                      {http.StatusBadRequest, "week=2026: is no week"},
		"compare=x":                      {http.StatusBadRequest, "compare=x: is no week"},
		"week=" + week.Back(-2).String(): {http.StatusBadRequest, "has not ended yet"},
		"week=" + week.Back(8).String():  {http.StatusNotFound, "holds nothing of that week"},
		"weeks=" + week.String():         {http.StatusBadRequest, `unknown parameter \"weeks\"`},
		"pool=none":                      {http.StatusNotFound, "pool=none: nothing in history has that name"},
		"week=" + week.String() + "&week=" + week.Back(1).String(): {http.StatusBadRequest, "week=" + week.Back(1).String() + ": given more than once; write it once"},
		"pool=a&pool=a":                     {http.StatusBadRequest, "pool=a: given more than once"},
		"compare=2020-W01&compare=2020-W02": {http.StatusBadRequest, "given more than once"},
		"project=p&project=q":               {http.StatusBadRequest, "given more than once"},
		"week=0000-W01":                     {http.StatusBadRequest, "week=0000-W01: the year is none from 1970 to 9998"},
		"week=2025-W53":                     {http.StatusBadRequest, "its weeks are W01 to W52"},
		"compare=" + week.String():          {http.StatusBadRequest, "is the week of the report itself"},
	} {
		got, _ := askReport(t, server, query)
		if got.Code != want.code || !strings.Contains(got.Body.String(), want.says) || strings.Count(strings.TrimSpace(got.Body.String()), "\n") != 0 {
			t.Errorf("%s: %d %s", query, got.Code, got.Body)
		}
	}
	server.making.Lock()
	got, _ := askReport(t, server, "week="+week.String())
	server.making.Unlock()
	if got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") != "30" {
		t.Errorf("beside another: %d %s", got.Code, got.Body)
	}
}

func TestReportFiguresRoute(t *testing.T) {
	server := start(t, Options{Config: testConfig(t), Simulated: "SIMULATED"})
	if code, body := server.get(t, "/api/v1/report?week=2020-W01"); code != http.StatusNotFound || !strings.Contains(body, "2020-W01") {
		t.Errorf("%d %s", code, body)
	}
	if code, body := request(t, http.MethodPost, server.base+"/api/v1/report"); code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d %s", code, body)
	}
}

// An empty parameter is refused by every route that has parameters: an empty filter would let everything through.
func TestEmptyParameters(t *testing.T) {
	server := start(t, Options{Config: testConfig(t)})
	for route, names := range map[string][]string{
		"report": {"week", "compare", "pool", "project"}, "plan": plan.Parameters(), "findings": {"detector", "host", "severity", "state"},
	} {
		for _, name := range names {
			for _, query := range []string{name + "=", name, name + "=a&" + name + "="} {
				code, body := server.get(t, "/api/v1/"+route+"?"+query)
				if code != http.StatusBadRequest || !strings.Contains(body, name+"=: is empty; write a value, or leave the parameter out") {
					t.Errorf("%s?%s: %d %s", route, query, code, body)
				}
			}
		}
	}
}
