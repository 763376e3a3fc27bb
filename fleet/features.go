package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
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
	Per  map[string]string // instead of Expr where clients of each protocol count it in families of their own: the expression by protocol
	By   []string          // labels by which a resource is matched and evidence is summed
	Sum  bool              // evidence sums the expression over what the resource does not name
	Slow bool              // looks over days: asked hourly, not with every view
	Only bool              // asked for evidence only: the view derives the number from others

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

// since is by how much a series grew from the moment that lies offset back to the newest; shrinking gives no result, and neither
// does a series that was not read since then: it would seem to stand still.
func since(metric, offset string) string {
	return fmt.Sprintf("(last_over_time(%[1]s{$sel}[%[2]s]) - last_over_time(%[1]s{$sel}[$w] offset %[2]s) >= 0)", metric, offset)
}

// lastRate is a counter's rate per second over the last interval.
func lastRate(metric string) string { return since(metric, "$last") + " / $lastseconds" }

const (
	received = "nasight_session_received_bytes_total"
	acked    = "nasight_session_acked_bytes_total"
	core     = "nasight_cpu_core_seconds_total"
	allCores = "nasight_cpu_seconds_total"
	busiest  = "nasight_endpoint_busiest_session_bytes_per_second"
	opRTT    = "nasight_endpoint_operation_rtt_seconds"
	requests = "nasight_endpoint_requests"
)

// Features is the table, every number of the view and every number that evidence names.
func Features() []Feature {
	var rows []Feature
	for _, group := range [][]Feature{
		mountFeatures(), smbFeatures(), transportFeatures(), sessionFeatures(), slowFeatures(), hostFeatures(), instanceFeatures(),
		cloudFeatures(), azureFeatures(),
	} {
		rows = append(rows, group...)
	}
	return rows
}

func transportFeatures() []Feature {
	backlog := rate("nasight_nfs_transport_backlog_requests_total") + " / (" + rate("nasight_nfs_transport_sends_total") + " > 0)"
	return []Feature{
		{Name: FeatureTransportCount, Unit: "transports", Expr: newest("nasight_nfs_transports"), By: byEndpoint, Sum: true},
		{Name: FeatureTransportBacklog, Unit: "requests", Expr: backlog, By: byEndpoint},
		{Name: FeatureTransportMaxSlots, Unit: "slots", Expr: newest("nasight_nfs_transport_max_slots"), By: byEndpoint},
		{Name: FeatureConnecting, Unit: "attempts per second", Expr: lastRate("nasight_nfs_transport_connects_total"), By: byEndpoint, Sum: true},
		{Name: FeatureReceives, Unit: "replies per second", By: byEndpoint, Sum: true, Per: map[string]string{
			NFS: lastRate("nasight_nfs_transport_receives_total"), SMB: withoutNotify(lastRate(smbCommands))}},
		{Name: FeaturePending, Unit: "requests", By: byEndpoint, Per: endpointGauges("last_over_time")},
		{Name: FeaturePendingFloor, Unit: "requests", By: byEndpoint, Per: endpointGauges("min_over_time")},
		{Name: FeatureConnected, Unit: "transports", By: byEndpoint, Per: map[string]string{
			NFS: newest("nasight_nfs_endpoint_connected_transports"), SMB: newest("nasight_smb_connected_channels"),
			ISCSI: overTargets(newest("nasight_iscsi_sessions"))}},
		{Name: FeatureDisconnected, Unit: "transports", By: byEndpoint, Per: map[string]string{
			NFS: newest("nasight_nfs_endpoint_disconnected_transports"), SMB: newest("nasight_smb_disconnected_channels"),
			ISCSI: overTargets(newest("nasight_iscsi_disconnected_sessions"))}},
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

// shifted is the modifier of PromQL for a time back. None at all is no offset, which Prometheus 2.42 does not take to be one.
func shifted(back string) string {
	if back == "0s" {
		return ""
	}
	return " offset " + back
}

// grown is by how many bytes the sessions of an endpoint grew between two moments, given as offsets.
func grown(from, to string) string {
	between := func(metric string) string {
		read := "$w"
		if to == "0s" {
			read = from
		}
		return fmt.Sprintf("(last_over_time(%[1]s{$sel}[%[4]s]%[3]s) - last_over_time(%[1]s{$sel}[$w]%[2]s) >= 0)", metric, shifted(from), shifted(to), read)
	}
	return fmt.Sprintf("sum by (host, server, protocol) (%s + %s)", between(received), between(acked))
}

// slowFeatures look over days, on the roll-ups that each evaluation writes back while an endpoint is busy.
func slowFeatures() []Feature {
	days := make([]string, 0, 7)
	for day := range 7 {
		days = append(days, fmt.Sprintf("count_over_time(%s{$sel}[1d]%s) >= 20", busiest, offset(time.Duration(day)*24*time.Hour)))
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
		// Ten of the thirty evaluations are enough to tell how many requests a client usually has under way.
		{Name: FeatureConcurrency, Unit: "requests", By: byEndpoint,
			Expr: fmt.Sprintf("quantile_over_time(0.9, %[1]s{$sel}[30m]) and count_over_time(%[1]s{$sel}[30m]) >= 10", requests)},
		{Name: FeatureBaseLatency, Unit: "seconds", Expr: fmt.Sprintf("quantile_over_time(0.05, %s{$sel}[7d])", opRTT), By: byEndpoint, Slow: true},
		{Name: FeatureBaseline, Unit: "seconds", Expr: fmt.Sprintf("quantile_over_time(0.5, %s{$sel}[7d])", opRTT), By: byEndpoint, Slow: true},
	}
}

func hostFeatures() []Feature {
	mode := func(expr, mode string) string {
		return matching(expr, fmt.Sprintf("mode=%q", mode))
	}
	share := func(m string) string {
		part := func(m string) string { return "sum by (host) (" + mode(rate(allCores), m) + ")" }
		return part(m) + " / (" + part("busy") + " + " + part("idle") + " > 0)"
	}
	direction := func(d string) string {
		return matching(newest("nasight_nic_cap_bytes_per_second"), fmt.Sprintf("direction=%q", d))
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
	Usual    Usual                                    // what the statistical baselines have learnt; nil for nothing

	Peaks *Peaks // what looks over days that are taken one after the other need to read only once; nil for a single look

	// Inventory is when the cloud's inventory was read first. It has no past: views of moments before it, as a replay
	// over back-filled metrics takes them, use the inventory of that moment. Zero: the view's own moment.
	Inventory time.Time

	CloudOnly bool // without clients: for looks at what the cloud alone tells
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

// selector stands for a resource's matchers in the expressions of the table.
const selector = "$sel"

// Promql gives the feature's expression for a resource, as it is asked of history.
func (f Feature) Promql(profile Profile, resource Resource) string {
	return f.timed(profile).about(resource)
}

// timed is the feature with a profile's times put into its expressions.
func (f Feature) timed(profile Profile) Feature {
	f.Expr = expand(f.Expr, profile, selector)
	per := f.Per
	if per != nil {
		f.Per = make(map[string]string, len(per))
	}
	for protocol, template := range per {
		f.Per[protocol] = expand(template, profile, selector)
	}
	return f
}

// about puts a resource into an expression that has everything else.
func (f Feature) about(resource Resource) string {
	expr := f.template(resource.Protocol)
	if expr == "" {
		return ""
	}
	expr = strings.ReplaceAll(expr, selector, f.matchers(resource))
	if f.Sum {
		return "sum(" + expr + ")"
	}
	return expr
}

// template is the expression for a protocol; of all of them for a resource that names none, and empty where clients of the
// protocol have no such number.
func (f Feature) template(protocol string) string {
	switch {
	case f.Per == nil:
		return f.Expr
	case protocol != "":
		return f.Per[protocol]
	}
	var all []string
	for _, protocol := range slices.Sorted(maps.Keys(f.Per)) {
		all = append(all, f.Per[protocol])
	}
	return strings.Join(all, " or ")
}

// Queries are what a look asks of history for every resource at once: one query, or one for each protocol.
func (f Feature) Queries(profile Profile) []string {
	if f.Per == nil {
		return []string{expand(f.Expr, profile, "")}
	}
	var queries []string
	for _, protocol := range slices.Sorted(maps.Keys(f.Per)) {
		queries = append(queries, expand(f.Per[protocol], profile, ""))
	}
	return queries
}

func (f Feature) expand(profile Profile, matchers string) string {
	return expand(f.Expr, profile, matchers)
}

func expand(template string, profile Profile, matchers string) string {
	span := profile.Window - time.Millisecond
	return strings.NewReplacer(
		selector, matchers,
		"$lastspan", millis(profile.Last+time.Millisecond),
		"$lastseconds", fmt.Sprint(profile.Last.Seconds()),
		"$beforeseconds", fmt.Sprint((span - profile.Last).Seconds()),
		"$last", millis(max(profile.Last, time.Millisecond)), // a range has to be longer than nothing
		"$span", millis(span),
		"$w", millis(profile.Window),
	).Replace(template)
}

func (f Feature) matchers(resource Resource) string {
	var matchers []string
	by := f.By
	if slices.Contains(by, "volume") && namedInPool(resource.Service) && !slices.Contains(by, "pool") {
		by = append(slices.Clone(by), "pool")
	}
	for _, label := range by {
		if value := resource.label(label); value != "" {
			matchers = append(matchers, label+"="+strconv.Quote(value))
		}
	}
	return strings.Join(matchers, ",")
}

// label is the value of an identity label; empty for another one.
func (r Resource) label(name string) string {
	switch name {
	case "host":
		return r.Host
	case "server":
		return r.Server
	case "export":
		return r.Export
	case "protocol":
		return r.Protocol
	case "cloud":
		return r.Cloud
	case "service":
		return r.Service
	case "project":
		return r.Project
	case "location":
		return r.Location
	case "pool":
		return r.Pool
	case "volume":
		return r.Volume
	}
	return ""
}

func millis(d time.Duration) string { return fmt.Sprintf("%dms", d.Milliseconds()) }
