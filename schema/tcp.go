package schema

const sockDiag = "NETLINK_SOCK_DIAG (tcp_info)"

// TCP sessions to storage ports, at most 8 series each. Sessions belong to a host and a server address, not to a mount.
var (
	SessionReceived = &Family{
		Name: "nasight_session_received_bytes_total", Type: Counter, Unit: Bytes, Labels: sessionLabels,
		Help:   "Bytes received (tcpi_bytes_received).",
		Source: sockDiag, Grain: HostGrain,
	}
	SessionAcked = &Family{
		Name: "nasight_session_acked_bytes_total", Type: Counter, Unit: Bytes, Labels: sessionLabels,
		Help:   "Bytes sent and acknowledged (tcpi_bytes_acked).",
		Source: sockDiag, Grain: HostGrain,
	}
	SessionRTT = &Family{
		Name: "nasight_session_rtt_seconds", Type: Gauge, Unit: Seconds, Labels: sessionLabels,
		Help:   "Smoothed round-trip time (tcpi_rtt).",
		Source: sockDiag, Grain: HostGrain,
	}
	SessionMinRTT = &Family{
		Name: "nasight_session_min_rtt_seconds", Type: Gauge, Unit: Seconds, Labels: sessionLabels,
		Help:   "Minimum round-trip time of the kernel's window, five minutes by default (tcpi_min_rtt).",
		Source: sockDiag, Grain: HostGrain,
	}
	SessionRetransmits = &Family{
		Name: "nasight_session_retransmits_total", Type: Counter, Unit: Segments, Labels: sessionLabels,
		Help:   "Segments sent again (tcpi_total_retrans).",
		Source: sockDiag, Grain: HostGrain,
	}
	SessionOutOfOrder = &Family{
		Name: "nasight_session_out_of_order_total", Type: Counter, Unit: Segments, Labels: sessionLabels,
		Help:   "Segments that arrived out of order (tcpi_rcv_ooopack).",
		Source: sockDiag, Grain: HostGrain,
	}
	SessionSegments = &Family{
		Name: "nasight_session_segments_received_total", Type: Counter, Unit: Segments, Labels: sessionLabels,
		Help:   "Segments received (tcpi_segs_in).",
		Source: sockDiag, Grain: HostGrain,
	}
	SessionNotSent = &Family{
		Name: "nasight_session_not_sent_bytes", Type: Gauge, Unit: Bytes, Labels: sessionLabels,
		Help:   "Bytes written by the client and not yet sent (tcpi_notsent_bytes).",
		Source: sockDiag, Grain: HostGrain,
	}
)

// What the sessions to one server address add up to.
var (
	EndpointSessions = &Family{
		Name: "nasight_endpoint_sessions", Type: Gauge, Labels: endpointLabels,
		Help:   "Established TCP sessions to the server address and port.",
		Source: sockDiag, Grain: HostGrain,
	}
	EndpointLowestRTT = &Family{
		Name: "nasight_endpoint_lowest_rtt_seconds", Type: Gauge, Unit: Seconds, Labels: endpointLabels,
		Help:   "Lowest minimum round-trip time ever seen to the server address; kept over restarts.",
		Source: sockDiag, Grain: HostGrain,
	}
	EndpointBusy = &Family{
		Name: "nasight_endpoint_busy_seconds_total", Type: Counter, Unit: Seconds, Labels: endpointLabels,
		Help:   "Time with unacknowledged data, summed over sessions (tcpi_busy_time); describes writes only.",
		Source: sockDiag, Grain: HostGrain,
	}
	EndpointReceiverLimited = &Family{
		Name: "nasight_endpoint_rwnd_limited_seconds_total", Type: Counter, Unit: Seconds, Labels: endpointLabels,
		Help:   "Part of the busy time that the server's receive window limited (tcpi_rwnd_limited).",
		Source: sockDiag, Grain: HostGrain,
	}
	EndpointSenderLimited = &Family{
		Name: "nasight_endpoint_sndbuf_limited_seconds_total", Type: Counter, Unit: Seconds, Labels: endpointLabels,
		Help:   "Part of the busy time that the client's send buffer limited (tcpi_sndbuf_limited).",
		Source: sockDiag, Grain: HostGrain,
	}
	EndpointSegmentsSent = &Family{
		Name: "nasight_endpoint_segments_sent_total", Type: Counter, Unit: Segments, Labels: endpointLabels,
		Help:   "Segments sent, summed over sessions (tcpi_segs_out).",
		Source: sockDiag, Grain: HostGrain,
	}
	EndpointCongestionWindow = &Family{
		Name: "nasight_endpoint_congestion_window_segments", Type: Gauge, Unit: Segments, Labels: endpointLabels,
		Help:   "Smallest congestion window of the sessions (tcpi_snd_cwnd).",
		Source: sockDiag, Grain: HostGrain,
	}
	EndpointDeliveryRate = &Family{
		Name: "nasight_endpoint_delivery_rate_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: endpointLabels,
		Help:   "Largest delivery rate of the sessions (tcpi_delivery_rate); describes what the client sends.",
		Source: sockDiag, Grain: HostGrain,
	}
	SessionsExcess = &Family{
		Name: "nasight_sessions_excess", Type: Gauge, Labels: hostLabels,
		Help:   "Sessions beyond the cap of the host, counted in the endpoint families but without series of their own.",
		Source: sockDiag, Grain: HostGrain,
	}
)

// Roll-ups: what each evaluation writes back, while an endpoint is not idle, so that a look over a week reads one
// series an endpoint and not every sample of every session.
var (
	EndpointBusiestSession = &Family{
		Name: "nasight_endpoint_busiest_session_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: endpointLabels,
		Help:   "Rate of the endpoint's busiest session over the evaluation's window.",
		Source: self, Grain: time1m,
	}
	EndpointRequests = &Family{
		Name: "nasight_endpoint_requests", Type: Gauge, Unit: Requests, Labels: endpointLabels,
		Help:   "Mean number of requests under way to an SMB server over the evaluation's window; on Windows reads and writes alone.",
		Source: self, Grain: time1m,
	}
	EndpointOperationRTT = &Family{
		Name: "nasight_endpoint_operation_rtt_seconds", Type: Gauge, Unit: Seconds, Labels: endpointLabels,
		Help:   "Mean time between sending and reply of the endpoint's operations over the evaluation's window.",
		Source: self, Grain: time1m,
	}
)
