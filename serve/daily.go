package serve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

const (
	dailyEvery  = 24 * time.Hour
	dailyAgain  = 5 * time.Minute  // after a look that failed
	dailyEmpty  = 15 * time.Second // while no pool is known: the inventory may come after the past, and asking costs nothing
	dailyRounds = 8                // days that the life cycle is folded over: the rule that takes longest needs seven
)

// daily judges the cloud's side by looks over days: once a day, and once more when history was filled with the past. Its
// findings have a life cycle of their own, which is folded anew over the last days each time: a condition that has held
// for days is firing at once, and nothing has to be kept. The looks read weeks of every volume, so they run beside the
// evaluations of the minute and not among them.
func (e *evaluator) daily(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.filled:
		case <-timer.C:
		}
		timer.Reset(e.lookOverDays(ctx, time.Now()))
	}
}

// lookOverDays folds the last days and returns when to do it again.
func (e *evaluator) lookOverDays(ctx context.Context, now time.Time) time.Duration {
	profile, settings := e.dailyProfile(now)
	cycle := detectors.NewLifecycle(settings)
	var latest *fleet.Days
	for back := dailyRounds - 1; back >= 0; back-- {
		days, err := e.foldDay(ctx, cycle, now.Add(-time.Duration(back)*dailyEvery), profile, settings)
		switch {
		case ctx.Err() != nil:
			return dailyEvery
		case err != nil:
			e.log.Warn("cannot judge by the last days", "err", err)
			return dailyAgain
		case days.Pools() == 0:
			return dailyEmpty
		}
		latest = days
	}
	e.mu.Lock()
	e.profile.Days, e.dailyCycle = latest, cycle
	e.mu.Unlock()
	nudge(e.fresh) // shows them at once
	e.log.Info("judged the cloud's volumes by their last days", "pools", latest.Pools(), "took", time.Since(now).Round(time.Millisecond))
	return dailyEvery
}

// foldDay judges one day as it ended and takes the life cycle one step.
func (e *evaluator) foldDay(ctx context.Context, cycle *detectors.Lifecycle, at time.Time, profile fleet.Profile, settings detectors.Settings) (*fleet.Days, error) {
	days, err := fleet.LearnDays(ctx, e.history, at, profile)
	if err != nil || days.Pools() == 0 {
		return days, err
	}
	profile.Days = days
	view, err := fleet.Build(ctx, e.history, at, profile)
	if err != nil {
		return nil, fmt.Errorf("judge the day to %s: %w", at.UTC().Format(time.RFC3339), err)
	}
	cycle.Step(detectors.Judge(view, settings, detectors.Daily))
	return days, nil
}

// dailyProfile is the profile for looks back. The inventory has no past: the present one stands for every day.
func (e *evaluator) dailyProfile(now time.Time) (fleet.Profile, detectors.Settings) {
	e.mu.Lock()
	defer e.mu.Unlock()
	profile := e.profile
	profile.Inventory = now
	return profile, e.detection.Settings()
}

// active are the findings of both clocks, the most severe first. Called with the lock held.
func (e *evaluator) active() []detectors.Finding {
	findings := e.lifecycle.Active()
	if e.dailyCycle == nil {
		return findings
	}
	findings = append(findings, e.dailyCycle.Active()...)
	slices.SortStableFunc(findings, func(a, b detectors.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	return findings
}
