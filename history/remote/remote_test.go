package remote_test

import (
	"context"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/history/historytest"
	"github.com/nasight/nasight/history/remote"
	"github.com/nasight/nasight/promapi"
	"github.com/nasight/nasight/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a Prometheus in this process: it takes remote write and answers queries.
func server(t testing.TB, window time.Duration) (*history.Embedded, string) {
	t.Helper()
	kept, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: t.TempDir(), MinFreeBytes: 1, OutOfOrderWindow: window})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/v1/write", promapi.NewWriteHandler(kept, promapi.WriteOptions{}))
	mux.Handle("/api/v1/", promapi.NewHandler(kept, promapi.Options{}))
	served := httptest.NewServer(mux)
	t.Cleanup(func() {
		served.Close()
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	return kept, served.URL
}

func open(t testing.TB, opts remote.Options) *remote.History {
	t.Helper()
	h, err := remote.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

func TestContract(t *testing.T) {
	for _, protocol := range []string{export.ProtocolV2, export.ProtocolV1} {
		t.Run(protocol, func(t *testing.T) {
			historytest.Test(t, func(t testing.TB) history.History {
				_, url := server(t, 0)
				return open(t, remote.Options{URL: url, Write: export.PusherConfig{URL: url + "/api/v1/write", Protocol: protocol}})
			}, historytest.Options{})
		})
	}
}

// A server that others write to as well is one history: the cases do not meet.
func TestContractOnASharedServer(t *testing.T) {
	_, url := server(t, 36*time.Hour)
	historytest.Test(t, func(t testing.TB) history.History {
		return open(t, remote.Options{URL: url, Write: export.PusherConfig{URL: url + "/api/v1/write"}})
	}, historytest.Options{Base: time.Now().Add(-3 * time.Hour).Truncate(time.Minute)})
}

var cores = schema.CPUCores

func sample(host string, value float64, at time.Time) schema.Sample {
	return schema.Sample{Family: cores, Labels: []string{host}, Value: value, Time: at}
}

func TestCountsWhatIsNotStored(t *testing.T) {
	_, url := server(t, 0)
	h := open(t, remote.Options{URL: url, Write: export.PusherConfig{URL: url + "/api/v1/write", Protocol: export.ProtocolV2}})
	now := time.Now()
	batch := []schema.Sample{sample("a", 1, now), sample("b", math.NaN(), now), sample("c", math.Inf(1), now), {Family: cores}, sample("d", 2, now)}
	if err := h.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if got, want := h.Stats(), (history.Written{Stored: 2, NotFinite: 2, Malformed: 1}); got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
}

// The past that a server refuses is counted and told once, and is no error: asking the cloud again would not help.
func TestPastThatIsRefused(t *testing.T) {
	kept, url := server(t, time.Hour)
	var log strings.Builder
	h := open(t, remote.Options{
		URL: url, Write: export.PusherConfig{URL: url + "/api/v1/write"}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	now := time.Now()
	if err := h.Append(t.Context(), []schema.Sample{sample("a", 1, now)}); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if err := h.Backfill(t.Context(), []schema.Sample{sample("a", 1, now.Add(-time.Duration(24+i)*time.Hour)), sample("a", 1, now.Add(-time.Minute*time.Duration(i+1)))}); err != nil {
			t.Error(err)
		}
	}
	if got := h.Stats(); got.TooOld != 2 || got.Stored != 3 {
		t.Errorf("stats %+v; the server has %+v", got, kept.Stats())
	}
	if n := strings.Count(log.String(), "refuses samples of the past"); n != 1 {
		t.Errorf("told %d times: %s", n, log.String())
	}
}

func TestServerAwayAndBack(t *testing.T) {
	code := http.StatusServiceUnavailable
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"vector","result":[]},"warnings":["only half of it"]}`)
	}))
	defer away.Close()
	var log strings.Builder
	h := open(t, remote.Options{URL: away.URL, Write: export.PusherConfig{URL: away.URL, Protocol: export.ProtocolV1}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if h.Degraded() != nil {
		t.Error("degraded before anything was asked")
	}
	if err := h.Append(t.Context(), []schema.Sample{sample("a", 1, time.Now())}); err == nil || h.Degraded() == nil {
		t.Errorf("append: %v, degraded: %v", err, h.Degraded())
	}
	if _, err := h.Instant(t.Context(), "up", time.Now()); err == nil || h.Degraded() == nil {
		t.Errorf("query: %v, degraded: %v", err, h.Degraded())
	}
	code = http.StatusOK
	for range 2 {
		if _, err := h.Instant(t.Context(), "up", time.Now()); err != nil || h.Degraded() != nil {
			t.Errorf("query: %v, degraded: %v", err, h.Degraded())
		}
	}
	if h.Warnings() != 2 || strings.Count(log.String(), "only half of it") != 1 {
		t.Errorf("%d warnings, logged %s", h.Warnings(), log.String())
	}
}

// Parameters, headers and credentials go with every query; a range of more steps than a server answers for comes in parts.
func TestQueriesShowWhatTheOptionsSay(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(secret, []byte("abc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, url := server(t, 0)
	asked := 0
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.Header.Get("Authorization") != "Bearer abc" || r.Header.Get("X-Scope-OrgID") != "team" || r.URL.Query().Get("nocache") != "1" {
			t.Errorf("%s with %v", r.URL, r.Header)
		}
		promapi.NewHandler(kept, promapi.Options{}).ServeHTTP(w, r)
	}))
	defer front.Close()
	h := open(t, remote.Options{
		URL: front.URL, Params: map[string]string{"nocache": "1"},
		Write: export.PusherConfig{URL: url + "/api/v1/write", BearerTokenFile: secret, Headers: map[string]string{"X-Scope-OrgID": "team"}},
	})
	begin := time.Now().Add(-7 * time.Hour).Truncate(time.Second)
	if err := h.Append(context.Background(), []schema.Sample{sample("a", 1, begin), sample("a", 2, begin.Add(6*time.Hour))}); err != nil {
		t.Fatal(err)
	}
	series, err := h.Range(t.Context(), "max_over_time(nasight_cpu_cores[7h])", begin, begin.Add(25_000*time.Second), time.Second)
	if err != nil || len(series) != 1 || len(series[0].Times) != 25_001 || series[0].Values[25_000] != 2 || asked != 3 {
		t.Errorf("%d series, %v, in %d requests", len(series), err, asked)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	for text, opts := range map[string]remote.Options{
		"no http or https URL": {URL: "http://example.com"},
		"no URL":               {URL: "example.com", Write: export.PusherConfig{URL: "http://example.com/api/v1/write"}},
	} {
		if _, err := remote.Open(opts); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q", err, text)
		}
	}
}
