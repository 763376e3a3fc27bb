package fleet

import (
	"fmt"
	"strings"
	"time"
)

// Feature is one row of the table: a number of the view as PromQL.
//
// The expression is a template. $sel stands for the matchers of a resource, $w for the window, $last for the last
// interval and $lastspan for the same with both its ends, $span for the window without the millisecond that makes it
// take in its first moment. A bare selector never occurs: the newest value is last_over_time, so that what a stale
// series said long ago is not taken for the present.
type Feature struct {
	Name string
	Unit string
	Expr string
	By   []string // labels by which a resource is matched and evidence is summed
	Sum  bool     // evidence sums the expression over what the resource does not name
	Slow bool     // looks over days: asked hourly, not with every view
	Only bool     // asked for evidence only: the view derives the number from others

	Cloud  bool          // about the cloud's side
	Config bool          // inventory, which has no past: asked at Profile.Inventory where that is later than the view
	Steps  int           // asked as so many samples, each Step after the other, the newest last; 0: as one value
	Step   time.Duration // the samples' grain
}

var (
	byHost     = []string{"host"}
	byEndpoint = []string{"host", "server", "protocol"}
	byMount    = []string{"host", "server", "export", "protocol"}
)

// rate is a counter's rate per second over the window; a window with a reset has none, since PromQL would count the
// value after the reset as an increase.
func rate(metric string) string {
	return fmt.Sprintf("(rate(%[1]s{$sel}[$w]) and resets(%[1]s{$sel}[$w]) == 0)", metric)
}

// newest is a gauge's last value in the window.
func newest(metric string) string { return fmt.Sprintf("last_over_time(%s{$sel}[$w])", metric) }

// since is by how much a series grew from the moment that lies offset back to the newest; shrinking gives no result.
func since(metric, offset string) string {
	return fmt.Sprintf("(last_over_time(%[1]s{$sel}[$w]) - last_over_time(%[1]s{$sel}[$w] offset %[2]s) >= 0)", metric, offset)
}

// lastRate is a counter's rate per second over the last interval.
func lastRate(metric string) string { return since(metric, "$last") + " / $lastseconds" }

const (
	ops      = "nasight_nfs_operations_total"
	rttSum   = "nasight_nfs_rtt_seconds_total"
	execSum  = "nasight_nfs_execute_seconds_total"
	received = "nasight_session_received_bytes_total"
	acked    = "nasight_session_acked_bytes_total"
	core     = "nasight_cpu_core_seconds_total"
	allCores = "nasight_cpu_seconds_total"
	busiest  = "nasight_endpoint_busiest_session_bytes_per_second"
	opRTT    = "nasight_endpoint_operation_rtt_seconds"
)

// Features is the table, every number of the view and every number that evidence names.
func Features() []Feature {
	var rows []Feature
	for _, group := range [][]Feature{
		mountFeatures(), transportFeatures(), sessionFeatures(), slowFeatures(), hostFeatures(), cloudFeatures(),
	} {
		rows = append(rows, group...)
	}
	return rows
}

func mountFeatures() []Feature {
	return []Feature{
		{Name: FeatureMountInfo, Expr: newest("nasight_nfs_mount_info"), By: byMount},
		{Name: FeatureMountAge, Unit: "seconds", Expr: newest("nasight_nfs_mount_age_seconds"), By: byMount},
		{Name: FeatureMountSamples, Unit: "samples", Expr: "count_over_time(nasight_nfs_mount_age_seconds{$sel}[$w])", By: byMount},
		{Name: FeatureClockAdvance, Unit: "seconds", Expr: since("nasight_nfs_mount_age_seconds", "$last"), By: byMount},
		{Name: FeatureRate, Unit: "operations per second", Expr: rate(ops), By: byMount, Sum: true},
		{Name: FeatureOnWire, Unit: "requests", Expr: rate(rttSum), By: byMount, Sum: true},
		{Name: FeatureOutstanding, Unit: "requests", Expr: rate(execSum), By: byMount, Sum: true},
		{Name: FeatureRTT, Unit: "seconds", Expr: "sum(" + rate(rttSum) + ") / sum(" + rate(ops) + ")", By: byMount, Only: true},
		{Name: FeatureExecute, Unit: "seconds", Expr: "sum(" + rate(execSum) + ") / sum(" + rate(ops) + ")", By: byMount, Only: true},
		{Name: FeatureQueueShare, Unit: "ratio", By: byMount, Only: true,
			Expr: "clamp_min(1 - sum(" + rate(rttSum) + ") / sum(" + rate(execSum) + "), 0)"},
		{Name: FeatureMetadataShare, Unit: "ratio", By: byMount, Only: true,
			Expr: "sum(" + metadata(rate(ops)) + ") / sum(" + rate(ops) + ")"},
		{Name: FeatureMetadataRate, Unit: "operations per second", Expr: metadata(rate(ops)), By: byMount, Sum: true, Only: true},
		{Name: FeatureErrors, Unit: "operations per second", Expr: rate("nasight_nfs_operation_errors_total"), By: byMount, Sum: true},
		{Name: FeatureReadRate, Unit: "bytes per second", Expr: rate("nasight_nfs_read_bytes_total"), By: byMount, Sum: true},
		{Name: FeatureWriteRate, Unit: "bytes per second", Expr: rate("nasight_nfs_write_bytes_total"), By: byMount, Sum: true},
		{Name: FeatureRetransmits, Unit: "requests per second", Expr: rate("nasight_nfs_retransmissions_total"), By: byMount, Sum: true},
		{Name: FeatureTimeouts, Unit: "requests per second", Expr: lastRate("nasight_nfs_major_timeouts_total"), By: byMount, Sum: true},
		{Name: FeatureCompletions, Unit: "operations per second", Expr: lastRate(ops), By: byMount, Sum: true},
		{Name: FeatureReadAhead, Unit: "bytes", Expr: newest("nasight_nfs_read_ahead_bytes"), By: byMount},
	}
}

// metadata keeps the classes that move no data.
func metadata(expr string) string {
	return strings.ReplaceAll(expr, "{$sel}", `{class!~"read|write|commit",$sel}`)
}

func transportFeatures() []Feature {
	backlog := rate("nasight_nfs_transport_backlog_requests_total") + " / (" + rate("nasight_nfs_transport_sends_total") + " > 0)"
	return []Feature{
		{Name: FeatureTransportCount, Unit: "transports", Expr: newest("nasight_nfs_transports"), By: byEndpoint, Sum: true},
		{Name: FeatureTransportBacklog, Unit: "requests", Expr: backlog, By: byEndpoint},
		{Name: FeatureTransportMaxSlots, Unit: "slots", Expr: newest("nasight_nfs_transport_max_slots"), By: byEndpoint},
		{Name: FeatureConnecting, Unit: "attempts per second", Expr: lastRate("nasight_nfs_transport_connects_total"), By: byEndpoint, Sum: true},
		{Name: FeatureReceives, Unit: "replies per second", Expr: lastRate("nasight_nfs_transport_receives_total"), By: byEndpoint, Sum: true},
		{Name: FeaturePending, Unit: "requests", Expr: "last_over_time(nasight_nfs_endpoint_pending_requests{$sel}[$lastspan])", By: byEndpoint},
		{Name: FeaturePendingFloor, Unit: "requests", Expr: "min_over_time(nasight_nfs_endpoint_pending_requests{$sel}[$lastspan])", By: byEndpoint},
		{Name: FeatureConnected, Unit: "transports", Expr: newest("nasight_nfs_endpoint_connected_transports"), By: byEndpoint},
		{Name: FeatureDisconnected, Unit: "transports", Expr: newest("nasight_nfs_endpoint_disconnected_transports"), By: byEndpoint},
		{Name: FeatureSlotLimit, Unit: "slots", Expr: newest("nasight_nfs_endpoint_slot_limit"), By: byEndpoint},
	}
}

func sessionFeatures() []Feature {
	both := "(" + rate(received) + " + " + rate(acked) + ")"
	return []Feature{
		{Name: FeatureSessionRate, Unit: "bytes per second", Expr: both, By: byEndpoint},
		{Name: FeatureSessionRTT, Unit: "seconds", Expr: "quantile_over_time(0.5, nasight_session_rtt_seconds{$sel}[$w])", By: byEndpoint},
		{Name: FeatureRTTOverLowest, Unit: "ratio", By: byEndpoint, Only: true,
			Expr: "quantile_over_time(0.5, nasight_session_rtt_seconds{$sel}[$w]) / on (host, server, protocol) group_left min_over_time(nasight_endpoint_lowest_rtt_seconds{$sel}[$w])"},
		{Name: FeatureSessionMinRTT, Unit: "seconds", Expr: "min_over_time(nasight_session_min_rtt_seconds{$sel}[$w])", By: byEndpoint},
		{Name: FeatureSessionOutOfOrder, Unit: "ratio", By: byEndpoint,
			Expr: rate("nasight_session_out_of_order_total") + " / (" + rate("nasight_session_segments_received_total") + " > 0)"},
		{Name: FeatureSessionRetransmits, Unit: "segments per second", Expr: rate("nasight_session_retransmits_total"), By: byEndpoint},
		{Name: FeatureSessionNotSent, Unit: "bytes", Expr: "avg_over_time(nasight_session_not_sent_bytes{$sel}[$w])", By: byEndpoint},
		{Name: FeatureBusiestShare, Unit: "ratio", Expr: "max(" + both + ") / sum(" + both + ")", By: byEndpoint, Only: true},
		{Name: FeatureSessionCount, Unit: "sessions", Expr: newest("nasight_endpoint_sessions"), By: byEndpoint},
		{Name: FeatureLowestRTT, Unit: "seconds", Expr: "min_over_time(nasight_endpoint_lowest_rtt_seconds{$sel}[$w])", By: byEndpoint},
		{Name: FeatureMoving, Unit: "ratio", By: byEndpoint, Expr: moving()},
		{Name: FeatureBusy, Unit: "ratio", By: byEndpoint,
			Expr: rate("nasight_endpoint_busy_seconds_total") + " / (" + newest("nasight_endpoint_sessions") + " > 0)"},
		{Name: FeatureLimited, Unit: "ratio", By: byEndpoint,
			Expr: "(" + rate("nasight_endpoint_rwnd_limited_seconds_total") + " + " + rate("nasight_endpoint_sndbuf_limited_seconds_total") +
				") / (" + rate("nasight_endpoint_busy_seconds_total") + " > 0)"},
		{Name: FeatureRetransmitShare, Unit: "ratio", By: byEndpoint,
			Expr: "sum by (host, server, protocol) (" + rate("nasight_session_retransmits_total") + ") / (" + rate("nasight_endpoint_segments_sent_total") + " > 0)"},
	}
}

// moving compares the bytes of the last interval with those of the window before it, both per second. Differences of
// values, not rates, so that a step between the two parts is lost to neither.
func moving() string {
	last := grown("$last", "0s")
	before := grown("$span", "$last")
	return fmt.Sprintf("(%s / $lastseconds) / (%s > 0) * $beforeseconds", last, before)
}

// grown is by how many bytes the sessions of an endpoint grew between two moments, given as offsets.
func grown(from, to string) string {
	between := func(metric string) string {
		return fmt.Sprintf("(last_over_time(%[1]s{$sel}[$w] offset %[3]s) - last_over_time(%[1]s{$sel}[$w] offset %[2]s) >= 0)", metric, from, to)
	}
	return fmt.Sprintf("sum by (host, server, protocol) (%s + %s)", between(received), between(acked))
}

// slowFeatures look over days, on the roll-ups that each evaluation writes back while an endpoint is busy.
func slowFeatures() []Feature {
	days := make([]string, 0, 7)
	for day := range 7 {
		days = append(days, fmt.Sprintf("count_over_time(%s{$sel}[1d] offset %dd) >= 20", busiest, day))
	}
	learnt := fmt.Sprintf("(count by (host, server, protocol) (label_replace(%s, \"day\", \"0\", \"\", \"\")", days[0])
	for day, expr := range days[1:] {
		learnt += fmt.Sprintf(" or label_replace(%s, \"day\", \"%d\", \"\", \"\")", expr, day+1)
	}
	learnt += ") >= 3)"
	return []Feature{
		{Name: FeatureCeiling, Unit: "bytes per second", By: byEndpoint, Slow: true,
			Expr: fmt.Sprintf("max_over_time(%s{$sel}[7d]) and %s", busiest, learnt)},
		{Name: FeaturePlateau, Unit: "ratio", By: byEndpoint,
			Expr: fmt.Sprintf("quantile_over_time(0.95, %[1]s{$sel}[10m]) / quantile_over_time(0.5, %[1]s{$sel}[10m])", busiest)},
		{Name: FeatureBaseLatency, Unit: "seconds", Expr: fmt.Sprintf("quantile_over_time(0.05, %s{$sel}[7d])", opRTT), By: byEndpoint, Slow: true},
		{Name: FeatureBaseline, Unit: "seconds", Expr: fmt.Sprintf("quantile_over_time(0.5, %s{$sel}[7d])", opRTT), By: byEndpoint, Slow: true},
	}
}

func hostFeatures() []Feature {
	mode := func(expr, mode string) string {
		return strings.ReplaceAll(expr, "{$sel}", fmt.Sprintf("{mode=%q,$sel}", mode))
	}
	share := func(m string) string {
		part := func(m string) string { return "sum by (host) (" + mode(rate(allCores), m) + ")" }
		return part(m) + " / (" + part("busy") + " + " + part("idle") + " > 0)"
	}
	direction := func(d string) string {
		return strings.ReplaceAll(newest("nasight_nic_cap_bytes_per_second"), "{$sel}", fmt.Sprintf("{direction=%q,$sel}", d))
	}
	return []Feature{
		{Name: FeatureCPUCores, Unit: "cores", Expr: newest("nasight_cpu_cores"), By: byHost},
		{Name: FeatureCPUBusiestSoftirq, Unit: "ratio", Expr: "max by (host) (" + mode(rate(core), "softirq") + ")", By: byHost},
		{Name: FeatureCPUBusiestBusy, Unit: "ratio", Expr: "max by (host) (" + mode(rate(core), "busy") + ")", By: byHost},
		{Name: FeatureCPUBusy, Unit: "ratio", Expr: share("busy"), By: byHost},
		{Name: FeatureCPUSteal, Unit: "ratio", Expr: share("steal"), By: byHost},
		{Name: FeatureNICInfo, Expr: newest("nasight_nic_info"), By: byHost},
		{Name: FeatureNICReceive, Unit: "bytes per second", Expr: rate("nasight_nic_receive_bytes_total"), By: byHost},
		{Name: FeatureNICTransmit, Unit: "bytes per second", Expr: rate("nasight_nic_transmit_bytes_total"), By: byHost},
		{Name: FeatureNICDrops, Unit: "packets per second", Expr: rate("nasight_nic_receive_drops_total") + " + " + rate("nasight_nic_transmit_drops_total"), By: byHost},
		{Name: FeatureNICSpeed, Unit: "bytes per second", Expr: newest("nasight_nic_speed_bytes_per_second"), By: byHost},
		{Name: FeatureNICReceiveCap, Unit: "bytes per second", Expr: direction("receive"), By: byHost},
		{Name: FeatureNICTransmitCap, Unit: "bytes per second", Expr: direction("transmit"), By: byHost},
		{Name: FeatureSlotTable, Unit: "slots", Expr: newest("nasight_nfs_slot_table_entries"), By: byHost},
		{Name: FeatureSessionSlots, Unit: "slots", Expr: newest("nasight_nfs_session_slots"), By: byHost},
		{Name: FeatureSessionSlotsConfig, Unit: "slots", Expr: newest("nasight_nfs_session_slots_configured"), By: byHost},
	}
}

// Profile is how the view is taken.
type Profile struct {
	Window   time.Duration // what rates and means cover; at least two moments of the source lie in it
	Last     time.Duration // the last interval: a part of the window that ends with it
	Expected int           // reads of a host source that the window should hold

	Provider func(server, serverName string) Provider // nil: by the server's name alone
	Cloud    string                                   // gce, azure or empty
	Learnt   *Learnt                                  // what longer looks found; nil for nothing
	Days     *Days                                    // what looks over days found of the cloud's side; nil for nothing

	// Inventory is when the cloud's inventory was read first. It has no past: views of moments before it, as a replay
	// over back-filled metrics takes them, use the inventory of that moment. Zero: the view's own moment.
	Inventory time.Time
}

// Spacing gives the profile of a source that is read at an interval, over a window.
func Spacing(window, interval time.Duration) Profile {
	last := max(window/2, 2*interval)
	return Profile{Window: window, Last: min(last, window), Expected: max(2, int(window/interval))}
}

// Moments gives the profile of a record: from its first moment to its last, both included.
func Moments(times []time.Time) Profile {
	if len(times) < 2 {
		return Profile{Window: time.Millisecond, Expected: len(times)}
	}
	// History keeps milliseconds: the window has to reach from one kept time to the other.
	kept := func(i int) time.Time { return time.UnixMilli(times[i].UnixMilli()) }
	first, before, last := kept(0), kept(len(times)-2), kept(len(times)-1)
	return Profile{Window: last.Sub(first) + time.Millisecond, Last: last.Sub(before), Expected: len(times)}
}

// Promql gives the feature's expression for a resource, as it is asked of history.
func (f Feature) Promql(profile Profile, resource Resource) string {
	expr := f.expand(profile, f.matchers(resource))
	if f.Sum {
		return "sum(" + expr + ")"
	}
	return expr
}

func (f Feature) expand(profile Profile, matchers string) string {
	span := profile.Window - time.Millisecond
	return strings.NewReplacer(
		"$sel", matchers,
		"$lastspan", millis(profile.Last+time.Millisecond),
		"$lastseconds", fmt.Sprint(profile.Last.Seconds()),
		"$beforeseconds", fmt.Sprint((span - profile.Last).Seconds()),
		"$last", millis(profile.Last),
		"$span", millis(span),
		"$w", millis(profile.Window),
	).Replace(f.Expr)
}

func (f Feature) matchers(resource Resource) string {
	values := map[string]string{
		"host": resource.Host, "server": resource.Server, "export": resource.Export, "protocol": resource.Protocol,
		"cloud": resource.Cloud, "service": resource.Service, "project": resource.Project, "location": resource.Location,
		"pool": resource.Pool, "volume": resource.Volume,
	}
	var matchers []string
	for _, label := range f.By {
		if values[label] != "" {
			matchers = append(matchers, fmt.Sprintf("%s=%q", label, values[label]))
		}
	}
	return strings.Join(matchers, ",")
}

func millis(d time.Duration) string { return fmt.Sprintf("%dms", d.Milliseconds()) }
