package baseline

import (
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // on systems without a database of zones
)

func TestWindowCovers(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	early := Window{Name: "backup", From: 2 * time.Hour, To: 3 * time.Hour}
	late := Window{Name: "batch", From: 23 * time.Hour, To: time.Hour, Days: []time.Weekday{time.Friday}}
	local := Window{Name: "backup", From: 2 * time.Hour, To: 3 * time.Hour, Zone: berlin}
	rows := []struct {
		window Window
		at     string
		want   bool
	}{
		{early, "2026-06-01T01:59:59Z", false},
		{early, "2026-06-01T02:00:00Z", true},
		{early, "2026-06-01T02:59:59Z", true},
		{early, "2026-06-01T03:00:00Z", false},
		{late, "2026-06-05T23:30:00Z", true},  // Friday
		{late, "2026-06-06T00:30:00Z", true},  // Saturday, begun on Friday
		{late, "2026-06-06T23:30:00Z", false}, // Saturday
		{late, "2026-06-05T00:30:00Z", false}, // Friday, begun on Thursday
		{local, "2026-06-01T00:30:00Z", true}, // summer
		{local, "2026-01-01T01:30:00Z", true}, // winter
		{local, "2026-01-01T00:30:00Z", false},
		{Window{Name: "always", To: 24 * time.Hour}, "2026-06-01T23:59:59Z", true},
	}
	for _, row := range rows {
		at, err := time.Parse(time.RFC3339, row.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := row.window.Covers(at); got != row.want {
			t.Errorf("%s at %s: %v", row.window.Name, row.at, got)
		}
	}
}

func TestExpected(t *testing.T) {
	calendar := Calendar{
		{Name: "backup", From: 2 * time.Hour, To: 3 * time.Hour},
		{Name: "databases", From: 2 * time.Hour, To: 4 * time.Hour, Volume: "db-*"},
		{Name: "noon", From: 12 * time.Hour, To: 13 * time.Hour},
	}
	at := monday.Add(150 * time.Minute)
	for name, want := range map[string][]string{"db-1": {"backup", "databases"}, "home": {"backup"}} {
		if got := calendar.Expected(volume("pool", name), at); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got := calendar.Expected(volume("db-pool", ""), at); !slices.Equal(got, []string{"backup", "databases"}) {
		t.Errorf("a pool: %v", got)
	}
}

func TestWindowCheck(t *testing.T) {
	good := Window{Name: "backup", From: 22 * time.Hour, To: 2 * time.Hour, Volume: "db-*"}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	rows := []struct {
		change func(*Window)
		says   string
	}{
		{func(w *Window) { w.Name = "" }, "no name"},
		{func(w *Window) { w.From = 25 * time.Hour }, "25h0m0s is no time of a day"},
		{func(w *Window) { w.To = -time.Hour }, "-1h0m0s is no time of a day"},
		{func(w *Window) { w.Volume = "db-[" }, "is no pattern"},
		{func(w *Window) { w.Days = []time.Weekday{7} }, "7 is no day of the week"},
	}
	for _, row := range rows {
		window := good
		row.change(&window)
		if err := window.Check(); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%v, want %q", err, row.says)
		}
	}
}
