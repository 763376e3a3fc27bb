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
		SMBMountInfo, SMBReadBytes, SMBWriteBytes, SMBOperations, SMBErrors, SMBRTT, SMBCreditStalls, SMBQueued,
		SMBOpenFiles, SMBFilesInUse, SMBChannelsAsked,
		SMBEndpointInfo, SMBSessions, SMBChannels, SMBChannelsDown, SMBChannelsUp, SMBPending, SMBCredits,
		SMBMaxInFlight, SMBEndpointOperations, SMBEndpointRTT,
		SMBClientInfo, SMBSessionReconnects, SMBShareReconnects,
		ISCSIMountInfo, ISCSISessions, ISCSISessionsDown, ISCSISessionBytes, ISCSIReadBytes, ISCSIWriteBytes,
		ISCSIOperations, ISCSIRTT, ISCSIOutstanding, ISCSIPending,
		SessionReceived, SessionAcked, SessionRTT, SessionMinRTT, SessionRetransmits, SessionOutOfOrder,
		SessionSegments, SessionNotSent,
		EndpointSessions, EndpointLowestRTT, EndpointBusy, EndpointReceiverLimited, EndpointSenderLimited,
		EndpointSegmentsSent, EndpointCongestionWindow, EndpointDeliveryRate, SessionsExcess,
		NICInfo, NICReceived, NICTransmitted, NICReceiveDrops, NICTransmitDrops, NICSpeed, NICCap, NICQueues,
		CPUSeconds, CPUCoreSeconds, CPUCores,
		GCEInstanceInfo,
		WindowsRecordingAge,
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
		AccountInfo, ShareInfo, ShareQuota, ShareProvisionedOperations, ShareProvisionedThroughput, ShareBurstOperations,
		ShareBurstCreditsMost, SharePaidBurstLimit, ShareDowngradeAllowed, AccountLimit, SubscriptionFeatureInfo,
		ShareThroughput, ShareOperations, ShareResponses, ShareLatency, SharePeakOperations, SharePeakThroughput,
		ShareBurstCredits, SharePeakOperationsRollUp, SharePeakThroughputRollUp, ShareBurstCreditsRollUp, ShareAvailability, ShareUsed, ShareSnapshots, ShareFiles,
		ShareClientInfo, ShareClientOperations, ShareClientThroughput, ShareClientConcurrency, ShareClientChannels, ShareClientFiles,
		ShareFileOperations, ShareFileThroughput, ShareLogOperations,
		VolumeLimitReached, PoolResourceInfo, PoolAssignedThroughput, PoolUsed, PoolSnapshots,
		CollectorSuccess, CollectorDuration, CollectorLastSuccess, CollectorErrors, CollectorSkipped,
		PromhostSampleAge, Simulated, ConfigReloadSuccess, ConfigLastReloadSuccess, ReportSuccess, HistorySamples, HistoryWarnings, ExpositionDropped,
		RemoteWriteSent, RemoteWriteDropped, RemoteWriteRetries, RemoteWritePending, RemoteWriteBehind,
		VictoriaMetricsPushes, VictoriaMetricsLastSuccess,
		OTLPPushes, OTLPFailures, OTLPRejected, OTLPDroppedSpans, OTLPLastSuccess,
		AlertingSent, AlertingFailed, AlertingDropped, AlertingQueue, AlertingAlertmanagers, AlertingEvaluations, AlertingEvaluationFailures, AlertingReloadSuccess,
		EndpointBusiestSession, EndpointRequests, EndpointOperationRTT,
		MountStepUtilisation, PoolGrantedThroughput, VolumeWeekP99, VolumePeak, VolumeEnvelope, VolumePlanned, ShareMetadataCeiling,
		FindingActive, FindingSeverity, FindingConfidence, FindingGain, FindingWaste, FindingQuiet, FindingSince, FindingSinceAtLeast,
		BaselineLower, BaselineUsual, BaselineUpper, BaselineSeries, BaselineRefused, BaselineFed, BaselineStateHealthy, BaselineStateSaved,
	}
}
