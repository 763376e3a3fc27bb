//go:build servers

package servers

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A flag that the files for deployment name is one that the program knows.
func TestDeployedFlagsExist(t *testing.T) {
	serveHelp, agentHelp, reportHelp := help(t, "nasight", "serve"), help(t, "nasight-agent"), help(t, "nasight", "report", "weekly")
	files := map[string]string{
		"Dockerfile":                     serveHelp + agentHelp,
		"systemd/nasight.service":        serveHelp,
		"systemd/nasight-agent.service":  agentHelp,
		"systemd/nasight-report.service": reportHelp,
		"kubernetes/report-cronjob.yaml": reportHelp,
	}
	// nasight's flags have a dot in their names; those of docker and useradd have none.
	dotted := regexp.MustCompile(`--[a-z-]+\.[a-z.-]+`)
	for file, known := range files {
		data, err := os.ReadFile(filepath.Join("../../deploy", file))
		if err != nil {
			t.Fatal(err)
		}
		flags := dotted.FindAllString(string(data), -1)
		if len(flags) == 0 {
			t.Errorf("%s names no flag: nothing to check", file)
		}
		for _, flag := range flags {
			if !strings.Contains(known, flag) {
				t.Errorf("%s names %s, which the program's help does not", file, flag)
			}
		}
	}
}

func help(t *testing.T, program string, command ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), filepath.Join(programs, program), append(command, "--help")...).Output()
	if err != nil {
		t.Fatalf("%s %q --help: %v", program, command, err)
	}
	return string(output)
}
