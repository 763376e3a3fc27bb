package report_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/plan"
	"github.com/nasight/nasight/report"
	"github.com/nasight/nasight/schema"
)

// A pool whose volumes all need more than they have asks for throughput, with its size; nothing is moved for nothing.
func TestShortPool(t *testing.T) {
	s := newStore(t)
	p := pools()[0]
	p.volumes = []volume{{"database", 128, 2048, func(time.Time) float64 { return 127 }}, {"warehouse", 256, 4096, func(time.Time) float64 { return 250 }}}
	s.fillGoogle([]pool{p})
	s.write()
	w := s.mustBuild(nil)
	for _, action := range w.Actions {
		if action.Kind == report.Free {
			t.Errorf("%+v", action)
		}
	}
	i := slices.IndexFunc(w.Actions, func(a report.Action) bool { return strings.Contains(a.Why, "The pool is short by") })
	if i < 0 || w.Actions[i].Kind != report.Repair || !strings.Contains(w.Actions[i].Command, "--capacity=") || !strings.Contains(w.Actions[i].Caveat, "USD a month") {
		t.Fatalf("%+v", w.Actions)
	}
	for _, one := range w.Money {
		if one.Case == "manual" && one.Total.Known() {
			t.Errorf("%v USD avoided", one.Total)
		}
	}
}

// A limit that was changed after the week's end makes the plan of then one that is not carried out.
func TestPlanOfThenIsNotOfNow(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools())
	s.add(schema.VolumeThroughputLimit, now.Add(-5*time.Minute), 200*mebi, identity(pools()[0], "rich")...)
	s.write()
	w := s.mustBuild(nil)
	if len(w.Plans) != 1 || w.Plans[0].Status != plan.Refused || len(w.Plans[0].Steps) > 0 || !strings.Contains(w.Plans[0].Reason, "volume rich has been changed") {
		t.Errorf("%+v", w.Plans[0])
	}
	for _, action := range w.Actions {
		if strings.Contains(action.Command, "--throughput-mibps") {
			t.Errorf("%+v", action)
		}
	}
	if !slices.ContainsFunc(w.Quality.Withheld, func(one report.Withheld) bool { return strings.Contains(one.Why, "has been changed") }) {
		t.Errorf("withheld %v", w.Quality.Withheld)
	}
}
