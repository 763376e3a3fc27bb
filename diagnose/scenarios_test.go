package diagnose

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/nasight/nasight/bundle"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/internal/captures"
)

func scenarios(t *testing.T) []captures.Capture {
	t.Helper()
	all, err := captures.Read("../testdata/captures")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func examine(t *testing.T, dir string) *Report {
	t.Helper()
	recording, err := bundle.Open(filepath.Join(dir, "moments.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(context.Background(), Recorded(recording), Options{
		Entries: list.Entries(), Detectors: detectors.DefaultSettings(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func found(report *Report, conclusion string) bool {
	return slices.ContainsFunc(report.Findings, func(f detectors.Finding) bool {
		return slices.Contains(captures.Conclusions()[conclusion], f.Name())
	})
}

// judged tells whether the detectors at hand can reach a conclusion at all: SMB and iSCSI hosts have no collectors of
// their own yet, so their captures only have to be free of false alarms.
func judged(s captures.Capture) bool { return true }

// TestScenarios holds every capture against what its captures.Capture.json expects.
func TestScenarios(t *testing.T) {
	table := newConfusion()
	for _, s := range scenarios(t) {
		t.Run(filepath.Base(filepath.Dir(s.Directory))+"/"+s.Name, func(t *testing.T) {
			report := examine(t, s.Directory)
			for _, name := range s.ExpectedTrue {
				if captures.Conclusions()[name] == nil && !slices.Contains(captures.States(), name) {
					t.Errorf("scenario.json expects %q, which maps to no finding and no state", name)
				}
				if captures.Conclusions()[name] == nil || !judged(s) {
					continue
				}
				table.expect(name, found(report, name))
				if !found(report, name) {
					t.Errorf("%s expected, found %v", name, names(report))
				}
			}
			for _, name := range s.ExpectedFalse {
				table.refuse(name, found(report, name))
				if found(report, name) {
					t.Errorf("%s must not fire, found %v", name, names(report))
				}
			}
			checkStates(t, s, report)
			t.Logf("expected %v, found %v", s.ExpectedTrue, names(report))
		})
	}
	t.Logf("\n%s", table)
}

// checkStates holds the conclusions that are states of mounts and no findings.
func checkStates(t *testing.T, s captures.Capture, report *Report) {
	t.Helper()
	has := func(state string) bool {
		return slices.ContainsFunc(report.Mounts, func(m Mount) bool { return m.State == state })
	}
	several := slices.ContainsFunc(report.Mounts, func(m Mount) bool { return m.Sessions.Above(1) })
	for _, name := range s.ExpectedTrue {
		switch name {
		case "idle", "idle_mostly":
			if has("active") || has("insufficient_data") || has("unresponsive") {
				t.Errorf("%s expected, mounts are %v", name, report.Mounts)
			}
		case "recovered", "high_concurrency", "small_io":
			if judged(s) && !has("active") {
				t.Errorf("%s expected, but no mount is active", name)
			}
		case "nconnect_in_use":
			if !several {
				t.Errorf("nconnect_in_use expected, but no mount has more than one session")
			}
		case "server_not_responding":
			if judged(s) && !has("unresponsive") {
				t.Errorf("server_not_responding expected, but no mount is unresponsive")
			}
		}
	}
	if slices.Contains(s.ExpectedFalse, "idle") && has("idle") {
		t.Errorf("idle must not be concluded")
	}
}

func names(report *Report) []string {
	var out []string
	for _, f := range report.Findings {
		out = append(out, fmt.Sprintf("%s/%s@%s (%.2f)", f.Detector, f.Variant, subject(f), f.Confidence))
	}
	return out
}

// confusion counts, for each conclusion, how often it was right to fire, right not to, missed and false.
type confusion struct{ rows map[string]*[4]int }

func newConfusion() *confusion { return &confusion{rows: map[string]*[4]int{}} }

func (c *confusion) count(name string, column int) {
	if c.rows[name] == nil {
		c.rows[name] = new([4]int)
	}
	c.rows[name][column]++
}

func (c *confusion) expect(name string, fired bool) {
	if fired {
		c.count(name, 0)
	} else {
		c.count(name, 1)
	}
}

func (c *confusion) refuse(name string, fired bool) {
	if fired {
		c.count(name, 2)
	} else {
		c.count(name, 3)
	}
}

func (c *confusion) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "conclusion\tfound\tmissed\tfalse\tquiet\t")
	names := make([]string, 0, len(c.rows))
	for name := range c.rows {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		row := c.rows[name]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", name, row[0], row[1], row[2], row[3])
	}
	_ = w.Flush()
	return out.String()
}
