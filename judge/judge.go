// Package judge takes one look at history, judges it, and takes the findings one step through their lives. It holds what
// serve does every minute and every day, so that a back-test and an evaluation on a labelled corpus judge the same way.
package judge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// Terms are how the fleet is looked at and judged.
type Terms struct {
	Profile  fleet.Profile
	Settings detectors.Settings
	// Cloud says that inventories of a cloud are read: a pool that is missing may then be one that could not be read.
	Cloud     bool
	Anomalies AnomalyTerms
}

// Own is the name under which serve tells of its own judging as a collector does of its runs.
const Own = "findings"

// The pace of looks over days.
const (
	Daily       = 24 * time.Hour
	DailyRounds = 8 // days that a life cycle is folded over at first: the rule that takes longest needs seven
)

// View looks at the fleet at one moment. An error says that history could not answer.
func (t Terms) View(ctx context.Context, reader history.Reader, at time.Time) (*fleet.Fleet, error) {
	view, err := fleet.Build(ctx, reader, at, t.Profile)
	if err != nil {
		return nil, fmt.Errorf("evaluate at %s: %w", at.UTC().Format(time.RFC3339), err)
	}
	return view, nil
}

// Minute judges a view by the rules of every minute and takes the life cycle one step. Where hosts may be unwatched, a host
// that the view lacks was not read; else it is gone, and its findings end. It returns false where the life cycle ignored the
// step, since it is not later than the last.
func (t Terms) Minute(ctx context.Context, reader history.Reader, view *fleet.Fleet, cycle *detectors.Lifecycle, unwatched bool) (bool, error) {
	findings := cycle.Active()
	absent, err := t.AbsentClouds(ctx, reader, view, findings)
	if err != nil {
		return false, err
	}
	if unwatched {
		absent = append(absent, absentHosts(view, findings)...)
	}
	round := detectors.Judge(view, t.Settings)
	round.Unjudged = append(round.Unjudged, absent...)
	if view.BaselinesAt.IsZero() {
		round.Unknown = append(round.Unknown, anomaliesOf(findings)...)
	}
	return cycle.Step(round), nil
}

// anomaliesOf are the ids of anomalies: while nobody knows of any, they are neither over nor going on.
func anomaliesOf(findings []detectors.Finding) []string {
	var ids []string
	for _, finding := range findings {
		if finding.Detector == detectors.Anomaly {
			ids = append(ids, finding.ID)
		}
	}
	return ids
}

// Days judges the cloud's side by looks over days, and takes the life cycle through so many of them up to now. The inventory
// has no past: the present one stands for every day. The returned view is that of now; it is nil where no pool is known yet, and
// then nothing was judged. The returned look serves every view until the next one.
func (t Terms) Days(ctx context.Context, reader history.Reader, now time.Time, cycle *detectors.Lifecycle, rounds int) (*fleet.Fleet, *fleet.Days, error) {
	t.Profile.Inventory, t.Profile.Peaks = now, &fleet.Peaks{}
	latest, err := fleet.LearnDays(ctx, reader, now, t.Profile)
	if err != nil || latest.Pools() == 0 {
		return nil, latest, err
	}
	for back := rounds - 1; back > 0; back-- {
		at := now.Add(-time.Duration(back) * Daily)
		if t.Profile.Days, err = fleet.LearnDays(ctx, reader, at, t.Profile); err != nil {
			return nil, nil, err
		}
		if t.Profile.Days.Pools() == 0 {
			continue
		}
		if _, err := t.day(ctx, reader, at, cycle); err != nil {
			return nil, nil, err
		}
	}
	t.Profile.Days = latest
	view, err := t.day(ctx, reader, now, cycle)
	return view, latest, err
}

// day judges one day as it ended, by the profile's look over days, and takes the life cycle one step.
func (t Terms) day(ctx context.Context, reader history.Reader, at time.Time, cycle *detectors.Lifecycle) (*fleet.Fleet, error) {
	view, err := fleet.Build(ctx, reader, at, t.Profile)
	if err != nil {
		return nil, fmt.Errorf("judge the day to %s: %w", at.UTC().Format(time.RFC3339), err)
	}
	round := detectors.Judge(view, t.Settings, detectors.Daily)
	if at.Before(t.Profile.Inventory) {
		if err := t.judgeInventory(ctx, reader, &round); err != nil {
			return nil, err
		}
	}
	unread, err := t.AbsentClouds(ctx, reader, view, cycle.Active())
	if err != nil {
		return nil, err
	}
	round.Unjudged = append(round.Unjudged, unread...)
	cycle.Step(round)
	return view, nil
}

// judgeInventory judges anew what rests on the inventory alone, by that of the day itself: the present one stands for its
// pools and volumes, not for what no volume had then. A day from before the first inventory tells nothing of that.
func (t Terms) judgeInventory(ctx context.Context, reader history.Reader, round *detectors.Round) error {
	profile := t.Profile
	profile.Inventory, profile.CloudOnly = time.Time{}, true
	view, err := fleet.Build(ctx, reader, round.At, profile)
	if err != nil {
		return fmt.Errorf("judge the inventory of %s: %w", round.At.UTC().Format(time.RFC3339), err)
	}
	listed := map[fleet.Resource]bool{}
	for _, pool := range view.Pools {
		listed[pool.Identity] = true
	}
	unallocated := func(f detectors.Finding) bool { return f.Variant == detectors.VariantUnallocated }
	for _, finding := range round.Found {
		if unallocated(finding) && !listed[finding.Resource] {
			round.Unknown = append(round.Unknown, finding.ID)
		}
	}
	round.Found = slices.DeleteFunc(round.Found, unallocated)
	for _, finding := range detectors.Judge(view, t.Settings, detectors.Daily).Found {
		if unallocated(finding) {
			round.Found = append(round.Found, finding)
		}
	}
	return nil
}

// RollUps are the figures of busy endpoints at one look: the busiest session's rate, requests under way, round-trip times.
func RollUps(view *fleet.Fleet, settings detectors.Settings) []schema.Sample {
	return view.RollUps(func(endpoint *fleet.Endpoint) bool { return !detectors.EndpointIdle(endpoint, settings) })
}

// Record is what a look writes back to history: for later looks roll-ups of busy endpoints and the findings that fire, for
// dashboards the figures.
func (t Terms) Record(view *fleet.Fleet, findings []detectors.Finding) []schema.Sample {
	samples := append(RollUps(view, t.Settings), Samples(view, findings, t.Settings)...)
	samples = append(samples, ladders(view, t.Settings)...)
	if due(view.At) {
		samples = append(samples, slowFigures(view, findings, t.Settings)...)
	}
	return samples
}
