package config

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nasight/nasight/detectors"
)

func documented(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []string
	for _, match := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		examples = append(examples, match[1])
	}
	if len(examples) < 3 {
		t.Fatalf("%d examples in the document, want at least 3", len(examples))
	}
	return examples
}

func TestDocumentedExamplesParse(t *testing.T) {
	for _, example := range documented(t) {
		if _, err := Parse([]byte(example), "docs/configuration.md"); err != nil {
			t.Errorf("%v\n%s", err, example)
		}
	}
}

func TestDocumentedDefaultsAreTheDefaults(t *testing.T) {
	got, want := parse(t, documented(t)[0]), Default()
	// The sections that are empty by default and show an example instead.
	got.Detection.Anomalies.Expected = want.Detection.Anomalies.Expected
	got.Collectors, got.Providers, got.Detection.Prices, got.PromHost = want.Collectors, want.Providers, want.Detection.Prices, want.PromHost
	got.Alerting.Alertmanagers = want.Alerting.Alertmanagers
	got.Export.RemoteWrite, got.Export.VictoriaMetrics = want.Export.RemoteWrite, want.Export.VictoriaMetrics
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("docs/configuration.md shows other defaults (-default +document):\n%s", diff)
	}
}

func TestEveryKeyIsDocumented(t *testing.T) {
	var document any
	if err := yaml.Unmarshal([]byte(documented(t)[0]), &document); err != nil {
		t.Fatal(err)
	}
	for _, key := range keys(reflect.TypeFor[Config](), "") {
		if !has(document, strings.Split(key, ".")) {
			t.Errorf("docs/configuration.md does not show %s", key)
		}
	}
}

// keys lists the paths of all keys of a struct, lists and maps by their elements.
func keys(t reflect.Type, prefix string) []string {
	switch t.Kind() {
	case reflect.Slice, reflect.Map:
		return keys(t.Elem(), prefix)
	case reflect.Struct:
		var all []string
		for i := range t.NumField() {
			name := t.Field(i).Tag.Get("yaml")
			all = append(all, keys(t.Field(i).Type, prefix+name+".")...)
		}
		return all
	}
	return []string{strings.TrimSuffix(prefix, ".")}
}

// has follows a path; in lists and in maps by name it takes any element.
func has(node any, path []string) bool {
	if len(path) == 0 {
		return true
	}
	switch node := node.(type) {
	case []any:
		for _, element := range node {
			if has(element, path) {
				return true
			}
		}
	case map[string]any:
		if child, ok := node[path[0]]; ok {
			return has(child, path[1:])
		}
		for _, child := range node {
			if nested, ok := child.(map[string]any); ok && has(nested, path) {
				return true
			}
		}
	}
	return false
}

// A setting of the detectors that is no threshold here would be out of the operator's reach.
func TestEverySettingOfTheDetectorsCanBeSet(t *testing.T) {
	elsewhere := map[string]bool{"snapshot": true, "for": true, "keep": true, "gap": true, "anomaly.per_thousand": true, "anomaly.per_resource": true}
	settable := map[string]bool{}
	for _, key := range keys(reflect.TypeFor[Thresholds](), "") {
		settable[key] = true
	}
	for _, key := range keys(reflect.TypeFor[detectors.Settings](), "") {
		if !settable[key] && !elsewhere[key] && !strings.HasPrefix(key, "prices.") {
			t.Errorf("detection.thresholds lacks %s", key)
		}
	}
	if diff := cmp.Diff(detectors.DefaultSettings(), Default().Detection.Settings()); diff != "" {
		t.Errorf("the defaults differ from the detectors' (-detectors +configuration):\n%s", diff)
	}
}
