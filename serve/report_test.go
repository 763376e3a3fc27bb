package serve

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/report"
	"github.com/nasight/nasight/schema"
)

// reporting is a server, not running, whose history holds a day of one volume at the end of a week.
func reporting(t *testing.T, week report.Week) *Server {
	t.Helper()
	cfg := testConfig(t)
	cfg.Report.Directory = filepath.Join(t.TempDir(), "reports")
	server, err := New(t.Context(), Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.release(); err != nil {
			t.Error(err)
		}
	})
	var samples []schema.Sample
	for at := week.To().Add(-24 * time.Hour); !at.After(week.To()); at = at.Add(5 * time.Minute) {
		samples = append(samples, schema.Sample{
			Family: schema.VolumeTotalThroughput, Labels: []string{"gcp", "gcnv", "example", "europe-west3", "pool-1", "home"}, Value: 10 * mib, Time: at,
		})
	}
	filler, ok := server.history.(outgoing).database.(collectors.Backfiller)
	if !ok {
		t.Fatal("the history takes no past")
	}
	if err := filler.Backfill(t.Context(), samples); err != nil {
		t.Fatal(err)
	}
	return server
}

func namesIn(t *testing.T, directory string) []string {
	t.Helper()
	names, err := reportFiles(directory)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestReportIsWrittenOnce: when it is due, a report is written, once, also days later where it was missed; none before.
func TestReportIsWrittenOnce(t *testing.T) {
	week := report.LastClosed(time.Now())
	server := reporting(t, week)
	directory := server.current().Report.Directory
	if err := server.reportOnce(t.Context(), week.To().Add(5*time.Hour)); !errors.Is(err, report.ErrNoData) {
		t.Errorf("of the week before, which is still the due one at 05:00: error %v", err)
	}
	late := week.To().Add(6 * time.Hour)
	if err := server.reportOnce(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	want := []string{"nasight-weekly-" + week.String() + ".html", "nasight-weekly-" + week.String() + ".json"}
	if got := namesIn(t, directory); !slices.Equal(got, want) {
		t.Fatalf("files %q, want %q", got, want)
	}
	before, err := os.Stat(filepath.Join(directory, want[0]))
	if err != nil {
		t.Fatal(err)
	}
	if err := server.reportOnce(t.Context(), late.Add(3*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(filepath.Join(directory, want[0])); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the report was written again: %v", err)
	}
	if err := os.Remove(filepath.Join(directory, want[1])); err != nil {
		t.Fatal(err)
	}
	if err := server.reportOnce(t.Context(), late.Add(3*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := namesIn(t, directory); !slices.Equal(got, want) {
		t.Errorf("a missed one was not made up: %q", got)
	}
}

func TestOldReportsGo(t *testing.T) {
	week := report.LastClosed(time.Now())
	server := reporting(t, week)
	cfg := server.current()
	cfg.Report.Keep, cfg.Report.Formats = 2, []string{"md"}
	server.config.Store(&cfg)
	if err := os.MkdirAll(cfg.Report.Directory, 0o750); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nasight-weekly-2020-W01.html", "nasight-weekly-2020-W02.html", "mine.txt"} {
		if err := os.WriteFile(filepath.Join(cfg.Report.Directory, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.reportOnce(t.Context(), week.To().Add(7*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got, want := namesIn(t, cfg.Report.Directory), []string{"mine.txt", "nasight-weekly-2020-W02.html", "nasight-weekly-" + week.String() + ".md"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

func TestNoDirectoryNoReport(t *testing.T) {
	week := report.LastClosed(time.Now())
	server := reporting(t, week)
	cfg := server.current()
	cfg.Report.Directory = ""
	server.config.Store(&cfg)
	if err := server.reportOnce(t.Context(), week.To().Add(7*time.Hour)); err != nil {
		t.Error(err)
	}
}

func TestReportFails(t *testing.T) {
	week := report.LastClosed(time.Now())
	server := reporting(t, week)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := server.reportOnce(ended, week.To().Add(7*time.Hour)); err == nil {
		t.Error("a report was written after the end")
	}
	cfg := server.current()
	cfg.Report.Directory = filepath.Join(cfg.Report.Directory, "file")
	if err := errors.Join(os.MkdirAll(filepath.Dir(cfg.Report.Directory), 0o750), os.WriteFile(cfg.Report.Directory, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	server.config.Store(&cfg)
	if err := server.reportOnce(t.Context(), week.To().Add(7*time.Hour)); err == nil || !strings.Contains(err.Error(), "report.directory") {
		t.Errorf("error %v", err)
	}
}

func TestReportsOverHTTP(t *testing.T) {
	cfg := testConfig(t)
	cfg.Report.Directory = t.TempDir()
	server := start(t, Options{Config: cfg, Simulated: "SIMULATED"})
	if code, body := server.get(t, "/reports/"); code != http.StatusOK || !strings.Contains(body, "None has been written yet") || !strings.Contains(body, "SIMULATED") {
		t.Errorf("%d %s", code, body)
	}
	name := "nasight-weekly-2026-W48.html"
	for file, text := range map[string]string{name: "<p>the report</p>", "secret.html": "no", "nasight-weekly-2026-W47.md": "# older"} {
		if err := os.WriteFile(filepath.Join(cfg.Report.Directory, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(cfg.Report.Directory, "nasight-weekly-2026-W46.html"), 0o750); err != nil {
		t.Fatal(err)
	}
	_, body := server.get(t, "/reports/")
	if !strings.Contains(body, `href="/reports/`+name) || strings.Contains(body, "secret") || strings.Contains(body, "W46") || strings.Index(body, "W48") > strings.Index(body, "W47") {
		t.Errorf("the list: %s", body)
	}
	if code, body := server.get(t, "/reports/"+name); code != http.StatusOK || body != "<p>the report</p>" {
		t.Errorf("%d %q", code, body)
	}
	for _, other := range []string{"secret.html", "..%2fdata", "nasight-weekly-2026-W01.html", "nasight-weekly-2026-W46.html", "nasight-weekly-2026-W48.html%00"} {
		if code, _ := server.get(t, "/reports/"+other); code != http.StatusNotFound {
			t.Errorf("%s: %d", other, code)
		}
	}
}

func TestReportsAreOff(t *testing.T) {
	server := start(t, Options{Config: testConfig(t)})
	if code, body := server.get(t, "/reports/"); code != http.StatusOK || !strings.Contains(body, "set report.directory") {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := server.get(t, "/reports/nasight-weekly-2026-W48.html"); code != http.StatusNotFound {
		t.Errorf("%d", code)
	}
}

// No report is due before a look over days was taken, where there is a cloud.
func TestReportWaitsForDays(t *testing.T) {
	server := planner(nil, true)
	if server.looked() {
		t.Error("looked without an evaluation")
	}
	for _, row := range []struct {
		cloud bool
		days  time.Time
		want  bool
	}{{true, time.Time{}, false}, {true, noon, true}, {false, time.Time{}, true}} {
		server := planner(viewToPlan(row.days), row.cloud)
		server.evaluator.readsCloud.Store(row.cloud)
		if got := server.looked(); got != row.want {
			t.Errorf("cloud %v, days at %v: looked %v", row.cloud, row.days, got)
		}
	}
}

// What would fail on a Monday is told at the start, and nothing stays behind of the trial.
func TestReportsAreTriedAtTheStart(t *testing.T) {
	var log strings.Builder
	server := &Server{log: slog.New(slog.NewTextHandler(&log, nil))}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	server.tryReports(config.Report{Directory: filepath.Join(file, "reports")})
	if text := log.String(); strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, "report.directory: mkdir "+file) {
		t.Errorf("logged %q", text)
	}
	log.Reset()
	good := filepath.Join(t.TempDir(), "a", "b")
	server.tryReports(config.Report{Directory: good})
	server.tryReports(config.Report{})
	if entries, err := os.ReadDir(good); err != nil || len(entries) > 0 || log.Len() > 0 {
		t.Errorf("%v, %v, logged %q", entries, err, log.String())
	}
}
