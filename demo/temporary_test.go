package demo

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What a killed demo left goes with the next start; what a running one holds stays, and so does what is no demo's.
func TestLeftoversOfKilledDemosGo(t *testing.T) {
	parent := t.TempDir()
	log := slog.New(slog.DiscardHandler)
	place := func(name string, old bool, locked bool) string {
		t.Helper()
		directory := filepath.Join(parent, name)
		if err := os.MkdirAll(filepath.Join(directory, "history"), 0o700); err != nil {
			t.Fatal(err)
		}
		if !locked {
			return directory
		}
		file, at := filepath.Join(directory, lockName), time.Now()
		if old {
			at = at.Add(-time.Hour)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
		return directory
	}
	killed := place(temporaryName+"1", true, true)
	stay := []string{place(temporaryName+"2", false, true), place(temporaryName+"3", true, false), place("other", true, true)}
	running, remove, err := temporary(parent, log)
	if err != nil {
		t.Fatal(err)
	}
	hour := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(running, lockName), hour, hour); err != nil {
		t.Fatal(err)
	}
	clearLeftovers(parent, log)
	for _, directory := range append(stay, running) {
		if _, err := os.Stat(directory); err != nil {
			t.Errorf("gone: %v", err)
		}
	}
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	for _, directory := range []string{killed, running} {
		if _, err := os.Stat(directory); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", directory, err)
		}
	}
}
