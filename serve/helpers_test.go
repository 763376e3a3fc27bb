package serve

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export"
)

func TestMain(m *testing.M) {
	if os.Getenv(childRole) == roleReceivers {
		os.Exit(receiveAll())
	}
	goleak.VerifyTestMain(m)
}

const saturated = "7.3/nfs-v3-seqread16-nconnect-absent"

// capture unpacks a recorded scenario and returns the directory that holds t0, t1 and t2.
func capture(t testing.TB, scenario string) string {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "testdata", "captures", filepath.FromSlash(scenario), "moments.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return directory
		}
		if err == nil {
			err = unpack(filepath.Join(directory, filepath.FromSlash(header.Name)), header, archive)
		}
		if err != nil {
			t.Fatalf("unpack %s: %v", scenario, err)
		}
	}
}

func unpack(name string, header *tar.Header, content io.Reader) error {
	if header.Typeflag == tar.TypeDir {
		return os.MkdirAll(name, 0o750)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		return err
	}
	if header.Typeflag == tar.TypeSymlink {
		return os.Symlink(header.Linkname, name)
	}
	data, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o600)
}

// recorded is a host whose root is the directory now below a capture; show puts another moment there by renaming whole
// directories, as a replay does.
type recorded struct {
	directory string
	shown     string
}

func (r *recorded) show(t testing.TB, moment string) {
	t.Helper()
	now := filepath.Join(r.directory, "now")
	if r.shown != "" {
		if err := os.Rename(now, filepath.Join(r.directory, r.shown)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(r.directory, moment), now); err != nil {
		t.Fatal(err)
	}
	r.shown = moment
}

func (r *recorded) host(name string) config.Host {
	now := filepath.Join(r.directory, "now")
	return config.Host{
		Name: name, Procfs: filepath.Join(now, "proc"), Sysfs: filepath.Join(now, "sys"), Netlink: filepath.Join(now, "netlink"),
	}
}

// testConfig is a configuration for a short life: one recorded host, collected and judged every second or two.
func testConfig(t *testing.T, hosts ...config.Host) config.Config {
	t.Helper()
	cfg := config.Default()
	cfg.Web.ListenAddress = "127.0.0.1:0"
	cfg.Hosts = hosts
	cfg.History.Path = filepath.Join(t.TempDir(), "data")
	cfg.Collectors = map[string]config.Collector{}
	for _, entry := range list.Entries() {
		cfg.Collectors[entry.Name] = config.Collector{Interval: config.Duration(time.Second)}
	}
	cfg.Detection.Interval = config.Duration(2 * time.Second)
	cfg.Detection.Window = config.Duration(20 * time.Second)
	cfg.Detection.For = 1
	return cfg
}

// running is a server that runs until the test ends or stop is called.
type running struct {
	*Server
	base string
	stop func()
}

func start(t *testing.T, options Options) *running {
	t.Helper()
	if options.Logger == nil {
		options.Logger = slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	listening := make(chan net.Addr, 1)
	options.Listening = func(address net.Addr) { listening <- address }
	server, err := New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with: %v", err)
		}
	})
	t.Cleanup(stop)
	return &running{Server: server, base: "http://" + (<-listening).String(), stop: stop}
}

// testWriter is a log that goes to the test's.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(line []byte) (int, error) {
	w.t.Logf("%s", strings.TrimRight(string(line), "\n"))
	return len(line), nil
}

func request(t *testing.T, method, url string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
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

func (r *running) get(t *testing.T, path string) (int, string) {
	t.Helper()
	return request(t, http.MethodGet, r.base+path)
}

// await polls until a condition holds.
func await(t *testing.T, what string, most time.Duration, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s: not within %s", what, most)
		case <-poll.C:
		}
	}
}

// awaitPage polls a path until its body has a text, and returns the body.
func (r *running) awaitPage(t *testing.T, path, text string, most time.Duration) string {
	t.Helper()
	var body string
	await(t, path+" with "+text, most, func() bool {
		_, body = r.get(t, path)
		return strings.Contains(body, text)
	})
	return body
}

// sinkOutput remembers batches.
type sinkOutput struct {
	mu      sync.Mutex
	batches []collectors.Batch
}

func (s *sinkOutput) Publish(_ context.Context, batch collectors.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, batch)
	return nil
}

// oneGoroutine leaves a test out under the race detector if all that it does is to judge hours of a history in memory, again and
// again, on its own goroutine. Servers that run, which others test, judge by the same code while everything else goes on.
func oneGoroutine(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("one goroutine judges hours, minute by minute: the race detector has nothing to find and makes it ten times as slow")
	}
}

var testBuild = export.Build{Version: "1.2.3-test", Revision: "abc"}

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(context.WithoutCancel(t.Context()))
}
