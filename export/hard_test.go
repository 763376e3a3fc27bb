package export

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nasight/nasight/schema"
)

// Samples wait while the receiver's certificate has expired, which the log says once, and arrive when it has a new one.
func TestAnExpiredCertificateLosesNothing(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	issue := func(until time.Time) (tls.Certificate, []byte) {
		template := &x509.Certificate{
			SerialNumber: big.NewInt(until.Unix()), NotBefore: until.Add(-24 * time.Hour), NotAfter: until, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
			IsCA: true, BasicConstraintsValid: true,
		}
		der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	}
	expired, first := issue(time.Now().Add(-time.Hour))
	renewed, second := issue(time.Now().Add(time.Hour))
	authorities := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authorities, append(first, second...), 0o600); err != nil {
		t.Fatal(err)
	}
	var shown atomic.Pointer[tls.Certificate]
	shown.Store(&expired)
	r := newReceiver(t)
	secure := httptest.NewUnstartedServer(r.server.Config.Handler)
	secure.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return &tls.Config{Certificates: []tls.Certificate{*shown.Load()}, MinVersion: tls.VersionTLS12}, nil
	}}
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	var log syncBuffer
	p := startPusher(t, PusherConfig{URL: secure.URL, CAFile: authorities, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	p.Push([]schema.Sample{sample(schema.CPUCores, 4, "client1")}, false)
	await(t, func() bool { return p.retries.Load() > 2 })
	expectPending(t, p.Pusher, 1)
	shown.Store(&renewed)
	await(t, func() bool { return len(r.received()) == 1 && p.sent.Load() == 1 }) // counted after the log has it
	p.stop()
	if text := log.String(); strings.Count(text, "remote write failed") != 1 || !strings.Contains(text, "expired") || !strings.Contains(text, "answered again") {
		t.Errorf("logged %s", text)
	}
}

// Scrapes in every format at once, while collectors publish: each is answered with a whole exposition.
func TestScrapesAtOnce(t *testing.T) {
	s := &Store{}
	publish(t, s, batch("client1", "nfs", mountSamples("client1", 20)...), batch("client2", "cpu", sample(schema.CPUCores, 4, "client2")))
	handler := Handler(HandlerConfig{Store: s, Collectors: func() []string { return []string{"nfs", "cpu"} }})
	var all sync.WaitGroup
	for _, target := range []string{"/metrics", "/metrics?collect[]=nfs", "/metrics?collect[]=cpu", "/metrics?collect[]=none"} {
		for _, accept := range []string{"text/plain", "application/openmetrics-text; version=1.0.0"} {
			all.Go(func() {
				for range 20 {
					code, body := get(t, handler, target, "Accept", accept)
					whole := strings.Contains(body, "_exposition_dropped_series{reason=\"duplicate\"} 0") &&
						(accept == "text/plain" || strings.HasSuffix(body, "# EOF\n"))
					if unknown := strings.HasSuffix(target, "none"); unknown != (code == http.StatusBadRequest) || !unknown && (code != http.StatusOK || !whole) {
						t.Errorf("%s as %s: status %d: %.300s", target, accept, code, body)
					}
				}
			})
		}
	}
	all.Go(func() {
		for range 100 {
			publish(t, s, batch("client1", "nfs", mountSamples("client1", 20)...))
		}
	})
	all.Wait()
}

// 100,000 series are shown, each once.
func TestAHundredThousandSeriesAreShown(t *testing.T) {
	s := &Store{}
	for i := range 100 {
		host := fmt.Sprint("client", i)
		publish(t, s, batch(host, "nfs", mountSamples(host, 100)...))
	}
	code, body := get(t, Handler(HandlerConfig{Store: s}), "/metrics")
	seen := map[string]bool{}
	for line := range strings.Lines(series(body)) {
		name, _, _ := strings.Cut(line, "} ")
		seen[name] = true
	}
	if lines := strings.Count(series(body), "\n"); code != http.StatusOK || lines != 100_000 || len(seen) != 100_000 {
		t.Errorf("status %d, %d lines, %d series", code, lines, len(seen))
	}
}
