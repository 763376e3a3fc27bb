package schema

import "time"

const time1m = time.Minute

// All lists every family, in the order in which the documentation shows them.
func All() []*Family {
	return []*Family{
		NFSMountInfo, NFSMountAge, NFSReadBytes, NFSWriteBytes, NFSOperations, NFSRTT, NFSExecute, NFSErrors,
		NFSRetransmissions, NFSTimeouts, NFSReadAhead,
		NFSTransports, NFSSends, NFSReceives, NFSBacklog, NFSConnects, NFSMaxSlots,
		NFSPending, NFSBacklogNow, NFSSlotLimit, NFSConnected, NFSDisconnected,
		NFSSlotTable, NFSSessionSlots, NFSSessionSlotsConfigured,
		SessionReceived, SessionAcked, SessionRTT, SessionMinRTT, SessionRetransmits, SessionOutOfOrder,
		SessionSegments, SessionNotSent,
		EndpointSessions, EndpointLowestRTT, EndpointBusy, EndpointReceiverLimited, EndpointSenderLimited,
		EndpointSegmentsSent, EndpointCongestionWindow, EndpointDeliveryRate, SessionsExcess,
		NICInfo, NICReceived, NICTransmitted, NICReceiveDrops, NICTransmitDrops, NICSpeed, NICCap, NICQueues,
		CPUSeconds, CPUCoreSeconds, CPUCores,
		VolumeThroughput, VolumeOperations, VolumeLatency, VolumeTotalThroughput, VolumeTotalOperations,
		VolumeMeanLatency, VolumeThroughputLimit, VolumeCapacity, VolumeUsed, VolumeSnapshots, VolumeInodeLimit,
		VolumeInodeUsed, VolumeTiered, VolumeColdRead, VolumeColdWrite, VolumeBackupUsed, VolumeBackupHealthy,
		VolumeBackupTransferring, VolumeBackupTransfer, VolumeBackupDuration, PoolTiered, PoolReplication,
		VolumeInfo, VolumeEndpointInfo, VolumeAssignedThroughput, PoolInfo, PoolCapacity, PoolAllocated,
		PoolVolumes, PoolTotalThroughput, PoolAvailableThroughput, PoolTotalIOPS, PoolHotTier, PoolHotTierUsed,
		ReplicationInfo, ReplicationHealthy, ReplicationLag, ReplicationLastTransfer,
		ReplicationLastTransferDuration, CloudSampleAge, CloudVolumeAge, CloudUnreachable, CloudRequests,
		CloudSeriesReturned, CloudCost, CloudMonthCost, CloudProjectedCost, CloudBudgetState, CloudBudgetLimit,
		CloudPriceInfo, CloudBackfill,
		CollectorSuccess, CollectorDuration, CollectorLastSuccess, CollectorErrors, CollectorSkipped,
		ConfigReloadSuccess, ConfigLastReloadSuccess, HistorySamples, ExpositionDropped, RemoteWriteSent, RemoteWriteDropped, RemoteWriteRetries, RemoteWritePending,
		EndpointBusiestSession, EndpointOperationRTT,
		FindingActive, FindingSeverity, FindingConfidence, FindingGain, FindingWaste,
	}
}
