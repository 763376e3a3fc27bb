package alerting

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/alerts"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// builtIn are nasight's own rules, by the minute.
func builtIn(t *testing.T) []byte {
	t.Helper()
	rules, err := alerts.YAML(alerts.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// finding are the series of a finding: of its labels the volume alone is given.
func finding(detector, variant, volume string, severity, confidence float64) []schema.Sample {
	labels := []string{detector, variant, "gcp", "gcnv", "example-prod", "europe-west1", "pool-a", volume, "", "", "", ""}
	return []schema.Sample{
		{Family: schema.FindingActive, Labels: labels, Value: 1},
		{Family: schema.FindingSeverity, Labels: labels, Value: severity},
		{Family: schema.FindingConfidence, Labels: labels, Value: confidence},
		{Family: schema.FindingGain, Labels: labels, Value: 64 << 20},
	}
}

// healthy is what a detection that works shows.
func healthy(at time.Time) []schema.Sample {
	labels := []string{"central", "findings"}
	return []schema.Sample{
		{Family: schema.CollectorSuccess, Labels: labels, Value: 1},
		{Family: schema.CollectorLastSuccess, Labels: labels, Value: float64(at.Unix())},
		{Family: schema.HistorySamples, Labels: []string{"central", "stored"}, Value: float64(at.Unix())},
	}
}

// serving is a world in which detection works, and a finding may fire: it is shown on /metrics and recorded, as serve does.
func (b *bench) serving(findings ...schema.Sample) func(time.Time) {
	return func(at time.Time) {
		b.append(slices.Clone(findings)...)
		b.show(append(healthy(at), findings...)...)
	}
}

// A value with everything that a value can have: it arrives as it was.
const oddVolume = "vol \"quoted\"\n\\back\tslash {{ .X }} größer 容量"

func TestAFindingNotifiesAndResolves(t *testing.T) {
	receiver := newReceiver(t)
	b := newBench(t, memory(t), Settings{
		Alertmanagers: []Alertmanager{receiver.alertmanager()}, BuiltIn: builtIn(t), ExternalLabels: map[string]string{"site": "north"},
	})
	limited := finding("limit_reached", "throughput", oddVolume, 2, 0.9)
	b.pass(5, b.serving())
	if fired := b.firing(); len(fired) > 0 {
		t.Fatalf("without a finding %q fire", fired)
	}
	b.pass(1, b.serving(limited...))
	alert := receiver.next(t)
	want := map[string]string{
		"alertname": "NasightLimitReachedThroughput", "severity": "warning", "detector": "limit_reached", "variant": "throughput", "cloud": "gcp",
		"service": "gcnv", "project": "example-prod", "location": "europe-west1", "pool": "pool-a", "volume": oddVolume, "site": "north",
	}
	if diff := cmp.Diff(want, alert.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if book := alert.Annotations["runbook_url"]; book != alerts.Runbooks+"/NasightLimitReachedThroughput.md" {
		t.Errorf("runbook %q", book)
	}
	for _, part := range []string{"Confidence 0.90", "64MiB/s"} {
		if text := strings.ReplaceAll(alert.Annotations["description"], " ", ""); !strings.Contains(text, strings.ReplaceAll(part, " ", "")) {
			t.Errorf("description %q lacks %s", alert.Annotations["description"], part)
		}
	}
	if !strings.Contains(alert.Annotations["summary"], oddVolume) || alert.GeneratorURL != "http://nasight.example.com/" {
		t.Errorf("summary %q from %s", alert.Annotations["summary"], alert.GeneratorURL)
	}
	began := b.at
	if !alert.StartsAt.Equal(began) || !alert.EndsAt.Equal(began.Add(4*step)) {
		t.Errorf("from %s to %s, want to hold for four evaluations", alert.StartsAt, alert.EndsAt)
	}
	// A gap is no end: the rule keeps firing for five minutes.
	b.pass(3, b.serving())
	b.pass(1, b.serving(limited...))
	if got := b.firing(); !cmp.Equal(got, []string{"NasightLimitReachedThroughput"}) {
		t.Fatalf("after a gap %q fire", got)
	}
	// What has ended is over at once on /metrics, and the alert five minutes later.
	b.pass(6, b.serving())
	// It was sent at every second evaluation, to hold for four; the last says the end.
	for _, minute := range []int{12, 14, 16, 18, 16} {
		alert := receiver.next(t)
		if want := noon.Add(time.Duration(minute) * step); !alert.EndsAt.Equal(want) || !alert.StartsAt.Equal(began) {
			t.Errorf("from %s to %s, want from %s to %s", alert.StartsAt, alert.EndsAt, began, want)
		}
	}
	if fired := b.firing(); len(fired) > 0 {
		t.Errorf("%q still fire", fired)
	}
}

// What is on /metrics alone is seen, with the label by which a Prometheus would tell the process.
func TestHealthIsSeenAsOnMetrics(t *testing.T) {
	receiver := newReceiver(t)
	b := newBench(t, memory(t), Settings{Alertmanagers: []Alertmanager{receiver.alertmanager()}, BuiltIn: builtIn(t)})
	reload := func(success float64) func(time.Time) {
		return func(at time.Time) {
			b.show(append(healthy(at), schema.Sample{Family: schema.ConfigReloadSuccess, Value: success})...)
		}
	}
	b.pass(5, reload(1))
	b.pass(3, reload(0))
	alert := receiver.next(t)
	if alert.Labels["alertname"] != "NasightConfigReloadFailed" || alert.Labels["instance"] != "central" {
		t.Errorf("labels %q", alert.Labels)
	}
	if text := alert.Annotations["summary"]; text != "The configuration file of central is not in order" {
		t.Errorf("summary %q", text)
	}
	b.pass(6, reload(1))
	if fired := b.firing(); len(fired) > 0 {
		t.Errorf("%q still fire", fired)
	}
	// Detection hangs: what it shows stays as it was.
	last := b.at
	b.pass(9, func(time.Time) { b.show(healthy(last)...) })
	if got, want := b.firing(), []string{"NasightDetectionLate", "NasightHistoryNotStoring"}; !slices.Contains(got, want[0]) {
		t.Errorf("%q fire, want %q among them", got, want[0])
	}
}

// An agent's samples are in history with their own times, and nowhere on this /metrics.
func TestAgentsAreSeenByTheirSamples(t *testing.T) {
	b := newBench(t, memory(t), Settings{BuiltIn: builtIn(t)})
	agent := func(success float64) func(time.Time) {
		return func(at time.Time) {
			b.append(schema.Sample{Family: schema.CollectorSuccess, Labels: []string{"client-1", "nfs"}, Value: success})
			b.show(healthy(at)...)
		}
	}
	b.pass(5, agent(1))
	b.pass(8, agent(0))
	if got := b.firing(); !cmp.Equal(got, []string{"NasightCollectorDown"}) {
		t.Errorf("%q fire", got)
	}
	b.pass(20, b.serving())
	if got := b.firing(); !cmp.Equal(got, []string{"NasightHostSilent"}) {
		t.Errorf("an agent that is gone: %q fire", got)
	}
}

// Detectors read history under the metrics' own names: what was scraped for rules is not among it.
func TestScrapedIsKeptApart(t *testing.T) {
	h := memory(t)
	b := newBench(t, h, Settings{BuiltIn: builtIn(t)})
	b.pass(3, func(at time.Time) { b.show(healthy(at)...) })
	for query, want := range map[string]int{
		`count_over_time(nasight_collector_success[1h])`:         0,
		`count_over_time(scraped:nasight_collector_success[1h])`: 1,
		`{__name__=~"ALERTS|ALERTS_FOR_STATE|finding:.+"}`:       0,
	} {
		points, err := h.Instant(t.Context(), query, b.at)
		if err != nil || len(points) != want {
			t.Errorf("%s: %d series, want %d; %v", query, len(points), want, err)
		}
	}
}

const waiting = `
groups:
  - name: team
    rules:
      - {alert: Slow, expr: team_latency > 1, for: 10m, labels: {severity: page}}
`

// A restart does not begin the waiting anew: what was recorded tells since when the alert waits.
func TestForSurvivesARestart(t *testing.T) {
	directory, file := t.TempDir(), ruleFile(t, waiting)
	slow := &schema.Family{Name: "team_latency", Labels: []string{"volume"}}
	run := func(minutes []int, at time.Time) (*bench, func()) {
		h, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: directory})
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(t, h, Settings{Files: []string{file}})
		b.at = at
		for _, part := range minutes {
			b.pass(part, func(time.Time) { b.append(schema.Sample{Family: slow, Labels: []string{oddVolume}, Value: 2}) })
			b.restored()
		}
		return b, func() {
			b.stop()
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	before, stop := run([]int{2, 5}, noon) // waits since 12:01, for six minutes at 12:07
	if fired := before.firing(); len(fired) > 0 {
		t.Fatalf("%q fire before ten minutes", fired)
	}
	stop()
	after, stop := run([]int{2, 3}, before.at.Add(2*step)) // down for two minutes, which count as no waiting
	defer stop()
	if fired := after.firing(); len(fired) > 0 {
		t.Fatalf("%q fire at %s, too early", fired, after.at)
	}
	after.pass(3, func(time.Time) { after.append(schema.Sample{Family: slow, Labels: []string{oddVolume}, Value: 2}) })
	if fired := after.firing(); !cmp.Equal(fired, []string{"Slow"}) {
		t.Errorf("at %s %q fire, want the alert that has waited for ten minutes", after.at, fired)
	}
}
