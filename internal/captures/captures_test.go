package captures

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nasight/nasight/detectors"
)

func TestReadCaptures(t *testing.T) {
	all, err := Read("../../testdata/captures")
	if err != nil || len(all) < 50 {
		t.Fatalf("%d captures, %v", len(all), err)
	}
	recording, err := all[0].Open()
	if err != nil || len(recording.Moments) == 0 {
		t.Errorf("%s: %v", all[0].Directory, err)
	}
}

func TestReadRefuses(t *testing.T) {
	if _, err := Read(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty directory: %v", err)
	}
	for text, want := range map[string]string{
		"{":  "unexpected end",
		"{}": "it has no name",
		`{"name": "x", "expected_true": ["idle", "slow"]}`: `label "slow" is neither`,
		`{"name": "x", "expected_false": ["slow"]}`:        `label "slow" is neither`,
	} {
		directory := t.TempDir()
		file := filepath.Join(directory, "6.1", "x", "scenario.json")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o750), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(directory); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A conclusion is made of findings that there are, and no label is both a conclusion and a state.
func TestVocabulary(t *testing.T) {
	for label, names := range Conclusions() {
		if len(names) == 0 || slices.Contains(States(), label) {
			t.Errorf("%s is no conclusion", label)
		}
		for _, name := range names {
			if !slices.Contains(detectors.Names(), name) {
				t.Errorf("%s: there is no finding %s", label, name)
			}
		}
	}
}
