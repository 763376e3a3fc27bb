package report

import (
	"slices"
	"testing"
	"time"
)

func TestDue(t *testing.T) {
	monday := Week{2026, 48}.To()
	for _, row := range []struct {
		now, after time.Duration
		want       string
	}{
		{0, 0, "2026-W48"}, {-time.Second, 0, "2026-W47"}, {6*time.Hour - time.Second, 6 * time.Hour, "2026-W47"}, {6 * time.Hour, 6 * time.Hour, "2026-W48"},
		{5 * day, 6*day + 23*time.Hour, "2026-W47"}, {7*day - time.Minute, 6*day + 23*time.Hour, "2026-W48"},
	} {
		if got := Due(monday.Add(row.now), row.after).String(); got != row.want {
			t.Errorf("%s after Monday, due after %s: %s, want %s", row.now, row.after, got, row.want)
		}
	}
}

func TestFilesOfReports(t *testing.T) {
	files := []string{
		"nasight-weekly-2026-W09.html", "notes.txt", "nasight-weekly-2026-W48.html", "nasight-weekly-2026-W48.json", "nasight-weekly-2025-W52.html", "nasight-weekly-2026-W47.html.7.new",
	}
	want := []string{"nasight-weekly-2026-W48.html", "nasight-weekly-2026-W48.json", "nasight-weekly-2026-W09.html", "nasight-weekly-2025-W52.html"}
	if got := Listed(files); !slices.Equal(got, want) {
		t.Errorf("listed: %q", got)
	}
	if got := Outdated(files, 2); !slices.Equal(got, want[3:]) {
		t.Errorf("outdated: %q", got)
	}
	if got := Outdated(files, 3); len(got) != 0 {
		t.Errorf("outdated: %q", got)
	}
	newest := Week{2026, 48}
	if Lacking(files, newest, []string{"html", "json"}) || !Lacking(files, newest, []string{"html", "md"}) || !Lacking(files, newest.Back(1), []string{"html"}) {
		t.Error("what is lacking is not found")
	}
}
