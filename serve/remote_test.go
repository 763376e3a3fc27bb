package serve

import (
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/model"
)

// onBackend makes a configuration whose history is in a server.
func onBackend(cfg config.Config, b *backend, protocol string) config.Config {
	cfg.History.URL, cfg.History.WriteURL, cfg.History.WriteProtocol = b.url, b.url+"/api/v1/write", protocol
	return cfg
}

// TestRemoteHistoryGivesTheSameFindings: on a history in another server serve finds what it finds on its own, of a host's
// minutes and of the cloud's days, with nearly the same numbers, and carries it over a restart. Both run at the same time on the
// same cloud, as another time has other numbers.
func TestRemoteHistoryGivesTheSameFindings(t *testing.T) {
	t.Parallel()
	some := []string{"manual-unallocated", "manual-throttled", "extreme-idle", "extreme-busy"} // pools, to spare time
	isOne := func(row model.Planted) bool { return slices.Contains(some, row.Pool) }
	planted, err := simulator.Example()
	if err != nil {
		t.Fatal(err)
	}
	emulator, err := simulator.Start(t.Context(), simulator.Options{Fleet: planted, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = emulator.Close() })
	watching := func() config.Config {
		cfg := testConfig(t)
		cfg.Hosts = nil
		cfg.Detection.Interval = config.Duration(5 * time.Second)
		cfg.GCNV.Projects = projects(planted)[:1]
		cfg.GCNV.Include = []string{".*/.*/(" + strings.Join(some, "|") + ")(/.*)?"}
		cfg.GCNV.BackfillDays = 9
		cfg.GCNV.Endpoints.Monitoring, cfg.GCNV.Endpoints.NetApp = emulator.GRPCAddress(), emulator.URL()
		cfg.GCNV.Endpoints.Insecure = true
		cfg.GCNV.Pacing.CallsPerSecond = 500
		return cfg
	}
	far := onBackend(watching(), newBackend(t), "2.0")
	embedded, remote := start(t, Options{Config: watching(), Build: testBuild}), start(t, Options{Config: far, Build: testBuild})
	for _, server := range []*running{embedded, remote} {
		awaitPlanted(t, server, planted.Truth, isOne)
		await(t, "the fold over the past", patience, func() bool { return !isOwed(server.evaluator.debt) })
	}
	awaitSame(t, embedded, remote)
	remote.stop()
	far.Web.ListenAddress = "127.0.0.1:0"
	awaitPlanted(t, start(t, Options{Config: far, Build: testBuild}), planted.Truth, isOne)
}

// awaitSame waits until two servers have found the same. They look in turn, so that one may know a sample before the other.
func awaitSame(t *testing.T, own, remote *running) {
	t.Helper()
	var differences []string
	t.Cleanup(func() {
		for _, difference := range differences {
			t.Error(difference)
		}
	})
	await(t, "the same findings on both histories", patience, func() bool {
		differences = compare(evidence(own.evaluator.latest.Load().Findings), evidence(remote.evaluator.latest.Load().Findings))
		return len(differences) == 0
	})
}

// compare says where findings, or the numbers of one, differ. A number that is looked up once an hour may be there on one side
// alone.
func compare(own, remote map[string]map[string]float64) (differences []string) {
	names := func(found map[string]map[string]float64) []string { return slices.Sorted(maps.Keys(found)) }
	if diff := cmp.Diff(names(own), names(remote)); diff != "" {
		differences = append(differences, "findings (-embedded +remote):\n"+diff)
	}
	compared := 0
	for finding, rows := range own {
		for name, value := range rows {
			other, ok := remote[finding][name]
			if !ok {
				continue
			}
			compared++
			if math.Abs(other-value) > 0.1*math.Max(math.Abs(value), math.Abs(other)) {
				differences = append(differences, fmt.Sprintf("%s: %s is %v, on the remote history %v", finding, name, value, other))
			}
		}
	}
	if compared < 8 {
		differences = append(differences, fmt.Sprintf("only %d numbers were compared", compared))
	}
	return differences
}

// evidence are the numbers that firing findings are judged by.
func evidence(findings []detectors.Finding) map[string]map[string]float64 {
	found := map[string]map[string]float64{}
	for _, finding := range findings {
		if finding.State != detectors.Firing {
			continue
		}
		rows := map[string]float64{}
		for _, row := range finding.Evidence {
			rows[row.Name] = float64(row.Value)
		}
		found[keyOf(finding)] = rows
	}
	return found
}

// TestRemoteHistoryServesItsPaths: what hosts tell and agents send reaches the server, queries are answered by it, and what is
// wrong with it shows.
func TestRemoteHistoryServesItsPaths(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	host := idleHost(t)
	server := start(t, Options{Config: onBackend(testConfig(t, host.host("app1")), b, "1.0"), Build: testBuild})
	b.await(t, `nasight_cpu_cores{host="app1"}`)
	pushTo(t, server, schema.Sample{Family: schema.CPUCores, Labels: []string{"agent1"}, Value: 4, Time: time.Now()})
	if n := b.count(t, `nasight_cpu_cores{host="agent1"}`); n != 4 {
		t.Errorf("an acknowledged sample is not there: %v", n)
	}
	for path, want := range map[string]string{
		`/api/v1/query?query=nasight_cpu_cores{host="agent1"}`: `"agent1"`,
		"/api/v1/label/host/values":                            `["agent1","app1"`,
		"/api/v1/labels":                                       `"host"`,
		`/api/v1/series?match[]=nasight_cpu_cores`:             `"app1"`,
		"/api/v1/metadata?metric=nasight_cpu_cores":            `"gauge"`,
		"/api/v1/status/buildinfo":                             `"version"`,
		"/api/v1/query_range?query=1&start=0&end=1&step=1":     `"matrix"`,
		"/api/v1/admin/tsdb/snapshot":                          "404",
		"/metrics":                                             `nasight_remote_write_samples_total{host="`,
	} {
		server.awaitPage(t, path, want, patience)
	}
	server.awaitPage(t, "/-/ready", "ready\n", patience)
	if code, body := request(t, http.MethodDelete, server.base+"/api/v1/series"); code != http.StatusMethodNotAllowed {
		t.Errorf("delete: %d %s", code, body)
	}
	b.down.Store(true)
	server.awaitPage(t, "/-/ready", "history degraded: ", patience)
	b.down.Store(false)
	server.awaitPage(t, "/-/ready", "ready\n", patience)
}

// A server that hangs is noticed by the first write that it does not answer, and holds up no query for ever.
func TestRemoteHistoryThatHangs(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	cfg := onBackend(testConfig(t, idleHost(t).host("app1")), b, "1.0")
	cfg.History.Timeout = config.Duration(time.Second)
	server := start(t, Options{Config: cfg, Build: testBuild})
	server.awaitPage(t, "/-/ready", "ready\n", patience)
	b.hang.Store(true)
	server.awaitPage(t, "/-/ready", "history degraded: cannot write to "+b.url, patience)

	far, err := openRemote(cfg.History, slog.New(slog.DiscardHandler), newVia("nasight/1.2"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = far.Close() })
	proxy, err := far.proxy(b.url, 10*time.Millisecond, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	proxy.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/query?query=up", nil))
	if answer.Code != http.StatusGatewayTimeout || !strings.Contains(answer.Body.String(), "has not answered for 10ms") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	b.hang.Store(false)
	server.awaitPage(t, "/-/ready", "ready\n", patience)
}

func TestRemoteHistoryIsToldWhoAsks(t *testing.T) {
	t.Parallel()
	agents := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents <- r.Method + " of " + r.UserAgent()
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	cfg := config.History{Path: t.TempDir(), URL: server.URL, WriteURL: server.URL + "/write", WriteProtocol: "1.0", Timeout: config.Duration(time.Minute)}
	far, err := openRemote(cfg, slog.New(slog.DiscardHandler), newVia("nasight/1.2"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = far.Close(); far.pusher.Close() })
	proxy, err := far.proxy(server.URL, time.Minute, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	proxy.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/query?query=up", http.NoBody))
	if got := <-agents; got != "GET of nasight/1.2" {
		t.Errorf("the query is %q", got)
	}
	if _, err := far.pusher.Write(t.Context(), []schema.Sample{{Family: schema.CPUCores, Labels: []string{"client1"}, Value: 4, Time: time.Now()}}, true); err != nil {
		t.Fatal(err)
	}
	if got := <-agents; got != "POST of nasight/1.2" {
		t.Errorf("the write is %q", got)
	}
}
