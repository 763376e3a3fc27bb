package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nasight/nasight/diagnose"
)

const (
	saturated = "../../examples/one-session.tar.gz"
	healthy   = "../../examples/sixteen-sessions.tar.gz"
)

type result struct {
	code     int
	out, err string
}

func nasight(t *testing.T, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(context.Background(), args, streams{&out, &errs})
	return result{code, out.String(), errs.String()}
}

func TestExitCodes(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.tar.gz")
	if err := os.WriteFile(broken, []byte("not a tar"), 0o600); err != nil {
		t.Fatal(err)
	}
	badConfig := filepath.Join(t.TempDir(), "nasight.yml")
	if err := os.WriteFile(badConfig, []byte("hosts: []\nwrong_key: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	goodConfig := filepath.Join(t.TempDir(), "good.yml")
	if err := os.WriteFile(goodConfig, []byte("detection: {window: 2m}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		says string // part of the one line on the standard error
	}{
		{"findings are no failure by default", []string{"check", saturated}, 0, ""},
		{"findings at the limit", []string{"check", "--fail-on=info", saturated}, 1, ""},
		{"findings below the limit", []string{"check", "--fail-on=critical", saturated}, 0, ""},
		{"healthy", []string{"check", "--fail-on=info", healthy}, 0, ""},
		{"unknown flag", []string{"check", "--bogus"}, 2, "--bogus"},
		{"unknown command", []string{"examine"}, 2, "examine"},
		{"no command", nil, 2, "expected"},
		{"unknown format", []string{"check", "--format=xml", saturated}, 2, "xml"},
		{"too many moments", []string{"check", "--moments=1000"}, 2, "--moments=1000"},
		{"interval of zero", []string{"check", "--interval=0s"}, 2, "--interval=0s"},
		{"no such bundle", []string{"check", "no-such.tar.gz"}, 2, "no-such.tar.gz"},
		{"broken bundle", []string{"check", broken}, 3, broken},
		{"no such proc", []string{"check", "--path.procfs=/no/such/dir"}, 2, "/no/such/dir"},
		{"every collector off", []string{"check", "--collector.disable-defaults", saturated}, 2, "nfs"},
		{"wrong configuration", []string{"check", "--config.file=" + badConfig, saturated}, 2, badConfig + ":2:1"},
		{"config check, wrong", []string{"config", "check", badConfig}, 2, "wrong_key"},
		{"config check, missing", []string{"config", "check", "no-such.yml"}, 2, "no-such.yml"},
		{"config check by flag", []string{"config", "check", "--config.file=" + badConfig}, 2, "wrong_key"},
		{"config check, two files", []string{"config", "check", "--config.file=a.yml", "b.yml"}, 2, "name one"},
		{"config check, right", []string{"config", "check", goodConfig}, 0, ""},
		{"serve, wrong configuration", []string{"serve", "--config.file=" + badConfig}, 2, badConfig + ":2:1"},
		{"capture without a target", []string{"capture"}, 2, "--out"},
		{"capture to nowhere", []string{"capture", "--moments=1", "--out=/no/such/dir/x.tar.gz"}, 3, "/no/such/dir"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := nasight(t, c.args...)
			if got.code != c.code || !strings.Contains(got.err, c.says) {
				t.Errorf("nasight %s: exit code %d, want %d; said %q, want %q in it", strings.Join(c.args, " "), got.code, c.code, got.err, c.says)
			}
			if c.says == "" && got.err != "" {
				t.Errorf("a good run must be silent on the standard error, said %q", got.err)
			}
			if c.says != "" && got.out != "" && !strings.HasPrefix(got.out, "Usage") {
				t.Errorf("a failure must print nothing on the standard output, printed %q", got.out)
			}
		})
	}
}

func TestHelpHasExamples(t *testing.T) {
	for _, command := range [][]string{{"check"}, {"capture"}, {"serve"}, {"envelope"}, {"plan"}, {"detect"}, {"evaluate"}, {"emulator"}, {"config", "check"}} {
		got := nasight(t, append(command, "--help")...)
		if got.code != 0 || !strings.Contains(got.out, "Examples:") {
			t.Errorf("nasight %s --help: exit code %d, no examples in %q", strings.Join(command, " "), got.code, got.out)
		}
	}
}

func TestEveryHostCommandHasTheSwitches(t *testing.T) {
	for _, command := range []string{"check", "capture", "serve"} {
		if got := nasight(t, command, "--help"); !strings.Contains(got.out, "--[no-]collector.nfs") {
			t.Errorf("nasight %s has no switch for the collector nfs", command)
		}
	}
}

func TestEnvelope(t *testing.T) {
	chart := filepath.Join(t.TempDir(), "chart.svg")
	args := []string{"envelope", "--protocol=nfsv3", "--service-level=extreme", "--block=64KiB"}
	got := nasight(t, append(args, "--read-share=1", "--plot="+chart)...)
	if got.code != 0 || !strings.Contains(got.out, "5,237 MiB/s") {
		t.Errorf("exit code %d, printed %q, said %q", got.code, got.out, got.err)
	}
	if svg, err := os.ReadFile(chart); err != nil || !bytes.HasPrefix(svg, []byte("<svg")) {
		t.Errorf("chart: %v, begins with %.20q", err, svg)
	}
	for _, wrong := range [][]string{{"--read-share=2"}, {"--block=0"}, {"--protocol=ftp"}, {"--service-level=gold"}, {"--capacity=x"}} {
		if got := nasight(t, append(args, wrong...)...); got.code != 2 || strings.Count(got.err, "\n") != 1 {
			t.Errorf("%v: exit code %d, said %q", wrong, got.code, got.err)
		}
	}
}

func TestFormats(t *testing.T) {
	var report diagnose.Report
	if err := json.Unmarshal([]byte(nasight(t, "check", "--format=json", saturated).out), &report); err != nil {
		t.Fatalf("JSON: %v", err)
	}
	if len(report.Findings) != 1 || report.Findings[0].Detector != "session_saturated" || report.Findings[0].Variant != "flow" {
		t.Errorf("findings %+v", report.Findings)
	}
	if out := nasight(t, "check", "--format=markdown", saturated).out; !strings.HasPrefix(out, "# Diagnosis of ") {
		t.Errorf("markdown begins with %.40q", out)
	}
	if out := nasight(t, "check", "--color=always", saturated).out; !strings.Contains(out, "\x1b[1m") {
		t.Error("--color=always prints no colour")
	}
}

// TestDroppedCollectorIsNotMissed: without the socket diagnosis the rule for a single session cannot fire, and the
// report must not call the host healthy for that reason alone without saying what was not looked at.
func TestSwitchedOffCollectorIsAbsent(t *testing.T) {
	var report diagnose.Report
	if err := json.Unmarshal([]byte(nasight(t, "check", "--no-collector.tcp", "--format=json", saturated).out), &report); err != nil {
		t.Fatal(err)
	}
	for _, state := range report.Collectors {
		if state.Name == "tcp" {
			t.Error("tcp was switched off and ran")
		}
	}
	for _, finding := range report.Findings {
		if finding.Variant == "flow" {
			t.Error("flow found without any session")
		}
	}
	if state := report.Mounts[0].State; state != "insufficient_data" {
		t.Errorf("state %q without the sessions that a verdict needs", state)
	}
}

// TestWriteFileReplacesOnlyFiles: a pipe or a device in the place of the file is written to, and stays what it is.
func TestWriteFileReplacesOnlyFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(w io.Writer) error { _, err := w.Write([]byte("new")); return err }
	plain, link := filepath.Join(dir, "plain"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(plain, []byte("old"), 0o600), os.Symlink("plain", link)); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(link, write); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(plain); err != nil || string(data) != "new" {
		t.Errorf("behind the link: %q, %v", data, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if err := writeFile(dir, write); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a directory: %v", err)
	}
	if err := writeFile(os.DevNull, write); err != nil {
		t.Errorf("a device: %v", err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("the device was replaced: %v, %v", info, err)
	}
}

// TestCaptureGivesTheSameAnswer records a capture's first moment twice and examines the recording.
func TestCaptureOfThisHost(t *testing.T) {
	bundle := filepath.Join(t.TempDir(), "host.tar.gz")
	if got := nasight(t, "capture", "--out="+bundle, "--moments=2", "--duration=200ms"); got.code != 0 {
		t.Fatalf("capture: %d %s", got.code, got.err)
	}
	got := nasight(t, "check", bundle)
	if got.code != 0 || !strings.Contains(got.out, "2 moments over 0.2 s") {
		t.Errorf("check of the capture: %d %s %s", got.code, got.out, got.err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(bundle), ".nasight-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("temporary files left: %v %v", left, err)
	}
}
