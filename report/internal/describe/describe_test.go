package describe_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/report"
	"github.com/nasight/nasight/report/internal/describe"
)

var update = flag.Bool("update", false, "write docs/report.schema.json anew")

const (
	root   = "../../.."
	stored = root + "/docs/report.schema.json"
)

// TestStoredSchema: the documented schema is that of the types.
func TestStoredSchema(t *testing.T) {
	schema, err := describe.Schema(root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := schema.Text()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(stored, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(stored)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("docs/report.schema.json is not that of the types; write it with go test ./report/internal/describe -update:\n%s", diff)
	}
}

// TestFiguresAreDescribed: what is a number, a list or may be missing says what it is of, and in which unit; and the prose names
// this shape.
func TestFiguresAreDescribed(t *testing.T) {
	schema, err := describe.Schema(root)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	about := func(name string, node *describe.Node) {
		for field, of := range node.Properties {
			if of.Type == "string" || of.Type == "boolean" || of.Ref != "" && of.Description == "" {
				continue
			}
			if seen++; of.Description == "" {
				t.Errorf("%s.%s has no description", name, field)
			}
		}
	}
	about("Weekly", schema)
	for name, node := range schema.Defs {
		if strings.HasPrefix(name, "report.") {
			about(name, node)
		}
	}
	if seen < 60 {
		t.Errorf("%d fields were looked at", seen)
	}
	prose, err := os.ReadFile(root + "/docs/report.md")
	if err != nil || !strings.Contains(string(prose), "`"+report.Format+"`") {
		t.Errorf("docs/report.md does not name %s: %v", report.Format, err)
	}
}

// TestExamplesFit: what reports hold is what the schema says, no more and no less.
func TestExamplesFit(t *testing.T) {
	schema, err := describe.Schema(root)
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Glob(root + "/docs/examples/*.json")
	if err != nil || len(examples) == 0 {
		t.Fatalf("examples: %v, %v", examples, err)
	}
	for _, name := range examples {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		for _, odd := range check(schema, schema.Defs, value, filepath.Base(name)) {
			t.Error(odd)
		}
	}
}

// TestCheckFinds: the check of this test finds what does not fit.
func TestCheckFinds(t *testing.T) {
	schema, err := describe.Schema(root)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`[]`: "is no object", `{}`: "lacks format", `{"format":"x"}`: "is not " + report.Format, `{"extra":1}`: "extra is not in the schema",
		`{"summary":"a"}`: "is no array", `{"summary":[1]}`: "is no string", `{"efficiency":[{"p50":"1"}]}`: "is no number", `{"findings":[{"gain":{"low":"1"}}]}`: "fits none",
	} {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		if odd := check(schema, schema.Defs, value, "it"); !slices.ContainsFunc(odd, func(line string) bool { return strings.Contains(line, want) }) {
			t.Errorf("%s: %q, want one with %q", text, odd, want)
		}
	}
}

// check lists what of a value does not fit a schema.
func check(n *describe.Node, defs map[string]*describe.Node, value any, at string) []string {
	switch {
	case n.Ref != "":
		return check(defs[strings.TrimPrefix(n.Ref, "#/$defs/")], defs, value, at)
	case n.AnyOf != nil:
		for _, one := range n.AnyOf {
			if len(check(one, defs, value, at)) == 0 {
				return nil
			}
		}
		return []string{at + " fits none"}
	}
	kinds, several := n.Type.([]string)
	if !several {
		kinds = []string{fmt.Sprint(n.Type)}
	}
	if !slices.Contains(kinds, kind(value, kinds)) {
		return []string{fmt.Sprintf("%s is no %s", at, kinds[0])}
	}
	if n.Const != "" && value != n.Const {
		return []string{fmt.Sprintf("%s is not %s", at, n.Const)}
	}
	var odd []string
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			odd = append(odd, check(n.Items, defs, item, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case map[string]any:
		for _, name := range n.Required {
			if _, there := value[name]; !there {
				odd = append(odd, at+" lacks "+name)
			}
		}
		for name, member := range value {
			property := n.Properties[name]
			if property == nil {
				odd = append(odd, at+"."+name+" is not in the schema")
				continue
			}
			odd = append(odd, check(property, defs, member, at+"."+name)...)
		}
	}
	return odd
}

func kind(value any, wanted []string) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if slices.Contains(wanted, "integer") && value == float64(int(value)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return reflect.TypeOf(value).String()
}

// A moment that may be missing is null, as a number or a structure is.
func TestMissingMomentsAreNull(t *testing.T) {
	schema, err := describe.Schema(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"first", "last", "gain", "waste_usd_per_month"} {
		of := schema.Defs["report.Finding"].Properties[field]
		if of == nil || len(of.AnyOf) != 2 || of.AnyOf[1].Type != "null" {
			t.Errorf("report.Finding.%s is %+v, want it to be null where there is none", field, of)
		}
	}
}
