package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/nasight/nasight/schema"
)

// The expressions. None begins with a bare metric: what a source tells late is older than Prometheus looks back, and of
// several nasights or scrapes of one resource each would be a series of its own. So each family is read over at least four
// of its grains, and is one series for each set of its labels.

// grains is how many values of a source a window holds at least.
const grains = 4

// window holds that many values of the family, the newest of which may be as late as its source delivers them.
func window(f *schema.Family) string {
	w := (grains*f.Grain + f.Delay + f.Grain).Round(time.Minute)
	if w < 5*time.Minute {
		w = 5 * time.Minute
	}
	return fmt.Sprintf("%dm", int(w.Minutes()))
}

func each(f *schema.Family, function, matchers, window string) string {
	expr := fmt.Sprintf("%s(%s{%s}[%s])", function, f.Name, matchers, window)
	if len(f.Labels) == 0 {
		return "max(" + expr + ")"
	}
	return fmt.Sprintf("max by (%s) (%s)", strings.Join(f.Labels, ", "), expr)
}

// now is a gauge's newest value.
func now(f *schema.Family, matchers string) string {
	return each(f, "last_over_time", matchers, window(f))
}

// mean and high are a gauge over each step of a chart.
func mean(f *schema.Family, matchers string) string {
	return each(f, "avg_over_time", matchers, "$__rate_interval")
}

func high(f *schema.Family, matchers string) string {
	return each(f, "max_over_time", matchers, "$__rate_interval")
}

// steady is mean, and after the last value that a source has told that value, as long as the next may be on its way: a sum over
// clouds that are differently late would else drop at its end.
func steady(f *schema.Family, matchers string) string {
	return "(" + either(mean(f, matchers), now(f, matchers)) + ")"
}

// rate is a counter's, per second.
func rate(f *schema.Family, matchers string) string {
	return each(f, "rate", matchers, "$__rate_interval")
}

// speed is a counter's rate now, for panels that show one moment.
func speed(f *schema.Family, matchers string) string { return each(f, "rate", matchers, window(f)) }

// grew is by how much a counter grew in the time that the dashboard shows.
func grew(f *schema.Family, matchers string) string {
	return each(f, "increase", matchers, "$__range")
}

func sum(expr string) string           { return "sum(" + expr + ")" }
func sumBy(labels, expr string) string { return "sum by (" + labels + ") (" + expr + ")" }
func maxBy(labels, expr string) string { return "max by (" + labels + ") (" + expr + ")" }
func minBy(labels, expr string) string { return "min by (" + labels + ") (" + expr + ")" }
func countBy(labels, expr string) string {
	return "count by (" + labels + ") (" + expr + ")"
}

// top keeps a chart readable whatever the size of the fleet.
func top(n int, expr string) string { return fmt.Sprintf("topk(%d, %s)", n, expr) }

// over divides where there is something to divide by.
func over(a, b, on string) string {
	return fmt.Sprintf("%s / on (%s) (%s > 0)", grouped(a), on, b)
}

// among keeps of an expression what a list has.
func among(expr, on, list string) string {
	return fmt.Sprintf("%s and on (%s) %s", grouped(expr), on, list)
}

// grouped puts an expression with the operator that binds least into brackets.
func grouped(expr string) string {
	if strings.Contains(expr, " or ") {
		return "(" + expr + ")"
	}
	return expr
}

// mapped gives an expression labels of another one, whose values are 1. After a change the old labels are told beside the new
// ones for a while: one of them is taken.
func mapped(a, on, labels, b string) string {
	return fmt.Sprintf("%s * on (%s) group_left (%s) topk by (%[2]s) (1, %[4]s)", a, on, labels, b)
}

// either is of two clouds: one has what the other has not.
func either(a, b string) string { return a + " or " + b }

// orNone counts nothing as 0, for counts alone: what is measured is missing, never 0.
func orNone(expr string) string { return "(" + expr + ") or vector(0)" }

// The label sets of resources.
const (
	ofPool   = "cloud, service, project, location, pool"
	ofVolume = ofPool + ", volume"
	ofServer = "host, server"
	ofMount  = "host, server, export, protocol"
)

// The matchers that the variables of dashboards fill in.
const (
	inFleet  = `service=~"$service",project=~"$project"`
	inPools  = `project=~"$project",pool=~"$pool"`
	inVolume = inPools + `,volume=~"$volume"`
	inOne    = inPools + `,volume="$volume"`
	inHosts  = `host=~"$host"`
	inServer = inHosts + `,server=~"$server"`
)

// with adds matchers.
func with(matchers, more string) string { return matchers + "," + more }
