//go:build servers

package servers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/alerts"
)

// patientRules are what a user adds to the built-in ones: an alert that waits, and one of what another program writes.
const patientRules = `groups:
  - name: own
    interval: 2s
    rules:
      - alert: Waits
        expr: max by (host, server) (nasight_finding{detector="server_unresponsive"}) == 1
        for: 30s
        labels: {severity: warning}
      - alert: Ends
        expr: nasight_cpu_cores{host="foreign"} > 40
        labels: {severity: info}
        annotations: {summary: 'quotes "here", ünïcode'}
`

const alertingBySelf = `
alerting:
  alertmanagers: [{url: %q}]
  rule_files: [%q, %q]
  resend_delay: 1s
  external_labels: {site: north}
`

// Without a Prometheus: serve judges the rules and tells a real Alertmanager, again after that has forgotten everything, with the
// same beginning after its own restart, and at the end that it is over.
func TestServeTellsAlertmanagerItself(t *testing.T) {
	t.Parallel() // it mostly waits
	example, err := filepath.Abs(alertmanagerFile)
	if err != nil {
		t.Fatal(err)
	}
	alertmanager := alertmanagerServer(t, example)
	patient := filepath.Join(t.TempDir(), "own.yml")
	if err := os.WriteFile(patient, []byte(patientRules), 0o600); err != nil {
		t.Fatal(err)
	}
	builtIn := filepath.Join(exported(t, shortest), rulesFile)
	host, show := recordedMoments(t, stalled)
	configuration := host.configurationWith(t, strings.Replace(fastDetection, "for: 1", "for: 1, keep: 1", 1)+fmt.Sprintf(alertingBySelf, alertmanager.url, builtIn, patient))
	nasight := runServer(t, filepath.Join(programs, "nasight"), "/-/ready", "serve", "--config.file="+configuration, "--history.path=DIRECTORY/history", "--web.listen-address=ADDRESS")
	clock := time.NewTicker(10 * time.Second) // as it was recorded
	defer clock.Stop()
	for _, moment := range []int{1, 2} {
		<-clock.C
		show(moment)
	}

	planted := map[string]string{
		"alertname": "NasightServerUnresponsiveStalled", "host": "recorded", "server": captureServer, "severity": alerts.Warning, "site": "north",
	}
	told := awaitAlert(t, alertmanager.url, planted, alertLimit)
	if told.Annotations["summary"] == "" || told.Annotations["runbook_url"] != runbooks+"/NasightServerUnresponsiveStalled.md" {
		t.Errorf("alert %+v: want words and the runbook", told)
	}
	pushCores(t, nasight.url, 48)
	ends := map[string]string{"alertname": "Ends", "host": "foreign"}
	if got := awaitAlert(t, alertmanager.url, ends, alertLimit).Annotations["summary"]; got != `quotes "here", ünïcode` {
		t.Errorf("the summary came as %q", got)
	}
	waits := map[string]string{"alertname": "Waits", "host": "recorded"}
	before := awaitAlert(t, alertmanager.url, waits, alertLimit)
	active := activeSince(t, nasight.url, "Waits")

	nasight.stop()
	nasight.run(t)
	var since time.Time
	eventually(t, alertLimit, func() bool {
		since = activeSince(t, nasight.url, "Waits")
		return !since.IsZero()
	}, func() string { return "the alert is not active again" })
	if !since.Equal(active.Truncate(time.Second)) { // it is kept to the second
		t.Errorf("active since %s, before the restart since %s", since, active)
	}
	if after := awaitAlert(t, alertmanager.url, waits, alertLimit); !after.StartsAt.Equal(before.StartsAt) {
		t.Errorf("starts at %s, before the restart at %s", after.StartsAt, before.StartsAt)
	}

	alertmanager.stop()
	alertmanager.run(t)
	awaitAlert(t, alertmanager.url, planted, alertLimit)
	awaitAlert(t, alertmanager.url, waits, alertLimit)

	pushCores(t, nasight.url, 4)
	var left []alert
	eventually(t, alertLimit, func() bool {
		left = nil
		if err := fetchFrom(t.Context(), alertmanager.url+"/api/v2/alerts", &left); err != nil {
			t.Fatal(err)
		}
		for _, one := range left {
			if one.has(ends) {
				return false
			}
		}
		return true
	}, func() string { return fmt.Sprintf("not over: %v", left) })
}

// pushCores writes a sample to nasight as a program that is not its own does.
func pushCores(t *testing.T, nasight string, cores int) {
	t.Helper()
	exposition := fmt.Sprintf("# TYPE nasight_cpu_cores gauge\nnasight_cpu_cores{host=\"foreign\"} %d\n", cores)
	if output, err := promtool(t, exposition, "push", "metrics", nasight); err != nil {
		t.Fatalf("promtool push metrics: %v\n%s", err, output)
	}
}

// activeSince is the moment since which an alert's condition holds, as nasight tells; zero while it does not.
func activeSince(t *testing.T, nasight, name string) time.Time {
	t.Helper()
	var answer struct {
		Data struct {
			Alerts []struct {
				Labels   map[string]string `json:"labels"`
				ActiveAt time.Time         `json:"activeAt"`
				State    string            `json:"state"`
			} `json:"alerts"`
		} `json:"data"`
	}
	if err := fetchFrom(t.Context(), nasight+"/api/v1/alerts", &answer); err != nil {
		t.Fatal(err)
	}
	for _, one := range answer.Data.Alerts {
		if one.Labels["alertname"] == name && one.State == "firing" {
			return one.ActiveAt
		}
	}
	return time.Time{}
}
