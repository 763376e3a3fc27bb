package alerts

import "github.com/nasight/nasight/detectors"

// Findings is the table of the findings that detectors make.
func Findings() []Finding {
	return append(append(hostFindings(), cloudFindings()...), anomalyFindings()...)
}

func row(detector, variant, cause, way string) Finding {
	return Finding{Name: detectors.Name{Detector: detector, Variant: variant}, Cause: cause, Way: way}
}

// hostFindings are those that name a client, or a server as a client sees it.
func hostFindings() []Finding {
	const sessions, channels, client = detectors.SessionSaturated, detectors.SMBMultichannel, detectors.ClientBound
	return []Finding{
		row(detectors.ServerUnresponsive, detectors.VariantStalled,
			"Requests wait for a server that completes none", "Check that the server is up and reachable from this host."),
		row(client, detectors.VariantNetwork,
			"The client's network cap is the limit", "Use a larger VM size, or spread the work over more clients."),
		row(client, detectors.VariantCPU,
			"The client's processors are the limit", "Use a VM with more cores, spread the receive work over the cores, or the work over more clients."),
		row(client, detectors.VariantSingleThread,
			"The application waits for one request at a time", "Run several readers or copies in parallel, or ask for more at once; more sessions do not help."),
		row(client, detectors.VariantPlacement,
			"The time of an operation is spent between client and service", "Look at the client first, then at its zone."),
		row(client, detectors.VariantSlotBudget,
			"The slots of all clients together near the service's budget", "Set fewer slots for each connection on every client, and mount again."),
		row(sessions, detectors.VariantSlots,
			"The slot table of the connections is used up", "Raise the slot table, or mount with more sessions."),
		row(sessions, detectors.VariantSessionSlots,
			"The slots of the NFSv4.1 session are used up", "Raise max_session_slots, or what the server grants."),
		row(sessions, detectors.VariantFlow,
			"One TCP session carries everything and is at its ceiling", "Mount with more sessions, one step, and measure again."),
		row(sessions, detectors.VariantCPU,
			"One core that serves one TCP session is at its limit", "Mount with more sessions, which spread over the cores."),
		row(sessions, detectors.VariantSender,
			"The client cannot send faster over the session that it has", "Mount with more sessions, one step, and measure again."),
		row(sessions, detectors.VariantSkew,
			"One of several sessions carries nearly everything", "Find out why: failed sessions, large requests on few of them, or a broken receive map."),
		row(channels, detectors.VariantPenalty,
			"SMB multichannel cannot help work of one request at a time", "Give the work more parallelism."),
		row(channels, detectors.VariantHotFile,
			"SMB multichannel cannot help small requests on one file", "Spread the data over several files."),
		row(channels, detectors.VariantMissing,
			"One SMB channel where several would help", "Switch multichannel on, at the server first."),
		row(channels, detectors.VariantTooFew,
			"Fewer SMB channels than the work could use", "Let the client open four channels."),
		row(channels, detectors.VariantTooMany,
			"More SMB channels than the service copes with", "Have two connections for each interface with RSS."),
		row(detectors.ServerLatency, detectors.VariantServer,
			"Requests spend their time in the server", "Look at the server's side: its throughput, latency, limit and neighbours; more sessions do not help."),
		row(detectors.MetadataHeavy, detectors.VariantCeiling,
			"Metadata operations near what the share can do", "Open and close fewer files, or spread them over several shares."),
		row(detectors.MetadataHeavy, detectors.VariantShare,
			"Most operations are metadata", "Cache attributes for longer where the data allow it; open and close fewer files."),
	}
}

// cloudFindings are those that name a pool, a volume or a share.
func cloudFindings() []Finding {
	const limit, hard, unused, beyond = detectors.LimitReached, detectors.HardLimit, detectors.PoolThroughputUnused, detectors.BeyondEnvelope
	return []Finding{
		row(limit, detectors.VariantThroughput,
			"The service holds back at the throughput limit", "Give it throughput that others do not use: nasight plan says how much."),
		row(limit, detectors.VariantIOPS,
			"The service holds back at the limit on operations", "Raise what is provisioned, or lower the operations."),
		row(limit, detectors.VariantEgress,
			"The service holds back what is read", "Raise the provisioned throughput, or spread the work over several shares."),
		row(limit, detectors.VariantIngress,
			"The service holds back what is written", "Raise the provisioned throughput, or spread the work over several shares."),
		row(limit, detectors.VariantMetadata,
			"The service holds back metadata operations", "Open and close fewer files, or spread them over several shares."),
		row(limit, detectors.VariantCredits,
			"The burst credits run out", "Raise the provisioned operations before the credits are gone, or lower the load."),
		row(hard, detectors.VariantCapacity,
			"Space runs out", "Make it larger, or delete data and old snapshots."),
		row(hard, detectors.VariantInodes,
			"Inodes run out", "Make the volume larger, or keep fewer and larger files."),
		row(hard, detectors.VariantSnapshots,
			"Near the most snapshots that a share may have", "Delete snapshots that nobody needs, and let the backup keep fewer."),
		row(hard, detectors.VariantFile,
			"One file is near what a file of the share may do", "Spread the work over several files: more of the share does not help one."),
		row(unused, detectors.VariantUnallocated,
			"Throughput of the pool that no volume has", "Give it to volumes that need it: nasight plan."),
		row(unused, detectors.VariantAllocatedUnused,
			"Throughput that is given and not needed", "Share the pool's throughput by need: nasight plan; or lower what is provisioned."),
		row(unused, detectors.VariantAutoQoS,
			"Throughput that comes with capacity and is not needed", "Make the pool's QoS manual, so that other volumes can have it."),
		row(unused, detectors.VariantStranded,
			"Capacity that neither data nor throughput needs", "Make the pool smaller."),
		row(unused, detectors.VariantLevelChange,
			"A cheaper service level would do", "Move the volumes to a pool of the cheaper level."),
		row(unused, detectors.VariantFlexCustom,
			"Throughput or operations bought beyond the need", "Lower what the pool buys."),
		row(beyond, detectors.VariantEnvelope,
			"More throughput than this protocol and mix can reach", "Lower it, or change the work to larger blocks or more reads."),
		row(beyond, detectors.VariantVolumeMaximum,
			"More throughput than one volume can have", "Lower it and give the rest to others."),
	}
}

// anomalyFindings are those of the statistical baselines: they may name a volume, a client, or what both have in common.
func anomalyFindings() []Finding {
	return []Finding{
		row(detectors.Anomaly, detectors.VariantLevel,
			"Latency, throughput or operations left their usual and stay away from it", "Compare with what changed at that time: the finding lists it."),
		row(detectors.Anomaly, detectors.VariantSpike,
			"Latency, throughput or operations left their usual for some minutes", "Compare with what ran at that time: a job, a backup, a failover."),
		row(detectors.Anomaly, detectors.VariantFlatline,
			"A metric repeats one value although it changes otherwise", "Compare with another source: the clients' own counters, or the provider's console."),
		row(detectors.Anomaly, detectors.VariantStale,
			"A metric is not reported any more", "Look whether the collector reads the others, then at the service's own status."),
	}
}
