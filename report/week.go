package report

import (
	"errors"
	"fmt"
	"time"
)

// Week is an ISO week in UTC, from Monday 00:00 to the Monday after it.
type Week struct {
	Year, Number int
}

const (
	day      = 24 * time.Hour
	weekLong = 7 * day

	firstYear, lastYear = 1970, 9998 // of weeks, so that their ends are written with four digits as well
)

// ParseWeek reads a week as it is written: 2026-W48. The year is that of ISO 8601, to which the week's Thursday belongs.
func ParseWeek(text string) (Week, error) {
	var w Week
	const form = "write a week such as 2026-W48"
	if len(text) != len("2026-W48") {
		return Week{}, errors.New("is no week: " + form)
	}
	if _, err := fmt.Sscanf(text, "%4d-W%2d", &w.Year, &w.Number); err != nil || w.String() != text {
		return Week{}, errors.New("is no week: " + form)
	}
	switch lastWeek := WeekOf(time.Date(w.Year, time.December, 28, 0, 0, 0, 0, time.UTC)); { // that day lies in the last one
	case w.Year < firstYear || w.Year > lastYear:
		return Week{}, fmt.Errorf("the year is none from %d to %d: %s", firstYear, lastYear, form)
	case w.Number < 1 || w.Number > lastWeek.Number:
		return Week{}, fmt.Errorf("the year %d has no week %d, its weeks are W01 to W%d: %s", w.Year, w.Number, lastWeek.Number, form)
	}
	return w, nil
}

// WeekOf is the week that a moment lies in.
func WeekOf(at time.Time) Week {
	year, number := at.UTC().ISOWeek()
	return Week{year, number}
}

// LastClosed is the newest week that has ended at a moment.
func LastClosed(now time.Time) Week { return WeekOf(now.Add(-weekLong)) }

// String is the week as ISO 8601 writes it.
func (w Week) String() string { return fmt.Sprintf("%04d-W%02d", w.Year, w.Number) }

// From is the Monday on which the week begins, at 00:00 UTC.
func (w Week) From() time.Time {
	fourth := time.Date(w.Year, time.January, 4, 0, 0, 0, 0, time.UTC) // lies in week 1
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	return monday.AddDate(0, 0, 7*(w.Number-1))
}

// To is when the week ends: the Monday after it, at 00:00 UTC.
func (w Week) To() time.Time { return w.From().Add(weekLong) }

// Back is the week so many before.
func (w Week) Back(weeks int) Week { return WeekOf(w.From().Add(-time.Duration(weeks) * weekLong)) }

// MarshalText writes the week as ISO 8601 does.
func (w Week) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (w *Week) UnmarshalText(text []byte) (err error) {
	*w, err = ParseWeek(string(text))
	return err
}
