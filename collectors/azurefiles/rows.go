package azurefiles

import (
	"strings"
	"time"

	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

// tier is how often a metric is read.
type tier string

const (
	performance tier = "performance"
	capacity    tier = "capacity"
)

// The dimensions that metrics are split by, as requests name them. Answers have them in lower case.
const (
	byShare    = "FileShare"
	byAPI      = "ApiName"
	byResponse = "ResponseType"
)

// The aggregations that the rows use.
const (
	total   = azureapi.Total
	average = azureapi.Average
	maximum = azureapi.Maximum
)

// row is one metric: which family it fills and how.
type row struct {
	metric      string
	aggregation azureapi.Aggregation
	family      *schema.Family
	scale       float64  // of one number to base units; a total of a minute is divided by its seconds
	labels      []string // values of the family's labels beyond those of the share and the dimension
	provisioned bool     // shares that are paid by use do not have it
}

// group is the metrics that one request asks for: those of one grain and one set of dimensions. A metric that lacks a
// dimension of a request makes the service refuse all of it.
type group struct {
	name  string
	tier  tier
	grain time.Duration
	by    string        // dimension beside the share, or empty
	past  time.Duration // most of the past that is read; 0 for as much as is configured
	rows  []*row
}

// The names of the time grains.
func (g *group) interval() string {
	switch g.grain {
	case schema.AzureCapacityGrain:
		return "PT1H"
	case schema.AzureRollUpGrain:
		return "PT5M"
	}
	return "PT1M"
}

const (
	perSecond    = 1.0 / 60
	milliseconds = 1e-3
	percent      = 1e-2
)

// pastMinutes is how much of the past is read minute by minute: the rules of the minute are folded over a day, and look back for
// a while from its beginning. What looks over days ask for are five minutes, which the service sums up itself.
const pastMinutes = 25 * time.Hour

// groups are all metrics that are read. The peaks are split by share alone: a further dimension changes maxima.
func groups() []*group {
	minute, hour := schema.AzureGrain, schema.AzureCapacityGrain
	return []*group{
		{name: "operations", tier: performance, grain: minute, past: pastMinutes, by: byAPI, rows: []*row{
			{metric: "Transactions", aggregation: total, family: schema.ShareOperations, scale: perSecond},
			{metric: "SuccessServerLatency", aggregation: average, family: schema.ShareLatency, scale: milliseconds, labels: []string{"server"}},
			{metric: "SuccessE2ELatency", aggregation: average, family: schema.ShareLatency, scale: milliseconds, labels: []string{"end_to_end"}},
		}},
		{name: "responses", tier: performance, grain: minute, past: pastMinutes, by: byResponse, rows: []*row{
			{metric: "Transactions", aggregation: total, family: schema.ShareResponses, scale: perSecond},
		}},
		{name: "load", tier: performance, grain: minute, past: pastMinutes, rows: []*row{
			{metric: "Egress", aggregation: total, family: schema.ShareThroughput, scale: perSecond, labels: []string{"egress"}},
			{metric: "Ingress", aggregation: total, family: schema.ShareThroughput, scale: perSecond, labels: []string{"ingress"}},
			{metric: "FileShareMaxUsedIOPS", aggregation: maximum, family: schema.SharePeakOperations, scale: 1, provisioned: true},
			{metric: "FileShareMaxUsedBandwidthMiBps", aggregation: maximum, family: schema.SharePeakThroughput, scale: mib, provisioned: true},
			{metric: "FileShareAvailableBurstCredits", aggregation: average, family: schema.ShareBurstCredits, scale: 1, provisioned: true},
			{metric: "Availability", aggregation: average, family: schema.ShareAvailability, scale: percent},
		}},
		{name: "days", tier: performance, grain: schema.AzureRollUpGrain, rows: []*row{
			{metric: "FileShareMaxUsedIOPS", aggregation: maximum, family: schema.SharePeakOperationsRollUp, scale: 1, provisioned: true},
			{metric: "FileShareMaxUsedBandwidthMiBps", aggregation: maximum, family: schema.SharePeakThroughputRollUp, scale: mib, provisioned: true},
			{metric: "FileShareAvailableBurstCredits", aggregation: average, family: schema.ShareBurstCreditsRollUp, scale: 1, provisioned: true},
		}},
		{name: "space", tier: capacity, grain: hour, rows: []*row{
			{metric: "FileCapacity", aggregation: average, family: schema.ShareUsed, scale: 1},
			{metric: "FileShareSnapshotCount", aggregation: average, family: schema.ShareSnapshots, scale: 1},
			{metric: "FileCount", aggregation: average, family: schema.ShareFiles, scale: 1},
		}},
	}
}

// rowsOf are the group's metrics that a class has.
func (g *group) rowsOf(c class) []*row {
	var kept []*row
	for _, r := range g.rows {
		if c.split() || !r.provisioned {
			kept = append(kept, r)
		}
	}
	return kept
}

// aggregations are those of some rows, each once, as requests name them.
func aggregations(rows []*row) []azureapi.Aggregation {
	var found []azureapi.Aggregation
	for _, one := range []azureapi.Aggregation{average, maximum, total} {
		for _, r := range rows {
			if r.aggregation == one {
				found = append(found, one)
				break
			}
		}
	}
	return found
}

func metricNames(rows []*row) []string {
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.metric
	}
	return names
}

// filter is what a request splits by. shares are those that are asked for; nil for all.
func (g *group) filter(c class, shares []string) string {
	var parts []string
	if g.by != "" {
		parts = append(parts, g.by+" eq '*'")
	}
	if c.split() && shares == nil {
		parts = append(parts, byShare+" eq '*'")
	}
	if c.split() && shares != nil {
		each := make([]string, len(shares))
		for i, name := range shares {
			each[i] = byShare + " eq '" + strings.ReplaceAll(name, "'", "''") + "'"
		}
		parts = append(parts, strings.Join(each, " or "))
	}
	return strings.Join(parts, " and ")
}
