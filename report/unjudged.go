package report

import (
	"fmt"
	"slices"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/plan"
)

// unheard says why nothing can be said of what users suffered from, or "".
func (o *builder) unheard() string {
	switch cloud := len(o.weekly.rowsOf("cloud")) > 0; {
	case !cloud && o.hostsRead() == 0:
		return "neither a cloud nor a client host was read in this week"
	case coverageOf(o.listened.findings) == 0 && o.hostsRead() == 0:
		return "nothing was judged minute by minute in this week, and no client host was read"
	case cloud && o.inventory.IsZero():
		return "there is no inventory, by which limits are known"
	}
	return ""
}

// unjudged says why nothing can be said of money, or "".
func (o *builder) unjudged() string {
	refused := 0
	for _, made := range o.weekly.Plans {
		if made.Status == plan.Refused {
			refused++
		}
	}
	switch days := o.weekly.Quality.Days; {
	case len(o.weekly.rowsOf("cloud")) == 0:
		return "there are no samples of a cloud"
	case o.inventory.IsZero():
		return "there is no inventory of pools, volumes and shares"
	case days.Below(fullWeek):
		return fmt.Sprintf("samples cover %s of 7 days, and nothing is advised by less than a week", daysOf(days))
	case refused > 0:
		return count(refused, "pool") + " with manual QoS could not be planned"
	}
	return ""
}

// fullWeek are the days of samples from which a week counts as one.
const fullWeek = 6.9

// nothing is said where there is no action: that nothing has to be done is known by data alone, and of what was asked for.
func (w *Weekly) nothing() string {
	const see = " See what this report cannot tell."
	of, others := "", ""
	switch {
	case w.Pool != "":
		of = " of pool " + w.Pool
	case w.Project != "":
		of = " of project " + w.Project
	}
	if of != "" {
		others = " What concerns others is in the report of everything."
	}
	switch days := w.Quality.Days; {
	case !days.Known():
		return "Nothing is advised" + of + ": there are no samples of a cloud in this week." + see + others
	case days.Below(fullWeek):
		return fmt.Sprintf("Nothing is advised%s: samples cover %s of 7 days, and nothing is advised by less than a week.%s%s", of, daysOf(days), see, others)
	case w.Inventory.IsZero():
		return "Nothing is advised" + of + ": there is no inventory of pools, volumes and shares." + see + others
	case len(w.Quality.Unrecorded) > 0:
		return fmt.Sprintf("Nothing is advised%s: the samples of %s days and the inventory ask for no change. What fired from minute to minute is not known for all of the week.%s%s", of, daysOf(days), see, others)
	case of != "":
		return "Nothing is advised" + of + "." + others
	}
	return "There is nothing that has to be done."
}

// noPrice is what is missing where the operator lists no prices.
const noPrice = "Money: no price is given."

// unpriced tells whether no price is given, so that no saving is not known to be none.
func (w *Weekly) unpriced() bool {
	return slices.ContainsFunc(w.Missing, func(m Missing) bool { return m.What == noPrice })
}

// none is said of a kind of money without a row.
func (w *Weekly) none() string {
	switch {
	case len(w.rowsOf("cloud")) == 0 || w.Inventory.IsZero() || w.Quality.Days.Below(fullWeek) || !w.Quality.Days.Known():
		return "Not known: see what this report cannot tell."
	case w.unpriced():
		return "Nothing was found, and no price is given."
	}
	return "Nothing."
}

// withheldByDays says that a week that is not whole is not advised by.
func (o *builder) withheldByDays(days fleet.Value) []Withheld {
	if !days.Below(fullWeek) {
		return nil
	}
	return []Withheld{{"savings of pools and shares, and plans", fmt.Sprintf("samples cover %s of 7 days: nothing is advised by less than a week", daysOf(days))}}
}
