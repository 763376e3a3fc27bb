package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/nasight/nasight/agent"
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/export"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func get(t testing.TB, url string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
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

// awaitReady asks until the first run of every collector has ended, and returns what the agent says of them.
func awaitReady(t testing.TB, url string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		code, body := get(t, url+"/-/ready")
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

// runAgent runs an agent on a recorded host until the test ends, or stop is called.
func runAgent(t *testing.T, dir, pushTo string) (url string, stop func()) {
	t.Helper()
	listening := make(chan net.Addr, 1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- agent.Run(ctx, agent.Config{
			Host: "client1", Build: export.Build{Version: "1.2.3"}, Entries: list.Entries(), Listen: "127.0.0.1:0",
			Paths: collectors.Paths{
				Procfs: filepath.Join(dir, "proc"), Sysfs: filepath.Join(dir, "sys"), Netlink: filepath.Join(dir, "netlink"),
			},
			StateFile: filepath.Join(t.TempDir(), "state.json"),
			Push:      export.PusherConfig{URL: pushTo},
			Logger:    slog.New(slog.NewTextHandler(t.Output(), nil)),
			Listening: func(address net.Addr) { listening <- address },
		})
	}()
	stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	}
	select {
	case address := <-listening:
		return "http://" + address.String(), stop
	case err := <-ended:
		t.Fatalf("the agent ended: %v", err)
	}
	return "", nil
}

func TestAgentShowsARecordedHost(t *testing.T) {
	url, stop := runAgent(t, unpackMoment(t, "6.1/nfs-v3-seqread16-nconnect16", "t1"), "")
	defer stop()
	ready := awaitReady(t, url)
	for _, name := range []string{"nfs", "tcp", "nic", "cpu"} {
		if !strings.Contains(ready, name+": ok\n") {
			t.Errorf("%s is not ok: %s", name, ready)
		}
	}
	_, body := get(t, url+"/metrics")
	lines := slices.Collect(strings.Lines(body))
	const mount = `device="0:39",export="/srv/vol1",host="client1",protocol="nfs",server="10.10.2.2"`
	for _, want := range []string{
		`nasight_nfs_transports{host="client1",protocol="nfs",server="10.10.2.2",version="3"} 16` + "\n",
		`nasight_endpoint_sessions{host="client1",protocol="nfs",server="10.10.2.2"} 16` + "\n",
		`nasight_exposition_dropped_series{reason="duplicate"} 0` + "\n",
		`nasight_exposition_dropped_series{reason="inconsistent"} 0` + "\n",
		`nasight_collector_errors_total{collector="tcp",host="client1",reason="panic"} 0` + "\n",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("the exposition lacks %s", want)
		}
	}
	for _, prefix := range []string{
		"nasight_nfs_read_bytes_total{" + mount, "nasight_session_rtt_seconds{", "nasight_nic_receive_bytes_total{",
		"nasight_cpu_seconds_total{", "nasight_build_info{", "go_goroutines ", "process_cpu_seconds_total ",
	} {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, prefix) }) {
			t.Errorf("the exposition lacks %s…", prefix)
		}
	}
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		if strings.HasPrefix(problem.Metric, "nasight_") {
			t.Errorf("lint: %s: %s", problem.Metric, problem.Text)
		}
	}
}

// received is the storage of a receiver: it hands on the names of the families of each request.
type received chan []string

func (r received) Store(request *http.Request, _ remote.WriteMessageType) (*remote.WriteResponse, error) {
	response := remote.NewWriteResponse()
	data, err := io.ReadAll(request.Body)
	if err != nil {
		return response, err
	}
	var message writev2.Request
	if err := proto.Unmarshal(data, &message); err != nil {
		return response, err
	}
	response.Samples = len(message.Timeseries)
	r <- message.Symbols
	return response, nil
}

func TestAgentPushesARecordedHost(t *testing.T) {
	requests := make(received, 100)
	server := httptest.NewServer(remote.NewWriteHandler(requests, remote.MessageTypes{remote.WriteV2MessageType}))
	defer server.Close()
	_, stop := runAgent(t, unpackMoment(t, "6.1/nfs-v3-seqread16-nconnect16", "t1"), server.URL+"/api/v1/write")
	defer stop()
	missing := []string{"nasight_nfs_read_bytes_total", "nasight_session_rtt_seconds", "nasight_nic_receive_bytes_total",
		"nasight_cpu_seconds_total", "nasight_collector_success", "nasight_remote_write_pending_samples"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for len(missing) > 0 {
		select {
		case symbols := <-requests:
			missing = slices.DeleteFunc(missing, func(name string) bool { return slices.Contains(symbols, name) })
		case <-ctx.Done():
			t.Fatalf("never pushed: %v", missing)
		}
	}
}
