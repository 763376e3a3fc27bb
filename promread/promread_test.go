package promread_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/promapi"
	"github.com/nasight/nasight/promread"
	"github.com/nasight/nasight/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	base   = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	family = &schema.Family{Name: "b_total", Type: schema.Counter, Labels: []string{"host", "volume"}}
)

// filled is a history of two series, 15 seconds and 500 milliseconds apart for five minutes.
func filled(t *testing.T) *history.Memory {
	t.Helper()
	memory := history.NewMemory(history.MemoryOptions{})
	t.Cleanup(func() { _ = memory.Close() })
	var batch []schema.Sample
	for i := range 20 {
		at := base.Add(time.Duration(i) * 15500 * time.Millisecond)
		batch = append(batch,
			schema.Sample{Family: family, Labels: []string{"h", "v"}, Time: at, Value: float64(10 * i)},
			schema.Sample{Family: family, Labels: []string{"h", "w \"\\é"}, Time: at, Value: 1.0 / 3 * float64(i)})
	}
	if err := memory.Append(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	return memory
}

func reader(t *testing.T, handler http.Handler, options promread.Options) *promread.Reader {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	r, err := promread.New(server.URL+"/", options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// Over HTTP the answers are those of the history itself, to the millisecond and the last bit.
func TestAnswersAsTheHistoryDoes(t *testing.T) {
	memory := filled(t)
	remote := reader(t, promapi.NewHandler(memory, promapi.Options{}), promread.Options{})
	ctx, at := context.Background(), base.Add(4*time.Minute+123*time.Millisecond)
	anyOrder := cmp.Options{cmpopts.EquateEmpty(), cmpopts.SortSlices(func(a, b history.Point) bool { return a.Labels["volume"] < b.Labels["volume"] }),
		cmpopts.IgnoreFields(history.Series{}, "Identity"), cmpopts.SortSlices(func(a, b history.Series) bool { return a.Labels["volume"] < b.Labels["volume"] })}
	for _, query := range []string{
		"b_total", "last_over_time(b_total[1m])", "sum(b_total)", "rate(b_total[2m])", "no_such_metric", "42.5", "b_total * NaN", "b_total / 0",
		"b_total and " + strings.Repeat("b_total and ", 500) + "b_total",
	} {
		want, err := memory.Instant(ctx, query, at)
		if err != nil {
			t.Fatal(err)
		}
		got, err := remote.Instant(ctx, query, at)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, anyOrder); diff != "" {
			t.Errorf("%.40s at one moment (-history +remote):\n%s", query, diff)
		}
		lines, err := memory.Range(ctx, query, base, at, 7*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		read, err := remote.Range(ctx, query, base, at, 7*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lines, read, anyOrder); diff != "" {
			t.Errorf("%.40s over a range (-history +remote):\n%s", query, diff)
		}
	}
}

func TestWrongQuestionsAreErrors(t *testing.T) {
	remote := reader(t, promapi.NewHandler(filled(t), promapi.Options{}), promread.Options{})
	ctx := context.Background()
	if _, err := remote.Instant(ctx, "b_total{", base); err == nil || !strings.Contains(err.Error(), "b_total{") || !strings.Contains(err.Error(), remote.String()) {
		t.Errorf("bad expression: %v", err)
	}
	if _, err := remote.Instant(ctx, "b_total[1m]", base); err == nil || !strings.Contains(err.Error(), "matrix") {
		t.Errorf("matrix at one moment: %v", err)
	}
	for _, span := range []struct{ end, step time.Duration }{{-time.Second, time.Second}, {time.Second, 0}} {
		if _, err := remote.Range(ctx, "b_total", base, base.Add(span.end), span.step); err == nil || !strings.Contains(err.Error(), "positive step") {
			t.Errorf("range of %s by %s: %v", span.end, span.step, err)
		}
	}
}

func TestServersThatFail(t *testing.T) {
	say := func(code int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, text)
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"no server of Prometheus": say(http.StatusNotFound, "<html>not here</html>"),
		"unauthorized":            say(http.StatusUnauthorized, "Unauthorized"),
		"no JSON":                 say(http.StatusOK, "hello"),
		"wrong type":              say(http.StatusOK, `{"status":"success","data":{"resultType":"string","result":[1,"x"]}}`),
		"no result":               say(http.StatusOK, `{"status":"success"}`),
		"torn":                    say(http.StatusOK, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{`),
		"endless":                 say(http.StatusOK, `{"status":"success",`+strings.Repeat(" ", 5000)+`"data":{"resultType":"vector","result":[]}}`),
	} {
		remote := reader(t, handler, promread.Options{MaxBytes: 4096})
		if _, err := remote.Instant(context.Background(), "up", base); err == nil {
			t.Errorf("%s: no error at one moment", name)
		}
		if _, err := remote.Range(context.Background(), "up", base, base, time.Second); err == nil {
			t.Errorf("%s: no error over a range", name)
		}
	}
}

// Credentials are for the server that was named.
func TestRedirectionsAreNotFollowed(t *testing.T) {
	var strayed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	t.Cleanup(other.Close)
	remote := reader(t, http.RedirectHandler(other.URL, http.StatusTemporaryRedirect), promread.Options{})
	_, err := remote.Instant(t.Context(), "up", base)
	if err == nil || !strings.Contains(err.Error(), "leads to \""+other.URL+"\", which is not followed") {
		t.Errorf("%v", err)
	}
	if count := strayed.Load(); count > 0 {
		t.Errorf("%d requests went elsewhere", count)
	}
}

// What cannot be a point (a histogram, NaN) is left out, as history does.
func TestOddPointsAreLeftOut(t *testing.T) {
	answer := `{"status":"success","data":{"resultType":%q,"result":[%s]}}`
	remote := reader(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, result := "vector", `{"metric":{"a":"1"},"value":[1,"NaN"]},{"metric":{"a":"2"},"value":[1.5,"+Inf"]},`+
			`{"metric":{"a":"3"},"histogram":[1,{"count":"1","sum":"1","buckets":[]}]}`
		if strings.HasSuffix(r.URL.Path, "query_range") {
			kind, result = "matrix", `{"metric":{"a":"1"},"values":[[1,"NaN"]]},{"metric":{"a":"2"},"values":[[1,"NaN"],[2,"3"]]}`
		}
		_, _ = fmt.Fprintf(w, answer, kind, result)
	}), promread.Options{})
	points, err := remote.Instant(context.Background(), "up", base)
	if err != nil || len(points) != 1 || points[0].Labels["a"] != "2" || points[0].Time.UnixMilli() != 1500 {
		t.Errorf("%+v, %v", points, err)
	}
	lines, err := remote.Range(context.Background(), "up", base, base, time.Second)
	if err != nil || len(lines) != 1 || len(lines[0].Values) != 1 || lines[0].Values[0] != 3 {
		t.Errorf("%+v, %v", lines, err)
	}
}

func TestAddressesAndPasswords(t *testing.T) {
	for _, address := range []string{"", "localhost:9877", "ftp://example.com", "http://", "::", "http://user:secret@exa mple.com"} {
		if r, err := promread.New(address, promread.Options{}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, %v", address, r, err)
		}
	}
	var user, password string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { user, password, _ = r.BasicAuth() }))
	defer server.Close()
	r, err := promread.New(strings.Replace(server.URL, "http://", "http://user:secret@", 1), promread.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Instant(context.Background(), "up", base); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error of an empty answer is %v", err)
	}
	server.Close()
	if _, err := r.Instant(context.Background(), "up", base); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error without a server is %v", err)
	}
	if user != "user" || password != "secret" {
		t.Errorf("shown %q and %q", user, password)
	}
}

// Raw gives the stored samples themselves, at their own times, whatever the step of a graph would be.
func TestRaw(t *testing.T) {
	memory := filled(t)
	now := time.Now().Truncate(time.Millisecond)
	var batch []schema.Sample
	for i := range 3 {
		batch = append(batch, schema.Sample{Family: family, Labels: []string{"h", "now"}, Time: now.Add(time.Duration(i-3) * 7777 * time.Millisecond), Value: float64(i)})
	}
	if err := memory.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	r := reader(t, promapi.NewHandler(memory, promapi.Options{}), promread.Options{})
	series, err := r.Raw(t.Context(), `{__name__=~"b_total|c",host="h"}[1m]`)
	if err != nil || len(series) != 1 || len(series[0].Times) != 3 {
		t.Fatalf("series %v, error %v", series, err)
	}
	if !series[0].Times[0].Equal(batch[0].Time) || series[0].Values[2] != 2 || series[0].Labels["__name__"] != "b_total" {
		t.Errorf("series %v", series[0])
	}
	if _, err := r.Raw(t.Context(), "b_total"); err == nil || !strings.Contains(err.Error(), "want a matrix") {
		t.Errorf("a vector: error %v", err)
	}
}

// An answer in part is none.
func TestRawWithWarnings(t *testing.T) {
	r := reader(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"matrix","result":[]},"warnings":["one store is away"]}`)
	}), promread.Options{})
	if series, err := r.Raw(t.Context(), "b_total[1m]"); err == nil || !strings.Contains(err.Error(), "in part: one store is away") {
		t.Errorf("series %v, error %v", series, err)
	}
}

// What a server says of its data is known once it was asked.
func TestNotice(t *testing.T) {
	said := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if said != "" {
			w.Header().Set(promread.NoticeHeader, said)
		}
		fmt.Fprint(w, `{"status":"success","data":{"resultType":"vector","result":[]}}`)
	}))
	defer server.Close()
	reader, err := promread.New(server.URL, promread.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for _, want := range []string{"", "SIMULATED", ""} {
		if said = want; reader.Notice() == "SIMULATED" && want == "SIMULATED" {
			t.Error("known before it was asked")
		}
		if _, err := reader.Instant(t.Context(), "up", base); err != nil {
			t.Fatal(err)
		}
		if got := reader.Notice(); got != want {
			t.Errorf("notice %q, want %q", got, want)
		}
	}
}
