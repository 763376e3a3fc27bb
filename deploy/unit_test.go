package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var units = []string{"systemd/nasight.service", "systemd/nasight-agent.service"}

// directives are the settings of a unit file by "Section.Key"; a key may be given more than once.
type directives map[string][]string

func parseUnit(t *testing.T, name string) directives {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	found := directives{}
	section := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch key, value, ok := strings.Cut(line, "="); {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		case ok:
			key = section + "." + key
			found[key] = append(found[key], value)
		default:
			t.Fatalf("%s: neither a section nor a setting: %q", name, line)
		}
	}
	return found
}

func TestUnitsAreHardened(t *testing.T) {
	want := directives{
		"Service.DynamicUser":             {"yes"},
		"Service.CapabilityBoundingSet":   {""},
		"Service.AmbientCapabilities":     {""},
		"Service.NoNewPrivileges":         {"yes"},
		"Service.RestrictSUIDSGID":        {"yes"},
		"Service.ProtectSystem":           {"strict"},
		"Service.PrivateTmp":              {"yes"},
		"Service.PrivateDevices":          {"yes"},
		"Service.ProtectProc":             {"invisible"},
		"Service.ProtectKernelTunables":   {"yes"},
		"Service.ProtectKernelModules":    {"yes"},
		"Service.ProtectKernelLogs":       {"yes"},
		"Service.ProtectControlGroups":    {"yes"},
		"Service.ProtectClock":            {"yes"},
		"Service.ProtectHostname":         {"yes"},
		"Service.RestrictAddressFamilies": {"AF_INET AF_INET6 AF_UNIX AF_NETLINK"},
		"Service.RestrictNamespaces":      {"yes"},
		"Service.RestrictRealtime":        {"yes"},
		"Service.LockPersonality":         {"yes"},
		"Service.MemoryDenyWriteExecute":  {"yes"},
		"Service.SystemCallArchitectures": {"native"},
		"Service.SystemCallFilter":        {"@system-service", "~@privileged"},
		"Service.UMask":                   {"0077"},
	}
	for _, name := range units {
		unit := parseUnit(t, name)
		for key, values := range want {
			if diff := cmp.Diff(values, unit[key]); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", name, key, diff)
			}
		}
	}
}

// Hardening that goes further hides what the collectors read.
func TestUnitsLeaveTheSourcesVisible(t *testing.T) {
	want := directives{
		"Service.ProcSubset":     {"all"},       // pid hides /proc/stat, /proc/net and /proc/sys
		"Service.ProtectHome":    {"read-only"}, // yes and tmpfs unmount NFS homes
		"Service.PrivateNetwork": {"no"},        // the sessions are the host's
	}
	hiding := []string{
		"RootDirectory", "RootImage", "InaccessiblePaths", "TemporaryFileSystem", "NetworkNamespacePath", "IPAddressDeny",
	}
	for _, name := range units {
		unit := parseUnit(t, name)
		for key, values := range want {
			if diff := cmp.Diff(values, unit[key]); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", name, key, diff)
			}
		}
		for _, key := range hiding {
			if values := unit["Service."+key]; values != nil {
				t.Errorf("%s: %s=%q hides mounts or sockets of the host", name, key, values)
			}
		}
	}
}

// Each unit writes to a directory of its own and nowhere else.
func TestUnitsKeepTheirState(t *testing.T) {
	for _, name := range units {
		unit := parseUnit(t, name)
		program := strings.TrimSuffix(filepath.Base(name), ".service")
		if got := unit["Service.StateDirectory"]; !slices.Equal(got, []string{program}) {
			t.Errorf("%s: StateDirectory=%q, want %s", name, got, program)
		}
		if got := unit["Service.WorkingDirectory"]; !slices.Equal(got, []string{"%S/" + program}) {
			t.Errorf("%s: WorkingDirectory=%q, want the state directory", name, got)
		}
		if got := unit["Service.ReadWritePaths"]; got != nil {
			t.Errorf("%s: ReadWritePaths=%q, want none", name, got)
		}
		start := unit["Service.ExecStart"]
		if len(start) != 1 || !strings.HasPrefix(start[0], "/usr/bin/"+program+" ") {
			t.Errorf("%s: ExecStart=%q, want one, of /usr/bin/%s", name, start, program)
		}
	}
}

// The drop-in gives up what makes systemd visit each mount, and nothing else.
func TestDropInForHostsWithAutomounts(t *testing.T) {
	want := directives{
		"Service.DynamicUser":   {"no"},
		"Service.User":          {"nasight"},
		"Service.ProtectSystem": {"full"},
		"Service.ProtectHome":   {"no"},
	}
	if diff := cmp.Diff(want, parseUnit(t, "systemd/network-mounts.conf")); diff != "" {
		t.Errorf("network-mounts.conf (-want +got):\n%s", diff)
	}
}

func TestUnitsPassSystemdAnalyze(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not on this machine")
	}
	for _, name := range units {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		// It insists on a program that exists.
		program := strings.Fields(parseUnit(t, name)["Service.ExecStart"][0])[0]
		copied := filepath.Join(t.TempDir(), filepath.Base(name))
		text := strings.ReplaceAll(string(data), program, analyze)
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", copied)
		if output, err := command.CombinedOutput(); err != nil || len(output) > 0 {
			t.Errorf("%s: systemd-analyze verify: %v\n%s", name, err, output)
		}
	}
}
