package serve

import (
	"net/http"
	"slices"
	"testing"

	"github.com/nasight/nasight/collectors/promhost"
	"github.com/nasight/nasight/collectors/windows"
	"github.com/nasight/nasight/simulator"
)

// collect[] may ask for every collector that runs: those of hosts, of a cloud, of a Prometheus, of recordings.
func TestCollectorsThatMayBeAskedFor(t *testing.T) {
	t.Parallel()
	fleet, err := simulator.Example()
	if err != nil {
		t.Fatal(err)
	}
	emulator, err := simulator.Start(t.Context(), simulator.Options{Fleet: fleet, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = emulator.Close() })
	cfg := testConfig(t)
	cfg.GCNV.Projects = projects(fleet)[:1]
	cfg.GCNV.Endpoints.Monitoring, cfg.GCNV.Endpoints.NetApp = emulator.GRPCAddress(), emulator.URL()
	cfg.GCNV.Endpoints.Insecure = true
	cfg.PromHost = []promhost.Config{{URL: exporters(t, "app1:9100")}, {URL: exporters(t, "app2:9100")}}
	cfg.Windows.Directory = t.TempDir()
	server := start(t, Options{Config: cfg, Build: testBuild})
	wanted := []string{"findings", "nfs", "gcnv_inventory", "gcnv_performance", "gcnv_capacity", "promhost_1", "promhost_2", windows.DirectoryName}
	for _, name := range wanted {
		if code, body := server.get(t, "/metrics?collect[]="+name); code != http.StatusOK {
			t.Errorf("%s: status %d: %s", name, code, body)
		}
	}
	for _, status := range server.collecting.status() {
		if !slices.Contains(server.collecting.names(), status.Collector) {
			t.Errorf("%s runs and cannot be asked for", status.Collector)
		}
	}
	if code, _ := server.get(t, "/metrics?collect[]=promhost"); code != http.StatusBadRequest {
		t.Errorf("a collector that does not run: status %d", code)
	}
}
