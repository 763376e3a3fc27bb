package vmpush

import (
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// buffer is a log that several goroutines may write to.
type buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(line)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// filled is a store with one batch, of odd label values as well.
func filled(t *testing.T) *export.Store {
	t.Helper()
	store := &export.Store{}
	err := store.Publish(t.Context(), collectors.Batch{
		Host: "client1", Collector: "cpu", Time: time.Now(), Interval: time.Minute,
		Samples: []schema.Sample{
			{Family: schema.CPUCores, Labels: []string{"client1"}, Value: 4},
			{Family: schema.CPUSeconds, Labels: []string{"client1", "a \"quoted\" \\ {name}\nof caf\xe9"}, Value: 1.0 / 3},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// pushing runs a pusher until the test ends.
func pushing(t *testing.T, cfg Config) (*Pusher, *buffer) {
	t.Helper()
	log := &buffer{}
	cfg.Name, cfg.Logger = "vm", slog.New(slog.NewTextHandler(log, nil))
	if cfg.Interval == 0 {
		cfg.Interval = 300 * time.Millisecond
	}
	if cfg.Source == nil {
		cfg.Source = filled(t)
	}
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return p, log
}

func await(t *testing.T, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatal("not within a minute")
		case <-poll.C:
		}
	}
}

// lines are the series of an exposition, but for those of the exposition itself.
func lines(text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "nasight_exposition") {
			found = append(found, strings.TrimSpace(line))
		}
	}
	slices.Sort(found)
	return found
}

// What arrives is what /metrics shows, line by line, with the labels that were added.
func TestPushesWhatMetricsShows(t *testing.T) {
	store := filled(t)
	shown := httptest.NewRecorder()
	export.Handler(export.HandlerConfig{Store: store}).ServeHTTP(shown, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, plain := range []bool{false, true} {
		bodies := make(chan string, 100)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := io.Reader(r.Body)
			if r.Header.Get("Content-Encoding") == "gzip" {
				zipped, err := gzip.NewReader(r.Body)
				if err != nil {
					t.Error(err)
					return
				}
				body = zipped
			}
			text, err := io.ReadAll(body)
			if err != nil || r.Method != http.MethodPost || r.Header.Get("X-Scope-OrgID") != "team" || r.UserAgent() != "nasight/1.2" || (r.Header.Get("Content-Encoding") == "gzip") == plain {
				t.Errorf("%s %v: %v", r.Method, r.Header, err)
			}
			select {
			case bodies <- string(text):
			default:
			}
			w.WriteHeader(http.StatusNoContent)
		}))
		t.Cleanup(server.Close)
		p, _ := pushing(t, Config{
			URL: server.URL + "/api/v1/import/prometheus", Source: store, UserAgent: "nasight/1.2", Headers: map[string]string{"X-Scope-OrgID": "team"},
			ExtraLabels: map[string]string{"env": `a "b"`, "site": "c"}, DisableCompression: plain,
		})
		got := strings.ReplaceAll(<-bodies, `{env="a \"b\"",site="c",`, "{")
		if diff := cmp.Diff(lines(shown.Body.String()), lines(got)); diff != "" {
			t.Errorf("(-/metrics +pushed):\n%s", diff)
		}
		await(t, func() bool {
			succeeded, _, last := p.Counts()
			return succeeded > 0 && !last.IsZero()
		})
	}
}

// expired is a server whose certificate was valid until an hour ago.
func expired(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(handler)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// Whatever is wrong is counted with every push, logged once, and over when the receiver takes pushes again.
func TestFailuresAreCountedAndLoggedOnce(t *testing.T) {
	var status atomic.Int32
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if code := int(status.Load()); code == 0 {
			select { // slow
			case <-stop:
			case <-r.Context().Done():
			}
		} else {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, strings.Repeat("long ", 1000))
		}
	}))
	t.Cleanup(func() { close(stop); server.Close() })
	unknown := httptest.NewUnstartedServer(http.NotFoundHandler())
	unknown.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	unknown.StartTLS()
	t.Cleanup(unknown.Close)
	for name, c := range map[string]struct {
		url    string
		status int
		says   string
	}{
		"down":              {"http://127.0.0.1:1", 0, "refused"},
		"too many":          {server.URL, http.StatusTooManyRequests, "429"},
		"failing":           {server.URL, http.StatusInternalServerError, "500"},
		"wrong token":       {server.URL, http.StatusUnauthorized, "401, look at authorization_file"},
		"not allowed":       {server.URL, http.StatusForbidden, "403, look at authorization_file"},
		"slow":              {server.URL, 0, "deadline"},
		"unknown authority": {unknown.URL, 0, "unknown authority; add its authority's certificate to the system's, or name it in the environment variable SSL_CERT_FILE"},
		"expired TLS":       {expired(t, http.NotFoundHandler()).URL, 0, "certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			status.Store(int32(c.status))
			p, log := pushing(t, Config{URL: c.url})
			await(t, func() bool { _, failed, _ := p.Counts(); return failed >= 3 })
			if succeeded, _, last := p.Counts(); succeeded > 0 || !last.IsZero() {
				t.Errorf("%d pushes count as accepted, the last at %s", succeeded, last)
			}
			text := log.String()
			if strings.Count(text, "push to VictoriaMetrics failed") != 1 || !strings.Contains(text, c.says) || len(text) > 1000 {
				t.Errorf("logged %.1500s", text)
			}
			if c.url == server.URL {
				status.Store(http.StatusNoContent)
				await(t, func() bool { succeeded, _, _ := p.Counts(); return succeeded > 1 })
				await(t, func() bool { return strings.Count(log.String(), "work again") == 1 })
			}
		})
	}
}

// The headers and the data are for the receiver, and not for whom it names.
func TestRedirectionsAreNotFollowed(t *testing.T) {
	var strayed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	t.Cleanup(other.Close)
	for _, code := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		server := httptest.NewServer(http.RedirectHandler(other.URL+"/elsewhere", code))
		t.Cleanup(server.Close)
		p, log := pushing(t, Config{URL: server.URL, Headers: map[string]string{"X-Api-Key": "secret"}})
		await(t, func() bool { _, failed, _ := p.Counts(); return failed > 0 })
		if text := log.String(); !strings.Contains(text, "which is not followed") || !strings.Contains(text, other.URL+"/elsewhere") || strings.Contains(text, "secret") {
			t.Errorf("%d: logged %s", code, text)
		}
	}
	if count := strayed.Load(); count > 0 {
		t.Errorf("%d requests went where the receiver led", count)
	}
}

// The token is read for every push: a new one is used at once, and one that cannot be read is a failure.
func TestTokenIsReadForEveryPush(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var token atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { token.Store(r.Header.Get("Authorization")) }))
	t.Cleanup(server.Close)
	write("Bearer one\n")
	p, log := pushing(t, Config{URL: server.URL, AuthorizationFile: file})
	await(t, func() bool { return token.Load() == "Bearer one" })
	write("Bearer two\n")
	await(t, func() bool { return token.Load() == "Bearer two" })
	write("a\nb\n")
	await(t, func() bool { _, failed, _ := p.Counts(); return failed > 0 })
	if text := log.String(); !strings.Contains(text, "want one line") || strings.Contains(text, "two") {
		t.Errorf("logged %s", text)
	}
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	for text, cfg := range map[string]Config{
		"no http or https URL": {URL: "example.com"},
		"authorization file":   {URL: "http://example.com", AuthorizationFile: filepath.Join(t.TempDir(), "none")},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q", err, text)
		}
	}
}
