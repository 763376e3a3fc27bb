package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/nasight/nasight/diagnose"
)

// checkHere examines the machine that the test runs on, whose firmware calls it by a name, and says how the collector
// of the metadata server fared.
func checkHere(t *testing.T, name string, flags ...string) diagnose.CollectorState {
	t.Helper()
	sysfs := t.TempDir()
	firmware := filepath.Join(sysfs, "class", "dmi", "id")
	if err := os.MkdirAll(firmware, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(firmware, "product_name"), []byte(name+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	args := append([]string{"check", "--path.sysfs=" + sysfs, "--moments=1", "--format=json"}, flags...)
	if code := run(t.Context(), args, streams{&out, &errs}); code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var report diagnose.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	for _, state := range report.Collectors {
		if state.Name == "gce" {
			return state
		}
	}
	t.Fatalf("the collector is not among %+v", report.Collectors)
	return diagnose.CollectorState{}
}

// A live check asks the machine's metadata server, the emulator's here; one of a recorded host, or on another machine, asks nobody.
func TestCheckAsksTheMetadataServer(t *testing.T) {
	out := startEmulator(t, "To read it", "--config="+filepath.Join(t.TempDir(), "emulated.yml"))
	address := regexp.MustCompile(`GCE_METADATA_HOST=(\S+)`).FindStringSubmatch(out)
	if address == nil {
		t.Fatalf("no address of the metadata server in %q", out)
	}
	t.Setenv("GCE_METADATA_HOST", address[1])
	const google = "Google Compute Engine"
	if state := checkHere(t, google); !state.Success || state.Reason != "" || len(state.Skipped) > 0 {
		t.Errorf("on a machine of Google: %+v", state)
	}
	if state := checkHere(t, "Virtual Machine"); !state.Success || state.Reason != "no data" {
		t.Errorf("on another machine: %+v", state)
	}
	if state := checkHere(t, google, "--path.netlink="+t.TempDir()); !state.Success || state.Reason != "no data" {
		t.Errorf("of a recorded host: %+v", state)
	}
}
