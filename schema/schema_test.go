package schema_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nasight/nasight/schema"
)

var (
	metricName = regexp.MustCompile(`^nasight(_[a-z0-9]+)+$`)
	labelName  = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
)

// A row that All leaves out would be collected and stored, but never rendered nor documented.
func TestAllListsEveryRowOfThePackage(t *testing.T) {
	var listed []string
	for _, family := range schema.All() {
		listed = append(listed, family.Name)
	}
	written := parsePackage(t).families
	if len(written) == 0 {
		t.Fatal("found no row in the package's source: the test reads the wrong folder")
	}
	if diff := cmp.Diff(written, listed, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("rows in the source (-) differ from All (+):\n%s", diff)
	}
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, family := range schema.All() {
		if seen[family.Name] {
			t.Errorf("%s is in the table twice", family.Name)
		}
		seen[family.Name] = true
		if !metricName.MatchString(family.Name) {
			t.Errorf("%s does not match %s", family.Name, metricName)
		}
		if counter := family.Type == schema.Counter; counter != strings.HasSuffix(family.Name, "_total") {
			t.Errorf("%s is a %s: counters, and only they, end in _total", family.Name, family.Type)
		}
		if info := family.Type == schema.Info; info != strings.HasSuffix(family.Name, "_info") {
			t.Errorf("%s is a %s: infos, and only they, end in _info", family.Name, family.Type)
		}
	}
}

// The base units, which a family's name has to carry. Counts of things (operations, slots) are read from the name.
var suffixes = map[schema.Unit]string{
	schema.Bytes:          "_bytes",
	schema.BytesPerSecond: "_bytes_per_second",
	schema.Seconds:        "_seconds",
	schema.USDPerMonth:    "_usd_per_month",
}

func TestUnitsAgreeWithNames(t *testing.T) {
	for _, family := range schema.All() {
		name := strings.TrimSuffix(family.Name, "_total")
		if suffix := suffixes[family.Unit]; !strings.HasSuffix(name, suffix) {
			t.Errorf("%s: unit %q wants the suffix %s", family.Name, family.Unit, suffix)
		}
		for unit, suffix := range suffixes {
			if strings.HasSuffix(name, suffix) && family.Unit != unit {
				t.Errorf("%s ends in %s but its unit is %q, not %q", family.Name, suffix, family.Unit, unit)
			}
		}
	}
}

func TestHelpAndSource(t *testing.T) {
	for _, family := range schema.All() {
		help := []rune(family.Help)
		if len(help) == 0 || help[len(help)-1] != '.' || unicode.IsLower(help[0]) {
			t.Errorf("%s: help %q is not a sentence with a full stop", family.Name, family.Help)
		}
		if strings.ContainsAny(family.Help+family.Source, "\n\r") {
			t.Errorf("%s: help and source have to be one line each", family.Name)
		}
		if family.Source == "" {
			t.Errorf("%s does not say where its values come from", family.Name)
		}
		if family.Grain <= 0 || family.Delay < 0 {
			t.Errorf("%s: grain %s and delay %s: want a positive and a non-negative duration",
				family.Name, family.Grain, family.Delay)
		}
	}
}

// Facts have labels of their own in info families only: elsewhere a label is one that joins and tests know.
func TestLabels(t *testing.T) {
	known := slices.Concat(parsePackage(t).labels, schema.IdentityLabels)
	for _, family := range schema.All() {
		sorted := slices.Sorted(slices.Values(family.Labels))
		if len(slices.Compact(sorted)) != len(family.Labels) {
			t.Errorf("%s repeats a label: %q", family.Name, family.Labels)
		}
		for _, label := range family.Labels {
			if !labelName.MatchString(label) {
				t.Errorf("%s: label %q does not match %s", family.Name, label, labelName)
			}
			if family.Type != schema.Info && !slices.Contains(known, label) {
				t.Errorf("%s: label %q is neither a constant of the package nor an identity label", family.Name, label)
			}
		}
	}
}

// Evidence changes; as a label it would make a new series each time.
func TestFindingsShareOneLabelSet(t *testing.T) {
	want := append([]string{schema.Detector, schema.Variant}, schema.IdentityLabels...)
	found := 0
	for _, family := range schema.All() {
		if !strings.HasPrefix(family.Name, "nasight_finding") {
			continue
		}
		found++
		if diff := cmp.Diff(want, family.Labels); diff != "" {
			t.Errorf("%s: labels (-want +got):\n%s", family.Name, diff)
		}
	}
	if found == 0 {
		t.Error("the table has no finding family")
	}
}

func TestTypeString(t *testing.T) {
	for kind, want := range map[schema.Type]string{
		schema.Counter: "counter", schema.Gauge: "gauge", schema.Info: "info",
	} {
		if got := kind.String(); got != want {
			t.Errorf("Type(%d).String() = %q, want %q", kind, got, want)
		}
	}
}
