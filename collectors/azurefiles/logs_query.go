package azurefiles

import (
	"context"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// logTable is the table that the service's diagnostic settings fill.
const logTable = "StorageFileLogs"

const (
	logWait     = 50 // seconds that the service may take for a query, less than an attempt of ours lasts
	mostLogRows = 100_000
)

// logShare cuts the share out of \\HOST\SHARE\… as SMB has it and of https://HOST/SHARE/… as REST has it.
const logShare = `share = tolower(extract(@"^[^/\\]*[/\\]{2}[^/\\]+[/\\]([^/\\?]+)", 1, Uri))`

// clientQuery sums up what each session of each client did in each minute. The port may be missing from an address; of IPv6 only an
// address in brackets has one. Numbers of sessions are beyond what the answer's numbers can hold, so they are texts.
func clientQuery() string {
	return logTable + `
| extend ` + logShare + `, data = OperationName in ("Read", "Write"),
    port = extract(@"^([0-9.]+|\[[^\]]+\]):([0-9]+)$", 2, CallerIpAddress),
    host = extract(@"^([0-9.]+|\[[^\]]+\]|[0-9A-Fa-f:.]+)(:[0-9]+)?$", 1, CallerIpAddress)
| summarize operations = count(), data = countif(data), busy = sumif(DurationMs, data),
    written = sumif(RequestBodySize, data), read = sumif(ResponseBodySize, data),
    files = dcountif(Uri, data), channels = dcountif(port, port != ""), portless = countif(port == "")
    by account = tolower(AccountName), share, protocol = tolower(Protocol), host, session = tostring(SmbSessionID), minute = bin(TimeGenerated, 1m)
| take ` + fmt.Sprint(mostLogRows+1)
}

// fileQuery finds how much the busiest file of each share had in each minute. Names of files do not leave the workspace.
func fileQuery() string {
	return logTable + `
| extend ` + logShare + `
| summarize operations = count(), written = sum(RequestBodySize), read = sum(ResponseBodySize)
    by account = tolower(AccountName), share, Uri, minute = bin(TimeGenerated, 1m)
| summarize operations = max(operations), bytes = max(written + read) by account, share, minute
| take ` + fmt.Sprint(mostLogRows+1)
}

// queryLog asks a workspace about a span. A part of an answer is no answer: sums of it would be too low.
func queryLog(ctx context.Context, client *azquery.LogsClient, workspace, query string, w azureapi.Window) (*azquery.Table, error) {
	span, wait := azquery.NewTimeInterval(w.Start.UTC(), w.End.UTC()), logWait
	answer, err := client.QueryWorkspace(ctx, workspace, azquery.Body{Query: &query, Timespan: &span},
		&azquery.LogsClientQueryWorkspaceOptions{Options: &azquery.LogsQueryOptions{Wait: &wait}})
	if err == nil && answer.Error != nil {
		err = &azureapi.MetricError{Metric: logTable, Code: answer.Error.Code, Message: answer.Error.Error()}
	}
	if err == nil && (len(answer.Tables) != 1 || answer.Tables[0] == nil) {
		err = &azureapi.MetricError{Metric: logTable, Code: "Missing", Message: "the answer has no table"}
	}
	if err == nil && len(answer.Tables[0].Rows) > mostLogRows {
		err = &azureapi.MetricError{Metric: logTable, Code: "RowLimit", Message: fmt.Sprintf("more than %d rows; set a shorter logs.window", mostLogRows)}
	}
	if err != nil {
		return nil, fmt.Errorf("log %s of workspace %s: %w", logTable, workspace, err)
	}
	return answer.Tables[0], nil
}
