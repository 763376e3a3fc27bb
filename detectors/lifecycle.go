package detectors

import (
	"slices"
	"time"

	"github.com/nasight/nasight/fleet"
)

// Round is what one evaluation says to the life cycle.
type Round struct {
	At    time.Time
	Found []Finding // true now

	// Due are the clocks whose rules were judged; nil is Minute alone. What other rules found stays as it is.
	Due []Clock
	// Unjudged are resources without enough data. What is about them or beneath them is neither true nor false. A pool or
	// volume says nothing about what hosts see of it.
	Unjudged []fleet.Resource
	// Unknown are the ids of single conditions of which a number is missing: neither true nor false.
	Unknown []string
	// Held are the ids of conditions that are between their resolve and their fire threshold. A firing finding stays.
	Held []string
	// Baselines is how many series have one: what the notifications of anomalies are rationed by.
	Baselines int
}

// Judge evaluates a view for the life cycle, by the rules of the clocks that are due: without any, those of every minute.
func Judge(view *fleet.Fleet, settings Settings, due ...Clock) Round {
	if view == nil {
		return Round{}
	}
	if len(due) == 0 {
		due = []Clock{Minute}
	}
	p := newPass(view, settings)
	return Round{At: view.At, Due: due, Found: p.evaluate(due...), Unjudged: p.unjudged(due), Unknown: p.unknown(due), Held: p.held(), Baselines: view.Baselines}
}

func (r Round) due(clock Clock) bool {
	return slices.Contains(r.Due, clock) || len(r.Due) == 0 && clock == Minute
}

// unjudged looks up what could not be judged, by host and by volume: there may be thousands of both.
type unjudged map[[2]string][]fleet.Resource

func (r Round) unjudged() unjudged {
	index := unjudged{}
	for _, resource := range r.Unjudged {
		key := [2]string{resource.Host, ""}
		if resource.Host == "" {
			key[1] = resource.Volume
		}
		index[key] = append(index[key], resource)
	}
	return index
}

// has tells whether a finding is about what could not be judged, or about what lies beneath it.
func (u unjudged) has(finding Finding) bool {
	keys := [][2]string{{finding.Resource.Host, ""}}
	if finding.Resource.Host == "" && finding.Resource.Volume != "" {
		keys = append(keys, [2]string{"", finding.Resource.Volume})
	}
	for _, key := range keys {
		if slices.ContainsFunc(u[key], func(r fleet.Resource) bool { return covers(r, finding.Resource) }) {
			return true
		}
	}
	return false
}

func (p *pass) unjudged(due []Clock) []fleet.Resource {
	var thin []fleet.Resource
	for _, client := range p.view.Clients {
		if !p.settings.covered(client) {
			thin = append(thin, client.Resource())
		}
	}
	return append(thin, p.thinVolumes(due)...)
}

// Lifecycle takes every finding through pending, firing, keep and resolved. It is a pure fold over rounds: the same
// rounds always give the same states, so it can be replayed from history, or saved (as JSON) and restored in between.
//
// Rounds have to come in the order of time. One that is not later than the last, such as one delivered twice, is
// ignored. Where the time between two rounds is longer than the settings' gap, or the clock was set back by more than
// that, true evaluations from before do not count towards firing; what fires goes on firing, since nothing showed it
// gone. What could not be judged for staleAfter, though there were rounds, is no knowledge any more and counts as false.
// A Lifecycle is used by one goroutine at a time.
type Lifecycle struct {
	timing func(Name) Timing
	gap    time.Duration
	ration AnomalySettings
	at     time.Time
	tracks map[string]*track
	told   []notice

	unseen   blind               // what the last round did not look at
	recorded map[string]Recorded // what another life cycle left in history
}

// track is one finding's way through its life.
type track struct {
	Finding Finding `json:"finding"` // of the newest true evaluation, with the state and since of now
	Window  []mark  `json:"window"`  // the last n evaluations while pending
	Misses  int     `json:"misses"`  // false evaluations in a row while firing

	Judged time.Time `json:"judged"` // when it was last found true or false

	Told  bool `json:"told,omitempty"`  // counted as a notification
	Quiet bool `json:"quiet,omitempty"` // there were too many before it
}

// mark is one evaluation.
type mark struct {
	At   time.Time `json:"at"`
	True bool      `json:"true"`
	Cut  bool      `json:"cut,omitempty"` // nobody had looked before: it may have been so for longer
}

// NewLifecycle starts without findings. The settings give each detector's timing, and overrides of it.
func NewLifecycle(settings Settings) *Lifecycle {
	return &Lifecycle{timing: settings.timing, gap: settings.Gap, ration: settings.Anomaly, tracks: map[string]*track{}}
}

// Step takes one round. It returns false if the round was ignored because it is not later than the last.
func (l *Lifecycle) Step(round Round) bool {
	at := round.At.UTC().Round(0)
	first := l.at.IsZero()
	if !first {
		passed := at.Sub(l.at)
		if passed <= 0 && passed >= -l.gap {
			return false
		}
		if passed > l.gap || passed < 0 {
			l.interrupt(at)
		}
		first = passed > round.gap(l.gap) || passed < 0
	}
	l.at = at
	l.judge(round, first)
	l.tell(round.Baselines)
	return true
}

// interrupt forgets what was on its way to firing, and lets nothing have begun in the future.
func (l *Lifecycle) interrupt(now time.Time) {
	for id, t := range l.tracks {
		minute := clockOf(t.Finding.Name()) == Minute
		switch {
		case t.Finding.State == Pending && minute:
			delete(l.tracks, id)
		case t.Finding.State != Pending && t.Finding.Since.After(now):
			t.Finding.Since, t.Finding.SinceAtLeast = now, true
		}
		if minute {
			t.Judged = now // there were no rounds meanwhile: that makes nothing stale
		}
	}
}

// judge takes the tracks through a round; first says that nobody has looked before, or not for long.
func (l *Lifecycle) judge(round Round, first bool) {
	found := map[string]Finding{}
	for _, finding := range round.Found {
		found[finding.ID] = finding
	}
	now, held := round.blind(), setOf(round.Held)
	for id, t := range l.tracks {
		_, again := found[id]
		switch {
		case t.Finding.State == Resolved:
			delete(l.tracks, id)
		case again || !round.due(clockOf(t.Finding.Name())):
		case now.has(t.Finding) && !t.stale(l.at):
		default:
			l.miss(id, t, held[id])
		}
	}
	for id, finding := range found {
		l.hit(id, finding, first || l.unseen.has(finding))
	}
	l.forgetRecorded(found, now)
	l.unseen = now
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// staleAfter is how long a finding of every minute stays as it is while nothing can be read of its resource. Rules of every
// day look at a week, of which samples that are days old are a part.
const staleAfter = 24 * time.Hour

// stale tells whether so much time has passed since the finding was last judged that nothing is known of it any more.
func (t *track) stale(now time.Time) bool {
	return now.Sub(t.Judged) > staleAfter && clockOf(t.Finding.Name()) == Minute
}

// hit counts a true evaluation; cut says that before it nobody knew.
func (l *Lifecycle) hit(id string, finding Finding, cut bool) {
	timing := l.timing(finding.Name())
	t, known := l.tracks[id]
	if !known {
		t = &track{Finding: Finding{State: Pending}}
		l.tracks[id] = t
	}
	state, begun := t.Finding.State, beginningOf(t.Finding)
	t.Finding, t.Misses, t.Judged = finding, 0, l.at
	count := timing.Needed
	if state == Pending {
		t.forget(l.at)
		t.add(mark{l.at, true, cut}, timing.Of)
		count, begun = t.trues()
	}
	if state == Pending && !finding.Since.IsZero() && finding.Since.Before(begun.since) {
		begun = beginning{since: finding.Since} // the rule knows better
	}
	if count >= timing.Needed {
		if state == Pending {
			begun = l.recall(finding, begun)
		}
		state, t.Window = Firing, nil
	}
	t.Finding.State = state
	begun.of(&t.Finding)
	t.age(l.at, timing)
}

// miss counts a false evaluation; one that is held does not bring a firing finding nearer to its end. A stale one stays
// stale, so that it goes on to its end.
func (l *Lifecycle) miss(id string, t *track, held bool) {
	timing := l.timing(t.Finding.Name())
	if !t.stale(l.at) {
		t.Judged = l.at
	}
	if t.Finding.State == Pending {
		t.add(mark{At: l.at}, timing.Of)
		count, begun := t.trues()
		if begun.of(&t.Finding); count == 0 {
			delete(l.tracks, id)
		}
		return
	}
	t.Finding.State = Keep
	if t.Misses++; held {
		t.Misses = 0
	}
	if t.Misses >= timing.Keep {
		t.Finding.State = Resolved
	}
}

// forget drops what was seen so long ago, or so far in the future, that it does not add up with now. For rules of every
// minute interrupt has done so for all at once.
func (t *track) forget(now time.Time) {
	if n := len(t.Window); n > 0 && (now.Sub(t.Window[n-1].At) > dailyGap || now.Before(t.Window[n-1].At)) {
		t.Window = nil
	}
}

// add keeps the last n evaluations.
func (t *track) add(m mark, n int) {
	t.Window = append(t.Window, m)
	if surplus := len(t.Window) - n; surplus > 0 {
		t.Window = slices.Clone(t.Window[surplus:])
	}
}

// trues counts the true evaluations of the window and tells when the first of them was.
func (t *track) trues() (count int, first beginning) {
	for _, m := range t.Window {
		if m.True && count == 0 {
			first = beginning{m.At, m.Cut}
		}
		if m.True {
			count++
		}
	}
	return count, first
}

// age makes a finding critical that has lasted too long.
func (t *track) age(now time.Time, timing Timing) {
	if timing.CriticalAfter > 0 && t.Finding.State != Pending && now.Sub(t.Finding.Since) >= timing.CriticalAfter {
		t.Finding.Severity = Critical
	}
}

// Active lists the findings in every state, resolved ones for one round, the most severe first. What is pending or
// resolved blocks nothing.
func (l *Lifecycle) Active() []Finding {
	findings := make([]Finding, 0, len(l.tracks))
	for _, t := range l.tracks {
		finding := t.Finding
		if t.Quiet {
			finding.Quiet = QuietRationed
		}
		findings = append(findings, finding)
	}
	slices.SortFunc(findings, order)
	block(findings)
	return findings
}

// timing is the rule's own, with the settings' overrides.
func (s Settings) timing(name Name) Timing {
	timing := Timing{Needed: 1, Of: 1, Keep: 1}
	if rule, known := ruleOf(name); known {
		timing = rule.Timing
	}
	if s.For > 0 {
		timing.Needed, timing.Of = s.For, s.For
	}
	if s.Keep > 0 {
		timing.Keep = s.Keep
	}
	return timing
}
