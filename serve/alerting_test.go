package serve

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/schema"
)

const teamRules = `
groups:
  - name: team
    interval: 1s
    rules:
      - record: team:findings:sum
        expr: sum by (detector) (nasight_finding)
      - alert: Saturated
        expr: nasight_finding{detector="session_saturated"} == 1
        annotations: {summary: '{{ $labels.host }} waits for {{ $labels.server }}'}
      - alert: Watched
        expr: nasight_alerting_alertmanagers == 1
`

// told is an alert as Alertmanager's API takes it.
type told struct {
	Labels      map[string]string
	Annotations map[string]string
}

// alertmanager is its API, and what it was told by the names of the alerts.
func alertmanager(t *testing.T) (string, <-chan told) {
	t.Helper()
	alerts := make(chan told, 10_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var batch []told
		if r.URL.Path != "/api/v2/alerts" || json.NewDecoder(r.Body).Decode(&batch) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for _, alert := range batch {
			alerts <- alert
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, alerts
}

func awaitAlert(t *testing.T, alerts <-chan told, name string) told {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case alert := <-alerts:
			if alert.Labels["alertname"] == name {
				return alert
			}
		case <-late:
			t.Fatalf("no alert %s", name)
		}
	}
}

// From a host's files to Alertmanager, in one process: collected, judged, recorded, evaluated, sent. Then its rules are broken and
// repaired.
func TestAlertingFromCollectorToAlertmanager(t *testing.T) {
	t.Parallel()
	host := &recorded{directory: capture(t, saturated)}
	host.show(t, "t0")
	receiver, alerts := alertmanager(t)
	rules := filepath.Join(t.TempDir(), "team.yml")
	write := func(text string) {
		if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(teamRules)
	cfg := testConfig(t, host.host("client-1"))
	cfg.Alerting.Alertmanagers = []config.Alertmanager{{URL: receiver}}
	cfg.Alerting.RuleFiles = []string{rules}
	file := filepath.Join(t.TempDir(), "nasight.yml")
	text := "alerting: {alertmanagers: [{url: " + receiver + "}], rule_files: [" + rules + "]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	server := start(t, Options{Config: cfg, ConfigFile: file, Build: testBuild, Override: func(c *config.Config) {
		alerting := c.Alerting
		*c = cfg
		c.Alerting = alerting
	}})
	play(t, host)
	if alert := awaitAlert(t, alerts, "Watched"); alert.Labels["instance"] == "" {
		t.Errorf("labels %q", alert.Labels)
	}
	alert := awaitAlert(t, alerts, "Saturated")
	if want := "client-1 waits for " + alert.Labels["server"]; alert.Labels["host"] != "client-1" || alert.Annotations["summary"] != want {
		t.Errorf("%+v", alert)
	}
	for path, has := range map[string]string{
		"/api/v1/alerts": `"alertname":"Watched"`, "/api/v1/rules?type=alert": `"name":"Watched"`,
		"/api/v1/query?query=count_over_time(team:findings:sum%5B5m%5D)": `"detector":"session_saturated"`,
		"/api/v1/query?query=ALERTS":                                     `"alertname":"Watched"`,
		"/metrics":                                                       schema.AlertingReloadSuccess.Name + " 1",
	} {
		server.awaitPage(t, path, has, patience)
	}
	if _, page := server.get(t, "/metrics"); strings.Contains(page, "team:findings") || strings.Contains(page, "ALERTS") {
		t.Error("/metrics shows what rules record")
	}
	write(strings.Replace(teamRules, "== 1", "==", 1))
	code, body := request(t, http.MethodPost, server.base+"/-/reload")
	if code != http.StatusBadRequest || !strings.Contains(body, rules+":9:15: rule \"Saturated\"") {
		t.Errorf("reload of broken rules: %d %s", code, body)
	}
	server.awaitPage(t, "/metrics", schema.AlertingReloadSuccess.Name+" 0", patience)
	server.awaitPage(t, "/api/v1/rules", `"name":"Saturated"`, patience)
	write(strings.Replace(teamRules, "Watched", "Renamed", 1))
	if code, body := request(t, http.MethodPost, server.base+"/-/reload"); code != http.StatusOK {
		t.Errorf("reload: %d %s", code, body)
	}
	awaitAlert(t, alerts, "Renamed")
}

// A start with broken rules is refused with the line, and is the configuration's fault; nothing stays open.
func TestBrokenRulesAtTheStart(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "team.yml")
	if err := os.WriteFile(rules, []byte("groups:\n  - name: a\n    rules: [{alert: A, expr: up ==}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := testConfig(t)
	cfg.Alerting.RuleFiles = []string{rules}
	_, err := New(t.Context(), Options{Config: cfg})
	var ours *ConfigError
	if !errors.As(err, &ours) || !strings.Contains(err.Error(), rules+":3:") {
		t.Errorf("error %v", err)
	}
}

func TestBuiltInRulesAreThereForAlertmanagers(t *testing.T) {
	cfg := config.Default()
	if loaded, err := LoadRules(cfg); err != nil || loaded.Rules() != 0 {
		t.Errorf("without an Alertmanager: %v, %v", loaded, err)
	}
	cfg.Alerting.Alertmanagers = []config.Alertmanager{{URL: "http://alertmanager.example.com:9093"}}
	for _, interval := range []time.Duration{time.Second, time.Minute, time.Hour} {
		cfg.Detection.Interval = config.Duration(interval)
		if loaded, err := LoadRules(cfg); err != nil || loaded.Rules() < 50 {
			t.Errorf("interval %s: %v, %v", interval, loaded, err)
		}
	}
}
