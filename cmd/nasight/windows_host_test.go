package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nasight/nasight/bundle"
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/diagnose"
	"github.com/nasight/nasight/schema"
)

// windowsBundle is what capture.ps1 writes, made by hand: two interfaces with four channels each.
const windowsBundle = "testdata/windows"

func TestCheckOfAWindowsBundle(t *testing.T) {
	got := nasight(t, "check", "--format=json", windowsBundle)
	var report diagnose.Report
	if err := json.Unmarshal([]byte(got.out), &report); err != nil || got.code != 0 {
		t.Fatalf("exit code %d, error %v, %s", got.code, err, got.err)
	}
	if report.Host != "CLIENT-1" || report.Kernel != "Windows 10.0.20348" || report.Window.Moments != 3 || report.Window.Seconds != 10 {
		t.Errorf("host %q, kernel %q, window %+v", report.Host, report.Kernel, report.Window)
	}
	for _, state := range report.Collectors {
		if !state.Success || (state.Name == "windows") == (state.Reason != "") {
			t.Errorf("collector %+v", state)
		}
	}
	if len(report.Mounts) != 1 || report.Mounts[0].State != "active" || report.Mounts[0].Sessions != 8 {
		t.Fatalf("mounts %+v", report.Mounts)
	}
	var found []string
	for _, finding := range report.Findings {
		found = append(found, finding.Detector+"/"+finding.Variant)
		for _, remedy := range finding.Remedy {
			if strings.Contains(remedy.Command, "mount -t") {
				t.Errorf("a command of Linux for a Windows host: %s", remedy.Command)
			}
		}
	}
	// Two interfaces of four channels each, and 0.8 requests of 4 KiB under way.
	want := []string{"smb_multichannel/too_many", "smb_multichannel/single_thread_penalty", "client_bound/single_thread"}
	if !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

// A server that has stopped answering shows on Windows in what waits and does not complete.
func TestCheckOfAWindowsHostWithADeadServer(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(windowsBundle)); err != nil {
		t.Fatal(err)
	}
	for _, moment := range []string{"t0", "t1", "t2"} {
		source, err := os.ReadFile(filepath.Join(windowsBundle, "t0", "windows", "SmbClientShares.json"))
		if err != nil {
			t.Fatal(err)
		}
		queued := regexp.MustCompile(`("CurrentDataQueueLength":\s*)\d+`).ReplaceAll(source, []byte("${1}16"))
		if err := os.WriteFile(filepath.Join(dir, moment, "windows", "SmbClientShares.json"), queued, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := nasight(t, "check", dir)
	for _, want := range []string{"1 unresponsive", "server_unresponsive/stalled", "Test-NetConnection"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("%q is missing from:\n%s", want, got.out)
		}
	}
}

// The collectors, over the moments as check takes them: what does not change, and counters that do.
func TestSamplesOfAWindowsBundle(t *testing.T) {
	recording, err := bundle.Open(windowsBundle)
	if err != nil {
		t.Fatal(err)
	}
	var read []float64
	for _, moment := range recording.Moments {
		found := map[*schema.Family][]schema.Sample{}
		for _, entry := range list.Entries() {
			collector, err := entry.New(moment.Root, collectors.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			for _, sample := range collectors.Once(t.Context(), collector, moment.Time).Samples {
				found[sample.Family] = append(found[sample.Family], sample)
			}
		}
		channels, info, bytes := found[schema.SMBChannels], found[schema.SMBEndpointInfo], found[schema.SMBReadBytes]
		if len(channels) != 1 || channels[0].Value != 8 || len(info) != 1 || len(bytes) != 1 {
			t.Fatalf("moment %s: channels %v, info %v, bytes read %v", moment.Name, channels, info, bytes)
		}
		want := []string{"CLIENT-1", "storage1.file.core.windows.net", "smb", "storage1.file.core.windows.net", "3.1.1", "true", "true", "true", "true"}
		for i, label := range info[0].Labels {
			if label != want[i] {
				t.Errorf("moment %s: %s is %q, want %q", moment.Name, schema.SMBEndpointInfo.Labels[i], label, want[i])
			}
		}
		read = append(read, bytes[0].Value)
	}
	if len(read) != 3 || read[2]-read[0] != 100e6 {
		t.Errorf("bytes read %v", read)
	}
}

// A directory of published outputs, of whatever form, is one moment.
func TestCheckOfLooseFiles(t *testing.T) {
	got := nasight(t, "check", "--format=json", windowsBundle+"/t0/windows")
	var report diagnose.Report
	if err := json.Unmarshal([]byte(got.out), &report); err != nil || got.code != 0 || report.Window.Moments != 1 {
		t.Errorf("exit code %d, error %v, window %+v, %s", got.code, err, report.Window, got.err)
	}
}
