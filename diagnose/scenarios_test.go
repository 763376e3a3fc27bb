package diagnose

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/nasight/nasight/bundle"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/detectors"
)

// conclusions maps what the captures' scenario.json calls a conclusion to findings, the one place where the two
// vocabularies meet. A name without findings describes a state, which the ladder and the notes show.
var conclusions = map[string][]string{
	"single_tcp_session_saturated":           {"session_saturated/flow"},
	"single_tcp_session_at_a_ceiling":        {"session_saturated/flow"},
	"nconnect_recommended":                   {"session_saturated/flow", "session_saturated/sender", "session_saturated/cpu"},
	"slot_table_exhausted":                   {"session_saturated/slots"},
	"nfs41_session_slots_exhausted":          {"session_saturated/session_slots"},
	"latency_bound_low_concurrency":          {"client_bound/single_thread"},
	"metadata_heavy":                         {"metadata_heavy/share", "metadata_heavy/ceiling"},
	"server_latency_bound":                   {"server_latency/server"},
	"server_not_responding":                  {"server_unresponsive/stalled"},
	"smb_multichannel_recommended":           {"session_saturated/flow", "smb_multichannel/missing"},
	"smb_multichannel_degraded":              {"smb_multichannel/missing", "smb_multichannel/too_few"},
	"smb_multichannel_single_thread_penalty": {"smb_multichannel/single_thread_penalty"},
	"iscsi_more_sessions_recommended":        {"session_saturated/flow"},
	"iscsi_sessions_unbalanced":              {"session_saturated/skew"},
}

// states are the names that are no finding.
var states = []string{
	"nconnect_in_use", "smb_multichannel_in_use", "iscsi_multi_session_in_use", "high_concurrency", "shared_transport",
	"small_io", "large_io", "parsing", "recovered", "reconnecting", "idle", "idle_mostly", "shared_limit_reached",
}

type scenario struct {
	Name, Protocol string
	ExpectedTrue   []string `json:"expected_true"`
	ExpectedFalse  []string `json:"expected_false"`
	dir            string
}

func scenarios(t *testing.T) []scenario {
	t.Helper()
	files, err := filepath.Glob("../testdata/captures/*/*/scenario.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures below ../testdata/captures: %v", err)
	}
	all := make([]scenario, 0, len(files))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		one := scenario{dir: filepath.Dir(file)}
		if err := json.Unmarshal(data, &one); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, one)
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
		return slices.Contains(conclusions[conclusion], f.Detector+"/"+f.Variant)
	})
}

// judged tells whether the detectors at hand can reach a conclusion at all: SMB and iSCSI hosts have no collectors of
// their own yet, so their captures only have to be free of false alarms.
func judged(s scenario) bool { return s.Protocol == "nfs" }

// TestScenarios holds every capture against what its scenario.json expects.
func TestScenarios(t *testing.T) {
	table := newConfusion()
	for _, s := range scenarios(t) {
		t.Run(filepath.Base(filepath.Dir(s.dir))+"/"+s.Name, func(t *testing.T) {
			report := examine(t, s.dir)
			for _, name := range s.ExpectedTrue {
				if conclusions[name] == nil && !slices.Contains(states, name) {
					t.Errorf("scenario.json expects %q, which maps to no finding and no state", name)
				}
				if conclusions[name] == nil || !judged(s) {
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
func checkStates(t *testing.T, s scenario, report *Report) {
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
