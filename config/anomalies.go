package config

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/detectors"
)

// Anomalies are the statistical baselines, and who hears of what they find.
type Anomalies struct {
	Enabled  bool             `yaml:"enabled"`
	Series   int              `yaml:"series"`   // the most that have a baseline; each takes 4 KB of memory
	Bands    int              `yaml:"bands"`    // series whose usual value and bounds are metrics, three each
	Learn    Duration         `yaml:"learn"`    // how much of the past is read at first
	Timezone string           `yaml:"timezone"` // where the days are that the work follows
	Expected []ExpectedWindow `yaml:"expected"` // windows that label what begins in them
	Notify   AnomalyBudget    `yaml:"notify"`   // what is beyond is listed all the same
}

// AnomalyBudget is how many anomalies may notify in any 24 hours.
type AnomalyBudget struct {
	PerThousand float64 `yaml:"per_thousand"` // of all, for every 1,000 series; one at least
	PerResource int     `yaml:"per_resource"`
}

// ExpectedWindow is a time in which something unusual is expected, as a backup.
type ExpectedWindow struct {
	Name     string   `yaml:"name"`
	Days     []string `yaml:"days"`     // on which it begins; empty for every day
	From     string   `yaml:"from"`     // time of day, such as 22:00
	To       string   `yaml:"to"`       // at or before from: on the next day, so the same time is 24 hours
	Timezone string   `yaml:"timezone"` // empty for that of the anomalies
	Volumes  string   `yaml:"volumes"`  // pattern for volumes, shares and pools, * stands for any characters; empty for all
}

const (
	mostBaselines = 1_000_000
	mostWindows   = 1000
	mostNotices   = 1_000_000
	shortestLearn = 24 * time.Hour
	longestLearn  = 60 * 24 * time.Hour
	endOfDay      = "24:00"
)

func defaultAnomalies() Anomalies {
	settings := detectors.DefaultSettings().Anomaly
	return Anomalies{
		Enabled: true, Series: 50_000, Bands: 1000, Learn: Duration(14 * 24 * time.Hour), Timezone: "UTC",
		Notify: AnomalyBudget{PerThousand: settings.PerThousand, PerResource: settings.PerResource},
	}
}

// Zone is the time zone of the anomalies.
func (a Anomalies) Zone() *time.Location { return zoneOf(a.Timezone) }

// zoneOf is a time zone; UTC where there is none of that name, which was refused when the file was read.
func zoneOf(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}

// Calendar is the expected windows as the baselines take them.
func (a Anomalies) Calendar() baseline.Calendar {
	var calendar baseline.Calendar
	for _, window := range a.Expected {
		one, _ := window.window(a.Timezone) // what is wrong was refused when the file was read
		calendar = append(calendar, one)
	}
	return calendar
}

// window reads a window; the errors are by the keys that are wrong.
func (w ExpectedWindow) window(zone string) (baseline.Window, map[string]error) {
	failed := map[string]error{}
	window := baseline.Window{Name: w.Name, Zone: zoneOf(cmp.Or(w.Timezone, zone)), Volume: w.Volumes}
	for i, name := range w.Days {
		day, ok := weekdayOf(name)
		if !ok {
			failed[fmt.Sprintf("days[%d]", i)] = fmt.Errorf("%q is no day of the week; write monday, tuesday, …, sunday", name)
		}
		window.Days = append(window.Days, day)
	}
	for key, edge := range map[string]struct {
		text string
		into *time.Duration
	}{"from": {w.From, &window.From}, "to": {w.To, &window.To}} {
		var err error
		if *edge.into, err = timeOfDay(edge.text); err != nil {
			failed[key] = err
		}
	}
	return window, failed
}

func weekdayOf(name string) (time.Weekday, bool) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.EqualFold(day.String(), name) {
			return day, true
		}
	}
	return 0, false
}

// timeOfDay is how long after midnight.
func timeOfDay(text string) (time.Duration, error) {
	if text == endOfDay {
		return 24 * time.Hour, nil
	}
	at, err := time.Parse(reportTime, text)
	switch {
	case text == "":
		return 0, errors.New("missing; write a time of day, such as \"22:00\"")
	case err != nil:
		return 0, fmt.Errorf("%q is no time of day; write one such as \"22:00\"", text)
	}
	return time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute, nil
}

func (c *check) anomalies(a Anomalies) {
	const key = "detection.anomalies."
	if a.Series < 1 || a.Series > mostBaselines {
		c.fail(key+"series", "%d is out of range; write 1 to %d, or enabled: false", a.Series, mostBaselines)
	}
	if a.Bands < 0 || a.Bands > mostBaselines {
		c.fail(key+"bands", "%d is out of range; write 0 for none, to %d", a.Bands, mostBaselines)
	}
	if learn := time.Duration(a.Learn); learn < shortestLearn || learn > longestLearn {
		c.fail(key+"learn", "%s is out of range; write 1d to 60d", learn)
	}
	if !(a.Notify.PerThousand >= 0 && a.Notify.PerThousand <= mostNotices) {
		c.fail(key+"notify.per_thousand", "%g is out of range; write a number of notifications a day, from 0 to %d", a.Notify.PerThousand, mostNotices)
	}
	if a.Notify.PerResource < 1 || a.Notify.PerResource > mostNotices {
		c.fail(key+"notify.per_resource", "%d is out of range; write a number of notifications a day, from 1 to %d", a.Notify.PerResource, mostNotices)
	}
	c.zone(key+"timezone", a.Timezone)
	if len(a.Expected) > mostWindows {
		c.fail(key+"expected", "%d windows are more than %d; let a pattern stand for several volumes", len(a.Expected), mostWindows)
	}
	first := map[string]int{}
	for i, window := range a.Expected {
		at := fmt.Sprintf("%sexpected[%d]", key, i)
		c.expected(at, window, a.Timezone)
		if before, twice := first[window.Name]; twice && window.Name != "" {
			c.fail(at+".name", "%q is the name of expected[%d] already; give each window a name of its own, as %s-2", window.Name, before, window.Name)
			continue
		}
		first[window.Name] = i
	}
}

func (c *check) zone(key, name string) {
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		c.fail(key, "%q is no time zone; write UTC or a name of the IANA database, such as Europe/Zurich", name)
	}
}

// expected checks a window, each of its keys by itself.
func (c *check) expected(key string, w ExpectedWindow, zone string) {
	switch {
	case strings.TrimSpace(w.Name) == "":
		c.fail(key+".name", "missing; write what is expected then, as nightly backup")
	case strings.ContainsFunc(w.Name, unicode.IsControl):
		c.fail(key+".name", "%q has control characters; leave them out", w.Name)
	}
	_, failed := w.window(zone)
	for _, at := range sortedKeys(failed) {
		c.fail(key+"."+at, "%v", failed[at])
	}
	seen := map[string]bool{}
	for i, day := range w.Days {
		if day = strings.ToLower(day); seen[day] {
			c.fail(fmt.Sprintf("%s.days[%d]", key, i), "%s is there twice; leave one out", day)
		}
		seen[day] = true
	}
	if w.Timezone != "" {
		c.zone(key+".timezone", w.Timezone)
	}
	if _, err := path.Match(w.Volumes, ""); err != nil {
		c.fail(key+".volumes", "%q is no pattern; write a name in which * stands for any characters, as db-*", w.Volumes)
	}
}
