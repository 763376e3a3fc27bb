package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRulesExport(t *testing.T) {
	committed, err := os.ReadFile("../../alerts/nasight.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	if got := nasight(t, "rules", "export"); got.code != exitOK || got.out != string(committed) {
		t.Errorf("the default export (code %d, %q) is not the committed file", got.code, got.err)
	}
	file := filepath.Join(t.TempDir(), "rules.yml")
	got := nasight(t, "rules", "export", "--poll-interval=5m", "--runbooks=https://wiki.example.com/n", "--out="+file)
	if got.code != exitOK || got.out != "" {
		t.Fatalf("code %d, printed %q, %q", got.code, got.out, got.err)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"interval: 5m\n", "keep_firing_for: 25m\n", "runbook_url: https://wiki.example.com/n/NasightAbsent.md\n"} {
		if !strings.Contains(string(written), want) {
			t.Errorf("the file lacks %q", want)
		}
	}
}

func TestRulesAlertmanager(t *testing.T) {
	example, err := os.ReadFile("../../alerts/alertmanager.yml")
	if err != nil {
		t.Fatal(err)
	}
	if got := nasight(t, "rules", "alertmanager"); got.code != exitOK || got.out != string(example) {
		t.Errorf("code %d, printed %q, %q", got.code, got.out, got.err)
	}
}

func TestRulesRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"too short":     {[]string{"export", "--poll-interval=1s"}, exitUsage, "nasight: --poll-interval=1s: between 5s and 5m"},
		"too long":      {[]string{"export", "--poll-interval=1h"}, exitUsage, "between 5s and 5m"},
		"no URL":        {[]string{"export", "--runbooks=wiki"}, exitUsage, "nasight: --runbooks=wiki: "},
		"a template":    {[]string{"export", "--runbooks=https://{{ x }}"}, exitUsage, "not a URL"},
		"no such place": {[]string{"export", "--out=/no/such/dir/rules.yml"}, exitUncollect, "/no/such/dir/rules.yml: no such file or directory; name a file that this user can write"},
		"no command":    {nil, exitUsage, "export"},
	} {
		t.Run(name, func(t *testing.T) {
			got := nasight(t, append([]string{"rules"}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.err, c.says) {
				t.Errorf("code %d, said %q; want code %d and %q", got.code, got.err, c.code, c.says)
			}
		})
	}
}
