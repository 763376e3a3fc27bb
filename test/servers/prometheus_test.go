//go:build servers

package servers

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/nasight/nasight/alerts"
)

// prometheuses are the versions that are tested: the newest, and Debian's as the oldest.
var prometheuses = [...]string{"prometheus", "debian-prometheus"}

// startPrometheus starts a real one with a configuration and returns its address.
func startPrometheus(t *testing.T, program, configuration string) string {
	t.Helper()
	return prometheusServer(t, program, configuration).url
}

func prometheusServer(t *testing.T, program, configuration string) *server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "prometheus.yml")
	if err := os.WriteFile(file, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	return runServer(t, installed(t, program), "/-/ready", "--config.file="+file, "--storage.tsdb.path=DIRECTORY/data",
		"--web.listen-address=ADDRESS", "--web.enable-remote-write-receiver")
}

func startVictoriaMetrics(t *testing.T) string {
	t.Helper()
	return victoriaServer(t).url
}

func victoriaServer(t *testing.T) *server {
	t.Helper()
	return runServer(t, installed(t, "victoria-metrics"), "/health", "-storageDataPath=DIRECTORY/data", "-httpListenAddr=ADDRESS",
		"-retentionPeriod=60d", "-dedup.minScrapeInterval=1ms")
}

// target is the part of an address by which Prometheus names it.
func target(url string) string { return strings.TrimPrefix(url, "http://") }

const (
	stalled         = "../../testdata/captures/6.1/nfs-v3-server-stops-midway/moments.tar.gz"
	shortest        = alerts.ShortestInterval
	alertingExample = `
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [%q]
alerting: {alertmanagers: [{static_configs: [{targets: [%q]}]}]}
scrape_configs:
  - job_name: nasight
    static_configs: [{targets: [%q]}]
`
)

// A recorded host whose server has stopped answering: Prometheus scrapes nasight, loads the rules, and the team is told.
func TestAStalledServerIsAlertedOf(t *testing.T) {
	t.Parallel() // with the other one that mostly waits
	host, show := recordedMoments(t, stalled)
	nasight := start(t, "nasight", "serve", "--config.file="+host.configurationWith(t, fastDetection))
	clock := time.NewTicker(10 * time.Second) // as it was recorded
	defer clock.Stop()
	for _, moment := range []int{1, 2} {
		<-clock.C
		show(moment)
	}
	awaitSeries(t, nasight, `nasight_finding{detector="server_unresponsive"} == 1`, 1, startLimit)
	for _, program := range prometheuses {
		t.Run(program, func(t *testing.T) {
			told := receivePages(t)
			example, err := os.ReadFile(alertmanagerFile)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "alertmanager.yml")
			quick := strings.Replace(toReceiver(string(example), told.address), "group_wait: 1m", "group_wait: 100ms", 1)
			if err := os.WriteFile(file, []byte(quick), 0o600); err != nil {
				t.Fatal(err)
			}
			alertmanager := freeAddress(t)
			startAlertmanager(t, alertmanager, file)
			rules := filepath.Join(exported(t, shortest), rulesFile)
			prometheus := startPrometheus(t, program, fmt.Sprintf(alertingExample, rules, alertmanager, target(nasight)))

			awaitSeries(t, prometheus, `up{job="nasight"} == 1`, 1, startLimit)
			awaitSeries(t, prometheus, `nasight_finding{detector="server_unresponsive"} == 1`, 1, startLimit)
			labels := map[string]string{"alertname": "NasightServerUnresponsiveStalled", "host": "recorded", "server": captureServer}
			awaitAlert(t, "http://"+alertmanager, labels, alertLimit)
			page := told.await(t, "team", alertLimit)
			if !page.has(labels) || page.Labels["severity"] != alerts.Warning || page.Annotations["runbook_url"] != runbooks+"/NasightServerUnresponsiveStalled.md" {
				t.Errorf("the team was told %+v, want the stalled server with its runbook", page)
			}
		})
	}
}

// Both formats of the exposition are the same samples to Prometheus.
func TestPrometheusReadsBothFormats(t *testing.T) {
	nasight := serve(t)
	prometheus := startPrometheus(t, "prometheus", strings.ReplaceAll(`
global: {scrape_interval: 1s}
scrape_configs:
  - job_name: text
    scrape_protocols: [PrometheusText0.0.4]
    static_configs: [{targets: ["NASIGHT"]}]
  - job_name: openmetrics
    scrape_protocols: [OpenMetricsText1.0.0]
    static_configs: [{targets: ["NASIGHT"]}]
`, "NASIGHT", target(nasight)))
	awaitSeries(t, prometheus, "up == 1", 2, startLimit)
	counts := awaitSeries(t, prometheus, `count by (job) ({__name__=~"nasight_.*", host="recorded"})`, 2, startLimit)
	if counts[0].Value[1] != counts[1].Value[1] {
		t.Errorf("series %v: want as many of each format", counts)
	}
	awaitSeries(t, prometheus, `nasight_nfs_read_bytes_total{job="text"} == ignoring (job) nasight_nfs_read_bytes_total{job="openmetrics"}`, 1, startLimit)
}

// What an agent pushes by remote write, real receivers store: every series that it exposes of its host, with the same value.
func TestAgentWritesToRealReceivers(t *testing.T) {
	receiver := func(program string) func(*testing.T) string {
		return func(t *testing.T) string { return startPrometheus(t, program, "global: {}\n") }
	}
	for name, c := range map[string]struct {
		start    func(*testing.T) string
		protocol string
	}{
		"prometheus 2.0":        {receiver("prometheus"), "2.0"},
		"prometheus 1.0":        {receiver("prometheus"), "1.0"},
		"debian-prometheus 1.0": {receiver("debian-prometheus"), "1.0"},
		"victoria-metrics 1.0":  {startVictoriaMetrics, "1.0"},
	} {
		t.Run(name, func(t *testing.T) {
			server := c.start(t)
			agent := agentNamed(t, "elsewhere", "--interval=1s", "--remote-write.url="+server+"/api/v1/write", "--remote-write.protocol="+c.protocol)
			want := exposed(t, scrape(t, agent), "nasight_nfs_")
			if len(want) < 20 {
				t.Fatalf("the agent exposes %d series of NFS: too few to compare", len(want))
			}
			var diff string
			eventually(t, startLimit, func() bool {
				stored, err := query(t.Context(), server, `{__name__=~"nasight_nfs_.*", host="elsewhere"}`)
				if err != nil {
					t.Fatal(err)
				}
				diff = cmp.Diff(want, values(t, stored))
				return diff == ""
			}, func() string { return "series (-exposed +stored):\n" + diff })
		})
	}
}

// exposed are the values of an exposition's families with a prefix, by series.
func exposed(t *testing.T, exposition, prefix string) map[string]float64 {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(exposition))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for name, family := range families {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		for _, metric := range family.GetMetric() {
			labels := map[string]string{"__name__": name}
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			found[key(labels)] = metric.GetCounter().GetValue() + metric.GetGauge().GetValue() // one of them
		}
	}
	return found
}

// values are those that a query answered with, by series.
func values(t *testing.T, answered []series) map[string]float64 {
	t.Helper()
	found := map[string]float64{}
	for _, one := range answered {
		value, err := strconv.ParseFloat(fmt.Sprint(one.Value[1]), 64)
		if err != nil {
			t.Fatalf("%v: %v", one, err)
		}
		found[key(one.Metric)] = value
	}
	return found
}

// key is a series' name and labels, without those by which servers say how it came. A label that is empty is none.
func key(labels map[string]string) string {
	maps.DeleteFunc(labels, func(name, value string) bool {
		return value == "" || name == "job" || name == "instance" || strings.HasPrefix(name, "otel_scope_")
	})
	return fmt.Sprint(labels) // in the order of the names
}

const fastDetection = `
collectors: {nfs: {interval: 1s}, tcp: {interval: 1s}, nic: {interval: 1s}, cpu: {interval: 1s}, smb: {enabled: false}, iscsi: {enabled: false}}
detection: {interval: 2s, window: 20s, for: 1}
`
