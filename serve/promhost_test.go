package serve

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors/promhost"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/promapi"
	"github.com/nasight/nasight/schema"
)

// exporters is a Prometheus that knows the processor of a host.
func exporters(t *testing.T, instance string) string {
	t.Helper()
	memory := history.NewMemory(history.MemoryOptions{})
	family := &schema.Family{Name: "node_cpu_seconds_total", Labels: []string{"cpu", "instance", "mode"}}
	var samples []schema.Sample
	for i := range 4 {
		samples = append(samples, schema.Sample{
			Family: family, Labels: []string{"0", instance, "idle"}, Value: float64(i), Time: time.Now().Add(time.Duration(i-4) * 15 * time.Second),
		})
	}
	if err := memory.Append(context.Background(), samples); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(promapi.NewHandler(memory, promapi.Options{MaxConcurrency: 8}))
	t.Cleanup(func() {
		server.Close()
		_ = memory.Close()
	})
	return server.URL
}

// Two servers of Prometheus give two hosts, with the samples' own times; each reader's health is told under its name.
func TestHostsOfPrometheus(t *testing.T) {
	cfg := testConfig(t)
	cfg.Hosts = nil
	cfg.PromHost = []promhost.Config{{URL: exporters(t, "app1:9100")}, {URL: exporters(t, "app2:9100")}}
	server := start(t, Options{Config: cfg, Build: testBuild})
	for _, host := range []string{"app1", "app2"} {
		server.awaitPage(t, `/api/v1/query?query=count_over_time(nasight_cpu_cores{host="`+host+`"}[2m])`, `"4"]`, patience)
	}
	body := server.awaitPage(t, "/metrics", `collector="promhost_2"`, patience)
	if !strings.Contains(body, `nasight_cpu_cores{host="app1"} 1`) || !strings.Contains(body, `nasight_prometheus_sample_age_seconds{host="app2"}`) {
		t.Errorf("exposition:\n%s", body)
	}
	if exporterName(0, 1) != "promhost" {
		t.Error("a single reader has a number")
	}
}

func TestPrometheusThatCannotBeRead(t *testing.T) {
	cfg := testConfig(t)
	cfg.Hosts = nil
	cfg.PromHost = []promhost.Config{{URL: "http://192.0.2.1:9090", BearerTokenFile: t.TempDir() + "/none"}}
	_, err := New(t.Context(), Options{Config: cfg, Build: testBuild})
	if err == nil || !strings.HasPrefix(err.Error(), "promhost[0]: credentials: ") {
		t.Errorf("error %v", err)
	}
}
