package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/nasight/nasight/schema"
)

// The linter that promtool uses has nothing to say of an exposition that is made of every row.
func TestExpositionOfEveryRowIsLintClean(t *testing.T) {
	problems, err := promlint.New(strings.NewReader(exposition(schema.All()))).Lint()
	if err != nil {
		t.Fatalf("lint the exposition: %v", err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}

// Guards the test above: what the linter knows to be wrong has to reach it.
func TestLintFindsABadRow(t *testing.T) {
	bad := &schema.Family{Name: "nasight_wait_milliseconds", Type: schema.Counter, Help: "Time."}
	problems, err := promlint.New(strings.NewReader(exposition([]*schema.Family{bad}))).Lint()
	if err != nil {
		t.Fatalf("lint the exposition: %v", err)
	}
	if len(problems) < 2 {
		t.Errorf("got %v, want problems with the unit and the missing _total", problems)
	}
}

func exposition(families []*schema.Family) string {
	var text strings.Builder
	for _, family := range families {
		kind := family.Type.String()
		if family.Type == schema.Info {
			kind = "gauge"
		}
		fmt.Fprintf(&text, "# HELP %[1]s %[2]s\n# TYPE %[1]s %[3]s\n%[1]s{", family.Name, family.Help, kind)
		for _, label := range family.Labels {
			fmt.Fprintf(&text, "%s=\"x\",", label)
		}
		text.WriteString("} 1\n")
	}
	return text.String()
}
