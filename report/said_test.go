package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/report"
)

// twoPools are one that has what it needs, and one with a volume that stood at its limit for most of the week.
func twoPools() []pool {
	fitting := pool{name: "fitting", location: "europe-west3", level: "premium", qos: "auto", capacity: 2048, total: 128, custom: "false", volumes: []volume{{"home", 128, 2048, steady(70)}}}
	held := pools()[1]
	held.volumes[0].limit, held.volumes[0].use = 100, func(at time.Time) float64 {
		if week.To().Sub(at) < 14*time.Hour {
			return 60 // no finding of the week's end speaks of it
		}
		return 100
	}
	return []pool{fitting, held}
}

// Of a pool that has what it needs nothing is advised: that is known, though other things are not, and though another pool has to
// be seen to.
func TestNothingIsAdvisedOfAPool(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(twoPools())
	s.write()
	w := s.mustBuild(func(o *report.Options) { o.Pool, o.Terms.Settings.Prices = "fitting", nil })
	text := strings.Join(w.Summary, "\n") + written(t, w, "md") + written(t, w, "html")
	for _, wrong := range []string{"too little is known", "No action was found", "nothing that has to be done", "\nNothing.\n"} {
		if strings.Contains(text, wrong) {
			t.Errorf("%q is said of a pool all days of which are known", wrong)
		}
	}
	if !strings.HasPrefix(w.Summary[4], "Nothing is advised of pool fitting: the samples of 6.9 days and the inventory ask for no change.") ||
		!strings.HasSuffix(w.Summary[4], "What concerns others is in the report of everything.") {
		t.Error(w.Summary[4])
	}
	if w.Summary[3] != "Whether money can be saved is not known: no price is given." {
		t.Error(w.Summary[3])
	}
	if priced := s.mustBuild(func(o *report.Options) { o.Pool = "fitting" }); priced.Summary[3] != "No action was found that saves money worth speaking of." {
		t.Error(priced.Summary[3])
	}
}

// What the samples alone show to be at its limit has the command of the finding, and is said once: it is the worst, and what to begin with.
func TestHeldHasACommand(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(twoPools())
	s.write()
	w := s.mustBuild(nil)
	first := w.Actions[0]
	if first.Resource.Volume != "media" || !strings.HasPrefix(first.What, "Make the volume 12288 GiB large") || !strings.Contains(first.Command, "gcloud netapp volumes update media") || first.ByHand != "" {
		t.Errorf("%+v", first)
	}
	if first.Why != "Volume media of pool large was at its throughput limit, 100 MiB/s." || first.Lasted != "in 92 % of the week's samples" {
		t.Errorf("%q, %q", first.Why, first.Lasted)
	}
	if !strings.Contains(w.Summary[2], "the worst: Volume media of pool large was at its throughput limit, 100 MiB/s, in 92 % of the week's samples.") ||
		!strings.HasPrefix(w.Summary[4], "Begin with the worst, large/media: make the volume") {
		t.Errorf("%q\n%q", w.Summary[2], w.Summary[4])
	}
	for _, action := range w.Actions {
		if (action.Command == "") == (action.ByHand == "") {
			t.Errorf("%s has the command %q and says %q", action.What, action.Command, action.ByHand)
		}
	}
	if text := written(t, w, "md"); !strings.Contains(text, "### How to do it") || !strings.Contains(text, first.Command) {
		t.Error("Markdown lacks the command")
	}
}
