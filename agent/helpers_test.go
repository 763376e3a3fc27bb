package agent

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var build = export.Build{Version: "1.2.3", Revision: "abc"}

// collect is a function as a Collector.
type collect func(ctx context.Context, sink collectors.Sink) error

func (c collect) Collect(ctx context.Context, sink collectors.Sink) error { return c(ctx, sink) }

func entry(name string, c collect) collectors.Entry {
	return collectors.Entry{
		Name: name, Default: true, Interval: 15 * time.Second, Help: "Test of " + name + ".",
		New: func(collectors.Root, collectors.Settings) (collectors.Collector, error) { return c, nil },
	}
}

func cores(_ context.Context, sink collectors.Sink) error {
	sink.Add(schema.CPUCores, 4, "client1")
	return nil
}

// running is an agent that runs in the test's process.
type running struct {
	url  string
	stop func() error // waits until the agent has ended
}

// start runs an agent on a free port until the test ends, or stop is called.
func start(t *testing.T, cfg Config) running {
	t.Helper()
	if cfg.Paths.Procfs == "" {
		cfg.Paths = collectors.Paths{Procfs: t.TempDir(), Sysfs: t.TempDir()}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	cfg.Host, cfg.Build, cfg.Listen = "client1", build, "127.0.0.1:0"
	listening := make(chan net.Addr, 1)
	cfg.Listening = func(address net.Addr) { listening <- address }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, cfg) }()
	stop := sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	select {
	case address := <-listening:
		return running{url: "http://" + address.String(), stop: stop}
	case err := <-ended:
		ended <- err
		t.Fatalf("the agent ended: %v", err)
	}
	return running{}
}

func (r running) get(t *testing.T, path string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// awaitReady asks until the first runs have ended.
func (r running) awaitReady(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for {
		code, body := r.get(t, "/-/ready")
		if code == http.StatusOK {
			return body
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			t.Fatalf("not ready: %s", body)
		}
	}
}

// syncBuffer takes the output of goroutines.
type syncBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func newServer(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}
