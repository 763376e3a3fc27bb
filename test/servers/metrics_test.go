//go:build servers

package servers

import (
	"regexp"
	"testing"
)

// The linter of Prometheus has nothing to say of what the programs expose of a recorded host.
func TestPromtoolAcceptsTheExposition(t *testing.T) {
	for name, start := range map[string]func(*testing.T) string{"nasight": serve, "nasight-agent": agent} {
		t.Run(name, func(t *testing.T) {
			exposition := scrape(t, start(t))
			if output, err := promtool(t, exposition, "check", "metrics"); err != nil || output != "" {
				t.Errorf("promtool check metrics: %v\n%s", err, output)
			}
			mount := regexp.MustCompile(`(?m)^nasight_nfs_mount_info\{.*server="` + regexp.QuoteMeta(captureServer) + `".*\} 1$`)
			if !mount.MatchString(exposition) {
				t.Errorf("the exposition lacks the capture's mount:\n%s", exposition)
			}
			if failed := regexp.MustCompile(`(?m)^nasight_collector_success\{.*\} 0$`).FindAllString(exposition, -1); failed != nil {
				t.Errorf("collectors failed: %q", failed)
			}
		})
	}
}

// Guards the test above: promtool says something, and says it by its exit status, where there is something to say.
func TestPromtoolRefusesABadExposition(t *testing.T) {
	bad := "# TYPE nasight_wait_milliseconds counter\nnasight_wait_milliseconds 1\n"
	if output, err := promtool(t, bad, "check", "metrics"); err == nil || output == "" {
		t.Errorf("promtool check metrics: %v, %q; want an error and a reason", err, output)
	}
}
