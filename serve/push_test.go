package serve

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/promapi"
	"github.com/nasight/nasight/schema"
)

// backend is a server that takes remote write and answers queries, as a Prometheus does.
type backend struct {
	*history.Embedded
	url  string
	down atomic.Bool
	hang atomic.Bool // answers nothing until the sender gives up
}

func newBackend(t *testing.T) *backend {
	t.Helper()
	kept, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: t.TempDir(), OutOfOrderWindow: 25 * 24 * time.Hour, MinFreeBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	b := &backend{Embedded: kept}
	mux := http.NewServeMux()
	mux.Handle("/api/v1/write", promapi.NewWriteHandler(kept, promapi.WriteOptions{}))
	mux.Handle("/api/v1/", promapi.NewHandler(kept, promapi.Options{MaxConcurrency: 8, MaxWait: time.Minute, Timeout: 2 * time.Minute}))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b.hang.Load() {
			_, _ = io.Copy(io.Discard, r.Body) // else nobody sees that the sender has given up
			<-r.Context().Done()
			return
		}
		if b.down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.Close()
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	b.url = server.URL
	return b
}

// count is what an expression gives, 0 for nothing.
func (b *backend) count(t *testing.T, query string) float64 {
	t.Helper()
	points, err := b.Instant(context.WithoutCancel(t.Context()), query, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if len(points) == 0 {
		return 0
	}
	return points[0].Value
}

func (b *backend) await(t *testing.T, query string) {
	t.Helper()
	await(t, query, patience, func() bool { return b.count(t, query) > 0 })
}

// pushTo sends samples to a server as an agent does.
func pushTo(t *testing.T, server *running, samples ...schema.Sample) {
	t.Helper()
	agent, err := export.NewPusher(export.PusherConfig{URL: server.base + "/api/v1/write"})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	if rejected, err := agent.Write(t.Context(), samples, false); err != nil || rejected > 0 {
		t.Fatalf("push: %d rejected, %v", rejected, err)
	}
}

// What serve collects, finds and gets from agents goes to the receiver with its own time, also what came while it was down and
// after a restart; a second receiver comes with a reload.
func TestRemoteWriteFromServe(t *testing.T) {
	t.Parallel()
	first, second := newBackend(t), newBackend(t)
	host := idleHost(t)
	cfg := testConfig(t, host.host("app1"))
	file := filepath.Join(t.TempDir(), "nasight.yml")
	cfg.Export.RemoteWrite = []config.RemoteWrite{{Name: "first", URL: first.url + "/api/v1/write"}}
	server := start(t, Options{Config: cfg, ConfigFile: file, Build: testBuild})
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	pushTo(t, server, schema.Sample{Family: schema.CPUCores, Labels: []string{"agent1"}, Value: 4, Time: at})
	first.await(t, `nasight_cpu_cores{host="app1"}`)
	first.await(t, `last_over_time(nasight_remote_write_samples_total{receiver="first"}[1m]) > 0`)
	agent, err := first.Instant(t.Context(), `timestamp(nasight_cpu_cores{host="agent1"} offset 1h)`, at.Add(time.Hour))
	if err != nil || len(agent) != 1 || agent[0].Value != float64(at.Unix()) {
		t.Errorf("the agent's sample: %+v, %v; want the time %d", agent, err, at.Unix())
	}

	first.down.Store(true)
	lost := time.Now().Add(-time.Second)
	pushTo(t, server, schema.Sample{Family: schema.CPUCores, Labels: []string{"agent2"}, Value: 2, Time: lost})
	server.stop()
	first.down.Store(false)
	cfg.Web.ListenAddress = "127.0.0.1:0"
	server = start(t, Options{Config: cfg, ConfigFile: file, Build: testBuild})
	first.await(t, `nasight_cpu_cores{host="agent2"}`)

	text := "web: {listen_address: \"127.0.0.1:0\"}\nhistory: {path: " + cfg.History.Path + "}\nexport: {remote_write: [{name: first, url: " + first.url +
		"/api/v1/write}, {name: second, url: " + second.url + "/api/v1/write, protocol: \"1.0\"}]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, body := request(t, http.MethodPost, server.base+"/-/reload"); code != http.StatusOK {
		t.Fatalf("reload: %d %s", code, body)
	}
	pushTo(t, server, schema.Sample{Family: schema.CPUCores, Labels: []string{"agent3"}, Value: 2, Time: time.Now()})
	for _, one := range []*backend{first, second} {
		one.await(t, `nasight_cpu_cores{host="agent3"}`)
	}
	if n := second.count(t, `nasight_cpu_cores{host="agent2"}`); n != 0 {
		t.Errorf("a new receiver got what was before it: %v", n)
	}
	server.awaitPage(t, "/metrics", `nasight_remote_write_samples_total{host="`, patience)
	if n := first.count(t, `sum(nasight_remote_write_dropped_samples_total)`); n != 0 {
		t.Errorf("%v samples were dropped", n)
	}
}

// VictoriaMetrics is pushed what /metrics shows, with labels of one's own.
func TestPushToVictoriaMetricsFromServe(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		select {
		case bodies <- string(text):
		default:
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(receiver.Close)
	host := idleHost(t)
	cfg := testConfig(t, host.host("app1"))
	cfg.Export.VictoriaMetrics = []config.VictoriaMetrics{{
		Name: "vm", URL: receiver.URL, Interval: config.Duration(time.Second), ExtraLabels: map[string]string{"env": "test"}, DisableCompression: true,
	}}
	server := start(t, Options{Config: cfg, Build: testBuild})
	await(t, "a push of the host's samples", patience, func() bool {
		body := <-bodies
		return strings.Contains(body, `nasight_cpu_cores{env="test",host="app1"} `) && strings.Contains(body, `nasight_build_info{env="test",`)
	})
	server.awaitPage(t, "/metrics", `outcome="success",receiver="vm"} `, patience)
}
