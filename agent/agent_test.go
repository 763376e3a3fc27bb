package agent

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/exp/api/remote"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/schema"
)

func TestAgentServes(t *testing.T) {
	a := start(t, Config{Entries: []collectors.Entry{entry("cpu", cores)}})
	a.awaitReady(t)
	for path, want := range map[string]string{
		"/":                       "<h1>nasight-agent</h1>",
		"/-/healthy":              "healthy\n",
		"/-/ready":                "cpu: ok\n",
		"/metrics":                "nasight_cpu_cores{host=\"client1\"} 4\n",
		"/metrics?collect[]=cpu":  "nasight_collector_success{collector=\"cpu\",host=\"client1\"} 1\n",
		"/metrics?collect[]=disk": "no collector \"disk\"; there are cpu\n",
		"/other":                  "404 page not found\n",
	} {
		if _, body := a.get(t, path); !strings.Contains(body, want) {
			t.Errorf("%s lacks %q:\n%s", path, want, body)
		}
	}
	if _, body := a.get(t, "/metrics"); !strings.Contains(body, `version="1.2.3"`) {
		t.Error("/metrics lacks the version")
	}
	if err := a.stop(); err != nil {
		t.Error(err)
	}
}

func TestAgentIsReadyAfterTheFirstRunsWithReasons(t *testing.T) {
	release := make(chan struct{})
	a := start(t, Config{Entries: []collectors.Entry{
		entry("nfs", func(context.Context, collectors.Sink) error { return collectors.ErrNoData }),
		entry("nic", func(context.Context, collectors.Sink) error { return errors.Join(fs.ErrPermission, errors.New("more")) }),
		entry("tcp", func(context.Context, collectors.Sink) error { <-release; return nil }),
	}})
	if code, body := a.get(t, "/-/ready"); code != http.StatusServiceUnavailable || !strings.Contains(body, "tcp: first run not finished") {
		t.Errorf("status %d: %s", code, body)
	}
	close(release)
	want := "nfs: nothing to collect on this host\nnic: failed (permission): permission denied\ntcp: ok\n"
	if got := a.awaitReady(t); got != want {
		t.Errorf("got %q", got)
	}
}

func TestAgentRemembers(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state.json")
	lowest := entry("tcp", nil)
	lowest.New = func(_ collectors.Root, settings collectors.Settings) (collectors.Collector, error) {
		return collect(func(_ context.Context, sink collectors.Sink) error {
			before, _ := settings.Memory.Load("runs")
			settings.Memory.Store("runs", before+1)
			sink.Add(schema.CPUCores, before, "client1")
			return nil
		}), nil
	}
	for _, want := range []string{"} 0\n", "} 1\n"} {
		a := start(t, Config{Entries: []collectors.Entry{lowest}, StateFile: state})
		a.awaitReady(t)
		if _, body := a.get(t, "/metrics"); !strings.Contains(body, `nasight_cpu_cores{host="client1"`+want) {
			t.Errorf("lacks a value of %q", want)
		}
		if err := a.stop(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAgentStartsWithABadStateFile(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state.json")
	if err := os.WriteFile(state, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log syncBuffer
	a := start(t, Config{
		Entries: []collectors.Entry{entry("cpu", cores)}, StateFile: state,
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	a.awaitReady(t)
	if !strings.Contains(log.String(), "starting without the saved state") {
		t.Errorf("logged %s", log.String())
	}
}

// The first save is a minute away, and an operator has left by then.
func TestAgentTellsAtOnceThatStateCannotBeKept(t *testing.T) {
	state := filepath.Join(t.TempDir(), "none", "state.json")
	var log syncBuffer
	a := start(t, Config{
		Entries: []collectors.Entry{entry("cpu", cores)}, StateFile: state,
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	a.awaitReady(t)
	text := log.String()
	if n := strings.Count(text, "the state cannot be kept over a restart"); n != 1 || !strings.Contains(text, "no such file or directory") {
		t.Errorf("logged %s", text)
	}
}

func TestACheckOfTheStateFileLeavesNothingBehind(t *testing.T) {
	directory := t.TempDir()
	if err := replaceable(filepath.Join(directory, "state.json")); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(directory); err != nil || len(left) > 0 {
		t.Errorf("left %v, error %v", left, err)
	}
}

func TestAgentAsksForThePasswordOfItsWebConfiguration(t *testing.T) {
	config := filepath.Join(t.TempDir(), "web.yml")
	// The hash of "test" at the least cost.
	users := "basic_auth_users:\n  alice: $2y$04$4pm1JJ0N4tLU9I1yIrCGqOrUnqMWZCmXmIFcKiRBnIZYBF8PHdUxm\n"
	if err := os.WriteFile(config, []byte(users), 0o600); err != nil {
		t.Fatal(err)
	}
	a := start(t, Config{Entries: []collectors.Entry{entry("cpu", cores)}, WebConfig: config})
	if code, body := a.get(t, "/metrics"); code != http.StatusUnauthorized {
		t.Errorf("status %d: %s", code, body)
	}
}

// received is the storage of a receiver: it hands on the requests.
type received chan *http.Request

func (r received) Store(request *http.Request, _ remote.WriteMessageType) (*remote.WriteResponse, error) {
	response := remote.NewWriteResponse()
	response.Samples = 1 // enough to be believed
	r <- request
	return response, nil
}

func TestAgentTellsOfItsPushing(t *testing.T) {
	requests := make(received, 100)
	server := newServer(t, remote.NewWriteHandler(requests, remote.MessageTypes{remote.WriteV2MessageType}))
	a := start(t, Config{
		Entries: []collectors.Entry{entry("cpu", cores)}, Push: export.PusherConfig{URL: server + "/api/v1/write"},
	})
	a.awaitReady(t)
	if request := <-requests; request.URL.Path != "/api/v1/write" {
		t.Errorf("pushed to %s", request.URL.Path)
	}
	if _, body := a.get(t, "/metrics?collect[]=remote_write"); !strings.Contains(body, `nasight_remote_write_samples_total{host="client1",receiver="`) {
		t.Errorf("no series of the pushing in\n%s", body)
	}
}
