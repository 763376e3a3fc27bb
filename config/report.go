package config

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Report is when the weekly report is written, and where to.
type Report struct {
	Directory string   `yaml:"directory"` // made if missing; empty: no report is written
	Day       string   `yaml:"day"`       // day of the week, such as monday
	Time      string   `yaml:"time"`      // time of that day in UTC, such as 06:00
	Formats   []string `yaml:"formats"`   // html, md, json
	Keep      int      `yaml:"keep"`      // weeks; the oldest files go first
}

const (
	mostReports = 520 // ten years
	reportTime  = "15:04"
)

func defaultReport() Report {
	return Report{Day: "monday", Time: "06:00", Formats: []string{"html", "json"}, Keep: 52}
}

// After is how long after the end of a week its report is due.
func (r Report) After() time.Duration {
	at, err := time.Parse(reportTime, r.Time)
	if err != nil {
		return 0 // refused when the file was read
	}
	return time.Duration(r.weekday())*24*time.Hour + time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
}

// weekday is the day counted from Monday; -1 where there is none of that name.
func (r Report) weekday() int {
	for day := range 7 {
		if strings.EqualFold(time.Weekday((day+1)%7).String(), r.Day) {
			return day
		}
	}
	return -1
}

// makeable wants a directory, or that one can be made: what lies on the way to it are directories, and not of the kernel's own
// file system. Whether this user may write there is tried when nasight starts, as who checks may be another.
func (c *check) makeable(key, path string) {
	if path == "" {
		return
	}
	path, err := filepath.Abs(path)
	if err != nil {
		c.fail(key, "%v; write a path from the root on", err)
		return
	}
	if path == "/proc" || strings.HasPrefix(path, "/proc/") || path == "/sys" || strings.HasPrefix(path, "/sys/") {
		c.fail(key, "no files can be made in %s; write another directory", path)
		return
	}
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			c.fail(key, "%s is no directory; write the path of one, which is made if it is missing", at)
		}
		if err == nil || at == filepath.Dir(at) {
			return
		}
	}
}

func (c *check) report(r Report) {
	c.makeable("report.directory", r.Directory)
	if r.weekday() < 0 {
		c.fail("report.day", "%q is no day of the week; write monday, tuesday, …, sunday", r.Day)
	}
	if _, err := time.Parse(reportTime, r.Time); err != nil {
		c.fail("report.time", "%q is no time of day; write one such as \"06:00\", in UTC", r.Time)
	}
	if len(r.Formats) == 0 {
		c.fail("report.formats", "is empty; write html, md, json or some of them")
	}
	for _, format := range r.Formats {
		c.oneOf("report.formats", format, "html", "md", "json")
	}
	if r.Keep < 1 || r.Keep > mostReports {
		c.fail("report.keep", "%d is out of range; write a number of weeks from 1 to %d", r.Keep, mostReports)
	}
}
