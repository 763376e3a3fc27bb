package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/baseline"
)

func TestAnomaliesAreChecked(t *testing.T) {
	window := func(change func(*ExpectedWindow)) func(*Anomalies) {
		return func(a *Anomalies) {
			w := ExpectedWindow{Name: "backup", Days: []string{"Monday"}, From: "22:00", To: "24:00", Timezone: "Europe/Zurich", Volumes: "db-*"}
			change(&w)
			a.Expected = []ExpectedWindow{w}
		}
	}
	twice := func(names ...string) (windows []ExpectedWindow) {
		for _, name := range names {
			windows = append(windows, ExpectedWindow{Name: name, From: "00:00", To: "00:00"})
		}
		return windows
	}
	const key = "detection.anomalies."
	for name, row := range map[string]struct {
		change func(*Anomalies)
		key    string
	}{
		"the default":       {func(*Anomalies) {}, ""},
		"a window":          {window(func(*ExpectedWindow) {}), ""},
		"no series":         {func(a *Anomalies) { a.Series = 0 }, key + "series"},
		"fewer than none":   {func(a *Anomalies) { a.Bands = -1 }, key + "bands"},
		"an hour":           {func(a *Anomalies) { a.Learn = Duration(time.Hour) }, key + "learn"},
		"a year":            {func(a *Anomalies) { a.Learn = Duration(365 * 24 * time.Hour) }, key + "learn"},
		"no zone":           {func(a *Anomalies) { a.Timezone = "Zurich" }, key + "timezone"},
		"this machine's":    {func(a *Anomalies) { a.Timezone = "Local" }, key + "timezone"},
		"an empty zone":     {func(a *Anomalies) { a.Timezone = "" }, key + "timezone"},
		"fewer than nobody": {func(a *Anomalies) { a.Notify.PerThousand = -1 }, key + "notify.per_thousand"},
		"nothing at all":    {func(a *Anomalies) { a.Notify.PerResource = 0 }, key + "notify.per_resource"},
		"too many windows":  {func(a *Anomalies) { a.Expected = make([]ExpectedWindow, 1001) }, key + "expected"},
		"a nameless window": {window(func(w *ExpectedWindow) { w.Name = "" }), key + "expected[0].name"},
		"only blanks":       {window(func(w *ExpectedWindow) { w.Name = " " }), key + "expected[0].name"},
		"a line break":      {window(func(w *ExpectedWindow) { w.Name = "a\nb" }), key + "expected[0].name"},
		"a day twice":       {window(func(w *ExpectedWindow) { w.Days = []string{"monday", "sunday", "Monday"} }), key + "expected[0].days[2]"},
		"a name twice":      {func(a *Anomalies) { a.Expected = twice("backup", "backup") }, key + "expected[1].name"},
		"two names":         {func(a *Anomalies) { a.Expected = twice("backup", "batch") }, ""},
		"no day":            {window(func(w *ExpectedWindow) { w.Days = []string{"Montag"} }), key + "expected[0].days[0]"},
		"no time":           {window(func(w *ExpectedWindow) { w.From = "10 pm" }), key + "expected[0].from"},
		"beyond the day":    {window(func(w *ExpectedWindow) { w.To = "25:00" }), key + "expected[0].to"},
		"no end":            {window(func(w *ExpectedWindow) { w.To = "" }), key + "expected[0].to"},
		"a window's zone":   {window(func(w *ExpectedWindow) { w.Timezone = "CEST/2" }), key + "expected[0].timezone"},
		"no pattern":        {window(func(w *ExpectedWindow) { w.Volumes = "[" }), key + "expected[0].volumes"},
	} {
		cfg := Default()
		row.change(&cfg.Detection.Anomalies)
		found := cfg.validate()
		is := slices.ContainsFunc(found, func(i invalid) bool { return i.key == row.key })
		if is != (row.key != "") || row.key == "" && len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

func TestAnomaliesCalendar(t *testing.T) {
	cfg := parse(t, "detection:\n  anomalies:\n    timezone: Europe/Zurich\n    expected:\n"+
		"      - {name: backup, days: [friday, Saturday], from: \"22:30\", to: \"04:00\", volumes: \"db-*\"}\n"+
		"      - {name: batch, from: \"00:00\", to: \"24:00\", timezone: UTC}\n")
	zurich, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		t.Fatal(err)
	}
	want := baseline.Calendar{
		{Name: "backup", Days: []time.Weekday{time.Friday, time.Saturday}, From: 22*time.Hour + 30*time.Minute, To: 4 * time.Hour, Zone: zurich, Volume: "db-*"},
		{Name: "batch", From: 0, To: 24 * time.Hour, Zone: time.UTC},
	}
	named := cmp.Transformer("zone", func(zone *time.Location) string { return zone.String() })
	if diff := cmp.Diff(want, cfg.Detection.Anomalies.Calendar(), named); diff != "" {
		t.Errorf("calendar (-want +got):\n%s", diff)
	}
	if got := cfg.Detection.Anomalies.Zone().String(); got != "Europe/Zurich" {
		t.Errorf("zone %s", got)
	}
}

// All that is wrong with a window is told together, each with its key, and in the order of the file.
func TestWindowsAreToldByKey(t *testing.T) {
	err := mistakes(t, "detection:\n  anomalies:\n    expected:\n"+
		"      - {from: 10 pm, to: \"25:00\", days: [monday, moonday], volumes: \"[\", timezone: Mars}\n"+
		"      - {name: batch, from: \"01:00\", to: \"01:00\"}\n"+
		"      - {name: batch, from: \"01:00\", zone: UTC}\n")
	const want = "nasight.yml:6:38: detection.anomalies.expected[2].zone: no such setting; did you mean timezone?"
	if err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	err = mistakes(t, "detection:\n  anomalies:\n    expected:\n"+
		"      - {from: 10 pm, to: \"25:00\", days: [monday, moonday], volumes: \"[\", timezone: Mars}\n"+
		"      - {name: batch, from: \"01:00\", to: \"01:00\"}\n"+
		"      - {name: batch, from: \"01:00\"}\n")
	var keys []string
	for _, problem := range err.Problems {
		key, message, _ := strings.Cut(problem.Message, ": ")
		keys = append(keys, strings.TrimPrefix(key, "detection.anomalies.expected"))
		if !strings.Contains(message, "; write ") && !strings.Contains(message, "; give ") {
			t.Errorf("nothing to do: %s", problem)
		}
	}
	slices.Sort(keys)
	if diff := cmp.Diff([]string{"[0].days[1]", "[0].from", "[0].name", "[0].timezone", "[0].to", "[0].volumes", "[2].name", "[2].to"}, keys); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// From one time to the same is 24 hours, and not none.
func TestWindowOfADay(t *testing.T) {
	calendar := parse(t, "detection: {anomalies: {expected: [{name: a, days: [monday], from: \"06:00\", to: \"06:00\"}]}}").Detection.Anomalies.Calendar()
	monday := time.Date(2026, 1, 5, 6, 0, 0, 0, time.UTC)
	for at, want := range map[time.Duration]bool{-time.Minute: false, 0: true, 12 * time.Hour: true, 24*time.Hour - time.Minute: true, 24 * time.Hour: false} {
		if got := calendar[0].Covers(monday.Add(at)); got != want {
			t.Errorf("%s after monday's 06:00: %t", at, got)
		}
	}
}
