package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/gcnv"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/simulator/faults"
)

// startEmulator runs the command until the test ends and gives what it printed.
func startEmulator(t *testing.T, until string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	code := make(chan int, 1)
	var errs bytes.Buffer
	go func() {
		code <- run(ctx, append([]string{"emulator", "--grpc=127.0.0.1:0", "--http=127.0.0.1:0", "--azure=127.0.0.1:0"}, args...), streams{writer, &errs})
		_ = writer.Close()
	}()
	t.Cleanup(func() {
		cancel()
		if got := <-code; got != exitOK || errs.Len() > 0 {
			t.Errorf("exit code %d, %s", got, errs.String())
		}
	})
	var out strings.Builder
	for chunk := make([]byte, 4096); !strings.Contains(out.String(), until); {
		n, err := reader.Read(chunk)
		out.Write(chunk[:n])
		if err != nil {
			t.Fatalf("%v after %q", err, out.String())
		}
	}
	return out.String()
}

// The configuration that the emulator writes makes the real collector read it.
func TestEmulatorIsReadWithItsConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "emulated.yml")
	out := startEmulator(t, "--config.file="+file, "--config="+file)
	if !strings.Contains(out, "To read it: nasight serve") {
		t.Errorf("printed %q", out)
	}
	settings, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"example-prod", "example-files"}, settings.GCNV.Projects); diff != "" || !settings.GCNV.Endpoints.Insecure {
		t.Errorf("projects (-want +got):\n%s", diff)
	}
	source, err := gcnv.New(settings.GCNV, gcnv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, entry := range source.Entries()[:1] {
		collector, err := entry.New(collectors.Root{}, collectors.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		result := collectors.Once(ctx, collector, time.Now())
		if result.Err != nil || len(result.Samples)+len(result.Past) < 100 {
			t.Errorf("%s: %v, %d samples", entry.Name, result.Err, len(result.Samples)+len(result.Past))
		}
	}
}

func TestEmulatorPrintsItsConfiguration(t *testing.T) {
	out := startEmulator(t, "insecure: true # no TLS, no credentials\n")
	_, block, _ := strings.Cut(out, "nasight serve:\n\n")
	file := filepath.Join(t.TempDir(), "nasight.yml")
	if err := os.WriteFile(file, []byte(block), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := nasight(t, "config", "check", file); got.code != 0 {
		t.Errorf("%s\n%s", got.err, block)
	}
	found := regexp.MustCompile(`http://\S+/v1/`).FindString(out)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, found+"projects/example-prod/locations/-/volumes", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("status %s", response.Status)
	}
}

func TestEmulatorRefuses(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.yml")
	if err := os.WriteFile(bad, []byte("projects:\n  - colour: red\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hosts := filepath.Join(t.TempDir(), "hosts.yml")
	const client = "hosts: [{name: a, address: 192.0.2.1, mounts: [{protocol: nfs3, server: 192.0.2.2, export: /e, path: /m}]}]\n"
	if err := os.WriteFile(hosts, []byte(client), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--fleet=" + hosts}, exitUsage, "there is no cloud to emulate"},
		{[]string{"--fleet=" + bad}, exitUsage, "bad.yml:2: "},
		{[]string{"--fleet=no-such.yml"}, exitUsage, "no-such.yml"},
		{[]string{"--seed=-1"}, exitUsage, "--seed"},
		{[]string{"--grpc=127.0.0.1:99999"}, exitUncollect, "127.0.0.1:99999"},
		{[]string{"--grpc=127.0.0.1:0", "--http=127.0.0.1:0", "--config=/no/such/dir/x.yml"}, exitUncollect, "/no/such/dir"},
	} {
		got := nasight(t, append([]string{"emulator"}, row.args...)...)
		if got.code != row.code || !strings.Contains(got.err, row.says) || strings.Count(got.err, "\n") != 1 || got.out != "" {
			t.Errorf("emulator %v: exit code %d, said %q, printed %q", row.args, got.code, got.err, got.out)
		}
	}
}

// The help names every fault.
func TestEmulatorHelpNamesTheFaults(t *testing.T) {
	got := nasight(t, "emulator", "--help")
	for _, kind := range faults.Kinds() {
		if !strings.Contains(got.out, string(kind)+" ") {
			t.Errorf("%s is not in the help", kind)
		}
	}
	if strings.Contains(got.out, "KINDS") {
		t.Error("the help has a gap")
	}
}
