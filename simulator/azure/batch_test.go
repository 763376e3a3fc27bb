package azure_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
	"github.com/Azure/azure-sdk-for-go/sdk/monitor/query/azmetrics"

	"github.com/nasight/nasight/simulator/azure"
)

const namespace = "Microsoft.Storage/storageAccounts/fileServices"

func (f fleet) batch(ids ...string) ([]azmetrics.MetricData, error) {
	f.t.Helper()
	client, err := azmetrics.NewClient(f.URL(), f.Credential(""), &azmetrics.ClientOptions{ClientOptions: f.once()})
	if err != nil {
		f.t.Fatal(err)
	}
	answer, err := client.QueryResources(f.t.Context(), production, namespace, []string{"Transactions"}, azmetrics.ResourceIDList{ResourceIDs: ids}, &azmetrics.QueryResourcesOptions{
		StartTime: ptr(now.Add(-15 * time.Minute).Truncate(time.Minute).Format(time.RFC3339)), EndTime: ptr(now.Add(-5 * time.Minute).Truncate(time.Minute).Format(time.RFC3339)),
		Interval: ptr("PT1M"), Aggregation: ptr("Total"), Filter: ptr("ApiName eq '*'"), Top: ptr(int32(100)),
	})
	return answer.Values, err
}

// A batch says of each resource what a query of its own says.
func TestBatchEqualsQueries(t *testing.T) {
	f := start(t, azure.Options{})
	v1 := strings.Replace(ssd, "examplessdv2", "examplessdv1", 1)
	values, err := f.batch(ssd, v1)
	if err != nil || len(values) != 2 {
		t.Fatalf("%d values, %v", len(values), err)
	}
	for i, id := range []string{ssd, v1} {
		options := ask("Transactions", "ApiName eq '*'", azquery.AggregationTypeTotal)
		options.Top = ptr(int32(100))
		want := f.query(id, options)[0].TimeSeries
		got := values[i].Values[0].TimeSeries
		if !strings.EqualFold(*values[i].ResourceID, id) || len(got) != len(want) || len(got) < 5 {
			t.Fatalf("%s: %d series, want %d", *values[i].ResourceID, len(got), len(want))
		}
		for j := range got {
			if total := *got[j].Data[3].Total; total != *want[j].Data[3].Total || *got[j].MetadataValues[0].Value != label(want[j], "apiname") {
				t.Errorf("%s series %d: %g", id, j, total)
			}
		}
	}
	if f.Usage().Of("metrics.batch") != 1 {
		t.Errorf("usage %+v", f.Usage())
	}
}

func TestBatchesAreRefused(t *testing.T) {
	f := start(t, azure.Options{})
	nfs := strings.NewReplacer("/files/", "/linux/", "examplessdv2", "examplenfs").Replace(ssd)
	for says, ids := range map[string][]string{
		"51 resource ids": slices.Repeat([]string{ssd}, 51),
		"0 resource ids":  {},
		"one region":      {ssd, nfs},
		"not in subscr":   {ssd, payg},
	} {
		_, err := f.batch(ids...)
		if code, _ := status(err); code != 400 || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}
