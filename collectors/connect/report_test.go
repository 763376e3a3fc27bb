package connect

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func example() *Report {
	section := &Section{
		Title: "Some Files", Cloud: "c", Service: "s", As: "reader@example.com", Notes: []string{"a note"},
		Checks: []Check{
			{Name: "credentials", Status: OK, Says: "a token was issued"},
			{Name: "files.list", On: "project odd", Status: Warning, Says: "3 files; location far could not be reached"},
			{Name: "files.list", On: "project shut", Status: Failed, Cause: "permission", Says: "permission denied", Lacks: "roles/files.viewer",
				Do: "cloud grant roles/files.viewer", Heard: `"no <such> permission"`},
			{Name: "copies.list", On: "project odd", Status: Skipped, Says: "there is nothing to try it on"},
		},
		Answers: []Answer{
			{Name: "kinds", Asks: "What are the kinds?", Known: true, Says: "As expected.", Details: []string{"one", "two"},
				Table: &Table{Columns: []string{"metric", "kind", "note"}, Rows: [][]string{{"a", "µ", ""}, {"longer", "GAUGE", "odd"}}}},
			{Name: "idle", Asks: "What do idle files send?", Says: "no file is idle."},
		},
		Cost: Cost{Calls: 1, Failed: 1, Bill: &Bill{Series: 2500, USD: 0.00125}},
	}
	for i := range 2 * mostAlike {
		section.Checks = append(section.Checks, Check{Name: "files.list", On: "project " + strconv.Itoa(i), Status: OK, Says: "1 file"})
	}
	return &Report{File: "nasight.yml", Notes: []string{"a window is short"}, Clouds: []*Section{section, {Title: "Other Files", Cloud: "d", Service: "t", As: "nobody"}}}
}

func TestGolden(t *testing.T) {
	var text, object strings.Builder
	if err := errors.Join(example().Text(&text), example().WriteJSON(&object)); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"report.txt": text.String(), "report.json": object.String()} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v; make it with go test ./collectors/connect -update", err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestTally(t *testing.T) {
	report := example()
	if failed, tried := report.Tally(); failed != 1 || tried != 3+2*mostAlike {
		t.Errorf("%d of %d", failed, tried)
	}
	report.Clouds[0].Checks[2].Status = OK
	var object strings.Builder
	if err := report.WriteJSON(&object); err != nil {
		t.Fatal(err)
	}
	var read struct {
		OK     bool `json:"ok"`
		Clouds []struct {
			Answers []struct {
				Table []map[string]string `json:"table"`
			} `json:"answers"`
		} `json:"clouds"`
	}
	if err := json.Unmarshal([]byte(object.String()), &read); err != nil {
		t.Fatal(err)
	}
	if !read.OK || read.Clouds[0].Answers[0].Table[1]["metric"] != "longer" {
		t.Errorf("%+v", read)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteFails(t *testing.T) {
	for _, err := range []error{example().Text(broken{}), example().WriteJSON(broken{})} {
		if err == nil || !strings.Contains(err.Error(), "disk full") || !strings.Contains(err.Error(), "nasight.yml") {
			t.Errorf("the error is %v", err)
		}
	}
}
