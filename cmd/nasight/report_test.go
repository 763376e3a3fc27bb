package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/report"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/serve"
)

// reportHistory is a history with a week of one volume and a day of its inventory, long ago.
func reportHistory(t *testing.T, simulated bool) (path string, week report.Week) {
	t.Helper()
	week = report.Week{Year: 2020, Number: 10}
	path = filepath.Join(t.TempDir(), "data")
	if simulated {
		if err := serve.Claim(path, true); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: path, Retention: 50 * 365 * 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	pool := []string{"gcp", "gcnv", "example", "europe-west3", "pool-1"}
	volume := append(pool[:5:5], "home")
	var samples []schema.Sample
	add := func(at time.Time, family *schema.Family, value float64, labels []string) {
		samples = append(samples, schema.Sample{Family: family, Labels: labels, Value: value, Time: at})
	}
	for at := week.From().Add(5 * time.Minute); !at.After(week.To()); at = at.Add(5 * time.Minute) {
		add(at, schema.VolumeTotalThroughput, 20<<20, volume)
		add(at, schema.VolumeThroughputLimit, 100<<20, volume)
	}
	for at := week.To().Add(-24 * time.Hour); !at.After(week.To()); at = at.Add(time.Hour) {
		add(at, schema.PoolInfo, 1, append(pool[:5:5], "premium", "auto", "file", "default", "", "false", "false", "ready", ""))
		add(at, schema.VolumeInfo, 1, append(volume[:6:6], "premium", "auto", "nfsv3", "ready", "false", "false", "", "volume"))
	}
	if err := kept.Backfill(t.Context(), samples); err != nil {
		t.Fatal(err)
	}
	if err := kept.Close(); err != nil {
		t.Fatal(err)
	}
	return path, week
}

func TestReportWeekly(t *testing.T) {
	path, week := reportHistory(t, true)
	out := filepath.Join(t.TempDir(), "new", "reports")
	got := nasight(t, "report", "weekly", "--history.path="+path, "--week="+week.String(), "--format=html,md,json", "--out="+out)
	if got.code != exitOK || got.err != "" {
		t.Fatalf("code %d, %s", got.code, got.err)
	}
	names := strings.Fields(got.out)
	if len(names) != 3 {
		t.Fatalf("printed %q", got.out)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "SIMULATED DATA") {
			t.Errorf("%s does not say that its data are simulated", name)
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "nasight-weekly-2020-W10.json"))
	if err != nil {
		t.Fatal(err)
	}
	var weekly report.Weekly
	if err := json.Unmarshal(text, &weekly); err != nil {
		t.Fatal(err)
	}
	if weekly.Week != week || len(weekly.Efficiency) != 5 || weekly.Efficiency[0].P99 != 20<<20 || weekly.Efficiency[0].Idle != 80<<20 {
		t.Errorf("%s: %+v", weekly.Week, weekly.Efficiency)
	}
}

func TestReportWeeklyToStandardOutput(t *testing.T) {
	path, week := reportHistory(t, false)
	got := nasight(t, "report", "weekly", "--history.path="+path, "--week="+week.String(), "--pool=pool-1", "--compare=2020-W09", "--format=md", "--out=-")
	if got.code != exitOK || !strings.HasPrefix(got.out, "# Storage efficiency, week 2020-W10\n") || strings.Contains(got.out, "SIMULATED") {
		t.Errorf("code %d, %s%.300s", got.code, got.err, got.out)
	}
}

// Every mistake is one line that says what is wrong, with the exit code of wrong usage.
func TestReportWeeklyMistakes(t *testing.T) {
	path, _ := reportHistory(t, false)
	future := report.WeekOf(time.Now().AddDate(1, 0, 0)).String()
	for want, flags := range map[string][]string{
		"has not ended yet; the last closed week is":             {"--week=" + future},
		"the year 2025 has no week 53":                           {"--week=2025-W53"},
		"the year 2026 has no week 0, its weeks are W01 to W53":  {"--week=2026-W00"},
		"the year 2026 has no week 54, its weeks are W01 to W53": {"--week=2026-W54"},
		"--week=0000-W01: the year is none from 1970 to 9998":    {"--week=0000-W01"},
		"--compare=9999-W52: the year is none":                   {"--week=2020-W10", "--compare=9999-W52"},
		"--week=last: is no week":                                {"--week=last"},
		"--compare=2020-W99":                                     {"--week=2020-W10", "--compare=2020-W99"},
		"is the week of the report itself":                       {"--week=2020-W10", "--compare=2020-W10"},
		"--format=: names no format":                             {"--week=2020-W10", "--format="},
		"--format=pdf: is not known":                             {"--week=2020-W10", "--format=html,pdf"},
		"one format fits":                                        {"--week=2020-W10", "--format=html,md", "--out=-"},
		"holds nothing of that week":                             {"--week=2019-W10", "--history.path=" + path},
		"--pool=nowhere: nothing in history":                     {"--week=2020-W10", "--history.path=" + path, "--pool=nowhere"},
		"--project=nowhere: nothing in history":                  {"--week=2020-W10", "--history.path=" + path, "--project=nowhere"},
		"name one of them":                                       {"--week=2020-W10", "--history.path=" + path, "--server=http://192.0.2.1"},
		"holds no history":                                       {"--week=2020-W10", "--history.path=" + t.TempDir()},
	} {
		got := nasight(t, append([]string{"report", "weekly"}, flags...)...)
		if got.code != exitUsage || strings.Count(got.err, "\n") != 1 || !strings.Contains(got.err, want) || got.out != "" {
			t.Errorf("%v: code %d, %q, want %q", flags, got.code, got.err, want)
		}
	}
	if got := nasight(t, "report", "weekly", "--week=2020-W10", "--server=http://127.0.0.1:1"); got.code != exitUncollect || strings.Count(got.err, "\n") != 1 {
		t.Errorf("without a server: code %d, %s", got.code, got.err)
	}
	nowhere := filepath.Join(path, "wal", "00000000") // a file
	if got := nasight(t, "report", "weekly", "--week=2020-W10", "--history.path="+path, "--out="+nowhere); got.code != exitUncollect ||
		!strings.Contains(got.err, "--out="+nowhere) || !strings.HasSuffix(got.err, "name a directory that this user can write to\n") {
		t.Errorf("to nowhere: code %d, %s", got.code, got.err)
	}
}

// Beside a serve that runs its files cannot be read: each command says how it asks that serve.
func TestHistoryInUseNamesTheServer(t *testing.T) {
	path, _ := reportHistory(t, false)
	kept, err := history.OpenEmbedded(t.Context(), history.EmbeddedOptions{Path: path, Retention: 50 * 365 * 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	}()
	for want, command := range map[string][]string{
		"nasight report weekly --server=http://localhost:9877": {"report", "weekly", "--week=2020-W10", "--history.path=" + path},
		"nasight plan --server=http://localhost:9877":          {"plan", "--history.path=" + path},
		"nasight detect --history.url=http://localhost:9877":   {"detect", "--data=" + path, "--from=2020-03-02T00:00:00Z", "--to=2020-03-03T00:00:00Z"},
	} {
		got := nasight(t, command...)
		if got.code != exitUncollect || strings.Count(got.err, "\n") != 1 || !strings.Contains(got.err, "another process holds") || !strings.HasSuffix(got.err, want+"\n") {
			t.Errorf("%v: code %d, %s", command, got.code, got.err)
		}
	}
}

// What answers and is no nasight serve is named, with what to do, and without the query that it was asked.
func TestServersThatAreNone(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
	defer page.Close()
	missing := httptest.NewServer(http.NotFoundHandler())
	defer missing.Close()
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer closed.Close()
	for address, want := range map[string]string{
		page.URL: "neither nasight serve nor a Prometheus: its answer is no JSON", missing.URL: "neither nasight serve nor a Prometheus (client error: 404)",
		closed.URL: "it refuses to answer without a user and a password", "http://127.0.0.1:1": "refused",
	} {
		for command, server := range map[string]string{"report weekly --week=2020-W10": "--server=", "plan": "--server=", "detect --from=1h": "--history.url="} {
			got := nasight(t, append(strings.Fields(command), server+address)...)
			if got.code != exitUncollect || strings.Count(got.err, "\n") != 1 || !strings.Contains(got.err, "ask "+address+": ") || !strings.Contains(got.err, want) ||
				!strings.Contains(got.err, "name a nasight serve that runs") || strings.Contains(got.err, "nasight_") || len(got.err) > 400 {
				t.Errorf("%s of %s: code %d, %s", command, address, got.code, got.err)
			}
		}
	}
}

// Where one of the files cannot be written none is, and a directory in the place of one is called that.
func TestReportBesideADirectory(t *testing.T) {
	path, week := reportHistory(t, false)
	out := t.TempDir()
	taken := filepath.Join(out, "nasight-weekly-2020-W10.md")
	if err := os.Mkdir(taken, 0o750); err != nil {
		t.Fatal(err)
	}
	got := nasight(t, "report", "weekly", "--history.path="+path, "--week="+week.String(), "--format=html,md", "--out="+out)
	want := "nasight: --out=" + out + ": " + taken + " is a directory and no file: nothing was written; move it away, or write to another directory\n"
	if got.code != exitUncollect || got.err != want || got.out != "" {
		t.Errorf("code %d, %s%s", got.code, got.out, got.err)
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) != 1 {
		t.Errorf("%v is there, %v", entries, err)
	}
}
