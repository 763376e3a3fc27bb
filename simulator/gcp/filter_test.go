package gcp

import (
	"strings"
	"testing"
)

func TestFilterMatches(t *testing.T) {
	fields := map[string]string{
		"metric.type": "netapp.googleapis.com/volume/throughput", "metric.label.type": "read", "resource.type": "netapp.googleapis.com/Volume",
		"resource.label.name": "media-1", "resource.label.location": "europe-west3-a", "project": "example", "metadata.system_labels.storage_pool": "fast",
	}
	for text, want := range map[string]bool{
		``: true,
		`metric.type = "netapp.googleapis.com/volume/throughput"`:                                                true,
		`metric.type="netapp.googleapis.com/volume/throughput" AND resource.type="netapp.googleapis.com/volume"`: false,
		`metric.labels.type = "read" resource.label.name = "media-1"`:                                            true,
		`metric.label.type = read AND project = example`:                                                         true,
		`metric.label.type != "read"`:                                                                            false,
		`NOT metric.label.type = "write"`:                                                                        true,
		`resource.labels.location = starts_with("europe-west3")`:                                                 true,
		`resource.labels.location != starts_with("europe-west3")`:                                                false,
		`resource.labels.location = ends_with("-b")`:                                                             false,
		`resource.labels.name = has_substring("dia")`:                                                            true,
		`resource.labels.name : "dia"`:                                                                           true,
		`resource.labels.name = one_of("other", "media-1")`:                                                      true,
		`resource.labels.name = monitoring.regex.full_match("media-[0-9]")`:                                      true,
		`resource.labels.name = monitoring.regex.full_match("media")`:                                            false,
		`resource.labels.name = "a" OR resource.labels.name = "media-1" AND metric.labels.type = "write"`:        false,
		`(resource.labels.name = "a" AND metric.labels.type = "read") OR project = "example"`:                    true,
		`metadata.system_labels.storage_pool = "fast"`:                                                           true,
		`metric.labels.tier = "cold"`:                                                                            false,
	} {
		parsed, err := parseFilter(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := parsed.match(func(field string) string { return fields[field] }); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestFilterRefuses(t *testing.T) {
	for _, text := range []string{
		`metric.type`, `metric.type =`, `metric.type = = "a"`, `metric.type = "a`, `volume = "a"`, `metric.type = "a" AND`, `AND`, `(metric.type = "a"`,
		`metric.type = "a")`, `metric.type > "a"`, `metric.type = starts_with()`, `metric.type = starts_with("a", "b")`, `metric.type = like("a")`,
		`metric.type = one_of("a" "b")`, `metric.type = monitoring.regex.full_match("(")`, `metric.type = "\x"`, `metric.type = AND`,
		`project = "` + strings.Repeat("a", maxFilter) + `"`,
	} {
		if _, err := parseFilter(text); err == nil {
			t.Errorf("%.60s: no error", text)
		}
	}
}

func TestFilterNamesOneMetricType(t *testing.T) {
	for text, want := range map[string]string{
		`metric.type = "a"`: "a",
		`(resource.type = "r" AND metric.type = "a") AND project = "p"`: "a",
		`metric.type = starts_with("a")`:                                "",
		`metric.type = "a" OR metric.type = "b"`:                        "",
		`metric.type = "a" AND metric.type = "b"`:                       "",
		`metric.type = "a" AND NOT metric.type = "b"`:                   "",
		`metric.type != "a"`:                                            "",
		`resource.type = "r"`:                                           "",
		``:                                                              "",
	} {
		parsed, err := parseFilter(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, err := parsed.metricType(); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}

// Whatever a client sends, the parser ends without a panic, and what it accepts can be asked about.
func FuzzFilter(f *testing.F) {
	f.Add(`metric.type = starts_with("a") AND (resource.labels.x != "b" OR NOT project : c)`)
	f.Add(`metric.type = one_of("a", "\"")`)
	f.Fuzz(func(_ *testing.T, text string) {
		parsed, err := parseFilter(text)
		if err != nil {
			return
		}
		_ = parsed.match(func(field string) string { return field })
		_, _ = parsed.metricType()
	})
}
