package baseline

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func byteReader(data []byte) io.Reader { return bytes.NewReader(data) }

func trained(t *testing.T) *Set {
	t.Helper()
	set := NewSet([]Signal{unit(), Latency()}, 10)
	for i, key := range []Key{{"test", "b"}, {"test", "a"}, {"latency", "a"}} {
		p := newPlayer(unit(), uint64(i))
		for range 3 * 288 {
			if _, err := set.Feed(key, p.now, 100+float64(p.random.IntN(10))); err != nil {
				t.Fatal(err)
			}
			p.now = p.now.Add(grain)
		}
	}
	return set
}

func TestSaveAndOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "baseline.state")
	set := trained(t)
	if err := set.Save(path); err != nil {
		t.Fatal(err)
	}
	restored, err := Open(path, []Signal{unit(), Latency()}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if restored.Len() != set.Len() {
		t.Fatalf("%d series, want %d", restored.Len(), set.Len())
	}
	at := monday.Add(3 * 24 * time.Hour)
	for key, series := range set.All() {
		other := restored.Series(key)
		if series.Feed(at, 400) != other.Feed(at, 400) || series.Feed(at.Add(grain), 400) != other.Feed(at.Add(grain), 400) {
			t.Errorf("%v judges otherwise after it was restored", key)
		}
		if !series.Departure().Open() || series.Departure() != other.Departure() {
			t.Errorf("%v: %+v and %+v", key, series.Departure(), other.Departure())
		}
	}
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
		t.Errorf("%v %v: nothing but the file should be left", names, err)
	}
}

func TestOpenWithoutFile(t *testing.T) {
	set, err := Open(filepath.Join(t.TempDir(), "none"), []Signal{unit()}, 10)
	if err != nil || set.Len() != 0 {
		t.Errorf("%v, %v; want an empty set", set, err)
	}
}

func TestOpenOfOtherSignals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "baseline.state")
	if err := trained(t).Save(path); err != nil {
		t.Fatal(err)
	}
	hourly := unit()
	hourly.Grain = time.Hour
	set, err := Open(path, []Signal{hourly, Latency()}, 10)
	if err != nil || set.Len() != 1 || set.Series(Key{"latency", "a"}) == nil {
		t.Errorf("%d series, %v; want the latency alone: the other has another grain", set.Len(), err)
	}
	set, err = Open(path, []Signal{unit(), Latency()}, 2)
	if err != nil || set.Len() != 2 {
		t.Errorf("%d series, %v; want no more than two", set.Len(), err)
	}
}

func TestDamaged(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "baseline.state")
	if err := trained(t).Save(path); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(at int) []byte {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		return damaged
	}
	rows := []struct {
		name string
		data []byte
		says string
	}{
		{"empty", nil, "breaks off"},
		{"another file", []byte("%PDF-1.7 and some more of it"), "no file of baselines"},
		{"another version", changed(len(fileMagic)), "version 0, this program reads 1"},
		{"cut off", whole[:len(whole)/2], "breaks off"},
		{"the checksum cut off", whole[:len(whole)-1], "breaks off"},
		{"a bit of a state", changed(len(whole) / 2), ""},
		{"a bit of the checksum", changed(len(whole) - 1), "checksum"},
		{"more behind it", append(bytes.Clone(whole), 0), "more in it"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if err := os.WriteFile(path, row.data, 0o600); err != nil {
				t.Fatal(err)
			}
			set, err := Open(path, []Signal{unit(), Latency()}, 10)
			var damaged *DamagedError
			if !errors.As(err, &damaged) || set == nil || set.Len() != 0 || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%v, %v; want one line with %q, and an empty set", set, err, row.says)
			}
			kept, err := os.ReadFile(damaged.Aside)
			if err != nil || !bytes.Equal(kept, row.data) {
				t.Errorf("%s is not the damaged file: %v", damaged.Aside, err)
			}
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the damaged file is still there: %v", err)
			}
		})
	}
}

// TestEveryBit: no flipped bit of a file goes unnoticed.
func TestEveryBit(t *testing.T) {
	set := NewSet([]Signal{unit()}, 10)
	if _, err := set.Feed(Key{"test", "a"}, monday, 1); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := set.write(&file); err != nil {
		t.Fatal(err)
	}
	for at := range file.Len() { // a bit of every byte
		bit := at*8 + at%8
		damaged := bytes.Clone(file.Bytes())
		damaged[bit/8] ^= 1 << (bit % 8)
		if err := NewSet([]Signal{unit()}, 10).read(bytes.NewReader(damaged)); err == nil {
			t.Fatalf("bit %d flipped: no error", bit)
		}
	}
}

func TestSaveFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no", "such", "directory")
	if err := trained(t).Save(path); err == nil || !strings.Contains(err.Error(), "save baselines") {
		t.Errorf("%v, want what could not be done", err)
	}
}

func TestSetIsBounded(t *testing.T) {
	set := NewSet([]Signal{unit()}, 1)
	if _, err := set.Feed(Key{"test", "a"}, monday, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := set.Feed(Key{"test", "b"}, monday, 1); err == nil || set.Refused() != 1 || set.Len() != 1 {
		t.Errorf("%v, %d refused, %d series; want an error, one and one", err, set.Refused(), set.Len())
	}
	if _, err := set.Feed(Key{"heat", "a"}, monday, 1); err == nil {
		t.Error("a signal that is not known: no error")
	}
	if dropped := set.Forget(monday.Add(29 * 24 * time.Hour)); dropped != 1 || set.Len() != 0 {
		t.Errorf("%d forgotten, %d left; want one and none", dropped, set.Len())
	}
}

// TestOpenVersion1: a file of the first version is read as it was written, whatever a series looks like in memory. It was written by the
// program that first had the version.
func TestOpenVersion1(t *testing.T) {
	written, err := os.ReadFile(filepath.Join("testdata", "version1.state"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "baseline.state")
	if err := os.WriteFile(path, written, 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := Open(path, []Signal{Latency(), Throughput()}, 10)
	if err != nil || set.Len() != 2 {
		t.Fatalf("%d series, %v; want two", set.Len(), err)
	}
	for key, series := range set.All() {
		if _, usual, _, ok := series.Band(series.Last().Add(grain)); !ok || usual <= 0 || series.History() < twoWeeks {
			t.Errorf("%v: usually %v after %s", key, usual, series.History())
		}
	}
	if err := set.Save(path); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, written) {
		t.Errorf("%d bytes are not what was read, %d (%v)", len(again), len(written), err)
	}
}

// TestForgottenPlace: a series that takes the place of a forgotten one has nothing of it.
func TestForgottenPlace(t *testing.T) {
	set, p := NewSet([]Signal{unit()}, 10), newPlayer(unit(), 1)
	old, key := Key{"test", "old"}, Key{"test", "new"}
	for range 400 {
		if _, err := set.Feed(old, p.now, 100+float64(p.random.IntN(10))); err != nil {
			t.Fatal(err)
		}
		p.now = p.now.Add(grain)
	}
	set.Series(old).Feed(p.now, -1)
	if set.Forget(p.now.Add(30*24*time.Hour)) != 1 || set.Len() != 0 {
		t.Fatalf("%d series are left", set.Len())
	}
	series, err := set.Of(key)
	if err != nil {
		t.Fatal(err)
	}
	signal := unit()
	if !series.equal(NewSeries(&signal)) {
		t.Errorf("a series that begins is %+v", series)
	}
}
