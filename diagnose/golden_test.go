package diagnose

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGoldenReports keeps what people read: one capture of each kind, as text and as Markdown.
func TestGoldenReports(t *testing.T) {
	for name, dir := range map[string]string{
		"flow":          "6.1/nfs-v3-seqread16-nconnect-absent",
		"slots":         "6.12/nfs-v3-slots2-randread64",
		"session-slots": "7.3/nfs-v41-session-slots8-randread64",
		"unresponsive":  "6.1/nfs-v3-server-stops-midway",
		"metadata":      "7.3/nfs-v3-metadata-storm",
		"single-thread": "7.3/nfs-v3-single-reader-4k",
		"latency":       "6.12/nfs-v3-slow-server-randread16-nconnect4",
		"idle":          "6.12/nfs-v3-idle",
		"healthy":       "7.3/nfs-v3-seqread16-nconnect16",
		"odd-paths":     "6.1/nfs-odd-paths-ipv6-v42-autofs-bind",
	} {
		report := examine(t, filepath.Join("../testdata/captures", dir))
		var text, markdown bytes.Buffer
		if err := report.Text(&text, false); err != nil {
			t.Fatal(err)
		}
		if err := report.Markdown(&markdown); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", text.Bytes())
		golden(t, name+".md", markdown.Bytes())
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with go test ./diagnose -update", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s changed (-want +got):\n%s", name, diff)
	}
}
