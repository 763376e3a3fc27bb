package serve

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/judge"
)

const (
	dailyEvery    = judge.Daily
	dailyAgain    = 5 * time.Minute  // after a look that failed
	dailyEmpty    = 15 * time.Second // while no pool is known: the inventory may come after the past, and asking costs nothing
	dailyRounds   = judge.DailyRounds
	remoteVisible = 10 * time.Second
	dailyLate     = 36 * time.Hour // since the last look: beyond it days are missing, and the life cycle is folded anew
)

// daily looks back: over days once a day, and once more when history was filled with the past, which is then folded into the
// findings of the minute as well. A past that an earlier run filled in and did not fold is folded at the start. Folding waits
// for the days, from which it takes the usual latencies.
func (e *evaluator) daily(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	_, _, fold := e.debt.owed()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.filled:
			fold = true
			e.forgetDays()
			timer.Reset(e.visible())
			continue
		case <-timer.C:
		}
		now := time.Now().Truncate(time.Millisecond) // as history keeps since when something is so
		next := e.lookOverDays(ctx, now)
		if fold && next == dailyEvery {
			if err := e.foldOnce(ctx, now); err != nil {
				e.log.Warn("cannot judge the past that was filled in", "err", err)
				next = dailyAgain
			} else {
				fold = false
			}
		}
		timer.Reset(next)
	}
}

// visible is how long it takes until history shows what it was filled with. One in another server may take some seconds, as
// VictoriaMetrics does: a look before that would miss days, and the next one comes a day later.
func (e *evaluator) visible() time.Duration {
	if e.isRemote() {
		return remoteVisible
	}
	return 0
}

func (e *evaluator) isRemote() bool {
	warned, ok := e.history.(interface{ Warnings() (uint64, bool) })
	if !ok {
		return false
	}
	_, remote := warned.Warnings()
	return remote
}

// forgetDays lets the next look fold the last days anew: the past is another one.
func (e *evaluator) forgetDays() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dailyAt = time.Time{}
}

// foldOnce folds the past once the life cycle is that of the last run.
func (e *evaluator) foldOnce(ctx context.Context, now time.Time) error {
	select {
	case <-ctx.Done():
		return nil
	case <-e.caughtUp:
		return e.foldPast(ctx, now)
	}
}

// lookOverDays judges the cloud's side by looks over days and returns when to do it again. Its findings have a life cycle of
// their own. At the start it is folded over the last days, so that a condition that has held for days is firing at once, and since
// when it has been so is what history has recorded; then it takes one step a day. The looks read weeks of every volume, so they run beside the
// evaluations of the minute and not among them.
func (e *evaluator) lookOverDays(ctx context.Context, now time.Time) time.Duration {
	terms := e.dailyTerms()
	cycle, rounds := e.dailyStart(now, terms.Settings)
	if rounds > 1 {
		e.recall(ctx, cycle, now.Add(-time.Duration(rounds)*dailyEvery), now, recalledHourly)
	}
	view, latest, err := terms.Days(ctx, e.history, now, cycle, rounds)
	if err == nil && view == nil {
		return dailyEmpty
	}
	if err == nil {
		err = e.replaceDays(ctx, cycle, now, view, latest, terms)
	}
	switch {
	case ctx.Err() != nil:
		return dailyEvery
	case err != nil:
		e.log.Warn("cannot judge by the last days", "err", err)
		return dailyAgain
	}
	nudge(e.fresh) // shows them at once
	e.log.Info("judged the cloud's volumes by their last days", "pools", latest.Pools(), "took", time.Since(now).Round(time.Millisecond))
	return dailyEvery
}

// dailyStart is the life cycle that a look goes on with, and over how many days. The one of the day before serves where nothing
// has changed for it: neither what is asked, nor the past.
func (e *evaluator) dailyStart(now time.Time, settings detectors.Settings) (*detectors.Lifecycle, int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fresh := detectors.NewLifecycle(settings)
	since := now.Sub(e.dailyAt)
	if e.dailyCycle == nil || since < dailyEvery || since > dailyLate || !reflect.DeepEqual(settings, e.dailySettings) {
		return fresh, dailyRounds
	}
	state, err := json.Marshal(e.dailyCycle)
	if err == nil {
		err = json.Unmarshal(state, fresh)
	}
	if err != nil {
		e.log.Warn("the findings of the day before cannot be carried on; the last days are judged anew", "err", err)
		return detectors.NewLifecycle(settings), dailyRounds
	}
	return fresh, 1
}

// replaceDays puts a fold over days in the place of the last one. Of what could not be read it keeps what that one knew.
func (e *evaluator) replaceDays(ctx context.Context, cycle *detectors.Lifecycle, now time.Time, view *fleet.Fleet, days *fleet.Days, terms judge.Terms) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dailyCycle != nil {
		unread, err := terms.AbsentClouds(ctx, e.history, view, e.dailyCycle.Active())
		if err != nil {
			return err
		}
		cycle.Carry(e.dailyCycle, unread)
	}
	e.profile.Days, e.dailyCycle, e.dailyAt, e.dailySettings = days, cycle, now, terms.Settings
	return nil
}

// dailyTerms are the terms of looks back.
func (e *evaluator) dailyTerms() judge.Terms {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.terms()
}

// active are the findings of both clocks, the most severe first. Called with the lock held.
func (e *evaluator) active() []detectors.Finding { return judge.Merge(e.lifecycle, e.dailyCycle) }
