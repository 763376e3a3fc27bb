package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// setting is a key of the file with a document that sets it.
type setting struct {
	key  string
	text string // with %s for the value
	t    reflect.Type
}

// settings are all keys with one value, each in a document of its own; lists have one element, and mappings the key 1.
func settings(t reflect.Type, key, text string) []setting {
	if t == reflect.TypeFor[Duration]() || t == reflect.TypeFor[Size]() || t == reflect.TypeFor[Rate]() {
		return []setting{{key, text, t}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return settings(t.Elem(), key, text)
	case reflect.Slice:
		return settings(t.Elem(), key+"[0]", fmt.Sprintf(text, "[%s]"))
	case reflect.Map:
		return settings(t.Elem(), key+".1", fmt.Sprintf(text, "{1: %s}"))
	case reflect.Struct:
		var all []setting
		for i := range t.NumField() {
			name := t.Field(i).Tag.Get("yaml")
			quoted := name
			if name == "off" {
				quoted = `"off"`
			}
			all = append(all, settings(t.Field(i).Type, strings.TrimPrefix(key+"."+name, "."), fmt.Sprintf(text, "{"+quoted+": %s}"))...)
		}
		return all
	}
	return []setting{{key, text, t}}
}

// Every number of the file is refused where it is not written as what it would be read as, with its place, its key, what is written
// and what to write.
func TestNoNumberIsReadAsAnother(t *testing.T) {
	const digits = "in digits, such as "
	alike := map[string]string{ // what is wrong wherever a number is expected
		"0x10": "0x10 is read as 16; write 16, or what is meant", "0o17": "0o17 is read as 15; write 15", "017": "017 is read as 15; write 15",
		"0b11": "0b11 is read as 3; write 3", "1_000": "1_000 is read as 1000; write 1000", `"5"`: `"5" is a text, as it is in quotes; write 5`,
		"'0.5'": `"0.5" is a text, as it is in quotes; write 0.5`, "many": digits, ".inf": digits, "-.inf": digits, ".nan": digits, "12:30": digits,
		"1e400": "1e400 is too large", "true": "found true or false", "!!float 5": "!!float is a tag, which is not taken here; write a", "1 000": digits,
	}
	whole := map[string]string{
		"1.5": "1.5 is no whole number; write 1 or 2", "2.0": "2.0 is not written as a whole number; write 2", "1e3": "1e3 is not written as a whole number; write 1000",
		"-0.5": "-0.5 is no whole number; write -1 or 0", "1e-3": "1e-3 is no whole number; write 0 or 1", "99999999999999999999999": "is too large",
		"[5]": "expected a whole number, found a list", "{a: 5}": "expected a whole number, found keys with values", "-1": "-1 is ",
	}
	span := map[string]string{"15": "with a unit", "1.5": "with a unit", "-5s": "with a unit", "1e3s": "with a unit", "0x1s": "with a unit", "1e400h": "with a unit", ".inf": "", "true": "", "1y": "with a unit"}
	size := map[string]string{"1.5": "write whole bytes", "1.5B": "write whole bytes", "-1": "not a size", "1e3": "not a size", "0x10": "not a size", "1_000": "not a size", ".inf": "", ".nan": "", "9999999TiB": "not a size"}
	rate := map[string]string{"-1": "not a rate", "1e3": "not a rate", "0x10": "not a rate", ".inf": "", ".nan": "", "1Gbps": "not a rate"}
	counted := map[reflect.Kind]int{}
	for _, one := range settings(reflect.TypeFor[Config](), "", "%s") {
		var tables []map[string]string
		switch {
		case one.t == reflect.TypeFor[Duration](), one.t == reflect.TypeFor[time.Duration]():
			tables = append(tables, span)
		case one.t == reflect.TypeFor[Size]():
			tables = append(tables, size)
		case one.t == reflect.TypeFor[Rate]():
			tables = append(tables, rate)
		case one.t.Kind() == reflect.Float64:
			tables = append(tables, alike, map[string]string{"-1": ""})
		case one.t.Kind() == reflect.Int:
			tables = append(tables, alike, whole)
		default:
			continue
		}
		counted[one.t.Kind()]++
		for _, table := range tables {
			for value, want := range table {
				text := fmt.Sprintf(one.text, value)
				_, err := Parse([]byte(text), "nasight.yml")
				if err == nil || !strings.HasPrefix(err.Error(), "nasight.yml:1:") || !strings.Contains(err.Error(), one.key+": ") || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v, want the key and %q", text, err, want)
				}
			}
		}
	}
	if counted[reflect.Int] < 10 || counted[reflect.Float64] < 100 || counted[reflect.Int64] < 15 {
		t.Errorf("only so many settings were tried: %v", counted)
	}
}

// What is written plainly is taken, also by way of an anchor.
func TestNumbersAsTheyAreWritten(t *testing.T) {
	for _, value := range []string{"5", "+5"} {
		if got := parse(t, "report: {keep: "+value+"}").Report.Keep; got != 5 {
			t.Errorf("%s is %d", value, got)
		}
	}
	for text, want := range map[string]float64{"0.5": 0.5, ".5": 0.5, "5e-1": 0.5, "+0.5": 0.5, "1": 1, "1.0": 1, "1.": 1, "0": 0} {
		if got := parse(t, "detection: {thresholds: {doubt: "+text+"}}").Detection.Thresholds.Doubt; got != want {
			t.Errorf("%s is %g", text, got)
		}
	}
	for _, text := range []string{"1d", "24h", "1d0h"} {
		if got := parse(t, "gcnv: {tiers: {capacity: 6h}}\nhistory: {retention: "+text+"}").History.Retention; got != Duration(24*time.Hour) {
			t.Errorf("%s is %s", text, got)
		}
	}
	if got := parse(t, "gcnv: {tiers: {capacity: 0.25d, delay: 0}}").GCNV.Tiers.Capacity; got != 6*time.Hour {
		t.Errorf("0.25d is %s", got)
	}
	got := parse(t, "report: {keep: &five 5}\nsession: {cap: *five}\ndetection: {thresholds: {activity: {operations: *five}}}\n")
	if got.Report.Keep != 5 || got.Session.Cap != 5 || got.Detection.Thresholds.Activity.Operations != 5 {
		t.Errorf("%+v", got)
	}
}

// A number that was sound where it was named is looked at again where it is used.
func TestNumbersBehindAliases(t *testing.T) {
	for text, want := range map[string]string{
		"detection: {thresholds: {doubt: &x 0.5}}\nreport: {keep: *x}\n":                          "nasight.yml:1:36: report.keep: 0.5 is no whole number; write 0 or 1",
		"collectors: {nfs: &x {interval: 15}}\nweb:\n  <<: *x\n":                                  "web.interval: no such setting",
		"report: {keep: !!float 1.5}":                                                             "report.keep: !!float is a tag",
		"a: &a [&b [*a, *a]]\nreport: {formats: *a}\n":                                            "report.formats[0]: expected a text, found a list",
		"session: &s {cap: 5}\nwindows: {<<: [*s, *s, *s]}\n":                                     "windows.cap: no such setting",
		"azurefiles: {backfill_days: 15.0}\ngcnv: {backfill_days: 1.5, pacing: {concurrency: 4}}": "nasight.yml:2:23: gcnv.backfill_days: 1.5 is no whole number; write 1 or 2",
	} {
		if err := mistakes(t, text); !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A text that YAML takes for a number comes back as it was written, or not at all.
func TestNoTextIsReadAsANumber(t *testing.T) {
	for _, one := range settings(reflect.TypeFor[Config](), "", "%s") {
		if one.t.Kind() != reflect.String {
			continue
		}
		for _, value := range []string{"2.0", "0010", "0x10", "1_000", "True", "1e3"} {
			text := fmt.Sprintf(one.text, value)
			_, err := Parse([]byte(text), "nasight.yml")
			want := fmt.Sprintf(`%s: %s without quotes is a number or a truth value to YAML, not this text; write "%[2]s", in quotes`, one.key, value)
			if value == "1e3" { // which stays a text
				want = ""
			}
			if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
		}
	}
	got := parse(t, "history: {url: 'http://a', write_url: 'http://a/w', headers: {X-Scope-OrgID: 10, X-B: \"0010\", X-C: true}}")
	if h := got.History.Headers; h["X-Scope-OrgID"] != "10" || h["X-B"] != "0010" || h["X-C"] != "true" {
		t.Errorf("headers %v", h)
	}
}
