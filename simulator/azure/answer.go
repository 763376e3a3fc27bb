package azure

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// The answers of Azure Monitor, as it writes them.
type (
	text struct {
		Value     string `json:"value"`
		Localized string `json:"localizedValue"`
	}
	labelled struct {
		Name  text   `json:"name"`
		Value string `json:"value"`
	}
	element struct {
		Labels []labelled `json:"metadatavalues"`
		Points []point    `json:"data"`
	}
	metricAnswer struct {
		ID          string    `json:"id"`
		Type        string    `json:"type"`
		Name        text      `json:"name"`
		Description string    `json:"displayDescription"`
		Unit        string    `json:"unit"`
		ErrorCode   string    `json:"errorCode"`
		Message     string    `json:"errorMessage,omitempty"`
		Series      []element `json:"timeseries"`
	}
	metricsAnswer struct {
		Cost       int            `json:"cost"`
		Timespan   string         `json:"timespan,omitempty"`  // of one resource
		Start      string         `json:"starttime,omitempty"` // of a batch
		End        string         `json:"endtime,omitempty"`
		Interval   string         `json:"interval"`
		Namespace  string         `json:"namespace"`
		Region     string         `json:"resourceregion"`
		ResourceID string         `json:"resourceid,omitempty"`
		Value      []metricAnswer `json:"value"`
	}
)

func queryMetrics(c *call) (any, *failure) {
	a, failure := c.account()
	if failure != nil {
		return nil, failure
	}
	q, failure := c.parseMetrics(fileServices())
	if failure != nil {
		return nil, failure
	}
	answer := c.metrics(a, q)
	answer.Timespan = q.from.Format(time.RFC3339) + "/" + q.to.Format(time.RFC3339)
	return answer, nil
}

// parseMetrics reads a request about one resource, whose filter has another name than that of a batch.
func (c *call) parseMetrics(of catalogue) (*query, *failure) {
	if filter := c.query.Get("$filter"); filter != "" {
		c.query.Set("filter", filter)
	}
	return parseQuery(c.query, c.now, of)
}

func (c *call) metrics(a *model.Account, q *query) metricsAnswer {
	read := newReader(c, a, q).read(c.request.Context())
	return c.answers(q, read, metricsAnswer{Interval: q.interval, Namespace: metricNamespace, Region: a.Location}, serviceID(c.subscription, a))
}

// answers adds the metrics of a resource to what an answer begins with.
func (c *call) answers(q *query, read map[*metric][]*series, out metricsAnswer, id string) metricsAnswer {
	for _, m := range q.metrics {
		one := metricAnswer{
			ID: id + "/providers/Microsoft.Insights/metrics/" + m.name, Type: "Microsoft.Insights/metrics",
			Name: text{m.name, m.title}, Description: m.title, Unit: m.unit, ErrorCode: "Success", Series: []element{},
		}
		if c.metricFails(m) {
			one.ErrorCode, one.Message = "Throttled", "Metric "+m.name+" is being throttled."
		} else {
			one.Series = c.elements(q, m, read[m])
		}
		for _, e := range one.Series {
			out.Cost += len(e.Points)
		}
		out.Value = append(out.Value, one)
	}
	return out
}

func (c *call) metricFails(m *metric) bool {
	for _, fault := range c.faults {
		if fault.Kind == faults.MetricError && (fault.Metric == "" || strings.EqualFold(fault.Metric, m.name)) {
			return true
		}
	}
	return false
}

// elements cuts off what is beyond the top without saying so, as the service does.
func (c *call) elements(q *query, m *metric, all []*series) []element {
	out := []element{}
	for i, s := range all {
		if (len(q.split) > 0 && len(out) == q.top) || (c.hit(faults.Truncated) && i%2 == 1) {
			continue
		}
		e := element{Labels: []labelled{}, Points: []point{}}
		for j, dimension := range q.split {
			e.Labels = append(e.Labels, labelled{text{dimension, dimension}, s.values[j]})
		}
		for j := 0; j < len(s.buckets) && !q.metadataOnly; j++ {
			p := point{TimeStamp: q.first().Add(time.Duration(j) * q.grain).Format(time.RFC3339)}
			asked := q.aggregations
			if asked == "" {
				asked, _, _ = strings.Cut(m.aggregations, ",")
			}
			s.buckets[j].show(&p, asked, m.aggregations)
			e.Points = append(e.Points, p)
		}
		out = append(out, e)
	}
	return out
}

const (
	maxBatch     = 50
	maxBatchBody = 256 << 10
)

// queryBatch answers for up to fifty resources of one subscription and region.
func queryBatch(c *call) (any, *failure) {
	accounts, failure := c.batchAccounts()
	if failure != nil {
		return nil, failure
	}
	if c.query.Get("metricnames") == "" || c.query.Get("metricnamespace") == "" {
		return nil, badRequest("metricnames and metricnamespace are required")
	}
	q, failure := parseQuery(c.query, c.now, fileServices())
	if failure != nil {
		return nil, failure
	}
	values := []metricsAnswer{}
	for _, a := range accounts {
		answer := c.metrics(a, q)
		answer.Start, answer.End, answer.ResourceID = q.from.Format(time.RFC3339), q.to.Format(time.RFC3339), serviceID(c.subscription, a)
		values = append(values, answer)
	}
	return map[string]any{"values": values}, nil
}

func (c *call) batchAccounts() ([]*model.Account, *failure) {
	var body struct {
		IDs []string `json:"resourceids"`
	}
	data, err := io.ReadAll(http.MaxBytesReader(nil, c.request.Body, maxBatchBody))
	if err == nil {
		err = json.Unmarshal(data, &body)
	}
	if err != nil {
		return nil, badRequest("the body cannot be read: %v", err)
	}
	if len(body.IDs) == 0 || len(body.IDs) > maxBatch {
		return nil, badRequest("%d resource ids: 1 to %d are possible", len(body.IDs), maxBatch)
	}
	var accounts []*model.Account
	for _, id := range body.IDs {
		a := c.accountOf(id)
		if a == nil {
			return nil, badRequest("resource %s is not in subscription %s", id, c.subscription.ID)
		}
		if len(accounts) > 0 && a.Location != accounts[0].Location {
			return nil, badRequest("the resources of a batch are in one region, not in %s and %s", accounts[0].Location, a.Location)
		}
		accounts = append(accounts, a)
	}
	return accounts, nil
}

func (c *call) accountOf(id string) *model.Account {
	for _, a := range c.subscription.Accounts {
		if strings.EqualFold("/"+strings.Trim(id, "/"), serviceID(c.subscription, a)) {
			return a
		}
	}
	return nil
}
