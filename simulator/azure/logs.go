package azure

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// column is one of a table, with its type in Kusto's words.
type column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// logColumns are those of StorageFileLogs that tell how clients use a share.
func logColumns() []column {
	return []column{
		{"TimeGenerated", "datetime"}, {"AccountName", "string"}, {"OperationName", "string"}, {"DurationMs", "real"}, {"ServerLatencyMs", "real"},
		{"Uri", "string"}, {"CallerIpAddress", "string"}, {"Protocol", "string"}, {"Category", "string"}, {"AuthenticationType", "string"},
		{"StatusText", "string"}, {"RequestBodySize", "long"}, {"ResponseBodySize", "long"}, {"SmbSessionID", "long"}, {"_ResourceId", "string"},
	}
}

type table struct {
	Name    string   `json:"name"`
	Columns []column `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

const (
	maxLogBody = 64 << 10
	defaultLog = 15 * time.Minute
	maxLog     = 24 * time.Hour
)

// queryLogs answers for the workspace of a subscription, which has the subscription's id. Of Kusto's language it reads
// what logQuery tells.
func queryLogs(c *call) (any, *failure) {
	s := c.server.subscription(c.path["workspace"], c.now)
	if s == nil {
		return nil, failed(http.StatusNotFound, "WorkspaceNotFoundError", "The workspace could not be found")
	}
	if _, failure := c.server.allowed(c.request.Header.Get("Authorization"), s.ID); failure != nil {
		return nil, failure
	}
	c.subscription = s
	return c.logs(c.server.model.Shares())
}

// queryAccountLogs answers for the file service of one account, from whatever workspace its logs are in.
func queryAccountLogs(c *call) (any, *failure) {
	a, failure := c.account()
	if failure != nil {
		return nil, failure
	}
	return c.logs(slices.DeleteFunc(slices.Clone(c.server.present(c.now).Shares()), func(p *model.SharePlacement) bool { return p.Account != a }))
}

// logs answers the query in the call's body from what happened on some shares.
func (c *call) logs(shares []*model.SharePlacement) (any, *failure) {
	var body struct {
		Query    string `json:"query"`
		Timespan string `json:"timespan"`
	}
	data, err := io.ReadAll(http.MaxBytesReader(nil, c.request.Body, maxLogBody))
	if err == nil {
		err = json.Unmarshal(data, &body)
	}
	if err != nil {
		return nil, failed(http.StatusBadRequest, "BadArgumentError", "The body cannot be read: %v", err)
	}
	q, err := parseLogQuery(body.Query, body.Timespan, c.now)
	if err != nil {
		return nil, failed(http.StatusBadRequest, "BadArgumentError", "The request had some invalid properties: %v", err)
	}
	return c.logAnswer(q.run(c.logRows(shares, q.from, q.to))), nil
}

// logAnswer is what the service says with a table. An answer that it could not finish has a part of the rows, and says so beside them.
func (c *call) logAnswer(t table) map[string]any {
	answer := map[string]any{"tables": []table{t}}
	switch {
	case c.hit(faults.EmptyPage):
		t.Rows = [][]any{}
		answer["tables"] = []table{t}
	case c.hit(faults.PartialError):
		t.Rows = t.Rows[:len(t.Rows)/2]
		answer["tables"] = []table{t}
		answer["error"] = map[string]any{
			"code": "PartialError", "message": "There were some errors when processing your query.",
			"details": []map[string]string{{"code": "EngineError", "message": "Something went wrong processing your query on the server."}},
		}
	}
	return answer
}

// logSample is how many operations of one kind, share and minute the table has at least; the service has all of them. In sums
// each stands for as many as there were.
const logSample = 3

// logRows are the rows of a span, oldest first within each share, each with its weight behind the columns.
func (c *call) logRows(shares []*model.SharePlacement, from, to time.Time) [][]any {
	rows := [][]any{}
	for _, p := range shares {
		if p.Subscription.ID != c.subscription.ID || p.Share.Deleted {
			continue
		}
		for at := from.Truncate(time.Minute); at.Before(to) && c.request.Context().Err() == nil; at = at.Add(time.Minute) {
			for _, calls := range c.server.model.ShareMinute(p, at).Calls {
				operations := calls.Operations()
				n := min(logRowsOf(p.Share), int(operations))
				for i := range n {
					moment := at.Add(time.Duration(i) * time.Minute / time.Duration(n))
					if !moment.Before(from) && moment.Before(to) {
						rows = append(rows, append(logRow(p, calls, moment, i), operations/float64(n)))
					}
				}
			}
		}
	}
	return rows
}

// logRowsOf is how many rows it takes to show all channels and files of all clients.
func logRowsOf(s *model.Share) int {
	each := logSample
	for _, client := range s.Clients {
		each = max(each, client.Channels*client.Files)
	}
	return each * max(1, len(s.Clients))
}

// logRow is one operation, in the order of logColumns. Clients take turns, and so do the files and the channels of each.
func logRow(p *model.SharePlacement, calls model.ShareCalls, at time.Time, i int) []any {
	n, authentication := calls.Operations(), "NTLMv2"
	if p.Share.Kerberos {
		authentication = "Kerberos"
	}
	client := model.ShareClient{Address: "192.0.2.10", Channels: 1, Files: logSample}
	which, turn := 0, i
	if count := len(p.Share.Clients); count > 0 {
		which, turn = i%count, i/count
		client = p.Share.Clients[which]
	}
	caller := client.Address
	if !client.Portless {
		caller = net.JoinHostPort(client.Address, strconv.Itoa(50_000+turn%client.Channels))
	}
	file := fmt.Sprintf(`\file%d`, turn/client.Channels%client.Files)
	return []any{
		at.UTC().Format(time.RFC3339Nano), p.Account.Name, calls.API, calls.ClientMS, calls.ServerMS,
		`\\` + p.Account.Name + `.file.core.windows.net\` + p.Share.Name + file, caller, p.Share.Protocol, category(calls.API), authentication,
		calls.Responses[0].Type, int64(calls.Ingress / n), int64(calls.Egress / n), int64(1)<<40 + int64(which), serviceID(p.Subscription, p.Account),
	}
}

func category(api string) string {
	switch {
	case api == "Write" || api == "Create" || api == "SetInfo":
		return "StorageWrite"
	case strings.HasPrefix(api, "Delete"):
		return "StorageDelete"
	}
	return "StorageRead"
}
