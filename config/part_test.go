package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadSections(t *testing.T) {
	load := func(t *testing.T, text string) (Config, error) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "part.yml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return LoadSections(file, "export", "alerting")
	}
	for name, text := range map[string]string{"nothing": "", "a comment": "# nothing\n", "an empty section": "export:\n"} {
		if _, err := load(t, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	cfg, err := load(t, "export: {remote_write: [{url: http://192.0.2.1/api/v1/write}]}\nalerting: {alertmanagers: [{url: http://192.0.2.2}]}\n")
	if err != nil || len(cfg.Export.RemoteWrite) != 1 || len(cfg.Alerting.Alertmanagers) != 1 {
		t.Errorf("%+v, error %v: want a receiver and an Alertmanager", cfg, err)
	}
	for text, want := range map[string]string{
		"export:\nhosts: []\n":                    "part.yml:2:1: hosts: is not taken here; leave it out, and keep export, alerting",
		"x: &a {log: {level: info}}\n<<: *a\n":    "x: no such setting; ",
		"log: &a {level: info}\n":                 "log: is not taken here",
		"export: {otlp: {endpoint: nowhere}}\n":   "export.otlp.endpoint",
		"hosts: []\nhistory: {path: elsewhere}\n": "part.yml:2:1: history: is not taken here",
		"[export]\n": "expected keys with values",
	} {
		if _, err := load(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	if _, err := LoadSections(filepath.Join(t.TempDir(), "none.yml"), "export"); err == nil || !strings.Contains(err.Error(), "there is no such configuration file") {
		t.Errorf("no file: error %v", err)
	}
}
