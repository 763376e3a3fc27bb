package azure

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// query is a checked request for metrics.
type query struct {
	from, to     time.Time
	grain        time.Duration
	interval     string // the grain as Azure writes it
	metrics      []*metric
	aggregations string // empty for each metric's primary one
	filter       filter
	split        []string // dimensions, in lower case, that make series
	top          int      // most series of a metric
	metadataOnly bool     // which series there are, without points
}

const (
	defaultTop  = 10
	defaultSpan = time.Hour
	maxPoints   = 50_000 // of one series: 34 days of minutes
)

// interval is one width of buckets, with its name in ISO 8601.
type interval struct {
	name string
	of   time.Duration
}

// grains are the intervals, in ascending order.
func grains() []interval {
	return []interval{
		{"PT1M", time.Minute}, {"PT5M", 5 * time.Minute}, {"PT15M", 15 * time.Minute}, {"PT30M", 30 * time.Minute}, {"PT1H", time.Hour},
		{"PT6H", 6 * time.Hour}, {"PT12H", 12 * time.Hour}, {"P1D", 24 * time.Hour},
	}
}

// catalogue is what Azure Monitor has about one type of resource.
type catalogue struct {
	namespace      string // as clients name it
	provider, kind string // as complaints name it
	metrics        []*metric
}

func fileServices() catalogue {
	return catalogue{metricNamespace, "Microsoft.Storage", "storageAccounts/fileServices", metricTable()}
}

// parseQuery checks what all requests for metrics have in common; names of values are in lower case, without $.
func parseQuery(values url.Values, now time.Time, of catalogue) (*query, *failure) {
	q := &query{aggregations: values.Get("aggregation"), top: defaultTop, metadataOnly: strings.EqualFold(values.Get("resulttype"), "metadata")}
	if values.Get("orderby") != "" {
		return nil, failed(http.StatusNotImplemented, "NotImplemented", "orderby is not part of the emulator")
	}
	for _, step := range []func(url.Values) error{
		func(v url.Values) error { return q.readMetrics(v, of) }, q.readAggregations, q.readInterval, q.readFilter, q.readTop,
		func(v url.Values) error { return q.readSpan(v, now) },
	} {
		if err := step(values); err != nil {
			return nil, badRequest("%v", err)
		}
	}
	return q, nil
}

func (q *query) readMetrics(values url.Values, of catalogue) error {
	if namespace := values.Get("metricnamespace"); namespace != "" && !strings.EqualFold(namespace, of.namespace) {
		return fmt.Errorf("metric namespace %s is not that of the resource, %s", namespace, of.namespace)
	}
	table := of.metrics
	names := values.Get("metricnames")
	if names == "" {
		q.metrics = table[:1]
		return nil
	}
	for name := range strings.SplitSeq(names, ",") {
		at := slices.IndexFunc(table, func(m *metric) bool { return strings.EqualFold(m.name, strings.TrimSpace(name)) })
		if at < 0 {
			return fmt.Errorf("failed to find metric configuration for provider: %s, resource Type: %s, metric: %s", of.provider, of.kind, name)
		}
		if !slices.Contains(q.metrics, table[at]) {
			q.metrics = append(q.metrics, table[at])
		}
	}
	return nil
}

func (q *query) readAggregations(url.Values) error {
	if q.aggregations == "" {
		return nil
	}
	for name := range strings.SplitSeq(q.aggregations, ",") {
		if !listed("Total,Average,Minimum,Maximum,Count,None", strings.TrimSpace(name)) {
			return fmt.Errorf("aggregation %q is none of Average, Count, Maximum, Minimum, Total", name)
		}
	}
	return nil
}

// readInterval refuses grains that a metric does not have, unless the request lets the service choose.
func (q *query) readInterval(values url.Values) error {
	asked := values.Get("interval")
	if asked == "" {
		asked = "PT1M"
	}
	rows := grains()
	at := slices.IndexFunc(rows, func(row interval) bool { return strings.EqualFold(row.name, asked) })
	if at < 0 {
		return fmt.Errorf("invalid time grain %q: supported are PT1M, PT5M, PT15M, PT30M, PT1H, PT6H, PT12H and P1D", asked)
	}
	adjust := strings.EqualFold(values.Get("autoadjusttimegrain"), "true")
	for _, m := range q.metrics {
		for rows[at].of < m.grain() {
			if !adjust {
				return fmt.Errorf("metric %s does not support the requested time grain %s: supported are %s and longer ones", m.name, asked, nameOf(m.grain()))
			}
			at++
		}
	}
	q.grain, q.interval = rows[at].of, rows[at].name
	return nil
}

func (q *query) readFilter(values url.Values) error {
	var err error
	if q.filter, err = parseFilter(values.Get("filter")); err != nil {
		return fmt.Errorf("invalid $filter: %w", err)
	}
	rolled := values.Get("rollupby")
	lenient := strings.EqualFold(values.Get("validatedimensions"), "false")
	for _, c := range q.filter {
		for _, m := range q.metrics {
			if !m.has(c.dimension) && !lenient {
				return fmt.Errorf("metric %s does not support the requested dimension combination: %s; it has %s", m.name, c.dimension, strings.Join(m.dimensions, ","))
			}
		}
		if !listed(rolled, c.dimension) && !slices.Contains(q.split, c.dimension) {
			q.split = append(q.split, c.dimension)
		}
	}
	return nil
}

func (q *query) readTop(values url.Values) error {
	text := values.Get("top")
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return fmt.Errorf("top %q is no whole number of at least 1", text)
	}
	if len(q.filter) == 0 {
		return fmt.Errorf("top is valid only with $filter")
	}
	q.top = int(n)
	return nil
}

func (q *query) readSpan(values url.Values, now time.Time) error {
	q.from, q.to = now.Add(-defaultSpan), now
	if text := values.Get("timespan"); text != "" {
		from, to, _ := strings.Cut(text, "/")
		values = url.Values{"starttime": {from}, "endtime": {to}}
	}
	for _, end := range []struct {
		name string
		into *time.Time
	}{{"starttime", &q.from}, {"endtime", &q.to}} {
		text := values.Get(end.name)
		if text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return fmt.Errorf("timespan: %s %q is no time of RFC 3339", end.name, text)
		}
		*end.into = at.UTC()
	}
	if !q.from.Before(q.to) {
		return fmt.Errorf("timespan: %s is not before %s", q.from.Format(time.RFC3339), q.to.Format(time.RFC3339))
	}
	if points := q.to.Sub(q.from) / q.grain; points > maxPoints {
		return fmt.Errorf("timespan: %d points of %s are too many: at most %d", points, q.interval, maxPoints)
	}
	return nil
}

// nameOf is an interval as Azure writes it.
func nameOf(grain time.Duration) string {
	for _, row := range grains() {
		if row.of == grain {
			return row.name
		}
	}
	return ""
}

// first is the start of the oldest bucket, points the number of buckets.
func (q *query) first() time.Time { return q.from.Truncate(q.grain) }

func (q *query) points() int { return int((q.to.Sub(q.first()) + q.grain - 1) / q.grain) }
