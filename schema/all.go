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
		CollectorSuccess, CollectorDuration, CollectorLastSuccess, CollectorErrors, CollectorSkipped,
		HistorySamples, ExpositionDropped, RemoteWriteSent, RemoteWriteDropped, RemoteWriteRetries, RemoteWritePending,
		EndpointBusiestSession, EndpointOperationRTT,
		FindingActive, FindingSeverity, FindingConfidence, FindingGain, FindingWaste,
	}
}
