package promapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	promclient "github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

func client(t *testing.T, opts Options) v1.API {
	t.Helper()
	address, transport := start(t, NewHandler(filled(t), opts))
	c, err := promclient.NewClient(promclient.Config{Address: address, Client: transport})
	if err != nil {
		t.Fatal(err)
	}
	return v1.NewAPI(c)
}

// TestRealClientQueries reads everything with Prometheus' own client.
func TestRealClientQueries(t *testing.T) {
	ctx, c := context.Background(), client(t, Options{})
	value, warnings, _, err := c.Query(ctx, "round(rate(b_total[2m]))", at(300))
	if err != nil || len(warnings) != 0 {
		t.Fatalf("query: %v, warnings %v", err, warnings)
	}
	want := `{host="h", volume="v"} => 10 @[1796040300]
{host="h", volume="w"} => 20 @[1796040300]`
	if diff := cmp.Diff(want, value.String()); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
	value, _, _, err = c.QueryRange(ctx, `b_total{volume="v"}`, v1.Range{Start: at(0), End: at(60), Step: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	matrix, ok := value.(model.Matrix)
	if !ok || len(matrix) != 1 || len(matrix[0].Values) != 3 || matrix[0].Values[2].Value != 600 {
		t.Errorf("query_range: %v, want three values up to 600", value)
	}
	value, _, _, err = c.Query(ctx, "1.5", at(0))
	if scalar, ok := value.(*model.Scalar); err != nil || !ok || scalar.Value != 1.5 {
		t.Errorf("scalar: %v, error %v", value, err)
	}
	value, _, _, err = c.Query(ctx, "no_such_metric", at(0))
	if vector, ok := value.(model.Vector); err != nil || !ok || vector == nil || len(vector) != 0 {
		t.Errorf("no result: %#v, error %v, want an empty vector", value, err)
	}
	_, _, infos, err := c.Query(ctx, "rate(gauge_like[1m])", at(0))
	if err != nil || len(infos) != 0 {
		t.Errorf("no data: infos %v, error %v", infos, err)
	}
}

func TestRealClientLabels(t *testing.T) {
	ctx, c := context.Background(), client(t, Options{})
	names, _, _, err := c.LabelNames(ctx, nil, at(0), at(300))
	if diff := cmp.Diff(model.LabelNames{"__name__", "host", "volume"}, names); err != nil || diff != "" {
		t.Errorf("names: %v\n%s", err, diff)
	}
	values, _, _, err := c.LabelValues(ctx, "volume", []string{"b_total", `{host="h"}`}, at(0), at(300))
	if diff := cmp.Diff(model.LabelValues{"v", "w"}, values); err != nil || diff != "" {
		t.Errorf("values: %v\n%s", err, diff)
	}
	values, warnings, _, err := c.LabelValues(ctx, "volume", nil, at(0), at(300), v1.WithLimit(1))
	if err != nil || len(values) != 1 || len(warnings) != 1 {
		t.Errorf("limited values %v, warnings %v, error %v", values, warnings, err)
	}
	series, _, _, err := c.Series(ctx, []string{`{volume="w"}`, `b_total`, `{volume="w"}`}, at(0), at(300))
	want := []model.LabelSet{
		{"__name__": "b_total", "host": "h", "volume": "v"}, {"__name__": "b_total", "host": "h", "volume": "w"},
	}
	if diff := cmp.Diff(want, series); err != nil || diff != "" {
		t.Errorf("series: %v\n%s", err, diff)
	}
	series, warnings, _, err = c.Series(ctx, []string{`b_total`}, at(0), at(300), v1.WithLimit(1))
	if err != nil || len(series) != 1 || len(warnings) != 1 {
		t.Errorf("limited series %v, warnings %v, error %v", series, warnings, err)
	}
	series, _, _, err = c.Series(ctx, []string{`b_total`}, at(1000), at(2000))
	if err != nil || len(series) != 0 {
		t.Errorf("series outside the span: %v, error %v", series, err)
	}
}

func TestRealClientMetadata(t *testing.T) {
	ctx, c := context.Background(), client(t, Options{})
	all, err := c.Metadata(ctx, "", "")
	if err != nil || len(all) != len(schema.All()) {
		t.Errorf("%d families, error %v, want %d", len(all), err, len(schema.All()))
	}
	one, err := c.Metadata(ctx, schema.NFSReadBytes.Name, "")
	want := map[string][]v1.Metadata{
		schema.NFSReadBytes.Name: {{Type: v1.MetricTypeCounter, Help: schema.NFSReadBytes.Help, Unit: "bytes"}},
	}
	if diff := cmp.Diff(want, one); err != nil || diff != "" {
		t.Errorf("metadata: %v\n%s", err, diff)
	}
	build, err := c.Buildinfo(ctx)
	if err != nil || !strings.HasPrefix(build.Version, "3.") {
		t.Errorf("build %+v, error %v", build, err)
	}
}

// get asks by GET and, with the same parameters, by POST, and expects the same answer.
func get(t *testing.T, handler http.Handler, path string, form url.Values) (int, string) {
	t.Helper()
	ask := func(method, target string, body io.Reader) (int, string) {
		request := httptest.NewRequestWithContext(context.Background(), method, target, body)
		if body != nil {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		return recorder.Code, recorder.Body.String()
	}
	status, text := ask(http.MethodGet, path+"?"+form.Encode(), nil)
	posted, postedText := ask(http.MethodPost, path, strings.NewReader(form.Encode()))
	if posted != status || postedText != text {
		t.Errorf("%s: GET gives %d %s, POST gives %d %s", path, status, text, posted, postedText)
	}
	return status, text
}

// TestExactJSON holds the very bytes against what Prometheus documents.
func TestExactJSON(t *testing.T) {
	for _, c := range []struct {
		path   string
		form   url.Values
		status int
		want   string
	}{
		{
			"query", url.Values{"query": {`b_total{volume="v"}`}, "time": {"1796040015.123"}}, 200,
			`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"b_total","host":"h","volume":"v"},"value":[1796040015.123,"150"]}]}}`,
		},
		{
			"query", url.Values{"query": {"1/0"}, "time": {"2026-11-30T12:00:00Z"}}, 200,
			`{"status":"success","data":{"resultType":"scalar","result":[1796040000,"+Inf"]}}`,
		},
		{
			"query", url.Values{"query": {`"text"`}, "time": {"1796040000"}}, 200,
			`{"status":"success","data":{"resultType":"string","result":[1796040000,"text"]}}`,
		},
		{
			"query", url.Values{"query": {`b_total{volume="v"}[20s]`}, "time": {"1796040030"}}, 200,
			`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"b_total","host":"h","volume":"v"},"values":[[1796040015,"150"],[1796040030,"300"]]}]}}`,
		},
		{
			"query_range", url.Values{"query": {`sum(b_total)`}, "start": {"1796040000"}, "end": {"1796040030"}, "step": {"15s"}}, 200,
			`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1796040000,"0"],[1796040015,"450"],[1796040030,"900"]]}]}}`,
		},
		{
			"query_range", url.Values{"query": {`nothing`}, "start": {"1796040000"}, "end": {"1796040030"}, "step": {"15"}}, 200,
			`{"status":"success","data":{"resultType":"matrix","result":[]}}`,
		},
		{
			"query", url.Values{"query": {"b_total"}, "time": {"1796040000"}, "limit": {"1"}}, 200,
			`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"b_total","host":"h","volume":"v"},"value":[1796040000,"0"]}]},"warnings":["results truncated due to limit"]}`,
		},
		{
			"query", url.Values{"query": {"sum("}}, 400,
			`{"status":"error","errorType":"bad_data","error":"invalid parameter \"query\": 1:5: parse error: unclosed left parenthesis"}`,
		},
		{
			"query", url.Values{"query": {`b_total * on (host) b_total`}, "time": {"1796040000"}}, 422,
			`{"status":"error","errorType":"execution","error":"found duplicate series for the match group {host=\"h\"} on the right hand-side of the operation: [{__name__=\"b_total\", host=\"h\", volume=\"v\"}, {__name__=\"b_total\", host=\"h\", volume=\"w\"}];many-to-many matching not allowed: matching labels must be unique on one side"}`,
		},
		{
			"label/no%FFname/values", nil, 400,
			`{"status":"error","errorType":"bad_data","error":"invalid label name: \"no\\xffname\""}`,
		},
	} {
		t.Run(c.path+" "+c.form.Get("query"), func(t *testing.T) {
			status, text := get(t, NewHandler(filled(t), Options{}), "/api/v1/"+c.path, c.form)
			if status != c.status {
				t.Errorf("status %d, want %d", status, c.status)
			}
			if diff := cmp.Diff(c.want, text); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestInfosAreGiven(t *testing.T) {
	m := history.NewMemory(history.MemoryOptions{})
	gauge := &schema.Family{Name: "level", Type: schema.Gauge}
	if err := m.Append(context.Background(), []schema.Sample{
		{Family: gauge, Time: at(0), Value: 1}, {Family: gauge, Time: at(15), Value: 2},
	}); err != nil {
		t.Fatal(err)
	}
	_, text := get(t, NewHandler(m, Options{}), "/api/v1/query", url.Values{"query": {"rate(level[1m])"}, "time": {fmt.Sprint(at(15).Unix())}})
	var body response
	if err := json.Unmarshal([]byte(text), &body); err != nil || len(body.Infos) != 1 || len(body.Warnings) != 0 {
		t.Errorf("%s: want one info on a rate of what is no counter", text)
	}
}

// TestBadParameters expects each to be refused as bad data.
func TestBadParameters(t *testing.T) {
	span := func(change ...string) url.Values {
		form := url.Values{"query": {"1"}, "start": {"0"}, "end": {"60"}, "step": {"15"}}
		for i := 0; i+1 < len(change); i += 2 {
			form.Set(change[i], change[i+1])
		}
		return form
	}
	handler := NewHandler(filled(t), Options{})
	for name, c := range map[string]struct {
		path string
		form url.Values
	}{
		"no query":            {"query", nil},
		"time":                {"query", url.Values{"query": {"1"}, "time": {"soon"}}},
		"time beyond all":     {"query", url.Values{"query": {"1"}, "time": {"1e300"}}},
		"time is no number":   {"query", url.Values{"query": {"1"}, "time": {"NaN"}}},
		"timeout":             {"query", url.Values{"query": {"1"}, "timeout": {"long"}}},
		"limit":               {"query", url.Values{"query": {"1"}, "limit": {"-1"}}},
		"no start":            {"query_range", span("start", "")},
		"no end":              {"query_range", span("end", "")},
		"end before start":    {"query_range", span("end", "-1")},
		"no step":             {"query_range", span("step", "")},
		"step of zero":        {"query_range", span("step", "0")},
		"step below zero":     {"query_range", span("step", "-5")},
		"step below a tick":   {"query_range", span("step", "1e-9")},
		"step beyond all":     {"query_range", span("step", "1e300")},
		"too many steps":      {"query_range", span("end", "11001", "step", "1")},
		"range of a string":   {"query_range", span("query", `"x"`)},
		"long query":          {"query", url.Values{"query": {strings.Repeat("1+", maxFormBytes/2) + "1"}}},
		"no selector":         {"series", nil},
		"bad selector":        {"series", url.Values{"match[]": {"{"}}},
		"selector of nothing": {"labels", url.Values{"match[]": {`{a=~".*"}`}}},
		"many selectors":      {"labels", url.Values{"match[]": strings.Split(strings.Repeat("up,", maxMatchers)+"up", ",")}},
		"labels' start":       {"labels", url.Values{"start": {"x"}}},
		"labels' end":         {"label/host/values", url.Values{"end": {"x"}}},
		"metadata's limit":    {"metadata", url.Values{"limit": {"x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "/api/v1/"+c.path, strings.NewReader(c.form.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			status, kind := do(handler, request)
			if status != http.StatusBadRequest || kind != "bad_data" {
				t.Errorf("status %d %s, want 400 bad_data", status, kind)
			}
		})
	}
	if status, _ := get(t, handler, "/api/v1/query_range", span("end", "11000", "step", "1")); status != http.StatusOK {
		t.Errorf("11,000 steps: status %d, want 200", status)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	handler := NewHandler(filled(t), Options{MaxPoints: 5})
	status, text := get(t, handler, "/api/v1/query", url.Values{"query": {"b_total[5m]"}, "time": {fmt.Sprint(at(300).Unix())}})
	if status != http.StatusUnprocessableEntity || !strings.Contains(text, "limit of 5") {
		t.Errorf("status %d: %s", status, text)
	}
}

// blocked is a history whose queries wait until their context ends.
type blocked struct {
	history.Querier
	entered chan struct{}
}

type blockedQuery struct {
	promql.Query
	entered chan struct{}
}

func (b blocked) InstantQuery(context.Context, string, time.Time) (promql.Query, error) {
	return blockedQuery{entered: b.entered}, nil
}

func (b blocked) Queryable() storage.Queryable { return nil }

func (q blockedQuery) Exec(ctx context.Context) *promql.Result {
	q.entered <- struct{}{}
	<-ctx.Done()
	return &promql.Result{Err: ctx.Err()}
}

func (q blockedQuery) Close() {}

// TestTimeouts runs into the client's timeout within a query, and while waiting for a slot.
func TestTimeouts(t *testing.T) {
	entered := make(chan struct{}, 1)
	handler := NewHandler(blocked{entered: entered}, Options{MaxConcurrency: 1})
	ask := func(ctx context.Context, timeout string) (int, string) {
		form := url.Values{"query": {"1"}, "timeout": {timeout}}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/query?"+form.Encode(), nil)
		if err != nil {
			t.Error(err)
		}
		return do(handler, request)
	}
	if status, kind := ask(context.Background(), "20ms"); status != http.StatusServiceUnavailable || kind != "timeout" {
		t.Errorf("slow query: %d %s, want 503 timeout", status, kind)
	}
	<-entered
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, kind := ask(ctx, "1h"); kind != "canceled" {
			t.Errorf("client that leaves: %s, want canceled", kind)
		}
	}()
	<-entered
	if status, kind := ask(context.Background(), "20ms"); status != http.StatusServiceUnavailable || kind != "timeout" {
		t.Errorf("waiting: %d %s, want 503 timeout", status, kind)
	}
	cancel()
	<-done
}

// TestACrowdIsSentAway fills the only slot and the only place to wait.
func TestACrowdIsSentAway(t *testing.T) {
	entered := make(chan struct{}, 1)
	handler := NewHandler(blocked{entered: entered}, Options{MaxConcurrency: 1, MaxWaiting: 1, MaxWait: time.Hour})
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	busy := make(chan string, 3)
	for range 3 { // one runs, one waits, one is sent away: whichever comes last
		group.Go(func() {
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/query?query=1", nil))
			if recorder.Code == http.StatusServiceUnavailable {
				busy <- recorder.Header().Get("Retry-After") + recorder.Body.String()
			}
		})
	}
	<-entered
	text := <-busy
	if !strings.HasPrefix(text, "10{") || !strings.Contains(text, `"errorType":"unavailable","error":"too many queries at once`) {
		t.Errorf("answer %s", text)
	}
	cancel()
	group.Wait()
	close(busy)
	if left := len(busy); left > 0 {
		t.Errorf("%d more were sent away", left)
	}
}

func TestWaitingIsBounded(t *testing.T) {
	entered := make(chan struct{}, 1)
	handler := NewHandler(blocked{entered: entered}, Options{MaxConcurrency: 1, MaxWait: 20 * time.Millisecond})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(handler, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/query?query=1", nil))
	}()
	<-entered
	status, kind := do(handler, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/query?query=1", nil))
	if status != http.StatusServiceUnavailable || kind != "unavailable" {
		t.Errorf("%d %s, want 503 unavailable", status, kind)
	}
	cancel()
	<-done
}

// TestCostlySubqueriesAreRefused: such a query ran for more than a minute.
func TestCostlySubqueriesAreRefused(t *testing.T) {
	status, text := get(t, NewHandler(filled(t), Options{}), "/api/v1/query", url.Values{"query": {`count_over_time({__name__=~".+"}[1000d:1s])`}})
	if status != http.StatusBadRequest || !strings.Contains(text, "make its range shorter or its step longer") {
		t.Errorf("status %d: %s", status, text)
	}
}

func TestClosedHistory(t *testing.T) {
	m := filled(t)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"query?query=b_total", "labels", "label/host/values", "series?match[]=b_total"} {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "/api/v1/"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if status, kind := do(NewHandler(m, Options{}), request); status != http.StatusServiceUnavailable || kind != "unavailable" {
			t.Errorf("%s: %d %s, want 503 unavailable", path, status, kind)
		}
	}
}
