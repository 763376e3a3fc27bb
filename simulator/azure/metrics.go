package azure

import (
	"strings"
	"time"

	"github.com/nasight/nasight/simulator/model"
)

const (
	metricNamespace = "Microsoft.Storage/storageAccounts/fileServices"
	retention       = 93 * 24 * time.Hour
)

// The dimensions, as definitions write them.
const (
	dimShare          = "FileShare"
	dimTier           = "Tier"
	dimAPI            = "ApiName"
	dimResponse       = "ResponseType"
	dimGeo            = "GeoType"
	dimAuthentication = "Authentication"
	dimTransaction    = "TransactionType"
)

// metric is one row of what Azure Monitor has about a resource. Exactly one of minute, hour and netapp is set.
type metric struct {
	name, title, unit string
	aggregations      string // that points can carry, the primary first
	dimensions        []string
	joins             bool // shares add up to the account; otherwise they are samples of it
	minute            func(p *model.SharePlacement, m model.ShareMinute) []cell
	hour              func(h hour) (float64, bool)
	netapp            func(m *model.Model, of netappTarget, at time.Time) (float64, bool) // of Azure NetApp Files
}

// hour is what a share is like at a full hour.
type hour struct {
	*model.SharePlacement
	model.Provision
	now, computed model.ShareSpace // at the hour, and when the service last computed the capacity
}

// grain is the finest interval.
func (m *metric) grain() time.Duration {
	switch {
	case m.hour != nil:
		return time.Hour
	case m.netapp != nil:
		return model.Grain
	}
	return model.ShareGrain
}

func (m *metric) has(dimension string) bool {
	for _, d := range m.dimensions {
		if strings.EqualFold(d, dimension) {
			return true
		}
	}
	return false
}

// cell is what one combination of dimensions had in one grain.
type cell struct {
	labels map[string]string // by dimension
	sample sample
}

// metricTable is what the documentation of 2026 lists.
func metricTable() []*metric {
	var (
		share    = []string{dimShare}
		capacity = []string{dimShare, dimTier}
		calls    = []string{dimGeo, dimAPI, dimAuthentication, dimShare}
		all      = []string{dimResponse, dimGeo, dimAPI, dimAuthentication, dimShare, dimTransaction}
	)
	const sizes, means = "Total,Average,Minimum,Maximum", "Average,Minimum,Maximum"
	provisioned := func(h hour, v float64) (float64, bool) { return v, h.IOPS > 0 }
	return []*metric{
		{name: "FileCapacity", title: "File Capacity", unit: "Bytes", aggregations: "Average", dimensions: capacity, joins: true,
			hour: func(h hour) (float64, bool) { return h.computed.Used, true }},
		{name: "FileCount", title: "File Count", unit: "Count", aggregations: "Average", dimensions: capacity, joins: true,
			hour: func(h hour) (float64, bool) { return h.computed.Files, true }},
		{name: "FileShareCapacityQuota", title: "File Share Capacity Quota", unit: "Bytes", aggregations: "Average", dimensions: share, joins: true,
			hour: func(h hour) (float64, bool) { return h.now.Quota, true }},
		{name: "FileShareCount", title: "File Share Count", unit: "Count", aggregations: "Average", joins: true,
			hour: func(hour) (float64, bool) { return 1, true }},
		{name: "FileShareProvisionedBandwidthMiBps", title: "File Share Provisioned Bandwidth MiB/s", unit: "CountPerSecond", aggregations: "Average", dimensions: share,
			joins: true, hour: func(h hour) (float64, bool) { return provisioned(h, h.MiBps) }},
		{name: "FileShareProvisionedIOPS", title: "File Share Provisioned IOPS", unit: "CountPerSecond", aggregations: "Average", dimensions: share, joins: true,
			hour: func(h hour) (float64, bool) { return provisioned(h, h.IOPS) }},
		{name: "FileShareSnapshotCount", title: "File Share Snapshot Count", unit: "Count", aggregations: "Average", dimensions: share, joins: true,
			hour: func(h hour) (float64, bool) { return h.now.Snapshots, true }},
		{name: "FileShareSnapshotSize", title: "File Share Snapshot Size", unit: "Bytes", aggregations: "Average", dimensions: share, joins: true,
			hour: func(h hour) (float64, bool) { return h.now.SnapshotBytes, true }},
		{name: "PercentFileShareUtilization", title: "Percentage File Share Utilization", unit: "Percent", aggregations: "Average", dimensions: share,
			hour: func(h hour) (float64, bool) { return provisioned(h, 100*h.computed.Used/h.computed.Quota) }},
		{name: "Availability", title: "Availability", unit: "Percent", aggregations: means, dimensions: calls, minute: availability},
		{name: "Egress", title: "Egress", unit: "Bytes", aggregations: sizes, dimensions: calls,
			minute: bytesOf(func(c model.ShareCalls) float64 { return c.Egress })},
		{name: "Ingress", title: "Ingress", unit: "Bytes", aggregations: sizes, dimensions: calls,
			minute: bytesOf(func(c model.ShareCalls) float64 { return c.Ingress })},
		{name: "FileShareAvailableBurstCredits", title: "Burst Credits For IOPS", unit: "Count", aggregations: "Average", dimensions: share,
			minute: gauge(false, func(m model.ShareMinute) float64 { return m.Credits })},
		{name: "FileShareMaxUsedBandwidthMiBps", title: "Bandwidth by Max MiB/s", unit: "CountPerSecond", aggregations: "Maximum", dimensions: share,
			minute: gauge(true, func(m model.ShareMinute) float64 { return m.MaxMiBps })},
		{name: "FileShareMaxUsedIOPS", title: "Transactions by Max IOPS", unit: "CountPerSecond", aggregations: "Maximum", dimensions: share,
			minute: gauge(true, func(m model.ShareMinute) float64 { return m.MaxIOPS })},
		{name: "FileSharePaidBurstingBandwidth", title: "Paid Bursting Bandwidth", unit: "Bytes", aggregations: "Total", dimensions: share,
			minute: gauge(true, func(m model.ShareMinute) float64 { return m.PaidBytes })},
		{name: "FileSharePaidBurstingIOS", title: "Paid Bursting IOS", unit: "Count", aggregations: "Total", dimensions: share,
			minute: gauge(true, func(m model.ShareMinute) float64 { return m.PaidOperations })},
		{name: "SuccessE2ELatency", title: "Success E2E Latency", unit: "MilliSeconds", aggregations: means, dimensions: calls,
			minute: latency(func(c model.ShareCalls) float64 { return c.ClientMS })},
		{name: "SuccessServerLatency", title: "Success Server Latency", unit: "MilliSeconds", aggregations: means, dimensions: calls,
			minute: latency(func(c model.ShareCalls) float64 { return c.ServerMS })},
		{name: "Transactions", title: "Transactions", unit: "Count", aggregations: "Total", dimensions: all, minute: transactions},
	}
}

// gauge is a value of the whole share; only shares that are provisioned have any. Some need activity.
func gauge(active bool, value func(model.ShareMinute) float64) func(*model.SharePlacement, model.ShareMinute) []cell {
	return func(p *model.SharePlacement, m model.ShareMinute) []cell {
		if p.Provision().IOPS == 0 || (active && len(m.Calls) == 0) {
			return nil
		}
		return []cell{{shareLabels(p), one(value(m))}}
	}
}

// shareLabels are the share and its tier. Shares that are paid by use are not told apart.
func shareLabels(p *model.SharePlacement) map[string]string {
	if p.Account.Billing() == model.PayAsYouGo {
		return map[string]string{dimTier: p.Share.Tier}
	}
	return map[string]string{dimShare: p.Share.Name, dimTier: p.Share.Tier}
}

func callLabels(p *model.SharePlacement, c model.ShareCalls) map[string]string {
	labels := shareLabels(p)
	labels[dimAPI], labels[dimGeo], labels[dimTransaction] = c.API, "Primary", "User"
	labels[dimAuthentication] = "NTLMv2"
	if p.Share.Kerberos {
		labels[dimAuthentication] = "Kerberos"
	}
	return labels
}

func transactions(p *model.SharePlacement, m model.ShareMinute) (cells []cell) {
	for _, c := range m.Calls {
		for _, r := range c.Responses {
			labels := callLabels(p, c)
			labels[dimResponse] = r.Type
			cells = append(cells, cell{labels, sample{total: r.Count, count: r.Count, least: 1, most: 1}})
		}
	}
	return cells
}

// bytesOf counts bytes; the mean, least and most are of single operations.
func bytesOf(bytes func(model.ShareCalls) float64) func(*model.SharePlacement, model.ShareMinute) []cell {
	return func(p *model.SharePlacement, m model.ShareMinute) (cells []cell) {
		for _, c := range m.Calls {
			n := c.Operations()
			size := bytes(c) / n
			cells = append(cells, cell{callLabels(p, c), sample{total: bytes(c), count: n, least: size, most: size}})
		}
		return cells
	}
}

// The least and the most of latencies, as shares of their mean.
const leastLatency, mostLatency = 0.6, 3

func latency(of func(model.ShareCalls) float64) func(*model.SharePlacement, model.ShareMinute) []cell {
	return func(p *model.SharePlacement, m model.ShareMinute) (cells []cell) {
		for _, c := range m.Calls {
			var n float64
			for _, r := range c.Responses {
				if model.Successful(r.Type) {
					n += r.Count
				}
			}
			if n > 0 {
				cells = append(cells, cell{callLabels(p, c), sample{of(c) * n, n, leastLatency * of(c), mostLatency * of(c)}})
			}
		}
		return cells
	}
}

// availability is full: what the model knows of errors is the clients' or their limits', which Azure leaves out.
func availability(p *model.SharePlacement, m model.ShareMinute) (cells []cell) {
	for _, c := range m.Calls {
		n := c.Operations()
		cells = append(cells, cell{callLabels(p, c), sample{100 * n, n, 100, 100}})
	}
	return cells
}
