package fleet

import (
	"fmt"
	"strings"
)

// The protocols, as the protocol label names them.
const (
	NFS   = "nfs"
	SMB   = "smb"
	ISCSI = "iscsi"
)

const (
	smbCommands = "nasight_smb_endpoint_operations_total"
	smbTime     = "nasight_smb_endpoint_rtt_seconds_total"
	smbQueue    = "nasight_smb_rtt_seconds_total"
)

// each gives one expression per protocol, made of the families nasight_nfs_NAME, nasight_smb_NAME and nasight_iscsi_NAME.
func each(name string, expr func(metric string) string) map[string]string {
	per := map[string]string{}
	for _, protocol := range []string{NFS, SMB, ISCSI} {
		per[protocol] = expr("nasight_" + protocol + "_" + name)
	}
	return per
}

// mountFeatures are asked of every mount, SMB share and iSCSI target alike.
func mountFeatures() []Feature {
	const ops = "operations_total"
	return []Feature{
		{Name: FeatureMountInfo, Per: each("mount_info", newest), By: byMount},
		{Name: FeatureMountAge, Unit: "seconds", Expr: newest("nasight_nfs_mount_age_seconds"), By: byMount},
		{Name: FeatureMountSamples, Unit: "samples", By: byMount, Per: map[string]string{
			NFS: "count_over_time(nasight_nfs_mount_age_seconds{$sel}[$w])", SMB: reads("nasight_smb_mount_info"), ISCSI: reads("nasight_iscsi_mount_info")}},
		{Name: FeatureClockAdvance, Unit: "seconds", Expr: since("nasight_nfs_mount_age_seconds", "$last"), By: byMount},
		{Name: FeatureRate, Unit: "operations per second", Per: each(ops, rate), By: byMount, Sum: true},
		{Name: FeatureOnWire, Unit: "requests", Per: onWire(), By: byMount, Sum: true},
		{Name: FeatureOutstanding, Unit: "requests", Per: outstanding(), By: byMount, Sum: true},
		{Name: FeatureRTT, Unit: "seconds", Per: perOperation(onWire()), By: byMount, Only: true},
		{Name: FeatureExecute, Unit: "seconds", Per: perOperation(outstanding()), By: byMount, Only: true},
		{Name: FeatureQueueShare, Unit: "ratio", By: byMount, Only: true, Per: queueShare()},
		{Name: FeatureMetadataShare, Unit: "ratio", By: byMount, Only: true,
			Per: each(ops, func(m string) string { return "sum(" + metadata(rate(m)) + ") / sum(" + rate(m) + ")" })},
		{Name: FeatureMetadataRate, Unit: "operations per second", By: byMount, Sum: true, Only: true,
			Per: each(ops, func(m string) string { return metadata(rate(m)) })},
		{Name: FeatureErrors, Unit: "operations per second", By: byMount, Sum: true, Per: map[string]string{
			NFS: rate("nasight_nfs_operation_errors_total"), SMB: rate("nasight_smb_operation_errors_total")}},
		{Name: FeatureReadRate, Unit: "bytes per second", Per: each("read_bytes_total", rate), By: byMount, Sum: true},
		{Name: FeatureWriteRate, Unit: "bytes per second", Per: each("write_bytes_total", rate), By: byMount, Sum: true},
		{Name: FeatureRetransmits, Unit: "requests per second", Expr: rate("nasight_nfs_retransmissions_total"), By: byMount, Sum: true},
		{Name: FeatureTimeouts, Unit: "requests per second", Expr: lastRate("nasight_nfs_major_timeouts_total"), By: byMount, Sum: true},
		{Name: FeatureCompletions, Unit: "operations per second", Per: each(ops, lastRate), By: byMount, Sum: true},
		{Name: FeatureReadAhead, Unit: "bytes", Expr: newest("nasight_nfs_read_ahead_bytes"), By: byMount},
	}
}

// reads counts how often an info series was read, whatever its facts were each time.
func reads(metric string) string {
	return fmt.Sprintf("sum by (host, server, export, protocol, device) (count_over_time(%s{$sel}[$w]))", metric)
}

// onWire is the mean number of requests between sending and reply, by class. A Linux SMB client counts their time by server,
// whose shares have the channels in common; a Windows client counts it by share.
func onWire() map[string]string {
	return map[string]string{
		NFS:   rate("nasight_nfs_rtt_seconds_total"),
		SMB:   "(" + withoutNotify(rate(smbTime)) + " or " + rate(smbQueue) + ")",
		ISCSI: rate("nasight_iscsi_rtt_seconds_total"),
	}
}

// outstanding is the same with the wait in the client. Only the RPC layer of NFS tells the two apart.
func outstanding() map[string]string {
	per := onWire()
	per[NFS] = rate("nasight_nfs_execute_seconds_total")
	return per
}

// perOperation is the mean time of an operation.
func perOperation(times map[string]string) map[string]string {
	return each("operations_total", func(metric string) string {
		protocol := strings.Split(metric, "_")[1]
		return "sum(" + times[protocol] + ") / sum(" + rate(metric) + ")"
	})
}

// queueShare is the part of the time that requests wait in the client.
func queueShare() map[string]string {
	return map[string]string{NFS: "clamp_min(1 - sum(" + onWire()[NFS] + ") / sum(" + outstanding()[NFS] + "), 0)"}
}

// metadata keeps the classes that move no data.
func metadata(expr string) string { return matching(expr, `class!~"read|write|commit"`) }

// withoutNotify leaves out the class of change notifications, which wait until somebody changes something.
func withoutNotify(expr string) string { return matching(expr, `class!="notify"`) }

// matching adds a matcher to every selector of an expression.
func matching(expr, matcher string) string {
	return strings.ReplaceAll(expr, "{$sel}", "{"+matcher+",$sel}")
}

// overTargets sums what is told of each target behind one portal.
func overTargets(expr string) string { return "sum by (host, server, protocol) (" + expr + ")" }

// endpointGauges is what an aggregation over the last interval, both its ends included, makes of the requests that wait. A
// Windows client tells them by share.
func endpointGauges(over string) map[string]string {
	gauge := func(metric string) string { return fmt.Sprintf("%s(%s{$sel}[$lastspan])", over, metric) }
	return map[string]string{
		NFS:   gauge("nasight_nfs_endpoint_pending_requests"),
		SMB:   "(" + gauge("nasight_smb_endpoint_pending_requests") + " or " + overTargets(gauge("nasight_smb_queued_requests")) + ")",
		ISCSI: overTargets(gauge("nasight_iscsi_pending_requests")),
	}
}

// smbFeatures are about SMB shares, their servers and clients, and about iSCSI sessions.
func smbFeatures() []Feature {
	return []Feature{
		{Name: FeatureCreditStalls, Unit: "requests per second", Expr: rate("nasight_smb_credit_stalls_total"), By: byMount, Sum: true},
		{Name: FeatureOpenFiles, Unit: "files", Expr: newest("nasight_smb_open_files"), By: byMount, Sum: true},
		{Name: FeatureFilesInUse, Unit: "files", Expr: newest("nasight_smb_files_in_use"), By: byMount, Sum: true},
		{Name: FeatureChannelsAsked, Unit: "channels", Expr: newest("nasight_smb_asked_channels"), By: byMount},
		{Name: FeatureTargetSessions, Unit: "sessions", Expr: newest("nasight_iscsi_sessions"), By: byMount},
		{Name: FeatureEndpointInfo, Expr: newest("nasight_smb_endpoint_info"), By: byEndpoint},
		{Name: FeatureChannels, Unit: "channels", Expr: newest("nasight_smb_channels"), By: byEndpoint},
		{Name: FeatureCredits, Unit: "credits", Expr: newest("nasight_smb_credits"), By: byEndpoint},
		{Name: FeatureCommandRate, Unit: "operations per second", Expr: rate(smbCommands), By: byEndpoint},
		{Name: FeatureSMBClient, Expr: newest("nasight_smb_client_info"), By: byHost},
	}
}
