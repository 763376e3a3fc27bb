package deploy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"os"
)

// The report's unit reads nothing of the host, so that it can be shut off further than the others.
func TestReportUnit(t *testing.T) {
	unit, host := parseUnit(t, "systemd/nasight-report.service"), parseUnit(t, "systemd/nasight.service")
	for key, values := range host {
		name, is := strings.CutPrefix(key, "Service.")
		hardening := is && (strings.HasPrefix(name, "Protect") || strings.HasPrefix(name, "Private") || strings.HasPrefix(name, "Restrict") && !strings.HasPrefix(name, "RestartPrevent") ||
			strings.HasPrefix(name, "System") || strings.HasSuffix(name, "Capabilities") || name == "CapabilityBoundingSet" || name == "NoNewPrivileges" || name == "DynamicUser")
		if !hardening || slices.Contains([]string{"ProtectHome", "PrivateNetwork", "RestrictAddressFamilies"}, name) {
			continue
		}
		if got := unit[key]; !slices.Equal(got, values) {
			t.Errorf("%s is %q, in nasight.service %q", key, got, values)
		}
	}
	if start := unit["Service.ExecStart"]; len(start) != 1 || !strings.Contains(start[0], "report weekly") || !strings.Contains(start[0], "--out=%S/nasight-report ") {
		t.Errorf("ExecStart=%q", start)
	}
	if got := unit["Service.StateDirectory"]; !slices.Equal(got, []string{"nasight-report"}) {
		t.Errorf("StateDirectory=%q", got)
	}
	timer := parseUnit(t, "systemd/nasight-report.timer")
	if got := timer["Timer.Persistent"]; !slices.Equal(got, []string{"true"}) {
		t.Errorf("Persistent=%q: a report that was missed would not be made up", got)
	}
	if got := timer["Timer.OnCalendar"]; !slices.Equal(got, []string{"Mon *-*-* 06:00:00 UTC"}) {
		t.Errorf("OnCalendar=%q", got)
	}
}

// The job runs the command that there is, once a week, without privileges.
func TestReportCronJob(t *testing.T) {
	text, err := os.ReadFile("kubernetes/report-cronjob.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var job struct {
		Kind string `yaml:"kind"`
		Spec struct {
			Schedule          string `yaml:"schedule"`
			TimeZone          string `yaml:"timeZone"`
			ConcurrencyPolicy string `yaml:"concurrencyPolicy"`
			JobTemplate       struct {
				Spec struct {
					Template struct {
						Spec struct {
							SecurityContext map[string]any `yaml:"securityContext"`
							Containers      []struct {
								Args            []string       `yaml:"args"`
								SecurityContext map[string]any `yaml:"securityContext"`
							} `yaml:"containers"`
						} `yaml:"spec"`
					} `yaml:"template"`
				} `yaml:"spec"`
			} `yaml:"jobTemplate"`
		} `yaml:"spec"`
	}
	if err := yaml.Unmarshal(text, &job); err != nil {
		t.Fatal(err)
	}
	pod := job.Spec.JobTemplate.Spec.Template.Spec
	if job.Kind != "CronJob" || job.Spec.Schedule != "0 6 * * 1" || job.Spec.TimeZone != "Etc/UTC" || job.Spec.ConcurrencyPolicy != "Forbid" || len(pod.Containers) != 1 {
		t.Fatalf("%+v", job)
	}
	one := pod.Containers[0]
	if !slices.Equal(one.Args[:2], []string{"report", "weekly"}) || !slices.Contains(one.Args, "--format=html,md,json") {
		t.Errorf("args %q", one.Args)
	}
	if pod.SecurityContext["runAsNonRoot"] != true || one.SecurityContext["readOnlyRootFilesystem"] != true || one.SecurityContext["allowPrivilegeEscalation"] != false {
		t.Errorf("security %v, %v", pod.SecurityContext, one.SecurityContext)
	}
}
