package config

import (
	"slices"
	"testing"
	"time"
)

func TestReportIsDue(t *testing.T) {
	for _, row := range []struct {
		day, at string
		want    time.Duration
	}{
		{"monday", "06:00", 6 * time.Hour}, {"Monday", "00:00", 0}, {"sunday", "23:59", 6*24*time.Hour + 23*time.Hour + 59*time.Minute}, {"wednesday", "12:30", 60*time.Hour + 30*time.Minute},
	} {
		r := defaultReport()
		r.Day, r.Time = row.day, row.at
		if got := r.After(); got != row.want {
			t.Errorf("%s %s is %s after the week, want %s", row.day, row.at, got, row.want)
		}
	}
}

func TestReportIsChecked(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*Report)
		key    string
	}{
		"the default":     {func(*Report) {}, ""},
		"no day":          {func(r *Report) { r.Day = "someday" }, "report.day"},
		"no time":         {func(r *Report) { r.Time = "6 am" }, "report.time"},
		"beyond the day":  {func(r *Report) { r.Time = "24:00" }, "report.time"},
		"no format":       {func(r *Report) { r.Formats = nil }, "report.formats"},
		"unknown format":  {func(r *Report) { r.Formats = []string{"html", "pdf"} }, "report.formats"},
		"none are kept":   {func(r *Report) { r.Keep = 0 }, "report.keep"},
		"kept for ever":   {func(r *Report) { r.Keep = 1e6 }, "report.keep"},
		"no directory":    {func(r *Report) { r.Directory = "report_test.go" }, "report.directory"},
		"below a file":    {func(r *Report) { r.Directory = "report_test.go/a/b" }, "report.directory"},
		"the kernel's":    {func(r *Report) { r.Directory = "/proc/nope" }, "report.directory"},
		"to be made":      {func(r *Report) { r.Directory = "a/b" }, ""},
		"a day in German": {func(r *Report) { r.Day = "Montag" }, "report.day"},
	} {
		cfg := Default()
		row.change(&cfg.Report)
		found := cfg.validate()
		is := slices.ContainsFunc(found, func(i invalid) bool { return i.key == row.key })
		if is != (row.key != "") {
			t.Errorf("%s: %v", name, found)
		}
	}
}
