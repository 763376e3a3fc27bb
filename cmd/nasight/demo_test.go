package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is wrong with the command line is one line and exit code 2, before anything is started.
func TestDemoUsage(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "fleet.yml")
	if err := os.WriteFile(bad, []byte("projects: [{id: Example}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hosts := filepath.Join(t.TempDir(), "hosts.yml")
	if err := os.WriteFile(hosts, []byte("hosts: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"--speed=0"}, "--speed=0: from 1 to 60"},
		{[]string{"--speed=61"}, "--speed=61"},
		{[]string{"--speed=NaN"}, `--speed: "NaN" is no number; write one`},
		{[]string{"--web.listen-address=nowhere"}, "--web.listen-address"},
		{[]string{"--fleet=" + bad}, "fleet.yml"},
		{[]string{"--fleet=" + bad + ".none"}, "no such file"},
		{[]string{"--config.file=" + hosts}, "hosts.yml:1:1: hosts: is not taken here"},
		{[]string{"--config.file=" + hosts + ".none"}, "hosts.yml.none: there is no such configuration file"},
		{[]string{"--log.level=loud"}, "loud"},
	} {
		got := nasight(t, append([]string{"demo"}, row.args...)...)
		if got.code != exitUsage || !strings.Contains(got.err, row.says) {
			t.Errorf("%v: exit code %d, said %q", row.args, got.code, got.err)
		}
	}
}

func TestDemoHelp(t *testing.T) {
	got := nasight(t, "demo", "--help")
	for _, want := range []string{"Examples:", "nasight demo --speed=6", "--fleet=FILE", "All data are simulated"} {
		if got.code != exitOK || !strings.Contains(got.out, want) {
			t.Errorf("exit code %d, the help lacks %q", got.code, want)
		}
	}
}
