package collectors

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func openMemory(t *testing.T, path string) *FileMemory {
	t.Helper()
	m, err := OpenFileMemory(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFileMemorySurvivesARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	m := openMemory(t, path)
	m.Store("client1 192.0.2.1 nfs", 0.00104)
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	again := openMemory(t, path)
	if got, ok := again.Load("client1 192.0.2.1 nfs"); !ok || got != 0.00104 {
		t.Errorf("got %v, %v", got, ok)
	}
	if _, ok := again.Load("other"); ok {
		t.Error("a value that was never stored is there")
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, error %v; want the file alone", entries, err)
	}
}

func TestFileMemoryWritesOnlyWhatChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	m := openMemory(t, path)
	save := func() {
		t.Helper()
		if err := m.Save(); err != nil {
			t.Fatal(err)
		}
	}
	save()
	if _, err := os.Stat(path); err == nil {
		t.Error("an empty memory was written")
	}
	m.Store("a", 1)
	save()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	m.Store("a", 1)
	m.Store("b", math.NaN())
	m.Store("c", math.Inf(1))
	save()
	if _, err := os.Stat(path); err == nil {
		t.Error("written although nothing changed")
	}
}

func TestFileMemoryIsBounded(t *testing.T) {
	m := openMemory(t, filepath.Join(t.TempDir(), "state.json"))
	for i := range maxMemoryKeys + 10 {
		m.Store(fmt.Sprint(i), 1)
	}
	m.Store("0", 2)
	if got, _ := m.Load("0"); len(m.values) != maxMemoryKeys || got != 2 {
		t.Errorf("%d values, the first is %v", len(m.values), got)
	}
}

func TestFileMemoryOfABadFileIsEmptyAndUsable(t *testing.T) {
	for name, content := range map[string]string{
		"not JSON":      "lowest = 4",
		"cut off":       `{"version": 1, "values": {"a": 1`,
		"other version": `{"version": 2, "values": {"a": 1}}`,
		"no number":     `{"version": 1, "values": {"a": "x"}}`,
		"too big":       strings.Repeat(" ", maxMemoryBytes+1),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.json")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			m, err := OpenFileMemory(path)
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("got error %v, want one that names the file", err)
			}
			if _, ok := m.Load("a"); ok {
				t.Error("a value came from a bad file")
			}
			m.Store("b", 2)
			if err := m.Save(); err != nil {
				t.Fatal(err)
			}
			if got, _ := openMemory(t, path).Load("b"); got != 2 {
				t.Errorf("got %v after saving", got)
			}
		})
	}
}

func TestFileMemoryRunSavesInTimeAndAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "state.json")
		m := openMemory(t, path)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			m.Run(ctx, time.Minute, func(err error) { t.Error(err) })
		}()
		m.Store("a", 1)
		time.Sleep(61 * time.Second)
		if got, _ := openMemory(t, path).Load("a"); got != 1 {
			t.Errorf("after a minute the file has %v", got)
		}
		m.Store("a", 2)
		cancel()
		<-done
		if got, _ := openMemory(t, path).Load("a"); got != 2 {
			t.Errorf("at the end the file has %v", got)
		}
	})
}

func TestFileMemoryReportsThatItCannotSave(t *testing.T) {
	m := openMemory(t, filepath.Join(t.TempDir(), "none", "state.json"))
	m.Store("a", 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var reported error
	m.Run(ctx, time.Minute, func(err error) { reported = err })
	if !errors.Is(reported, os.ErrNotExist) {
		t.Errorf("got error %v", reported)
	}
	if err := m.Save(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the failure: error %v; what was not saved has to be tried again", err)
	}
}
