package winfs

import (
	"errors"
	"io/fs"
	"testing"
)

func TestFilesAreAskedWhenTheyAreRead(t *testing.T) {
	asked := 0
	files := Files{
		"b.json": func() ([]byte, error) { asked++; return []byte("[1]"), nil },
		"a.json": func() ([]byte, error) { return nil, fs.ErrPermission },
	}
	entries, err := fs.ReadDir(files, ".")
	if err != nil || len(entries) != 2 || entries[0].Name() != "a.json" || entries[0].IsDir() || asked != 0 {
		t.Fatalf("entries %v, error %v, asked %d", entries, err, asked)
	}
	if data, err := fs.ReadFile(files, "b.json"); err != nil || string(data) != "[1]" || asked != 1 {
		t.Errorf("%q, %v, asked %d", data, err, asked)
	}
	if _, err := fs.ReadFile(files, "a.json"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("refused: %v", err)
	}
	if _, err := fs.ReadFile(files, "c.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := fs.ReadDir(files, "c"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing directory: %v", err)
	}
	file, err := files.Open("b.json")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := file.Stat(); err != nil || info.Size() != 3 || info.Mode() != 0o444 || !info.ModTime().IsZero() {
		t.Errorf("stat %v, %v", info, err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}
