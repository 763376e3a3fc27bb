package azurefiles

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors/connect/connecttest"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/simulator/faults"
)

// A definition is compared with all that the requests use of it.
func TestDefinitionsDiffer(t *testing.T) {
	t.Parallel()
	all := expectations(groups())
	if len(all) != 12 || all[0].metric != "Transactions" {
		t.Fatalf("%d expectations, the first of %s", len(all), all[0].metric)
	}
	right := definition{"Transactions", "Count", []string{"Total"}, []string{"ResponseType", "ApiName", "FileShare"}, []string{"PT1M"}}
	if got := all[0].differences(right); len(got) > 0 {
		t.Errorf("%q", got)
	}
	wrong := definition{"Transactions", "Bytes", []string{"Average"}, []string{"ApiName", "FileShare"}, []string{"PT1H"}}
	want := []string{"aggregation: Total is not there", "dimension: ResponseType is not there", "grain: PT1M is not there", "unit: expected Count"}
	if diff := cmp.Diff(want, all[0].differences(wrong)); diff != "" {
		t.Error(diff)
	}
}

// One subscription that may not be asked leaves the question to the other one.
func TestConnectDefinitions(t *testing.T) {
	l := newLab(t, nil, nil)
	heal := l.inject(faults.Fault{Kind: faults.Forbidden, Method: "metrics.definitions", Project: fine})
	if got := connecttest.Answered(t, l.connected(t.Context()), "metrics"); !got.Known || !strings.Contains(got.Says, "12 are as expected, 0 differ and 0 are missing") || !strings.Contains(got.Says, odd) {
		t.Errorf("%+v", got)
	}
	heal()
	l.inject(faults.Fault{Kind: faults.Forbidden, Method: "metrics.definitions"})
	if got := connecttest.Answered(t, l.connected(t.Context()), "metrics"); got.Known || len(got.Details) != 2 || !strings.Contains(got.Details[0], azureapi.ReasonPermission) {
		t.Errorf("%+v", got)
	}
}
