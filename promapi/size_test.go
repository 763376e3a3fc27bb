package promapi

import (
	"net/url"
	"strings"
	"testing"

	"github.com/nasight/nasight/history"
)

func TestQueryOfTooManyParts(t *testing.T) {
	handler := NewHandler(history.NewMemory(history.MemoryOptions{}), Options{})
	nested := func(n int) string { return strings.Repeat("(", n) + "1" + strings.Repeat(")", n) }
	for name, row := range map[string]struct {
		query  string
		status int
	}{
		"nested":                {nested(20_000), 400},
		"nested a little":       {nested(1000), 200},
		"a chain":               {strings.Repeat("1+", 20_000) + "1", 400},
		"signs":                 {strings.Repeat("-", 100_000) + "1", 400},
		"nested in a subquery":  {"max_over_time(" + nested(20_000) + "[5m:1m])", 400},
		"behind a brace":        {"{" + nested(20_000), 400},
		"many matchers":         {"a{" + strings.Repeat(`b!="((((",`, 3000) + `c="d"}`, 200},
		"parentheses in a text": {`a{b="` + strings.Repeat("(", 50_000) + `"}`, 200},
		"no query":              {"((", 400},
	} {
		for _, path := range []string{"/api/v1/query", "/api/v1/query_range", "/api/v1/format_query", "/api/v1/query_exemplars"} {
			form := url.Values{"query": {row.query}, "time": {"0"}, "start": {"0"}, "end": {"1"}, "step": {"1"}}
			status, body := get(t, handler, path, form)
			if status != row.status {
				t.Errorf("%s of %s: %d %.200s", path, name, status, body)
			}
		}
	}
	if _, body := get(t, handler, "/api/v1/query", url.Values{"query": {nested(20_000)}}); !strings.Contains(body, `more than 5000 names, numbers, operators and parentheses`) {
		t.Errorf("got %.300s", body)
	}
}
