package main

import "github.com/nasight/nasight/schema"

const nfsServer = inServer + `,protocol="nfs"`

func nfsBoard() board {
	return board{
		uid: uidNFS, title: "nasight / NFS clients and sessions",
		description: "NFS clients: transports, slots and backlog, how the TCP sessions share the load, and what else may hold a client back.",
		variables:   []variable{chooseHost(schema.NFSMountInfo), chooseServer(schema.NFSMountInfo)},
		findings:    `host=~"$host",server=~"$server|",protocol=~"nfs|"`, severity: 2,
		sections: []section{
			{"Endpoints", []panel{nfsTable()}},
			{"Load", nfsLoad()},
			{"Slots and backlog", nfsSlots()},
			{"Sessions", nfsSessions()},
			{"The host", hostPanels()},
			{"Findings", []panel{findingsTable(`host=~"$host",server=~"$server|",protocol=~"nfs|",host!=""`, "What nasight finds of these clients.", schema.FindingGain)}},
		},
	}
}

func nfsTable() panel {
	listed := top(200, sumBy(ofServer, speed(schema.NFSReceives, nfsServer)))
	of := func(expr string) string { return among(expr, ofServer, listed) }
	return panel{
		kind: table, title: "Clients and servers", w: 24, unit: number,
		description: "A line for each client and server address, the 200 with most operations. Backlog is the mean number of requests that wait for a slot; busiest is the share of the bytes that one session carries.",
		columns:     resourceColumns("host", "server"),
		queries: []query{
			{listed, "operations", perSecond},
			{of(sumBy(ofServer, now(schema.NFSTransports, nfsServer))), "transports", number},
			{of(sumBy(ofServer, now(schema.EndpointSessions, nfsServer))), "TCP sessions", number},
			{of(minBy(ofServer, now(schema.NFSSlotLimit, nfsServer))), "slots each", number},
			{of(over(sumBy(ofServer, speed(schema.NFSBacklog, nfsServer)), sumBy(ofServer, speed(schema.NFSSends, nfsServer)), ofServer)), "backlog", number},
			{of(over(sumBy(ofServer, speed(schema.NFSRTT, nfsServer)), sumBy(ofServer, speed(schema.NFSOperations, nfsServer)), ofServer)), "RTT", seconds},
			{of(over(maxBy(ofServer, sessionBytes(speed)), sumBy(ofServer, sessionBytes(speed)), ofServer)), "busiest", ratio},
			{of(sumBy(ofServer, now(schema.NFSDisconnected, nfsServer))), "disconnected", number},
		},
	}
}

// sessionBytes is what TCP sessions carry, both ways.
func sessionBytes(function func(*schema.Family, string) string) string {
	return "(" + function(schema.SessionReceived, nfsServer) + " + " + function(schema.SessionAcked, nfsServer) + ")"
}

func nfsLoad() []panel {
	classes := func(f *schema.Family) string { return sumBy("class", rate(f, nfsServer)) }
	return []panel{
		{
			kind: lines, title: "Read", w: 12, unit: bytesRate, description: "Bytes read from servers: the ten mounts that read most.",
			queries: []query{{expr: top(10, rate(schema.NFSReadBytes, nfsServer)), legend: "{{host}} {{server}}:{{export}}"}},
		},
		{
			kind: lines, title: "Written", w: 12, unit: bytesRate, description: "Bytes written to servers: the ten mounts that write most.",
			queries: []query{{expr: top(10, rate(schema.NFSWriteBytes, nfsServer)), legend: "{{host}} {{server}}:{{export}}"}},
		},
		{
			kind: stack, title: "Operations by class", w: 8, unit: perSecond, description: "Completed operations of the chosen clients by class.",
			queries: []query{{expr: classes(schema.NFSOperations), legend: "{{class}}"}},
		},
		{
			kind: lines, title: "Time on the wire and in the server", w: 8, unit: seconds, runbooks: []string{"NasightServerLatencyServer", "NasightClientBoundPlacement"},
			description: "Mean time between sending and reply, by class.",
			queries:     []query{{expr: over(classes(schema.NFSRTT), classes(schema.NFSOperations), "class"), legend: "{{class}}"}},
		},
		{
			kind: lines, title: "Time from request to completion", w: 8, unit: seconds,
			description: "Mean time that the application waits, by class. What it is longer than the time on the wire, requests wait in the client for a slot or a connection.",
			queries:     []query{{expr: over(classes(schema.NFSExecute), classes(schema.NFSOperations), "class"), legend: "{{class}}"}},
		},
	}
}

func nfsSlots() []panel {
	backlog := over(sumBy(ofServer, rate(schema.NFSBacklog, nfsServer)), sumBy(ofServer, rate(schema.NFSSends, nfsServer)), ofServer)
	return []panel{
		{
			kind: lines, title: "Slots in use", w: 8, unit: ratio, max: 1, steps: nearLimit(), runbooks: []string{"NasightSessionSaturatedSlots", "NasightSessionSaturatedSessionSlots"},
			description: "Requests under way over the slots that a connection or session has: the ten fullest of the active mounts.",
			queries:     []query{{expr: top(10, maxBy(ofServer, high(schema.MountStepUtilisation, with(nfsServer, `step="slots"`)))), legend: "{{host}} {{server}}"}},
		},
		{
			kind: lines, title: "Mean backlog", w: 8, unit: number, runbooks: []string{"NasightSessionSaturatedSlots"},
			description: "Requests that wait for a slot whenever another is sent: the ten longest queues.",
			queries:     []query{{expr: top(10, backlog), legend: "{{host}} {{server}}"}},
		},
		{
			kind: lines, title: "Requests under way", w: 8, unit: number, runbooks: []string{"NasightServerUnresponsiveStalled"},
			description: "Requests sent and waiting for a reply at the moment of reading: the ten with most.",
			queries:     []query{{expr: top(10, sumBy(ofServer, high(schema.NFSPending, nfsServer))), legend: "{{host}} {{server}}"}},
		},
	}
}

func nfsSessions() []panel {
	both := sessionBytes(rate)
	return []panel{
		{
			kind: stack, title: "Bytes by session", w: 12, unit: bytesRate, runbooks: []string{"NasightSessionSaturatedFlow"},
			description: "What each TCP session carries, both ways: the twenty busiest. Choose one host and server to see all of theirs.",
			queries:     []query{{expr: top(20, both), legend: "{{host}} {{server}} {{session}}"}},
		},
		{
			kind: lines, title: "Share of the busiest session", w: 12, unit: ratio, max: 1, runbooks: []string{"NasightSessionSaturatedSkew"},
			description: "Part of an endpoint's bytes that one session carries: the ten highest of those with several sessions. Evenly spread, it is 1 over their number.",
			queries: []query{{
				expr:   top(10, over(maxBy(ofServer, both), sumBy(ofServer, both), ofServer)+" and on ("+ofServer+") ("+sumBy(ofServer, now(schema.EndpointSessions, nfsServer))+" > 1)"),
				legend: "{{host}} {{server}}",
			}},
		},
		{
			kind: lines, title: "Round-trip time over the lowest ever", w: 8, unit: number, runbooks: []string{"NasightSessionSaturatedFlow"},
			description: "Smoothed round-trip time of an endpoint's slowest session over the lowest that was seen to the server: 1 is an empty path, 25 and more with a full session is queueing. The ten highest.",
			queries: []query{{
				expr:   top(10, over(maxBy(ofServer, mean(schema.SessionRTT, nfsServer)), minBy(ofServer, now(schema.EndpointLowestRTT, nfsServer)), ofServer)),
				legend: "{{host}} {{server}}",
			}},
		},
		{
			kind: lines, title: "Segments sent again", w: 8, unit: perSecond,
			description: "Segments that a client sent again, summed over the sessions of an endpoint: the ten with most.",
			queries:     []query{{expr: top(10, sumBy(ofServer, rate(schema.SessionRetransmits, nfsServer))), legend: "{{host}} {{server}}"}},
		},
		{
			kind: lines, title: "Out of order", w: 8, unit: ratio, max: 0.05,
			description: "Segments that arrived out of order over those received: the ten endpoints with most.",
			queries: []query{{
				expr:   top(10, over(sumBy(ofServer, rate(schema.SessionOutOfOrder, nfsServer)), sumBy(ofServer, rate(schema.SessionSegments, nfsServer)), ofServer)),
				legend: "{{host}} {{server}}",
			}},
		},
	}
}

// hostPanels are what a client has of its own.
func hostPanels() []panel {
	caps := now(schema.NICCap, with(inHosts, `direction="receive"`))
	return []panel{
		{
			kind: lines, title: "Network received over its cap", w: 12, unit: ratio, max: 1, steps: nearLimit(), runbooks: []string{"NasightClientBoundNetwork"},
			description: "What an interface receives over what the virtual machine may: the ten fullest.",
			queries:     []query{{expr: top(10, over(rate(schema.NICReceived, inHosts), maxBy("host, interface", caps), "host, interface")), legend: "{{host}} {{interface}}"}},
		},
		{
			kind: lines, title: "Busiest core", w: 12, unit: ratio, max: 1, steps: nearLimit(), runbooks: []string{"NasightClientBoundCPU", "NasightSessionSaturatedCPU"},
			description: "Busy part of the busiest core of a host: the ten highest. One core may serve one TCP session.",
			queries:     []query{{expr: top(10, maxBy("host", rate(schema.CPUCoreSeconds, with(inHosts, `mode="busy"`)))), legend: "{{host}}"}},
		},
	}
}
