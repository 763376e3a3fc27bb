package docs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const top = "../.."

// The packages' table of the architecture page names each package, and each that it names exists.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(top, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z/-]+)/` \\|").FindAllSubmatch(page, -1) {
		named[string(row[1])] = true
	}
	existing := packages(t)
	for _, name := range existing {
		if parent := path.Dir(name); !named[name] && path.Base(parent) != "internal" && !named[parent] {
			t.Errorf("docs/architecture.md does not name the package %s", name)
		}
	}
	for name := range named {
		if !slices.Contains(existing, name) {
			t.Errorf("docs/architecture.md names %s, which is no package", name)
		}
	}
}

// packages lists the folders with Go files, relative to the top.
func packages(t *testing.T) []string {
	t.Helper()
	var found []string
	err := fs.WalkDir(os.DirFS(top), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && isModule(filepath.Join(top, name)):
			return fs.SkipDir // a tool
		case entry.IsDir() && (entry.Name() == "testdata" || len(name) > 1 && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			found = append(found, path.Dir(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func isModule(directory string) bool {
	_, err := os.Stat(filepath.Join(directory, "go.mod"))
	return err == nil
}

var link = regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)

func TestRelativeLinksLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(top, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, more...) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllSubmatch(text, -1) {
			target := string(match[1])
			if strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), target)); err != nil {
				t.Errorf("%s: link to %s: %v", page, target, err)
			}
		}
	}
}
