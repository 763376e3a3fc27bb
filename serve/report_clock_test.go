package serve

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/report"
)

// clock drives the looks of a server's reports. No time passes but what a test says.
type clock struct {
	t     *testing.T
	looks chan time.Time
	log   bytes.Buffer
	stop  func()
}

// reportsOf runs what writes reports.
func reportsOf(t *testing.T, server *Server) *clock {
	t.Helper()
	c := &clock{t: t, looks: make(chan time.Time)}
	server.log = slog.New(slog.NewTextHandler(&c.log, nil))
	server.evaluator.latest.Store(&evaluation{Fleet: &fleet.Fleet{}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- server.reportsAt(ctx, c.looks) }()
	c.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	return c
}

// look is over when the next look, which is before anything can be due, is taken.
func (c *clock) look(at time.Time) {
	c.t.Helper()
	c.looks <- at
	c.looks <- time.Unix(0, 0)
}

func successOf(t *testing.T, server *Server) string {
	t.Helper()
	if testutil.CollectAndCount(&server.reported) == 0 {
		return "absent"
	}
	return map[float64]string{0: "failed", 1: "written"}[testutil.ToFloat64(&server.reported)]
}

// The looks of the schedule: none before the past was filled in, none before it is due, one report when it is, and a missed one
// once. Nobody waits for the clock.
func TestReportSchedule(t *testing.T) {
	week := report.LastClosed(time.Now())
	server := reporting(t, week)
	directory := server.current().Report.Directory
	due := week.To().Add(6 * time.Hour)
	server.evaluator.started = due.Add(-reportWarm / 2)
	c := reportsOf(t, server)
	page := filepath.Join(directory, "nasight-weekly-"+week.String()+".html")
	c.look(due)
	if names := namesIn(t, directory); len(names) > 0 {
		t.Errorf("five minutes after the start: %q", names)
	}
	c.look(due.Add(reportWarm))
	before, err := os.Stat(page)
	if err != nil {
		t.Fatal("ten minutes after the start: ", err)
	}
	c.look(due.Add(48 * time.Hour))
	if after, err := os.Stat(page); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("two days later it was written again: %v", err)
	}
	if err := os.Remove(page); err != nil {
		t.Fatal(err)
	}
	c.look(due.Add(49 * time.Hour))
	if _, err := os.Stat(page); err != nil {
		t.Errorf("a missed one: %v", err)
	}
	c.stop()
	if got := successOf(t, server); got != "written" || strings.Count(c.log.String(), "the weekly report was written") != 2 {
		t.Errorf("%s, logged %s", got, c.log.String())
	}
}

// A directory that takes nothing is told in the log and in a metric, tried again after an hour, and made up for once it is mended.
func TestReportCannotBeWritten(t *testing.T) {
	week := report.LastClosed(time.Now())
	server := reporting(t, week)
	cfg := server.current()
	blocker := cfg.Report.Directory
	cfg.Report.Directory = filepath.Join(blocker, "reports")
	server.config.Store(&cfg)
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	due := week.To().Add(6 * time.Hour)
	server.evaluator.started = due.Add(-time.Hour)
	c := reportsOf(t, server)
	c.look(due)
	if got := successOf(t, server); got != "failed" {
		t.Errorf("a directory that is a file: %s", got)
	}
	if err := os.Remove(blocker); err != nil {
		t.Fatal(err)
	}
	c.look(due.Add(reportAgain - time.Minute))
	if got := successOf(t, server); got != "failed" || len(namesIn(t, cfg.Report.Directory)) > 0 {
		t.Errorf("before an hour has passed: %s, %q", got, namesIn(t, cfg.Report.Directory))
	}
	c.look(due.Add(reportAgain))
	if got, names := successOf(t, server), namesIn(t, cfg.Report.Directory); got != "written" || len(names) != 2 {
		t.Errorf("after an hour: %s, %q", got, names)
	}
	c.stop()
	if text := c.log.String(); strings.Count(text, "level=WARN") != 2 || !strings.Contains(text, "the weekly report was not written") || !strings.Contains(text, blocker) {
		t.Errorf("logged %s", text) // at the start, and when it was due
	}
}

// A trial that failed at the start is tried again although nothing is due.
func TestReportDirectoryIsMended(t *testing.T) {
	week := report.LastClosed(time.Now())
	server := reporting(t, week)
	cfg := server.current()
	blocker := cfg.Report.Directory
	cfg.Report.Directory = filepath.Join(blocker, "reports")
	cfg.Report.Formats = nil // nothing is ever due
	server.config.Store(&cfg)
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	due := week.To().Add(6 * time.Hour)
	server.evaluator.started = due.Add(-time.Hour)
	c := reportsOf(t, server)
	c.look(due)
	if got := successOf(t, server); got != "failed" {
		t.Error(got)
	}
	if err := os.Remove(blocker); err != nil {
		t.Fatal(err)
	}
	c.look(due.Add(reportAgain))
	if got := successOf(t, server); got != "written" {
		t.Error(got)
	}
	c.stop()
}

// A week of which nothing is known is no failure, and no directory says nothing at all.
func TestNoReportIsNoFailure(t *testing.T) {
	week := report.LastClosed(time.Now())
	server := reporting(t, week)
	early := week.To().Add(5 * time.Hour) // the week before is still the due one, and history has nothing of it
	server.evaluator.started = early.Add(-time.Hour)
	c := reportsOf(t, server)
	c.look(early)
	if got := successOf(t, server); got != "written" || strings.Contains(c.log.String(), "WARN") || !strings.Contains(c.log.String(), "holds nothing of that week") {
		t.Errorf("%s, logged %s", got, c.log.String())
	}
	cfg := server.current()
	cfg.Report.Directory = ""
	server.config.Store(&cfg)
	c.look(early) // the second look of it sees the reload
	c.stop()
	if got := successOf(t, server); got != "absent" {
		t.Errorf("without a directory: %s", got)
	}
}

// The metric is on /metrics of a server that is to write reports, and of no other.
func TestReportMetric(t *testing.T) {
	cfg := testConfig(t)
	cfg.Report.Directory = t.TempDir()
	with, without := start(t, Options{Config: cfg}), start(t, Options{Config: testConfig(t)})
	with.awaitPage(t, "/metrics", "\nnasight_report_success 1\n", patience)
	if code, body := without.get(t, "/metrics"); code != http.StatusOK || strings.Contains(body, "nasight_report_success") {
		t.Errorf("%d, %t", code, strings.Contains(body, "nasight_report_success"))
	}
}
