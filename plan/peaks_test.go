package plan

import (
	"strings"
	"testing"

	"github.com/nasight/nasight/fleet"
)

// A month's end holds a volume up, however quiet its week: the peak of the longer look is the lower bound. Where history
// does not reach back a month, the plan says so.
func TestMonthEndPeakIsRespected(t *testing.T) {
	for days, noted := range map[fleet.Value]bool{35: false, 31: false, 15: true} {
		pool := viewPool("pool", "manual")
		quiet := viewVolume(pool, "quiet", 400, 10)
		quiet.Days.Peak, quiet.Days.PeakDays = 350*mib, days
		viewVolume(pool, "busy", 112, 200).Days.PeakDays = 35
		input := FromPool(&fleet.Fleet{Pools: []*fleet.Pool{pool}}, pool, nil, Defaults())
		p, err := Build(input.Pool, input.Volumes, Defaults())
		if err != nil {
			t.Fatal(err)
		}
		mustVerify(t, p)
		if a := p.Volumes[0]; a.Propose < 350 || a.Peak != 350 || a.LowerBy != byPeak || a.PeakDays != days || p.PeakDays != days || p.Days != 7 {
			t.Errorf("peak of %g days: %+v", float64(days), a)
		}
		if got := strings.Contains(strings.Join(p.Notes, "\n"), "a month's end may be missing"); got != noted {
			t.Errorf("peaks of %g days: notes %q", float64(days), p.Notes)
		}
		var text strings.Builder
		if err := p.Text(&text); err != nil || !strings.Contains(text.String(), "at least 7 days of history") || !strings.Contains(text.String(), "their peaks are of at least "+figure(days)+" days") {
			t.Errorf("%v in %s", err, text.String())
		}
	}
}
