package report

import (
	"reflect"
)

// How much of the long tail of a large estate a page holds. JSON has all of it.
const (
	mostWide    = 100 // projects and service levels
	mostPools   = 200
	mostActions = 150 // beside the first ones
	mostMoney   = 50  // rows of each kind
	mostPlans   = 30
	mostSteps   = 30  // of one plan
	mostNamed   = 50  // gaps, sources, what is withheld
	mostEnded   = 150 // findings
	mostCommand = 600 // bytes of a command in a table; longer ones are with the finding, or the plan, that they are of
)

// cut is the beginning of a list.
func cut(most int, list any) any {
	of := reflect.ValueOf(list)
	return of.Slice(0, min(most, of.Len())).Interface()
}

// beyond is how much of a list cut leaves out; nothing where it leaves out none.
func beyond(most int, list any) int { return max(0, reflect.ValueOf(list).Len()-most) }

// brief is a command that fits a table, or none.
func brief(command string) string {
	if len(command) > mostCommand {
		return ""
	}
	return command
}

// limits are the numbers of the page's template.
func limits() map[string]int {
	return map[string]int{
		"Wide": mostWide, "Pools": mostPools, "Actions": mostActions, "Money": mostMoney, "Plans": mostPlans, "Steps": mostSteps, "Named": mostNamed, "Ended": mostEnded,
	}
}
