package dashboards_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/dashboards"
)

// What is asked for is chosen, and nothing else of a dashboard changes.
func TestFor(t *testing.T) {
	plain, err := dashboards.Files()
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := dashboards.For(dashboards.Options{Source: `Metrics "of" <all>`, Page: "https://nasight.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range fitted {
		before, after := parse(t, plain[i]), parse(t, file)
		for _, variable := range objects(in(after.whole, "templating", "list")) {
			switch words(variable, "name") {
			case "datasource":
				if words(variable, "current", "value") != `Metrics "of" <all>` || words(variable, "current", "text") != `Metrics "of" <all>` {
					t.Errorf("%s: data source %v", file.Name, variable["current"])
				}
				delete(variable, "current")
			case "nasight":
				if words(variable, "query") != "https://nasight.example.com" || words(variable, "current", "value") != "https://nasight.example.com" {
					t.Errorf("%s: page %v", file.Name, variable)
				}
				variable["query"], variable["current"] = "http://127.0.0.1:9877", map[string]any{"selected": true, "text": "http://127.0.0.1:9877", "value": "http://127.0.0.1:9877"}
			}
		}
		if diff := cmp.Diff(before.whole, after.whole); diff != "" {
			t.Errorf("%s (-before +after):\n%s", file.Name, diff)
		}
	}
	same, err := dashboards.For(dashboards.Options{})
	if diff := cmp.Diff(plain, same); err != nil || diff != "" {
		t.Errorf("without options: %v\n%s", err, diff)
	}
}

func TestWrite(t *testing.T) {
	files, err := dashboards.Files()
	if err != nil {
		t.Fatal(err)
	}
	directory := filepath.Join(t.TempDir(), "new", "place")
	for range 2 { // the second time over the first
		if err := dashboards.Write(directory, files); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range files {
		written, err := os.ReadFile(filepath.Join(directory, file.Name))
		if err != nil || !bytes.Equal(written, file.Data) || !json.Valid(written) {
			t.Errorf("%s: %v, %d bytes of %d", file.Name, err, len(written), len(file.Data))
		}
	}
	foreign := filepath.Join(directory, files[len(files)-1].Name)
	for _, text := range []string{`{"uid": "somebody-elses"}`, "notes"} {
		if err := os.WriteFile(foreign, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(directory, files[0].Name)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		err := dashboards.Write(directory, files)
		if err == nil || !strings.Contains(err.Error(), foreign+" is there and is not a dashboard of nasight") {
			t.Errorf("%s: %v", text, err)
		}
		if kept, err := os.ReadFile(foreign); err != nil || string(kept) != text {
			t.Errorf("overwritten: %q, %v", kept, err)
		}
		if _, err := os.Stat(filepath.Join(directory, files[0].Name)); !os.IsNotExist(err) {
			t.Errorf("another was written all the same: %v", err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := dashboards.Write(filepath.Join(file, "below"), files); err == nil || !strings.Contains(err.Error(), "make the directory") {
		t.Errorf("below a file: %v", err)
	}
}
