package baseline

import (
	"strings"
	"testing"
	"time"
)

// estate is a set of two volumes of one pool and one of another, two weeks old, fed in step.
type estate struct {
	*Set
	t     *testing.T
	p     *player // its noise and its clock
	means map[Key]float64
}

func newEstate(t *testing.T) *estate {
	means := map[Key]float64{{"test", "a/1"}: 100, {"test", "a/2"}: 200, {"test", "b/1"}: 300}
	e := &estate{Set: NewSet([]Signal{unit()}, 10), t: t, p: newPlayer(unit(), 1), means: means}
	e.play(twoWeeks, map[string]float64{})
	return e
}

// play feeds every series for a while, some of them at a factor; 0 stands for 1.
func (e *estate) play(span time.Duration, factors map[string]float64) {
	e.t.Helper()
	for end := e.p.now.Add(span); e.p.now.Before(end); e.p.now = e.p.now.Add(grain) {
		for _, resource := range []string{"a/1", "a/2", "b/1"} {
			key := Key{"test", resource}
			factor := factors[resource]
			if factor == 0 {
				factor = 1
			}
			if _, err := e.Feed(key, e.p.now, e.means[key]*factor*(1+0.04*e.p.random.NormFloat64())); err != nil {
				e.t.Fatal(err)
			}
		}
	}
}

func (e *estate) incidents() []Merged {
	return e.Incidents(e.p.now, func(key Key) (Place, bool) {
		pool, name, ok := strings.Cut(key.Resource, "/")
		return volume(pool, name), ok
	})
}

// TestPoolStepsTogether: two volumes of a pool that step together are one incident of two members, and it stays that while
// either of them is off.
func TestPoolStepsTogether(t *testing.T) {
	e := newEstate(t)
	if got := e.incidents(); len(got) != 0 {
		t.Fatalf("before: %+v", got)
	}
	begin := e.p.now
	both := map[string]float64{"a/1": 2, "a/2": 2.5}
	e.play(30*time.Minute, both)
	got := e.incidents()
	if len(got) != 1 || len(got[0].Others) != 1 || !got[0].Start.Equal(begin) || got[0].Root.Place.Pool != "a" {
		t.Fatalf("%+v, want one incident of two members since %s", got, begin)
	}
	e.play(2*time.Hour, map[string]float64{"a/1": 2}) // the other is back
	if later := e.incidents(); len(later) != 1 || len(later[0].Others) != 1 || !later[0].Start.Equal(begin) {
		t.Errorf("one of both is back: %+v, want the same incident", later)
	}
	e.play(2*time.Hour, nil)
	if later := e.incidents(); len(later) != 0 {
		t.Errorf("both are back: %+v", later)
	}
	e.play(30*time.Minute, map[string]float64{"a/1": 6, "b/1": 6})
	if later := e.incidents(); len(later) != 2 {
		t.Errorf("two pools: %d incidents, want two", len(later))
	}
}

func TestIncidentsLeftOut(t *testing.T) {
	e := newEstate(t)
	e.play(30*time.Minute, map[string]float64{"a/1": 3})
	if got := e.Incidents(e.p.now, func(Key) (Place, bool) { return Place{}, false }); len(got) != 0 {
		t.Errorf("%+v of series that are nowhere", got)
	}
}
