package serve

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang/snappy"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/schema"
)

// relay is an address of a server that is not known when the relay is made, as a name that leads there. It counts the writes by
// the hosts in them.
type relay struct {
	url string

	mu     sync.Mutex
	target *url.URL
	seen   map[string]int
}

func newRelay(t *testing.T) *relay {
	t.Helper()
	r := &relay{seen: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(r.hand))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *relay) hand(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	if plain, err := snappy.Decode(nil, body); err == nil {
		for _, host := range []string{"agent1", "agent2", "agent3"} {
			if bytes.Contains(plain, []byte(host)) {
				r.seen[host]++
			}
		}
	}
	target := r.target
	r.mu.Unlock()
	if target == nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) }}).ServeHTTP(w, request)
}

func (r *relay) lead(t *testing.T, address string) {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.target = target
}

func (r *relay) count(host string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen[host]
}

// Two nasights that write to each other send every sample there and back once.
func TestTwoThatWriteToEachOther(t *testing.T) {
	t.Parallel()
	toA, toB := newRelay(t), newRelay(t)
	one := func(to *relay) *running {
		cfg := testConfig(t)
		cfg.Export.RemoteWrite = []config.RemoteWrite{{Name: "other", URL: to.url + "/api/v1/write"}}
		return start(t, Options{Config: cfg, Build: testBuild})
	}
	a, b := one(toB), one(toA)
	toA.lead(t, a.base)
	toB.lead(t, b.base)
	for _, host := range []string{"agent1", "agent2", "agent3"} {
		pushTo(t, a, schema.Sample{Family: schema.CPUCores, Labels: []string{host}, Value: 4, Time: time.Now()})
		await(t, host+" there and back", patience, func() bool { return toA.count(host) > 0 })
	}
	for _, r := range []*relay{toA, toB} {
		if n := r.count("agent1"); n != 1 {
			t.Errorf("the first sample was sent %d times", n)
		}
	}
}

// A history or a receiver behind a name that leads back here is refused at the first request.
func TestHistoryInItself(t *testing.T) {
	t.Parallel()
	back := newRelay(t)
	cfg := testConfig(t)
	cfg.History.URL, cfg.History.WriteURL, cfg.History.WriteProtocol = back.url, back.url+"/api/v1/write", "1.0"
	server := start(t, Options{Config: cfg, Build: testBuild})
	back.lead(t, server.base)
	if code, body := request(t, http.MethodGet, server.base+"/api/v1/query?query=up"); code != http.StatusLoopDetected || !strings.Contains(body, "in a circle") {
		t.Errorf("%d %s", code, body)
	}
	server.awaitPage(t, "/-/ready", "history degraded: ", patience)
}

func TestOwnAddressIsRefused(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Web.ListenAddress = "127.0.0.1:9877"
	cfg.Export.RemoteWrite = []config.RemoteWrite{{URL: "http://localhost:9877/api/v1/write"}}
	_, err := New(t.Context(), Options{Config: cfg, Build: testBuild})
	if fault, ok := err.(*ConfigError); !ok || !strings.Contains(fault.Error(), "export.remote_write[0].url: is where nasight itself listens") { //nolint:errorlint // the type itself decides the exit code
		t.Errorf("got %v", err)
	}
}

func TestGuardBoundsTheWay(t *testing.T) {
	v := newVia("nasight/1.2")
	passed := 0
	guarded := v.guard(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { passed += len(hopsOf(r.Context())) }))
	for _, row := range []struct {
		header string
		passed int
		code   int
	}{
		{"", 0, 200}, {"x", 1, 200}, {"x,y", 2, 200}, {"x," + v.self, 0, 508}, {strings.Repeat("x,", 50) + "x", 0, 508},
	} {
		passed = 0
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/query", nil)
		r.Header.Set(viaHeader, row.header)
		w := httptest.NewRecorder()
		guarded.ServeHTTP(w, r)
		if w.Code != row.code || passed != row.passed {
			t.Errorf("%q: %d, %d hops", row.header, w.Code, passed)
		}
	}
}
