package example

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/report"
)

var update = flag.Bool("update", false, "write docs/examples anew")

const examples = "../../docs/examples"

// TestExamples: the reports in docs/examples are those of the fleet of nasight demo, in every format.
func TestExamples(t *testing.T) {
	if raced {
		t.Skip("plays two weeks of 55 hosts, which the race detector makes take minutes; the packages below it are tested under it")
	}
	cfg, err := config.Load(filepath.Join(examples, "prices.yml"))
	if err != nil {
		t.Fatal(err)
	}
	weekly, err := Weekly(t.Context(), t.TempDir(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range report.Formats() {
		var text bytes.Buffer
		if err := weekly.Write(&text, format); err != nil {
			t.Fatal(err)
		}
		stored := filepath.Join(examples, weekly.FileName(format))
		if *update {
			if err := os.WriteFile(stored, text.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(stored)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(rounded(string(want)), "\n"), strings.Split(rounded(text.String()), "\n")); diff != "" {
			t.Errorf("%s has changed; write it with go test ./report/example -update:\n%.4000s", stored, diff)
		}
	}
	t.Run("what it tells", func(t *testing.T) { tells(t, weekly) })
}

// rounded cuts numbers to ten digits: a sum over a map differs in the last ones from run to run.
func rounded(text string) string {
	return regexp.MustCompile(`\d+\.\d{8,}(e[+-]?\d+)?`).ReplaceAllStringFunc(text, func(number string) string {
		value, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(value, 'g', 10, 64)
	})
}

// tells holds the report against what the fleet's description says of itself, in its comments.
func tells(t *testing.T, w *report.Weekly) {
	has := func(detector, variant, pool, volume string) bool {
		return slices.ContainsFunc(w.Findings, func(f report.Finding) bool {
			return f.Detector == detector && f.Variant == variant && f.Resource.Pool == pool && f.Resource.Volume == volume
		})
	}
	for _, planted := range [][3]string{
		{detectors.VariantLevelChange, "extreme-idle", ""}, {detectors.VariantStranded, "premium-stranded", ""}, {detectors.VariantFlexCustom, "flex-idle", ""},
		{detectors.VariantUnallocated, "client-files", ""}, {detectors.VariantAllocatedUnused, "manual-idle", "archive"}, {detectors.VariantAllocatedUnused, "examplessd", "archive"},
	} {
		if !has(detectors.PoolThroughputUnused, planted[0], planted[1], planted[2]) {
			t.Errorf("the report lacks %v", planted)
		}
	}
	for _, healthy := range [][3]string{{detectors.VariantLevelChange, "extreme-busy", ""}, {detectors.VariantFlexCustom, "flex-fitting", ""}, {detectors.VariantAllocatedUnused, "manual-idle", "nightly"}} {
		if has(detectors.PoolThroughputUnused, healthy[0], healthy[1], healthy[2]) {
			t.Errorf("the report accuses %v", healthy)
		}
	}
	for _, one := range w.Money {
		if one.Case == "manual" { // its pools have throughput left, or are short as a whole: nobody would buy any
			if one.Total.Known() {
				t.Errorf("%s: %v USD", one.Title, one.Total)
			}
			continue
		}
		if !one.Total.Above(0) {
			t.Errorf("%s: %v USD", one.Title, one.Total)
		}
	}
	for _, held := range w.Reconciliation {
		if !held.Holds {
			t.Errorf("%+v", held)
		}
	}
	for _, action := range w.Actions {
		if found := regexp.MustCompile(`\b(GIB|TIB|MIBPS|IOPS)\b`).FindString(action.Command); found != "" {
			t.Errorf("%s of %s is left to the reader: %s", found, action.Resource.Pool, action.Command)
		}
		if action.Resource.Pool == "extreme-idle" && !strings.Contains(action.Command, "storage-pools create extreme-idle-premium") {
			t.Errorf("extreme-idle has the command %q", action.Command)
		}
	}
	oneNumber(t, w)
	for _, made := range w.Plans {
		if made.Pool == "manual-throttled" && (len(made.Steps) > 0 || !strings.Contains(made.Reason, "too small for the needs")) {
			t.Errorf("a pool that is short has %d steps: %s", len(made.Steps), made.Reason)
		}
	}
	for _, r := range w.Efficiency {
		if r.Level != "volume" && !r.Reach.Known() {
			t.Errorf("the reach of %s %v is not known", r.Level, r.Resource)
		}
	}
	if len(w.Summary) != 5 || len(w.Actions) < 10 || len(w.Plans) != 6 {
		t.Errorf("%d sentences, %d actions, %d plans", len(w.Summary), len(w.Actions), len(w.Plans))
	}
}

// oneNumber: whatever the report lists, in its actions, its findings and its plans, one setting of one resource has one number.
func oneNumber(t *testing.T, w *report.Weekly) {
	var commands []string
	for _, action := range w.Actions {
		commands = append(commands, action.Command)
	}
	for _, f := range w.Findings {
		for _, remedy := range f.Remedy {
			commands = append(commands, remedy.Command)
		}
	}
	for _, made := range w.Plans {
		for _, step := range made.Steps {
			commands = append(commands, step.Commands.Gcloud)
		}
	}
	set, times := map[string]string{}, map[string]int{}
	for line := range strings.SplitSeq(strings.Join(commands, "\n"), "\n") {
		before, _, ok := strings.Cut(line, " --") // without what it sets: the resource, for gcloud
		if strings.HasPrefix(line, "az storage share-rm update") {
			before = regexp.MustCompile(`^.* --name \S+`).FindString(line)
		} else if !ok || !strings.HasPrefix(line, "gcloud netapp ") || !strings.Contains(before, " update ") {
			continue
		}
		for _, flag := range regexp.MustCompile(`--(capacity|throughput-mibps|total-throughput|total-iops|quota|provisioned-iops|provisioned-bandwidth-mibps)[= ](\d+)`).FindAllStringSubmatch(line, -1) {
			key := before + " " + flag[1]
			if was, told := set[key]; told && was != flag[2] {
				t.Errorf("%s is set to %s and to %s", key, was, flag[2])
			}
			set[key] = flag[2]
			times[key]++
		}
	}
	if times["gcloud netapp storage-pools update standard-files capacity"] < 2 || times["gcloud netapp volumes update archive throughput-mibps"] < 2 {
		t.Errorf("settings that are advised on twice are not: %v", times)
	}
}
