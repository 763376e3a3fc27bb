package azure_test

import (
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"

	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
)

func (f fleet) logs(query string) (*azquery.Table, error) {
	f.t.Helper()
	client, err := azquery.NewLogsClient(f.Credential(""), &azquery.LogsClientOptions{ClientOptions: f.once()})
	if err != nil {
		f.t.Fatal(err)
	}
	answer, err := client.QueryWorkspace(f.t.Context(), production, azquery.Body{Query: &query}, nil)
	if err != nil {
		return nil, err
	}
	return answer.Tables[0], nil
}

func TestLogs(t *testing.T) {
	f := start(t, azure.Options{})
	for query, want := range map[string]struct{ rows, columns int }{
		`StorageFileLogs | where OperationName == "Read" and AccountName == "examplenfs" | where TimeGenerated > ago(5m)`: {15, 15},
		`StorageFileLogs | where AccountName == "examplenfs" | project OperationName, CallerIpAddress | take 7`:           {7, 2},
		`StorageFileLogs | where AccountName == "nothing"`:                                                                {0, 15},
		`StorageFileLogs | where AccountName != "nothing" | count`:                                                        {1, 1},
	} {
		table, err := f.logs(query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if len(table.Rows) != want.rows || len(table.Columns) != want.columns {
			t.Errorf("%s: %d rows of %d columns", query, len(table.Rows), len(table.Columns))
		}
		for _, row := range table.Rows {
			if len(row) != want.columns {
				t.Fatalf("%s: a row of %d", query, len(row))
			}
		}
	}
}

func TestLogQueriesAreRefused(t *testing.T) {
	f := start(t, azure.Options{})
	for query, says := range map[string]string{
		`StorageBlobLogs`: "StorageBlobLogs",
		`StorageFileLogs | summarize count() by OperationName`:      "is not part of the emulator",
		`StorageFileLogs | where Colour == "red"`:                   "failed to resolve column",
		`StorageFileLogs | where TimeGenerated > ago(30d)`:          "further back",
		`StorageFileLogs | summarize n = median(DurationMs) by Uri`: "is not part of the emulator",
		`StorageFileLogs | summarize n = count() by x = nothing`:    "failed to resolve column",
		`StorageFileLogs | summarize n = count() by Uri Uri`:        "cannot be read",
		`StorageFileLogs | extend x = extract("(", 1, Uri)`:         "missing closing",
		`StorageFileLogs | extend x = tolower(Uri`:                  "is expected",
		`StorageFileLogs | extend x = %`:                            "cannot be read",
		`StorageFileLogs | take many`:                               "no whole number",
		`StorageFileLogs | project Colour`:                          "failed to resolve column",
	} {
		_, err := f.logs(query)
		if code, name := status(err); code != 400 || name != "BadArgumentError" || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// Sums are of all operations, though the table has a sample of them; channels and files are those of the clients.
func TestLogsAreSummarized(t *testing.T) {
	f := start(t, azure.Options{})
	table, err := f.logs(`StorageFileLogs | where AccountName == "examplessdv2" | where TimeGenerated > ago(5m)
	| extend share = tolower(extract(@"^[^/\\]*[/\\]{2}[^/\\]+[/\\]([^/\\?]+)", 1, Uri)), data = OperationName in ("Read", "Write")
	| extend client = extract(@"^([0-9.]+|\[[^\]]+\])(:([0-9]+))?$", 1, CallerIpAddress), port = extract("(:([0-9]+))?$", 2, CallerIpAddress)
	| where share == "database"
	| summarize operations = count(), data = countif(data), busy = sumif(DurationMs, data), most = max(RequestBodySize + ResponseBodySize),
	  files = dcount(Uri), ports = dcountif(port, port != "") by account = tolower(AccountName), share, client, session = tostring(SmbSessionID), minute = bin(TimeGenerated, 1m)`)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != 2*6 && len(table.Rows) != 2*5 {
		t.Errorf("%d rows of two clients and five minutes", len(table.Rows))
	}
	exact := 0
	for _, row := range table.Rows {
		want := map[any][2]any{"192.0.2.21": {8., 2.}, "192.0.2.22": {1., 0.}}[row[2]]
		operations, data, busy := row[5].(float64), row[6].(float64), row[7].(float64)
		if row[0] != "examplessdv2" || row[1] != "database" || row[9].(float64) > want[0].(float64) || row[10] != want[1] || row[8] != 4096. {
			t.Errorf("row %v, want %v", row, want)
		}
		if row[9] == want[0] { // of a minute at an end of the span there is a part
			exact++
		}
		if operations != data || operations < 1000 || busy < operations {
			t.Errorf("%g operations, %g of data, %g ms", operations, data, busy)
		}
	}
	if exact < 2*4 {
		t.Errorf("%d minutes with all files", exact)
	}
}

func TestLogFaults(t *testing.T) {
	f := start(t, azure.Options{})
	f.inject(faults.Fault{Kind: faults.EmptyPage, Method: "logs.query", Times: 1})
	if table, err := f.logs("StorageFileLogs"); err != nil || len(table.Rows) != 0 || len(table.Columns) == 0 {
		t.Errorf("an empty table: %v, error %v", table, err)
	}
	whole, err := f.logs("StorageFileLogs | take 100")
	if err != nil {
		t.Fatal(err)
	}
	f.inject(faults.Fault{Kind: faults.PartialError, Method: "logs.query", Times: 1})
	client, err := azquery.NewLogsClient(f.Credential(""), &azquery.LogsClientOptions{ClientOptions: f.once()})
	if err != nil {
		t.Fatal(err)
	}
	query := "StorageFileLogs | take 100"
	answer, err := client.QueryWorkspace(t.Context(), production, azquery.Body{Query: &query}, nil)
	if err != nil || answer.Error == nil || answer.Error.Code != "PartialError" || len(answer.Tables[0].Rows) != len(whole.Rows)/2 {
		t.Errorf("a part: %+v, error %v", answer.Error, err)
	}
}
