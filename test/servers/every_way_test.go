//go:build servers

package servers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The collector's two exporters show apart what came by gRPC and what came over HTTP.
const twoPipelines = `
receivers:
  otlp/grpc: {protocols: {grpc: {endpoint: %q}}}
  otlp/http: {protocols: {http: {endpoint: %q}}}
exporters:
  prometheus/grpc: {endpoint: %q}
  prometheus/http: {endpoint: %q}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    metrics/grpc: {receivers: [otlp/grpc], exporters: [prometheus/grpc]}
    metrics/http: {receivers: [otlp/http], exporters: [prometheus/http]}
`

// everyWay is where results go; the addresses of OTLP and its protocol, of the push, and of the receiver of remote write.
const everyWay = `
export:
  otlp: {endpoint: %q, protocol: %q, interval: 1s}
  victoriametrics: [{url: "%s/api/v1/import/prometheus", interval: 1s}]
  remote_write: [{url: "%s/api/v1/write"}]
`

// What a host's kernel counts is the same number by every way to every server. The host is a recording, so its counters stand
// still; what nasight tells of itself, and rates of its own making, move on and are left out.
func TestTheSameNumberByEveryWay(t *testing.T) {
	addresses := make([]any, 4)
	for i := range addresses {
		addresses[i] = freeAddress(t)
	}
	at := func(i int) string { return fmt.Sprintf("http://%s", addresses[i]) }
	collector := filepath.Join(t.TempDir(), "otelcol.yml")
	if err := os.WriteFile(collector, fmt.Appendf(nil, twoPipelines, addresses...), 0o600); err != nil {
		t.Fatal(err)
	}
	launch(t, installed(t, "otelcol"), "--config="+collector).await(t, startLimit, answers(at(2)+"/metrics"))
	pushed, written := startVictoriaMetrics(t), startPrometheus(t, "prometheus", takesThePast)

	recorded := recorded(t)
	serving := func(endpoint, protocol string) string {
		text := everySecond + fmt.Sprintf(everyWay, endpoint, protocol, pushed, written)
		return start(t, "nasight", "serve", "--config.file="+recorded.configurationWith(t, text))
	}
	nasight := serving(at(0), "grpc")
	serving(at(1), "http/protobuf")
	scraping := startPrometheus(t, "prometheus", fmt.Sprintf(`
global: {scrape_interval: 1s}
scrape_configs: [{job_name: nasight, static_configs: [{targets: [%q]}]}]
`, target(nasight)))

	awaitSeries(t, nasight, `nasight_session_received_bytes_total{host="recorded"}`, 1, startLimit)
	var want map[string]float64
	eventually(t, startLimit, func() bool {
		want = ofHost(exposed(t, scrape(t, nasight), "nasight_"))
		return len(want) >= 150 // of every collector
	}, func() string { return fmt.Sprintf("%d series of the host: too few to compare", len(want)) })
	for name, read := range map[string]func() (map[string]float64, error){
		"scrape":              func() (map[string]float64, error) { return asked(t, scraping) },
		"remote write":        func() (map[string]float64, error) { return asked(t, written) },
		"VictoriaMetrics":     func() (map[string]float64, error) { return asked(t, pushed) },
		"OTLP over gRPC":      func() (map[string]float64, error) { return exposed(t, scrape(t, at(2)), "nasight_"), nil },
		"OTLP over HTTP":      func() (map[string]float64, error) { return exposed(t, scrape(t, at(3)), "nasight_"), nil },
		"nasight's own query": func() (map[string]float64, error) { return asked(t, nasight) },
	} {
		t.Run(name, func(t *testing.T) {
			var diff string
			eventually(t, startLimit, func() bool {
				found, err := read()
				if err != nil {
					t.Fatal(err)
				}
				diff = cmp.Diff(want, ofHost(found), cmpopts.EquateApprox(1e-12, 0))
				return diff == ""
			}, func() string { return "series (-/metrics +there):\n" + diff })
		})
	}
}

func asked(t *testing.T, server string) (map[string]float64, error) {
	t.Helper()
	found, err := query(t.Context(), server, `{__name__=~"nasight_.+", host="recorded"}`)
	if err != nil {
		return nil, err
	}
	return values(t, found), nil
}

// ofHost are the series of what the host itself says.
func ofHost(all map[string]float64) map[string]float64 {
	found := map[string]float64{}
	for series, value := range all {
		moving := strings.Contains(series, "__name__:nasight_collector_") || strings.Contains(series, "__name__:nasight_mount_")
		if strings.Contains(series, " host:recorded ") && !moving {
			found[series] = value
		}
	}
	return found
}
