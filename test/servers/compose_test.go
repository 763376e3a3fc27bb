//go:build servers

package servers

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	demoLimit  = 8 * time.Minute // from the start of the demo to ready: two weeks of past, on cores that do other things too
	alertLimit = 4 * time.Minute // from ready to an alert: a scrape, then the rules' minute
)

// The processes of docker-compose.yml, from the files that it mounts: Prometheus scrapes all of them, judges the demo's
// findings by the rules and tells Alertmanager. The Prometheus of Debian, the oldest that nasight is tested with, does so too.
func TestComposedServicesWorkTogether(t *testing.T) {
	t.Parallel() // with the other one that mostly waits
	s := composed(t, nil)
	nasight := s.run(t, "nasight")
	for _, service := range []string{"alertmanager", "victoriametrics", "otelcol", "prometheus"} {
		s.run(t, service)(startLimit)
	}
	pages := receivePages(t)
	old := s.another(t, "alertmanager").another(t, "prometheus")
	old.pages(t, pages.address)
	old.run(t, "prometheus", "debian-prometheus")(startLimit)
	nasight(demoLimit)

	t.Run("nasight pushes", func(t *testing.T) { s.pushes(t) })
	t.Run("a collector passes on what is pushed", func(t *testing.T) { s.pushesThroughTheCollector(t) })
	for name, servers := range map[string]*stack{"prometheus": s, "debian-prometheus": old} {
		t.Run(name, func(t *testing.T) { servers.scrapesAndAlerts(t) })
	}
	t.Run("the pager is called", func(t *testing.T) {
		page := pages.await(t, "pager", alertLimit)
		if page.Labels["severity"] != "critical" || page.Annotations["summary"] == "" || !strings.HasPrefix(page.Annotations["runbook_url"], "https://") {
			t.Errorf("page %+v: want a critical alert with words and a runbook", page)
		}
	})
	t.Run("Grafana's data sources answer", func(t *testing.T) { s.answersGrafana(t) })
	t.Run("dashboards", func(t *testing.T) { s.fillsDashboards(t) })
}

// scrapesAndAlerts: every target is up, the demo's findings are there, the rules are taken, and one that the demo has planted
// is an alert.
func (s *stack) scrapesAndAlerts(t *testing.T) {
	prometheus, alertmanager := s.url(t, "prometheus", "9090"), s.url(t, "alertmanager", "9093")
	awaitSeries(t, prometheus, `up == 1`, 6, startLimit)
	if down, err := query(t.Context(), prometheus, `up == 0`); err != nil || len(down) != 0 {
		t.Errorf("error %v, down %v; want every target up", err, down)
	}
	awaitSeries(t, prometheus, `nasight_finding{detector="limit_reached", volume="database"} == 1`, 1, startLimit)
	awaitSeries(t, prometheus, `ALERTS{alertname="NasightLimitReachedThroughput", alertstate="firing", volume="database"}`, 1, alertLimit)
	failed, err := query(t.Context(), prometheus, `prometheus_rule_evaluation_failures_total > 0`)
	if err != nil || len(failed) != 0 {
		t.Errorf("error %v, rules that fail: %v", err, failed)
	}
	found := awaitAlert(t, alertmanager, map[string]string{"alertname": "NasightLimitReachedThroughput", "volume": "database", "service": "gcnv"}, alertLimit)
	if found.Annotations["summary"] == "" || found.Labels["severity"] == "" {
		t.Errorf("alert %+v: want words and a severity", found)
	}
}

// pages puts the example for Alertmanager, with its receivers at an address, in the place of the second Alertmanager.
func (s *stack) pages(t *testing.T, receiver string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, "alerts", "alertmanager.yml"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "alertmanager.yml")
	if err := os.WriteFile(file, []byte(toReceiver(string(text), receiver)), 0o600); err != nil {
		t.Fatal(err)
	}
	startAlertmanager(t, s.address(t, "alertmanager", "9093"), file)
}

// pushesThroughTheCollector: a gauge that is pushed by OTLP over HTTP is one that Prometheus has.
func (s *stack) pushesThroughTheCollector(t *testing.T) {
	const push = `{"resourceMetrics": [{"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "pushed"}}]},
		"scopeMetrics": [{"metrics": [{"name": "example.ratio", "unit": "1", "gauge": {"dataPoints": [{"asDouble": 0.25, "timeUnixNano": "%d"}]}}]}]}]}`
	body := strings.NewReader(fmt.Sprintf(push, time.Now().UnixNano()))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url(t, "otelcol", "4318")+"/v1/metrics", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	var answer map[string]any
	if err := fetch(request, &answer); err != nil {
		t.Fatal(err)
	}
	awaitSeries(t, s.url(t, "prometheus", "9090"), `{__name__=~"example_ratio.*", service_name="pushed"} == 0.25`, 1, startLimit)
}

// pushes: the demo's findings are in VictoriaMetrics and with the collector, and in Prometheus they are there once.
func (s *stack) pushes(t *testing.T) {
	const planted = `nasight_finding{detector="limit_reached", volume="database"}`
	awaitSeries(t, s.url(t, "victoriametrics", "8428"), planted+" == 1", 1, startLimit)
	var last error
	eventually(t, startLimit, func() bool {
		var exposition string
		_, exposition, last = get(t.Context(), s.url(t, "otelcol", "8889")+"/metrics")
		return last == nil && pushed.MatchString(exposition)
	}, func() string { return fmt.Sprintf("the collector does not show the finding: %v", last) })
	awaitSeries(t, s.url(t, "prometheus", "9090"), `up{job="otlp"} == 1`, 1, startLimit)
	if twice, err := query(t.Context(), s.url(t, "prometheus", "9090"), `count by (__name__) ({__name__=~"nasight_.*", service_name!=""})`); err != nil || len(twice) != 0 {
		t.Errorf("error %v, series that Prometheus has from the collector as well: %v", err, twice)
	}
}

var pushed = regexp.MustCompile(`(?m)^nasight_finding\{.*detector="limit_reached".*service_name="nasight".*volume="database".*\} 1( \d+)?$`)

// answersGrafana asks what Grafana is told to ask: each data source, for the findings.
func (s *stack) answersGrafana(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repository, "deploy", "compose", "grafana", "datasources.yml"))
	if err != nil {
		t.Fatal(err)
	}
	urls := regexp.MustCompile(`url: (\S+)`).FindAllStringSubmatch(s.here(t, "grafana", string(text)), -1)
	if len(urls) != 2 {
		t.Fatalf("data sources %q, want two", urls)
	}
	for _, url := range urls {
		awaitSeries(t, url[1], `nasight_finding == 1`, 20, startLimit)
	}
}

// Each file that is mounted passes the tool of the program that reads it.
func TestComposedConfigurationsPassTheirTools(t *testing.T) {
	s := composed(t, map[string]string{"NASIGHT_COMMAND": "serve"})
	for _, service := range []string{"nasight", "prometheus", "alertmanager", "otelcol"} {
		s.mounted(t, service)
	}
	in := func(service, path string) string { return filepath.Join(s.directory, service, path) }
	for name, command := range map[string][]string{
		"prometheus":      {"promtool", "check", "config", in("prometheus", "/etc/prometheus/prometheus.yml")},
		"alertmanager":    {"amtool", "check-config", in("alertmanager", "/etc/alertmanager/alertmanager.yml")},
		"otelcol":         {"otelcol", "validate", "--config=" + in("otelcol", "/etc/otelcol/otelcol.yml")},
		"victoriametrics": append([]string{"victoria-metrics", "-dryRun"}, s.services["victoriametrics"].Command...),
		"nasight":         {filepath.Join(programs, "nasight"), "config", "check", in("nasight", "/etc/nasight/nasight.yml")},
	} {
		t.Run(name, func(t *testing.T) {
			if output, err := tool(t, command[0], command[1:]...); err != nil {
				t.Errorf("%q: %v\n%s", command, err, output)
			}
		})
	}
}

// A flag of docker-compose.yml, in commands and health checks, is one that the program's help names.
func TestComposedFlagsExist(t *testing.T) {
	nasight := filepath.Join(programs, "nasight")
	helps := map[string][][]string{ // of the command, then of the health check
		"nasight":           {{nasight, "demo", "--help"}, {nasight, "ready", "--help"}},
		"nasight serve":     {{nasight, "serve", "--help"}, {nasight, "ready", "--help"}},
		"prometheus":        {{"prometheus", "--help"}, {"promtool", "check", "ready", "--help"}},
		"debian-prometheus": {{"debian-prometheus", "--help"}, {"promtool", "check", "ready", "--help"}},
		"alertmanager":      {{"alertmanager", "--help"}, {"amtool", "--help"}},
		"victoriametrics":   {{"victoria-metrics", "-help"}}, // its health check is wget
		"otelcol":           {{"otelcol", "--help"}, {"otelcol", "validate", "--help"}},
	}
	services := composed(t, nil).services
	services["nasight serve"] = composed(t, map[string]string{"NASIGHT_COMMAND": "serve --config.file=/etc/nasight/nasight.yml"}).services["nasight"]
	services["debian-prometheus"] = services["prometheus"]
	for name, commands := range helps {
		t.Run(name, func(t *testing.T) {
			service := services[name]
			for i, words := range [][]string{service.Command, service.Healthcheck.Test}[:len(commands)] {
				known := strings.ReplaceAll(helpOf(t, commands[i]), "--[no-]", "--")
				for _, word := range words {
					if flag := flagName.FindStringSubmatch(word); flag != nil && !strings.Contains(known, "-"+flag[1]) {
						t.Errorf("%s is not in the help of %q:\n%s", word, commands[i], known)
					}
				}
			}
		})
	}
}

var flagName = regexp.MustCompile(`^--?([a-zA-Z.-]+)`)

// helpOf is what a program tells of its flags, of which some end as if that were an error.
func helpOf(t *testing.T, command []string) string {
	t.Helper()
	output, err := tool(t, command[0], command[1:]...)
	if err != nil && !strings.Contains(output, "-") {
		t.Fatalf("%q: %v\n%s", command, err, output)
	}
	return output
}
