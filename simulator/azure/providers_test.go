package azure_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"

	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/model"
)

// read is the status and the body of a GET without an SDK.
func (f fleet) read(path string) (int, string) {
	f.t.Helper()
	request, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet, f.URL()+path+"?api-version=2021-04-01", http.NoBody)
	if err != nil {
		f.t.Fatal(err)
	}
	response, err := f.Client().Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// A resource provider that a subscription is not registered for refuses all of its calls; the others answer.
func TestUnregisteredProviders(t *testing.T) {
	example, err := azure.Example()
	if err != nil {
		t.Fatal(err)
	}
	example.Subscriptions[0].Unregistered = []string{"microsoft.insights"}
	f := startFleet(t, example, azure.Options{})
	for path, want := range map[string]struct {
		status int
		says   string
	}{
		"/providers/Microsoft.Insights":                {200, `"registrationState":"NotRegistered"`},
		"/providers/Microsoft.Storage":                 {200, `"registrationState":"Registered"`},
		"/providers/Microsoft.Nothing":                 {404, "InvalidResourceNamespace"},
		"/providers/Microsoft.Storage/storageAccounts": {200, "examplessdv2"},
		strings.TrimPrefix(ssd, "/subscriptions/"+production) + "/providers/Microsoft.Insights/metrics": {409, "'Microsoft.Insights'"},
	} {
		if status, body := f.read("/subscriptions/" + production + path); status != want.status || !strings.Contains(body, want.says) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, body := f.read("/subscriptions/" + model.Registered); status != 404 {
		t.Errorf("%d %s", status, body)
	}
}

// The logs of one account, whichever workspace they are in.
func TestLogsOfAnAccount(t *testing.T) {
	f := start(t, azure.Options{})
	client, err := azquery.NewLogsClient(f.Credential(""), &azquery.LogsClientOptions{ClientOptions: f.once()})
	if err != nil {
		t.Fatal(err)
	}
	query := "StorageFileLogs | where TimeGenerated > ago(5m) | project AccountName"
	answer, err := client.QueryResource(t.Context(), strings.TrimPrefix(ssd, "/"), azquery.Body{Query: &query}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := answer.Tables[0].Rows
	for _, row := range rows {
		if row[0] != "examplessdv2" {
			t.Fatalf("a row of %v", row[0])
		}
	}
	if len(rows) == 0 {
		t.Error("no row")
	}
	none := strings.Replace(strings.TrimPrefix(ssd, "/"), "examplessdv2", "nothing", 1)
	if _, err := client.QueryResource(t.Context(), none, azquery.Body{Query: &query}, nil); err == nil {
		t.Error("no error of an account that there is not")
	}
	if got := len(f.Model().Shares()); got != 21 {
		t.Errorf("%d shares are left of the model", got)
	}
}
