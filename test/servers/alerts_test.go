//go:build servers

package servers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/alerts"
)

const (
	rulesFile = "nasight.rules.yml"
	runbooks  = "https://runbooks.example.com/storage"
)

// exported writes the rules for an interval as users do, and returns the directory with the file.
func exported(t *testing.T, interval time.Duration) string {
	t.Helper()
	directory := t.TempDir()
	command := exec.CommandContext(t.Context(), filepath.Join(programs, "nasight"), "rules", "export",
		"--poll-interval="+interval.String(), "--runbooks="+runbooks, "--out="+filepath.Join(directory, rulesFile))
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", command.Args, err, output)
	}
	return directory
}

// At the usual interval and at the bounds, Prometheus takes the rules and each alert does what it should.
func TestPromtoolTestsTheFindingsAlerts(t *testing.T) {
	for _, interval := range []time.Duration{alerts.ShortestInterval, alerts.DefaultInterval, alerts.LongestInterval} {
		t.Run(interval.String(), func(t *testing.T) {
			directory := exported(t, interval)
			if output, err := promtool(t, "", "check", "rules", filepath.Join(directory, rulesFile)); err != nil {
				t.Fatalf("promtool check rules: %v\n%s", err, output)
			}
			tests, err := findingTests(interval)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(directory, "findings.yml")
			if err := os.WriteFile(file, tests, 0o600); err != nil {
				t.Fatal(err)
			}
			if output, err := promtool(t, "", "test", "rules", file); err != nil {
				t.Errorf("promtool test rules: %v\n%s", err, output)
			}
		})
	}
}

// The committed rules and the committed tests of the alerts about nasight itself.
func TestPromtoolTestsTheHealthAlerts(t *testing.T) {
	if output, err := promtool(t, "", "check", "rules", "../../alerts/nasight.rules.yml"); err != nil {
		t.Errorf("promtool check rules: %v\n%s", err, output)
	}
	if output, err := promtool(t, "", "test", "rules", "../../alerts/tests/health.yml"); err != nil {
		t.Errorf("promtool test rules: %v\n%s", err, output)
	}
}

// Guards the tests above: promtool says so where a test does not hold.
func TestPromtoolRefusesAWrongExpectation(t *testing.T) {
	directory := exported(t, time.Minute)
	tests, err := findingTests(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(directory, "findings.yml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(tests), "100MiB/s", "101MiB/s")), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := promtool(t, "", "test", "rules", file); err == nil || !strings.Contains(output, "101MiB/s") {
		t.Errorf("promtool test rules: %v, want a failure\n%s", err, output)
	}
}

// VictoriaMetrics's vmalert takes the rules and their templates, and refuses what is wrong.
func TestVmalertTakesTheRules(t *testing.T) {
	file := filepath.Join(exported(t, time.Minute), rulesFile)
	if output, err := tool(t, "vmalert", "-dryRun", "-rule="+file); err != nil {
		t.Errorf("vmalert -dryRun: %v\n%s", err, output)
	}
	rules, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for right, wrong := range map[string]string{"humanize1024": "humanise1024", "max by (": "max buy ("} {
		bad := filepath.Join(t.TempDir(), rulesFile)
		if err := os.WriteFile(bad, []byte(strings.ReplaceAll(string(rules), right, wrong)), 0o600); err != nil {
			t.Fatal(err)
		}
		if output, err := tool(t, "vmalert", "-dryRun", "-rule="+bad); err == nil {
			t.Errorf("vmalert -dryRun accepts %q:\n%s", wrong, output)
		}
	}
}

const alertmanagerFile = "../../alerts/alertmanager.yml"

// tool runs a real tool and returns what it printed.
func tool(t *testing.T, name string, arguments ...string) (output string, err error) {
	t.Helper()
	combined, err := exec.CommandContext(t.Context(), installed(t, name), arguments...).CombinedOutput()
	return strings.TrimSpace(string(combined)), err
}

// Alertmanager takes the example, and each severity goes where the documentation says.
func TestAmtoolRoutesTheExample(t *testing.T) {
	if output, err := tool(t, "amtool", "check-config", alertmanagerFile); err != nil {
		t.Fatalf("amtool check-config: %v\n%s", err, output)
	}
	for severity, receiver := range map[string]string{alerts.Critical: "pager", alerts.Warning: "team", alerts.Info: "digest", "": "team"} {
		output, err := tool(t, "amtool", "config", "routes", "test", "--config.file="+alertmanagerFile, "--verify.receivers="+receiver,
			"alertname=NasightLimitReachedThroughput", "severity="+severity)
		if err != nil {
			t.Errorf("severity %q to %s: %v\n%s", severity, receiver, err, output)
		}
	}
	if output, err := tool(t, "amtool", "config", "routes", "test", "--config.file="+alertmanagerFile, "--verify.receivers=pager", "severity=info"); err == nil {
		t.Errorf("a wrong receiver is accepted:\n%s", output)
	}
}
