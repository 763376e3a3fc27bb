package alerting

import (
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	prometheus "github.com/prometheus/client_golang/api/prometheus/v1"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/promapi"
)

const listed = `
groups:
  - name: team
    interval: 1m
    rules:
      - {record: 'team:one', expr: vector(1), labels: {kind: test}}
      - {alert: Always, expr: vector(1), keep_firing_for: 2m, labels: {volume: '` + `"q"` + ` größer'}, annotations: {summary: 'is {{ $value }}'}}
      - {alert: Later, expr: vector(1), for: 1h}
  - {name: idle, rules: [{alert: Never, expr: vector(1) > 2}]}
`

// Prometheus's own client reads the rules and the alerts, as Grafana does.
func TestPrometheusClientReadsRulesAndAlerts(t *testing.T) {
	h, file := memory(t), ruleFile(t, listed)
	b := newBench(t, h, Settings{Files: []string{file}})
	server := httptest.NewServer(promapi.NewHandler(history.Querier(h), promapi.Options{Rules: b.Engine}))
	t.Cleanup(server.Close)
	client, err := api.NewClient(api.Config{Address: server.URL, Client: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	reader := prometheus.NewAPI(client)
	b.pass(1, nil)
	b.restored()
	b.pass(1, nil)
	found, err := reader.Rules(t.Context(), nil)
	if err != nil || len(found.Groups) != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	team := found.Groups[slices.IndexFunc(found.Groups, func(g prometheus.RuleGroup) bool { return g.Name == "team" })]
	if team.File != file || team.Interval != 60 || len(team.Rules) != 3 {
		t.Fatalf("%+v", team)
	}
	record, ok := team.Rules[0].(prometheus.RecordingRule)
	if !ok || record.Name != "team:one" || record.Query != "vector(1)" || record.Health != prometheus.RuleHealthGood {
		t.Errorf("%+v", team.Rules[0])
	}
	always, ok := team.Rules[1].(prometheus.AlertingRule)
	if !ok || always.State != "firing" || len(always.Alerts) != 1 || always.Labels["volume"] != `"q" größer` || always.LastEvaluation.IsZero() {
		t.Errorf("%+v", team.Rules[1])
	}
	later, ok := team.Rules[2].(prometheus.AlertingRule)
	if !ok || later.State != "pending" || later.Duration != 3600 {
		t.Errorf("%+v", team.Rules[2])
	}
	alerts, err := reader.Alerts(t.Context())
	if err != nil || len(alerts.Alerts) != 2 {
		t.Fatalf("%+v, %v", alerts, err)
	}
	first := alerts.Alerts[0]
	if first.State != prometheus.AlertStateFiring || first.Labels["alertname"] != "Always" || first.Annotations["summary"] != "is 1" ||
		!first.ActiveAt.Equal(noon.Add(step)) || first.Value != "1e+00" {
		t.Errorf("%+v", first)
	}
	// What is recorded is in history, beside nasight's own.
	points, err := h.Instant(t.Context(), `{__name__=~"team:one|ALERTS"}`, b.at.Add(time.Second))
	if err != nil || len(points) != 3 {
		t.Errorf("%v, %v", points, err)
	}
}
