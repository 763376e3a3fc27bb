package report

import (
	"testing"
	"time"
)

func TestParseWeek(t *testing.T) {
	for text, monday := range map[string]string{
		"2026-W48": "2026-11-23", "2026-W01": "2025-12-29", "2026-W53": "2026-12-28", "2025-W52": "2025-12-22", "2020-W53": "2020-12-28", "2021-W01": "2021-01-04",
	} {
		week, err := ParseWeek(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := week.From().Format(time.DateOnly); got != monday || week.String() != text || week.From().Weekday() != time.Monday {
			t.Errorf("%s begins %s and is written %s, want %s", text, got, week, monday)
		}
		if week.To().Sub(week.From()) != weekLong || WeekOf(week.To().Add(-time.Nanosecond)) != week || WeekOf(week.To()) == week {
			t.Errorf("%s ends %s", text, week.To())
		}
	}
	for _, text := range []string{"", "2026-48", "2026-W00", "2026-W54", "2025-W53", "2026-w48", "2026-W4", "2026-W048", "-026-W48", "2026-W-1", "2026-W48 ", "20x6-W48", "0001-W01", "0000-W01", "1969-W52", "9999-W01", "9999-W52", "9999-W53", "2026-W99"} {
		if week, err := ParseWeek(text); err == nil {
			t.Errorf("%q is week %s", text, week)
		}
	}
}

func TestLastClosed(t *testing.T) {
	for now, want := range map[string]string{
		"2026-11-29T23:59:59Z": "2026-W47", "2026-11-30T00:00:00Z": "2026-W48", "2026-12-06T23:00:00Z": "2026-W48", "2027-01-04T00:00:00Z": "2026-W53",
		"2026-11-30T00:30:00+01:00": "2026-W47", // in UTC the week still runs
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		if got := LastClosed(at).String(); got != want {
			t.Errorf("at %s the last closed week is %s, want %s", now, got, want)
		}
	}
	if got := (Week{2026, 1}).Back(2).String(); got != "2025-W51" {
		t.Errorf("two weeks before 2026-W01 is %s", got)
	}
}
