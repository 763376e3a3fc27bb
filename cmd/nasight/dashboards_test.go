package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDashboardsExport(t *testing.T) {
	committed, err := os.ReadFile("../../dashboards/fleet.json")
	if err != nil {
		t.Fatal(err)
	}
	directory := filepath.Join(t.TempDir(), "boards")
	got := nasight(t, "dashboards", "export", "--out="+directory)
	if got.code != exitOK || strings.Count(got.out, ".json\n") != 7 {
		t.Fatalf("code %d, printed %q, %q", got.code, got.out, got.err)
	}
	if written, err := os.ReadFile(filepath.Join(directory, "fleet.json")); err != nil || string(written) != string(committed) {
		t.Errorf("the default export is not the committed file: %v", err)
	}
	got = nasight(t, "dashboards", "export", "--datasource=My Prometheus", "--page=https://nasight.example.com/", "--out="+directory)
	written, err := os.ReadFile(filepath.Join(directory, "fleet.json"))
	if got.code != exitOK || err != nil {
		t.Fatalf("code %d, %q, %v", got.code, got.err, err)
	}
	for _, want := range []string{`"value": "My Prometheus"`, `"query": "https://nasight.example.com"`} {
		if !strings.Contains(string(written), want) {
			t.Errorf("the file lacks %s", want)
		}
	}
}

func TestDashboardsRefuse(t *testing.T) {
	taken := t.TempDir()
	if err := os.WriteFile(filepath.Join(taken, "nfs.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no directory":  {[]string{"export"}, exitUsage, "--out"},
		"no page":       {[]string{"export", "--out=" + t.TempDir(), "--page=javascript:alert(1)"}, exitUsage, "not the URL of a page"},
		"a variable":    {[]string{"export", "--out=" + t.TempDir(), "--datasource=${x}"}, exitUsage, "not the name of a data source"},
		"no name":       {[]string{"export", "--out=" + t.TempDir(), "--datasource="}, exitUsage, "not the name of a data source; leave the flag out"},
		"another file":  {[]string{"export", "--out=" + taken}, exitUncollect, "nfs.json is there and is not a dashboard of nasight"},
		"no such place": {[]string{"export", "--out=/proc/none"}, exitUncollect, "--out=/proc/none: "},
		"no command":    {nil, exitUsage, "export"},
	} {
		t.Run(name, func(t *testing.T) {
			got := nasight(t, append([]string{"dashboards"}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.err, c.says) {
				t.Errorf("code %d, said %q; want code %d and %q", got.code, got.err, c.code, c.says)
			}
		})
	}
}
