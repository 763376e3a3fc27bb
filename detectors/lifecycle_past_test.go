package detectors

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
)

var aVolumeHere = fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "files-example", Location: "europe-west3", Pool: "pool-a", Volume: "home"}

// trackOf is a finding that stands somewhere.
func trackOf(resource fleet.Resource, state State, since time.Time) *track {
	name := Name{LimitReached, VariantThroughput}
	t := &track{Finding: Finding{ID: id(name, resource), Detector: name.Detector, Variant: name.Variant, Resource: resource, State: state, Since: since}, Judged: since}
	if state == Pending {
		t.Window = []mark{{At: since, True: true}}
	}
	return t
}

func holding(tracks ...*track) *Lifecycle {
	l := lifecycleWith(1, 1, 30)
	l.at = noon
	for _, t := range tracks {
		l.tracks[t.Finding.ID] = t
	}
	return l
}

func TestTakeOver(t *testing.T) {
	const grain = 5 * time.Minute
	ago := func(minutes int) time.Time { return noon.Add(-minutesFrom(minutes)) }
	host := fleet.Resource{Host: "client.example.com", Server: "192.0.2.10"}
	none := (*track)(nil)
	for _, row := range []struct {
		name      string
		live      *track
		past      *track
		want      State // empty: no finding
		wantSince time.Time
	}{
		{"fires for longer than was known", trackOf(aVolumeHere, Firing, ago(1)), trackOf(aVolumeHere, Firing, ago(300)), Firing, ago(300)},
		{"the same beginning but for a grain", trackOf(aVolumeHere, Firing, ago(300)), trackOf(aVolumeHere, Firing, ago(296)), Firing, ago(300)},
		{"ended and began anew unseen", trackOf(aVolumeHere, Firing, ago(3000)), trackOf(aVolumeHere, Firing, ago(60)), Firing, ago(60)},
		{"over now, and kept", trackOf(aVolumeHere, Keep, ago(1)), trackOf(aVolumeHere, Firing, ago(60)), Keep, ago(60)},
		{"has only just ended", none, trackOf(aVolumeHere, Keep, ago(60)), Keep, ago(60)},
		{"over for long", none, trackOf(aVolumeHere, Resolved, ago(60)), "", time.Time{}},
		{"over for long, and anew now", trackOf(aVolumeHere, Firing, ago(1)), trackOf(aVolumeHere, Resolved, ago(60)), Firing, ago(1)},
		{"pending here, firing there", trackOf(aVolumeHere, Pending, ago(1)), trackOf(aVolumeHere, Firing, ago(60)), Firing, ago(60)},
		{"pending in both", trackOf(aVolumeHere, Pending, ago(1)), trackOf(aVolumeHere, Pending, ago(3)), Pending, ago(3)},
		{"firing here, pending there", trackOf(aVolumeHere, Firing, ago(1)), trackOf(aVolumeHere, Pending, ago(3)), Firing, ago(1)},
		{"the past knows nothing of it", trackOf(aVolumeHere, Firing, ago(1)), none, Firing, ago(1)},
		{"a host's", trackOf(host, Firing, ago(1)), trackOf(host, Firing, ago(60)), Firing, ago(1)},
		{"a host's that is not known", none, trackOf(host, Firing, ago(60)), "", time.Time{}},
	} {
		live, past := holding(), holding()
		if row.live != nil {
			live = holding(row.live)
		}
		if row.past != nil {
			past = holding(row.past)
		}
		live.TakeOver(past, grain)
		state, since := State(""), time.Time{}
		for _, finding := range live.Active() {
			state, since = finding.State, finding.Since
		}
		if state != row.want || !since.Equal(row.wantSince) {
			t.Errorf("%s: %q since %s, want %q since %s", row.name, state, since, row.want, row.wantSince)
		}
		if !live.at.Equal(noon) {
			t.Errorf("%s: the life cycle moved to %s", row.name, live.at)
		}
	}
}

// The fold knows whether something began in it or before; what both see begin at the same time began then if either saw it begin.
func TestTakeOverOfBounds(t *testing.T) {
	ago := func(minutes int) time.Time { return noon.Add(-minutesFrom(minutes)) }
	for _, row := range []struct {
		name       string
		live, past beginning
		pending    bool // here
		want       beginning
	}{
		{"cut here, and there earlier", beginning{ago(1), true}, beginning{ago(300), true}, false, beginning{ago(300), true}},
		{"cut here, begun there", beginning{ago(1), true}, beginning{ago(300), false}, false, beginning{ago(300), false}},
		{"cut here, begun there at the same time", beginning{ago(300), true}, beginning{ago(298), false}, false, beginning{ago(300), false}},
		{"begun here, cut there at the same time", beginning{ago(300), false}, beginning{ago(300), true}, false, beginning{ago(300), false}},
		{"pending here, cut there", beginning{ago(1), false}, beginning{ago(300), true}, true, beginning{ago(300), true}},
	} {
		live, past := trackOf(aVolumeHere, Firing, row.live.since), trackOf(aVolumeHere, Firing, row.past.since)
		if row.pending {
			live = trackOf(aVolumeHere, Pending, row.live.since)
		}
		row.live.of(&live.Finding)
		row.past.of(&past.Finding)
		l := holding(live)
		l.TakeOver(holding(past), 5*time.Minute)
		if got := beginningOf(l.Active()[0]); !got.since.Equal(row.want.since) || got.atLeast != row.want.atLeast {
			t.Errorf("%s: %+v, want %+v", row.name, got, row.want)
		}
	}
}

// A fold begins with what has been firing since before it, and with nothing about hosts.
func TestBefore(t *testing.T) {
	other := aVolumeHere
	other.Volume = "other"
	later := aVolumeHere
	later.Volume = "later"
	l := holding(
		trackOf(aVolumeHere, Keep, noon.Add(-time.Hour)), trackOf(later, Firing, noon.Add(time.Minute)),
		trackOf(other, Pending, noon.Add(-time.Hour)), trackOf(fleet.Resource{Host: "client.example.com"}, Firing, noon.Add(-time.Hour)),
	)
	found := l.Before(noon).Active()
	if len(found) != 1 || found[0].Resource != aVolumeHere || found[0].State != Firing {
		t.Errorf("begins with %+v, want the volume's alone, firing", found)
	}
	if len(l.Active()) != 4 {
		t.Error("the life cycle itself changed")
	}
}

// What cannot be judged stays as it is for a day of rounds, and ends after that as if it were false. Time without rounds does
// not count.
func TestStaleFindingsEnd(t *testing.T) {
	for _, row := range []struct {
		name  string
		round func(at time.Time) Round
	}{
		{"its resource is not judged", func(at time.Time) Round { return Round{At: at, Unjudged: []fleet.Resource{aVolumeHere}} }},
		{"a number of it is missing", func(at time.Time) Round {
			return Round{At: at, Unknown: []string{trackOf(aVolumeHere, Firing, noon).Finding.ID}}
		}},
	} {
		l := holding(trackOf(aVolumeHere, Firing, noon))
		l.at = noon.Add(100 * time.Hour) // a pause of four days before the first round
		at := l.at
		step := func(d time.Duration) State {
			for end := at.Add(d); at.Before(end); {
				at = at.Add(5 * time.Minute)
				l.Step(row.round(at))
			}
			for _, finding := range l.Active() {
				return finding.State
			}
			return ""
		}
		at = at.Add(time.Hour)
		if state := step(staleAfter); state != Firing {
			t.Errorf("%s: %q after a day, want firing", row.name, state)
		}
		if state := step(time.Hour); state != Keep {
			t.Errorf("%s: %q after more than a day, want kept", row.name, state)
		}
		if state := step(2 * time.Hour); state != "" {
			t.Errorf("%s: %q after the time that it is kept, want none", row.name, state)
		}
	}
}

// A checkpoint of a version that did not note when a finding was judged counts from its own moment.
func TestRestoreWithoutJudged(t *testing.T) {
	l := holding(trackOf(aVolumeHere, Firing, noon.Add(-72*time.Hour)))
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.ReplaceAll(string(data), `"judged"`, `"unheard_of"`)
	restored := lifecycleWith(1, 1, 30)
	if err := json.Unmarshal([]byte(old), restored); err != nil {
		t.Fatal(err)
	}
	restored.Step(Round{At: noon.Add(time.Minute), Unjudged: []fleet.Resource{aVolumeHere}})
	if state := restored.Active()[0].State; state != Firing {
		t.Errorf("%s, want firing: nothing says that it is stale", state)
	}
}

func TestCarry(t *testing.T) {
	daily := func(volume string, state State, judged time.Time) *track {
		resource := aVolumeHere
		resource.Volume = volume
		name := Name{PoolThroughputUnused, VariantAllocatedUnused}
		return &track{Finding: Finding{ID: id(name, resource), Detector: name.Detector, Variant: name.Variant, Resource: resource, State: state}, Judged: judged}
	}
	before := holding(
		daily("lost", Firing, noon.Add(-48*time.Hour)), daily("read", Firing, noon.Add(-24*time.Hour)),
		daily("stale", Firing, noon.Add(-96*time.Hour)), daily("pending", Pending, noon.Add(-24*time.Hour)),
	)
	var unread []fleet.Resource
	for _, volume := range []string{"lost", "stale", "pending"} {
		resource := aVolumeHere
		resource.Volume = volume
		unread = append(unread, resource)
	}
	now := holding()
	now.Carry(before, unread)
	if found := now.Active(); len(found) != 1 || found[0].Resource.Volume != "lost" {
		t.Errorf("carried %+v, want that of the volume that was lost two days ago", found)
	}
}
