package promapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	promclient "github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// odd are values that labels may have: quotes, lines, backslashes, all of Unicode, what looks like PromQL or HTML.
func odd() []string {
	return []string{
		`say "hello"`, "two\nlines", `back\slash`, `\\server\share`, "naïve – ünïcode 存储 🗄", "{volume=~\".*\"}", "<script>&amp;", "a b", "a,b=c", "%41+%", "\t",
	}
}

// strange is a history whose label values are odd.
func strange(t *testing.T) v1.API {
	t.Helper()
	m := history.NewMemory(history.MemoryOptions{})
	var batch []schema.Sample
	for i, value := range odd() {
		for s := 0; s <= 60; s += 15 {
			batch = append(batch, schema.Sample{Family: family, Labels: []string{"h", value}, Time: at(s), Value: float64(i)})
		}
	}
	if err := m.Append(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	address, transport := start(t, NewHandler(m, Options{}))
	c, err := promclient.NewClient(promclient.Config{Address: address, Client: transport})
	if err != nil {
		t.Fatal(err)
	}
	return v1.NewAPI(c)
}

// Odd values come as they were stored, and find what they were asked for.
func TestOddLabelValues(t *testing.T) {
	c, ctx := strange(t), context.Background()
	values, _, _, err := c.LabelValues(ctx, "volume", []string{"b_total"}, at(0), at(60))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, value := range values {
		got = append(got, string(value))
	}
	want := slices.Sorted(slices.Values(odd()))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	for i, value := range odd() {
		selector := "b_total{volume=" + strconv.Quote(value) + "}"
		result, _, _, err := c.Query(ctx, selector, at(60))
		vector, ok := result.(model.Vector)
		if err != nil || !ok || len(vector) != 1 || string(vector[0].Metric["volume"]) != value || float64(vector[0].Value) != float64(i) {
			t.Errorf("%s: %v, %v", selector, result, err)
		}
		series, _, _, err := c.Series(ctx, []string{selector}, at(0), at(60))
		if err != nil || len(series) != 1 || string(series[0]["volume"]) != value {
			t.Errorf("series %s: %v, %v", selector, series, err)
		}
		result, _, _, err = c.QueryRange(ctx, selector, v1.Range{Start: at(0), End: at(60), Step: 15 * time.Second})
		if matrix, ok := result.(model.Matrix); err != nil || !ok || len(matrix) != 1 || len(matrix[0].Values) != 5 {
			t.Errorf("range %s: %v, %v", selector, result, err)
		}
	}
}

// A name that is more than letters is written in two ways, neither of which a history of nasight has.
func TestNamesInUTF8(t *testing.T) {
	c := strange(t)
	for _, name := range []string{"service.name", "U__service_2e_name", "größe"} {
		values, _, _, err := c.LabelValues(context.Background(), name, nil, at(0), at(60))
		if err != nil || len(values) != 0 {
			t.Errorf("%s: %v, %v", name, values, err)
		}
	}
	if values, _, _, err := c.LabelValues(context.Background(), "U__volume", nil, at(0), at(60)); err != nil || len(values) != len(odd()) {
		t.Errorf("the name of volume with marks: %d values, %v", len(values), err)
	}
}

// What Grafana's data source asks when it is saved, when a query is edited and when a panel is shown.
func TestWhatGrafanaAsks(t *testing.T) {
	address, transport := start(t, NewHandler(filled(t), Options{}))
	ask := func(method, path string, form url.Values) (int, response) {
		t.Helper()
		target, body := address+path, io.Reader(nil)
		if method == http.MethodPost {
			body = strings.NewReader(form.Encode())
		} else {
			target += "?" + form.Encode()
		}
		request, err := http.NewRequestWithContext(context.Background(), method, target, body)
		if err != nil {
			t.Fatal(err)
		}
		if method == http.MethodPost {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		answer, err := transport.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var decoded response
		if err := json.NewDecoder(answer.Body).Decode(&decoded); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		return answer.StatusCode, decoded
	}
	for name, c := range map[string]struct {
		path string
		form url.Values
		want string // of the data
	}{
		"health":       {"/api/v1/query", url.Values{"query": {"1+1"}, "time": {"1796040000"}}, `{"result":[1796040000,"2"],"resultType":"scalar"}`},
		"exemplars":    {"/api/v1/query_exemplars", url.Values{"query": {"b_total"}, "start": {"1"}, "end": {"2"}}, `[]`},
		"format":       {"/api/v1/format_query", url.Values{"query": {"sum(  b_total)  by (host)"}}, `"sum by (host) (b_total)"`},
		"labels":       {"/api/v1/labels", url.Values{"match[]": {"b_total"}, "start": {"1796040000"}, "end": {"1796040300"}}, `["__name__","host","volume"]`},
		"limited":      {"/api/v1/labels", url.Values{"limit": {"1"}}, `["__name__"]`},
		"a panel":      {"/api/v1/query_range", url.Values{"query": {"sum(b_total)"}, "start": {"1796040000.000"}, "end": {"1796040015"}, "step": {"15"}, "timeout": {"10s"}, "stats": {"all"}}, `{"result":[{"metric":{},"values":[[1796040000,"0"],[1796040015,"450"]]}],"resultType":"matrix"}`},
		"its metadata": {"/api/v1/metadata", url.Values{"metric": {schema.CPUCores.Name}, "limit": {"1"}}, `{"nasight_cpu_cores":[{"help":"Cores that are online.","type":"gauge","unit":""}]}`},
		"no metadata":  {"/api/v1/metadata", url.Values{"limit": {"0"}}, `{}`},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			status, body := ask(method, c.path, c.form)
			got, err := json.Marshal(body.Data)
			if err != nil || status != http.StatusOK || string(got) != c.want {
				t.Errorf("%s, %s: %d %s %s, want %s", name, method, status, got, body.Error, c.want)
			}
		}
	}
	if status, body := ask(http.MethodGet, "/api/v1/status/buildinfo", nil); status != http.StatusOK || words(body.Data, "version") == "" {
		t.Errorf("build: %d %v", status, body.Data)
	}
}

func words(data any, key string) string {
	object, _ := data.(map[string]any)
	text, _ := object[key].(string)
	return text
}

// The client reads what editors ask for, and what it is refused as Prometheus refuses it.
func TestRealClientEdits(t *testing.T) {
	ctx, c := context.Background(), client(t, Options{})
	if found, err := c.QueryExemplars(ctx, "rate(b_total[1m])", at(0), at(60)); err != nil || len(found) != 0 {
		t.Errorf("exemplars: %v, %v", found, err)
	}
	if text, err := c.FormatQuery(ctx, "a+b"); err != nil || text != `"a + b"` {
		t.Errorf("format: %s, %v", text, err)
	}
	for name, refused := range map[string]func() error{
		"exemplars of no query": func() error { _, err := c.QueryExemplars(ctx, "sum(", at(0), at(60)); return err },
		"exemplars backwards":   func() error { _, err := c.QueryExemplars(ctx, "a", at(60), at(0)); return err },
		"no query":              func() error { _, err := c.FormatQuery(ctx, ""); return err },
		"a limit of words":      func() error { _, err := c.Metadata(ctx, "", "many"); return err },
		"a selector of nothing": func() error { _, _, _, err := c.Series(ctx, []string{`{a=""}`}, at(0), at(60)); return err },
		"half a label": func() error {
			_, _, _, err := c.LabelValues(ctx, "volume", []string{"{volume"}, at(0), at(60))
			return err
		},
	} {
		var told *v1.Error
		if err := refused(); !errors.As(err, &told) || told.Type != v1.ErrBadData {
			t.Errorf("%s: %v, want bad data", name, err)
		}
	}
}
