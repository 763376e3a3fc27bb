package capturetest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestPublicReadsTheNamedDirectory(t *testing.T) {
	root := t.TempDir()
	t.Setenv(fixturesVariable, root)
	if err := os.MkdirAll(filepath.Join(root, "texts"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.txt", "a.txt"} {
		if err := os.WriteFile(filepath.Join(root, "texts", name), []byte("in "+name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if names := PublicNames(t, "texts"); !slices.Equal(names, []string{"a.txt", "b.txt"}) {
		t.Errorf("names %q", names)
	}
	if data := Public(t, "texts/b.txt"); string(data) != "in b.txt" {
		t.Errorf("data %q", data)
	}
}
