package baseline

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"time"
)

// Window is a time in which an operator expects something unusual: a backup, a batch run. Incidents in it are labelled, not
// left out: a backup that takes thrice its time is still worth a look.
type Window struct {
	Name     string
	Days     []time.Weekday // on which it begins; empty: every day
	From, To time.Duration  // since midnight; To at or before From is on the next day
	Zone     *time.Location // whose midnight; nil: UTC
	Volume   string         // a pattern as of path.Match for the volumes, shares and pools it is about; empty: all
}

// Check says what is wrong with a window, in a line.
func (w Window) Check() error {
	var problems []error
	if w.Name == "" {
		problems = append(problems, errors.New("it has no name"))
	}
	for _, edge := range []time.Duration{w.From, w.To} {
		if edge < 0 || edge > 24*time.Hour {
			problems = append(problems, fmt.Errorf("%s is no time of a day", edge))
		}
	}
	for _, weekday := range w.Days {
		if weekday < time.Sunday || weekday > time.Saturday {
			problems = append(problems, fmt.Errorf("%d is no day of the week", int(weekday)))
		}
	}
	if _, err := path.Match(w.Volume, ""); err != nil {
		problems = append(problems, fmt.Errorf("the volume %q is no pattern: %w", w.Volume, err))
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("expected window %q: %w", w.Name, errors.Join(problems...))
}

// Covers says whether a moment lies in the window. Its edges are times of the wall clock, also on the days on which it changes.
func (w Window) Covers(at time.Time) bool {
	zone := w.Zone
	if zone == nil {
		zone = time.UTC
	}
	local := at.In(zone)
	since := time.Duration(local.Hour())*time.Hour + time.Duration(local.Minute())*time.Minute + time.Duration(local.Second())*time.Second
	if w.From < w.To {
		return w.on(local.Weekday()) && since >= w.From && since < w.To
	}
	yesterday := (local.Weekday() + 6) % 7
	return w.on(local.Weekday()) && since >= w.From || w.on(yesterday) && since < w.To
}

func (w Window) on(weekday time.Weekday) bool {
	return len(w.Days) == 0 || slices.Contains(w.Days, weekday)
}

// about says whether the window is about a place.
func (w Window) about(place Place) bool {
	if w.Volume == "" {
		return true
	}
	for _, name := range []string{place.Volume, place.Pool} {
		if matched, err := path.Match(w.Volume, name); err == nil && matched && name != "" {
			return true
		}
	}
	return false
}

// Calendar is all expected windows.
type Calendar []Window

// Expected are the names of the windows that an incident of a place began in.
func (c Calendar) Expected(place Place, at time.Time) []string {
	var names []string
	for _, window := range c {
		if window.about(place) && window.Covers(at) {
			names = append(names, window.Name)
		}
	}
	return names
}
