package report

import (
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
)

// That nothing is to be done is said for what it is: of all or of a pool, and by how much as is known.
func TestNothing(t *testing.T) {
	const see, others = " See what this report cannot tell.", " What concerns others is in the report of everything."
	known := Quality{Days: 7}
	for want, w := range map[string]Weekly{
		"There is nothing that has to be done.":                                   {Quality: known, Inventory: time.Unix(1, 0)},
		"Nothing is advised of pool a." + others:                                  {Quality: known, Inventory: time.Unix(1, 0), Pool: "a"},
		"Nothing is advised of project p." + others:                               {Quality: known, Inventory: time.Unix(1, 0), Project: "p"},
		"Nothing is advised: there are no samples of a cloud in this week." + see: {Quality: Quality{Days: fleet.Unknown}},
		"Nothing is advised of pool a: samples cover 3.5 of 7 days, and nothing is advised by less than a week." + see + others:                                                      {Quality: Quality{Days: 3.5}, Inventory: time.Unix(1, 0), Pool: "a"},
		"Nothing is advised: there is no inventory of pools, volumes and shares." + see:                                                                                              {Quality: known},
		"Nothing is advised: the samples of 7 days and the inventory ask for no change. What fired from minute to minute is not known for all of the week." + see:                    {Quality: Quality{Days: 7, Unrecorded: []Gap{{}}}, Inventory: time.Unix(1, 0)},
		"Nothing is advised of pool a: the samples of 7 days and the inventory ask for no change. What fired from minute to minute is not known for all of the week." + see + others: {Quality: Quality{Days: 7, Unrecorded: []Gap{{}}}, Inventory: time.Unix(1, 0), Pool: "a"},
	} {
		if got := w.nothing(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestForemost(t *testing.T) {
	for want, a := range map[string]Action{
		"the worst, ": {Kind: Repair}, "what costs nothing, ": {Kind: Free}, "what gains most, ": {Kind: Faster, gain: 2}, "what saves most, ": {Kind: Saving, Money: 5},
		"": {Kind: Saving, Money: fleet.Unknown},
	} {
		if got := a.foremost(); got != want {
			t.Errorf("%+v is %q, want %q", a, got, want)
		}
	}
}
