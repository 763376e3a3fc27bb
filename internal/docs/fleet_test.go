package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nasight/nasight/internal/docs"
)

// The page is what the types say, and has a row for keys of every level.
func TestFleetPage(t *testing.T) {
	page, err := docs.Fleet(os.DirFS(filepath.Join(top, "simulator", "model")))
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(top, "docs", "fleet.md"))
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != page {
		t.Error("docs/fleet.md is out of date: run make generate")
	}
	for _, row := range []string{"| `hosts` | list of [Host](#host) |", "| `flow_mibps` | number |", "| `shares` | list of [Share](#share) |", "| `every` | span of time |"} {
		if !strings.Contains(page, row) {
			t.Errorf("no row %s", row)
		}
	}
	if _, err := docs.Fleet(fstest.MapFS{"odd.go": {Data: []byte("no Go")}}); err == nil || !strings.Contains(err.Error(), "odd.go") {
		t.Errorf("a file that is no Go: %v", err)
	}
}
