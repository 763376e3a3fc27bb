package promapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"

	"github.com/nasight/nasight/history"
)

// listing is two groups that were never evaluated.
type listing []*rules.Group

func (l listing) RuleGroups() []*rules.Group { return l }

func newListing(t *testing.T) listing {
	t.Helper()
	expression, err := parser.NewParser(parser.Options{}).ParseExpr(`up == 0`)
	if err != nil {
		t.Fatal(err)
	}
	alert := func(name, team string) rules.Rule {
		return rules.NewAlertingRule(name, expression, time.Minute, 0, labels.FromStrings("team", team), labels.EmptyLabels(), labels.EmptyLabels(), "", true, nil)
	}
	return listing{
		rules.NewGroup(rules.GroupOptions{Name: "a", File: "one.yml", Interval: time.Minute, Rules: []rules.Rule{
			alert("Down", "storage"), rules.NewRecordingRule("team:down", expression, labels.EmptyLabels()),
		}}),
		rules.NewGroup(rules.GroupOptions{Name: "b", File: "two.yml", Interval: time.Minute, Rules: []rules.Rule{alert("Gone", "network")}}),
	}
}

func TestRulesAreChosen(t *testing.T) {
	h := history.NewMemory(history.MemoryOptions{})
	t.Cleanup(func() { _ = h.Close() })
	handler := NewHandler(h, Options{Rules: newListing(t)})
	for query, want := range map[string]int{
		"": 3, "type=alert": 2, "type=record": 1, "rule_name[]=Down": 1, "rule_group[]=b": 1, "file[]=one.yml": 2,
		"file[]=one.yml&file[]=two.yml&type=alert": 2, "rule_name[]=None": 0, "match[]=" + url.QueryEscape(`{team="network"}`): 1, "exclude_alerts=true": 3,
	} {
		code, body := ask(t, handler, "/api/v1/rules?"+query)
		count := 0
		for _, group := range body.Data.Groups {
			if len(group.Rules) == 0 {
				t.Errorf("%s: group %s without rules", query, group.Name)
			}
			count += len(group.Rules)
		}
		if code != http.StatusOK || body.Data.Groups == nil || count != want {
			t.Errorf("%s: %d with %d rules, want %d", query, code, count, want)
		}
	}
	for _, query := range []string{"type=other", "match[]=%7B", "exclude_alerts=perhaps"} {
		if code, body := ask(t, handler, "/api/v1/rules?"+query); code != http.StatusBadRequest || body.Error == "" {
			t.Errorf("%s: %d, %q", query, code, body.Error)
		}
	}
}

// Where no rules are evaluated the lists are empty, and not null.
func TestNoRulesAreEmptyLists(t *testing.T) {
	h := history.NewMemory(history.MemoryOptions{})
	t.Cleanup(func() { _ = h.Close() })
	handler := NewHandler(h, Options{})
	if code, body := ask(t, handler, "/api/v1/rules"); code != http.StatusOK || body.Data.Groups == nil {
		t.Errorf("%d %+v", code, body)
	}
	if code, body := ask(t, handler, "/api/v1/alerts"); code != http.StatusOK || body.Data.Alerts == nil {
		t.Errorf("%d %+v", code, body)
	}
}

type rulesAnswer struct {
	Error string
	Data  struct {
		Groups []struct {
			Name  string
			Rules []json.RawMessage
		}
		Alerts []json.RawMessage
	}
}

func ask(t *testing.T, handler http.Handler, target string) (int, rulesAnswer) {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody))
	var body rulesAnswer
	if err := json.Unmarshal(recorder.Body.Bytes(), &body); err != nil {
		t.Fatalf("%s: %v in %s", target, err, recorder.Body)
	}
	return recorder.Code, body
}
