package detectors

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
)

// TestSinceAtLeast: what is so at the first look at it may have begun before.
func TestSinceAtLeast(t *testing.T) {
	for _, row := range []struct {
		name    string
		story   string
		m, n    int
		since   int // minute
		atLeast bool
	}{
		{"from the first round on", "TTT", 3, 3, 0, true},
		{"not so at first", "FTTT", 3, 3, 1, false},
		{"from the first round on, with a gap within n", "TFTT", 3, 4, 0, true},
		{"anew after the first round's has left the window", "TFFTT", 2, 3, 3, false},
		{"not judged at first", "UUTT", 2, 2, 2, true},
		{"judged, then not, then so", "FUTT", 2, 2, 2, true},
		{"judged in between", "UFTT", 2, 2, 2, false},
		{"after a long time without rounds", "F......TT", 2, 2, 7, true},
		{"after a short one", "F..TT", 2, 2, 3, false},
		{"fires over a long time without rounds", "FT......T", 1, 1, 1, false},
		{"resolved, and anew", "TFFT", 1, 1, 3, false},
	} {
		l := lifecycleWith(row.m, row.n, 2)
		for _, round := range story(row.story, noon) {
			l.Step(round)
		}
		active := l.Active()
		if len(active) != 1 || active[0].State != Firing {
			t.Fatalf("%s: %+v, want one that fires", row.name, active)
		}
		if got := active[0]; !got.Since.Equal(noon.Add(minutesFrom(row.since))) || got.SinceAtLeast != row.atLeast {
			t.Errorf("%s: since %s, at least: %v; want minute %d, %v", row.name, got.Since, got.SinceAtLeast, row.since, row.atLeast)
		}
	}
}

// TestSinceOfARule: a rule that knows the beginning knows it at the first look, too.
func TestSinceOfARule(t *testing.T) {
	l := lifecycleWith(1, 1, 2)
	known := sample(1)
	known.Since = noon.Add(-time.Hour)
	l.Step(Round{At: noon, Found: []Finding{known}})
	if got := l.Active()[0]; !got.Since.Equal(known.Since) || got.SinceAtLeast {
		t.Errorf("since %s, at least: %v; want since an hour before", got.Since, got.SinceAtLeast)
	}
}

// daily is a finding of a rule that judges once a day.
func daily(pool string) Finding {
	name, resource := Name{PoolThroughputUnused, VariantStranded}, fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "p", Location: "l", Pool: pool}
	return Finding{ID: id(name, resource), Detector: name.Detector, Variant: name.Variant, Resource: resource}
}

// TestRecall: a life cycle that begins anew goes on from what was recorded, where it was the same, and says of all else that is so
// from the first look on that it may be older.
func TestRecall(t *testing.T) {
	const day = 24 * time.Hour
	type begun struct {
		since   time.Duration // before noon
		atLeast bool
	}
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	for _, row := range []struct {
		name     string
		found    string        // one letter for each of the last days, as of a story
		since    time.Duration // recorded, before noon; 0: nothing
		bound    bool
		recorded time.Duration // when it was so last
		want     begun
	}{
		{"nothing was recorded", "TTTTTTTT", 0, false, 0, begun{7 * day, true}},
		{"older than the fold", "TTTTTTTT", 20 * day, false, time.Hour, begun{20 * day, false}},
		{"older than the fold, how much was not known before either", "TTTTTTTT", 20 * day, true, time.Hour, begun{20 * day, true}},
		{"older than the fold, and over before it began", "TTTTTTTT", 20 * day, false, 9 * day, begun{7 * day, true}},
		{"older, and not read since the day before the fold", "TTTTTTTT", 20 * day, false, 8 * day, begun{20 * day, false}},
		{"another hour of the day", "FFFFTTTT", 3*day + 5*time.Hour, false, time.Hour, begun{3*day + 5*time.Hour, false}},
		{"another hour of the day, later", "FFFFTTTT", 2*day + 20*time.Hour, false, time.Hour, begun{2*day + 20*time.Hour, false}},
		{"begun in the fold, recorded of an older one", "FFFFTTTT", 20 * day, false, 6 * day, begun{3 * day, false}},
		{"the fold knows more of it", "TTTTTTTT", 2 * day, false, time.Hour, begun{7 * day, true}},
		{"not judged at first", "UUUTTTTT", 20 * day, false, time.Hour, begun{20 * day, false}},
		{"over, then not judged", "TFFUTTTT", 20 * day, false, 5 * day, begun{3 * day, true}},
	} {
		l := NewLifecycle(DefaultSettings())
		l.timing = func(Name) Timing { return Timing{Needed: 1, Of: 1, Keep: 1} }
		if row.since > 0 {
			stub := daily("pool")
			stub.Since, stub.SinceAtLeast = ago(row.since), row.bound
			l.Recall([]Recorded{{Finding: stub, At: ago(row.recorded)}})
		}
		for i, letter := range row.found {
			round := Round{At: noon.Add(-time.Duration(len(row.found)-1-i) * day), Due: []Clock{Daily}}
			switch letter {
			case 'T':
				round.Found = []Finding{daily("pool")}
			case 'U':
				round.Unknown = []string{daily("pool").ID}
			}
			l.Step(round)
		}
		got := l.Active()
		if len(got) != 1 || got[0].State != Firing || !got[0].Since.Equal(ago(row.want.since)) || got[0].SinceAtLeast != row.want.atLeast {
			t.Errorf("%s: %+v, want since %s, at least: %v", row.name, got, ago(row.want.since), row.want.atLeast)
		}
	}
}

// TestRecallOfTheMinute: what fired when the state was lost fires since the same moment.
func TestRecallOfTheMinute(t *testing.T) {
	for _, row := range []struct {
		name    string
		story   string
		since   int // minute, recorded
		last    int // minute, recorded last
		want    int
		atLeast bool
	}{
		{"from before", "TTT", -300, 1, -300, false},
		{"over long before", "TTT", -300, -100, 0, true},
		{"begun within, at the recorded minute", "FTTT", 1, 2, 1, false},
		{"over, and anew", "FFTTT", -300, 0, 2, false},
	} {
		l := lifecycleWith(2, 2, 2)
		stub := sample(0)
		stub.Since = noon.Add(minutesFrom(row.since))
		l.Recall([]Recorded{{Finding: stub, At: noon.Add(minutesFrom(row.last))}})
		for _, round := range story(row.story, noon) {
			l.Step(round)
		}
		if got := l.Active()[0]; !got.Since.Equal(noon.Add(minutesFrom(row.want))) || got.SinceAtLeast != row.atLeast {
			t.Errorf("%s: since %s, at least: %v; want minute %d, %v", row.name, got.Since, got.SinceAtLeast, row.want, row.atLeast)
		}
	}
}

// TestBeginningOverARestart: that it may be older is saved with the rest.
func TestBeginningOverARestart(t *testing.T) {
	l := lifecycleWith(2, 2, 2)
	l.Step(story("T", noon)[0])
	saved, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	again := lifecycleWith(2, 2, 2)
	if err := json.Unmarshal(saved, again); err != nil {
		t.Fatal(err)
	}
	again.Step(story("TT", noon)[1])
	if got := again.Active()[0]; got.State != Firing || !got.Since.Equal(noon) || !got.SinceAtLeast {
		t.Errorf("%s since %s, at least: %v; want firing since noon at least", got.State, got.Since, got.SinceAtLeast)
	}
}
