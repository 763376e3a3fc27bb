package detectors

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/fleet"
)

func minutesFrom(n int) time.Duration { return time.Duration(n) * time.Minute }

// foldMinutes steps through n rounds and lists the state of the first finding after each, empty where there is none.
func foldMinutes(lifecycle *Lifecycle, round func(minute int) Round, n int) []State {
	states := make([]State, n)
	for minute := range n {
		lifecycle.Step(round(minute))
		if active := lifecycle.Active(); len(active) > 0 {
			states[minute] = active[0].State
		}
	}
	return states
}

// sample is a finding of detector 1, with for = 5 of 6 and keep = 30 unless overridden.
func sample(value fleet.Value) Finding {
	resource := fleet.Resource{Host: "client.example.com", Server: "192.0.2.10", Protocol: "nfs"}
	name := Name{SessionSaturated, VariantFlow}
	return Finding{
		ID: id(name, resource), Detector: name.Detector, Variant: name.Variant, Severity: Info, Confidence: 0.75, Resource: resource,
		Evidence: []Evidence{{Name: "ratio", Value: value}, {Name: "volume utilisation", Value: fleet.Unknown}}, BlockedBy: []string{},
	}
}

// The letters of a story: one round each, a minute apart.
//
//	T true   F false   U not judged   H held   . no round at all
func story(letters string, start time.Time) []Round {
	var rounds []Round
	for minute, letter := range letters {
		round := Round{At: start.Add(minutesFrom(minute))}
		switch letter {
		case 'T':
			round.Found = []Finding{sample(fleet.Value(minute))}
		case 'U':
			round.Unjudged = []fleet.Resource{{Host: "client.example.com"}}
		case 'H':
			round.Held = []string{sample(0).ID}
		case '.':
			continue
		}
		rounds = append(rounds, round)
	}
	return rounds
}

func TestLifecycleTable(t *testing.T) {
	letters := map[State]string{"": "-", Pending: "p", Firing: "f", Keep: "k", Resolved: "r"}
	for _, row := range []struct {
		name      string
		m, n      int
		keep      int
		story     string
		want      string // one letter for each round
		wantSince int    // minute, of the finding left at the end
	}{
		{"fires at the m-th of n", 3, 3, 2, "TTT", "ppf", 0},
		{"fires with a gap within n", 5, 6, 2, "TTFTTT", "pppppf", 0},
		{"does not fire with two gaps", 5, 6, 2, "TTFTFTT", "ppppppp", 1},
		{"never true", 1, 1, 1, "FFF", "---", 0},
		{"pending goes away when the last true leaves the window", 3, 3, 2, "TFFF", "ppp-", 0},
		{"since is the first true of the window while pending", 3, 3, 2, "TFTFT", "ppppp", 2},
		{"keeps, then resolves for one round", 1, 1, 3, "TFFFF", "fkkr-", 0},
		{"keep 1 resolves at the first false", 1, 1, 1, "TFF", "fr-", 0},
		{"true again while kept goes on as the same", 1, 1, 3, "TFFTFFF", "fkkfkkr", 0},
		{"fires anew after resolving", 1, 1, 1, "TFTT", "frff", 2},
		{"a round after resolving asks for m of n anew", 2, 2, 1, "TTFTT", "pfrpf", 3},
		{"not judged keeps a firing finding", 1, 1, 2, "TUUUU", "fffff", 0},
		{"not judged does not count as false", 1, 1, 2, "TFUUF", "fkkkr", 0},
		{"not judged neither fires nor forgets a pending one", 2, 2, 2, "TUUT", "pppf", 0},
		{"held stays in keep", 1, 1, 2, "THHHFF", "fkkkkr", 0},
		{"held starts the count of false ones again", 1, 1, 2, "TFHFF", "fkkkr", 0},
		{"held is false for a pending one", 2, 2, 2, "THH", "pp-", 0},
		{"a short gap in time counts as nothing", 2, 2, 2, "T...T", "pf", 0},
		{"a long gap forgets a pending one", 2, 2, 2, "T......T", "pp", 7},
		{"a long gap keeps a firing one", 1, 1, 2, "T......FT", "fkf", 0},
		{"flapping fires once", 2, 3, 3, "TTFTFTFTFFF", "pfkfkfkfkkr", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			lifecycle := lifecycleWith(row.m, row.n, row.keep)
			got := ""
			for _, round := range story(row.story, noon) {
				lifecycle.Step(round)
				state := State("")
				for _, finding := range lifecycle.Active() {
					state = finding.State
				}
				got += letters[state]
			}
			if got != row.want {
				t.Fatalf("states %s, want %s", got, row.want)
			}
			for _, finding := range lifecycle.Active() {
				if want := noon.Add(minutesFrom(row.wantSince)); !finding.Since.Equal(want) {
					t.Errorf("since %s, want %s", finding.Since, want)
				}
			}
		})
	}
}

// lifecycleWith has one timing for all rules.
func lifecycleWith(m, n, keep int) *Lifecycle {
	lifecycle := NewLifecycle(DefaultSettings())
	lifecycle.timing = func(Name) Timing { return Timing{Needed: m, Of: n, Keep: keep} }
	return lifecycle
}

func TestLifecycleKeepsTheNewestTrueEvidence(t *testing.T) {
	lifecycle := lifecycleWith(1, 1, 5)
	for _, round := range story("TTTFF", noon) {
		lifecycle.Step(round)
	}
	if got := lifecycle.Active()[0].Evidence[0].Value; got != 2 {
		t.Errorf("evidence of minute %v, want that of minute 2, the newest true one", got)
	}
}

func TestLifecycleTime(t *testing.T) {
	lifecycle := lifecycleWith(1, 1, 1)
	first := story("T", noon)[0]
	if !lifecycle.Step(first) {
		t.Fatal("the first round was ignored")
	}
	if lifecycle.Step(first) {
		t.Error("a round delivered twice was taken")
	}
	if lifecycle.Step(Round{At: noon.Add(-time.Minute)}) {
		t.Error("a round a minute older than the last was taken")
	}
	if got := lifecycle.Active()[0].State; got != Firing {
		t.Errorf("state %s after ignored rounds, want firing", got)
	}
	if !lifecycle.Step(story("T", noon.Add(-24*time.Hour))[0]) {
		t.Error("the clock was set back by a day and the round ignored: the life cycle would stand still for a day")
	}
	if since := lifecycle.Active()[0].Since; since.After(noon.Add(-24 * time.Hour)) {
		t.Errorf("since %s lies in the future of a clock set back by a day", since)
	}
}

func TestTimingOverrides(t *testing.T) {
	settings := DefaultSettings()
	name := Name{SessionSaturated, VariantFlow}
	if got, want := settings.timing(name), (Timing{Needed: 5, Of: 6, Keep: 30}); got != want {
		t.Errorf("timing %+v, want the rule's %+v", got, want)
	}
	settings.For, settings.Keep = 1, 2
	if got, want := settings.timing(name), (Timing{Needed: 1, Of: 1, Keep: 2}); got != want {
		t.Errorf("timing %+v, want the settings' %+v", got, want)
	}
	if got := settings.timing(Name{ServerUnresponsive, VariantStalled}).CriticalAfter; got != time.Minute {
		t.Errorf("critical after %s, want a minute in spite of the overrides", got)
	}
}

func TestRestoreRefusesDamage(t *testing.T) {
	for name, data := range map[string]string{
		"not JSON":              "{",
		"another version":       `{"version":2}`,
		"an id that is wrong":   `{"version":1,"tracks":{"a":{"finding":{"id":"b","severity":"info","state":"firing"}}}}`,
		"a track that is null":  `{"version":1,"tracks":{"a":null}}`,
		"a state unheard of":    `{"version":1,"tracks":{"a":{"finding":{"id":"a","severity":"info","state":"maybe"}}}}`,
		"pending without true":  `{"version":1,"tracks":{"a":{"finding":{"id":"a","severity":"info","state":"pending"}}}}`,
		"a severity unheard of": `{"version":1,"tracks":{"a":{"finding":{"id":"a","severity":"awful","state":"firing"}}}}`,
	} {
		lifecycle := lifecycleWith(1, 1, 1)
		lifecycle.Step(story("T", noon)[0])
		if err := json.Unmarshal([]byte(data), lifecycle); err == nil {
			t.Errorf("%s: restored", name)
		}
		if len(lifecycle.Active()) != 1 {
			t.Errorf("%s: the life cycle lost its finding", name)
		}
	}
	empty := NewLifecycle(DefaultSettings())
	if err := json.Unmarshal([]byte(`{"version":1}`), empty); err != nil {
		t.Fatal(err)
	}
	if empty.Step(story("T", noon)[0]); len(empty.Active()) != 1 {
		t.Error("a life cycle restored without findings takes none")
	}
}

// letters draws a story.
func drawStory(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"T", "T", "T", "F", "F", "U", "H", "."}), 0, 40).Draw(t, label), "")
}

// Saving and restoring anywhere changes nothing of what comes after.
func TestRestoredLifecycleGoesOnAsBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		m, keep := rapid.IntRange(1, n).Draw(t, "m"), rapid.IntRange(1, 5).Draw(t, "keep")
		before, after := drawStory(t, "before"), drawStory(t, "after")
		rounds := story(before+after, noon)
		cut := len(story(before, noon))
		through, first, second := lifecycleWith(m, n, keep), lifecycleWith(m, n, keep), lifecycleWith(m, n, keep)
		for i, round := range rounds {
			through.Step(round)
			if i < cut {
				first.Step(round)
			}
		}
		data, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, second); err != nil {
			t.Fatal(err)
		}
		for _, round := range rounds[cut:] {
			second.Step(round)
		}
		if diff := cmp.Diff(asJSON(t, through), asJSON(t, second)); diff != "" {
			t.Fatalf("the restored life cycle went another way (-through +restored):\n%s", diff)
		}
	})
}

func asJSON(t *rapid.T, value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// What a life cycle must never do, whatever it is told.
func TestLifecycleLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		m, keep := rapid.IntRange(1, n).Draw(t, "m"), rapid.IntRange(1, 5).Draw(t, "keep")
		lifecycle := lifecycleWith(m, n, keep)
		previous, trues := State(""), 0
		for _, round := range story(drawStory(t, "story"), noon) {
			if len(round.Found) > 0 {
				trues++
			}
			lifecycle.Step(round)
			state := State("")
			for _, finding := range lifecycle.Active() {
				state = finding.State
				if finding.Since.After(round.At) {
					t.Fatalf("since %s lies after now, %s", finding.Since, round.At)
				}
			}
			if err := lawful(previous, state, round, trues, m); err != nil {
				t.Fatal(err)
			}
			previous = state
		}
	})
}

func lawful(previous, state State, round Round, trues, m int) error {
	isTrue, unjudged := len(round.Found) > 0, len(round.Unjudged) > 0
	switch {
	case state == Firing && previous != Firing && !isTrue:
		return fmt.Errorf("began to fire in a round that was not true (%s to %s)", previous, state)
	case state == Firing && trues < m:
		return fmt.Errorf("fires after %d true evaluations, %d are asked for", trues, m)
	case state == Resolved && (isTrue || unjudged || len(round.Held) > 0):
		return fmt.Errorf("resolved in a round that does not say it is over")
	case state == Resolved && previous != Firing && previous != Keep:
		return fmt.Errorf("resolved from %q", previous)
	case unjudged && previous != Resolved && state != previous:
		return fmt.Errorf("changed from %q to %q without being judged", previous, state)
	case isTrue && state == "":
		return fmt.Errorf("true and not listed")
	}
	return nil
}
