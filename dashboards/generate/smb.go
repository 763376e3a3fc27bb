package main

import "github.com/nasight/nasight/schema"

func smbBoard() board {
	return board{
		uid: uidSMB, title: "nasight / SMB and multichannel",
		description: "SMB clients: channels, how many requests are under way on them, how large these are, and where multichannel does not help.",
		variables:   []variable{chooseHost(schema.SMBMountInfo), chooseServer(schema.SMBMountInfo)},
		findings:    `host=~"$host",server=~"$server|",detector="smb_multichannel"`, severity: 1,
		sections: []section{
			{"Clients", []panel{smbTable()}},
			{"Channels and concurrency", smbChannels()},
			{"Load", smbLoad()},
			{"Health", smbHealth()},
			{"Findings", []panel{findingsTable(`host=~"$host",server=~"$server|",detector="smb_multichannel"`,
				"Where multichannel is missing, too little, too much, or a penalty.", schema.FindingGain)}},
		},
	}
}

func smbTable() panel {
	host := column{label: "host", title: "host", board: uidSMB}
	facts := maxBy("host, server, version, multichannel, client_rss, server_rss", now(schema.SMBEndpointInfo, inServer))
	listed := top(200, mapped(maxBy(ofServer, now(schema.SMBChannels, inServer)), ofServer, "version, multichannel, client_rss, server_rss", facts))
	of := func(expr string) string { return among(expr, ofServer, listed) }
	return panel{
		kind: table, title: "Clients and servers", w: 24, unit: number, runbooks: []string{"NasightSMBMultichannelMissing"},
		description: "A line for each client and server, at most 200: the dialect, whether the server offers multichannel, whether interfaces can spread channels over queues, and the channels.",
		columns: append([]column{host, {label: "server", title: "server"}}, column{label: "version", title: "dialect"}, column{label: "multichannel", title: "multichannel"},
			column{label: "client_rss", title: "client RSS"}, column{label: "server_rss", title: "server RSS"}),
		queries: []query{
			{listed, "channels", number},
			{of(maxBy(ofServer, now(schema.SMBChannelsAsked, inServer))), "asked", number},
			{of(maxBy(ofServer, now(schema.EndpointRequests, inServer))), "requests under way", number},
			{of(minBy(ofServer, now(schema.SMBCredits, inServer))), "free credits", number},
			{of(maxBy(ofServer, now(schema.SMBChannelsDown, inServer))), "disconnected", number},
		},
	}
}

func smbChannels() []panel {
	channels := maxBy(ofServer, now(schema.SMBChannels, inServer))
	requests := maxBy(ofServer, mean(schema.EndpointRequests, inServer))
	return []panel{
		{
			kind: lines, title: "Channels", w: 8, unit: number, runbooks: []string{"NasightSMBMultichannelTooFew", "NasightSMBMultichannelTooMany"},
			description: "Connected channels of the session that has most: the twenty with most.",
			queries:     []query{{expr: top(20, channels), legend: "{{host}} {{server}}"}},
		},
		{
			kind: lines, title: "Requests under way", w: 8, unit: number, runbooks: []string{"NasightSMBMultichannelSingleThreadPenalty"},
			description: "Mean number of requests that a client has under way to a server: the twenty with most. Below 2, channels beyond the first carry nothing.",
			queries:     []query{{expr: top(20, requests), legend: "{{host}} {{server}}"}},
		},
		{
			kind: lines, title: "Requests for each channel", w: 8, unit: number, runbooks: []string{"NasightSMBMultichannelSingleThreadPenalty"},
			description: "Requests under way over channels, of clients with several: the twenty lowest. Below 1, there are more channels than work.",
			queries:     []query{{expr: "bottomk(20, " + over(requests, channels+" > 1", ofServer) + ")", legend: "{{host}} {{server}}"}},
		},
		{
			kind: lines, title: "Penalty", w: 24, unit: ratio, max: 1, runbooks: []string{"NasightSMBMultichannelSingleThreadPenalty", "NasightSMBMultichannelHotFile"},
			description: "How sure nasight is that multichannel cannot help what a client does, by the way in which it cannot: one request at a time, or small requests on one file. Nothing where it can.",
			queries:     []query{{expr: top(20, maxBy("variant, host, server", now(schema.FindingConfidence, with(inServer, `detector="smb_multichannel",variant=~"single_thread_penalty|hot_file"`)))), legend: "{{variant}} {{host}} {{server}}"}},
		},
	}
}

func smbLoad() []panel {
	size := func(moved *schema.Family, class string) string {
		return top(10, over(sumBy(ofMount, rate(moved, inServer)), sumBy(ofMount, rate(schema.SMBOperations, with(inServer, `class="`+class+`"`))), ofMount))
	}
	return []panel{
		{
			kind: lines, title: "Read", w: 12, unit: bytesRate, description: "Bytes read from shares: the ten mounts that read most.",
			queries: []query{{expr: top(10, sumBy(ofMount, rate(schema.SMBReadBytes, inServer))), legend: "{{host}} {{server}} {{export}}"}},
		},
		{
			kind: lines, title: "Written", w: 12, unit: bytesRate, description: "Bytes written to shares: the ten mounts that write most.",
			queries: []query{{expr: top(10, sumBy(ofMount, rate(schema.SMBWriteBytes, inServer))), legend: "{{host}} {{server}} {{export}}"}},
		},
		{
			kind: lines, title: "Size of reads", w: 8, unit: bytes, description: "Mean bytes of a read: the ten mounts with the largest.",
			queries: []query{{expr: size(schema.SMBReadBytes, "read"), legend: "{{host}} {{export}}"}},
		},
		{
			kind: lines, title: "Size of writes", w: 8, unit: bytes, description: "Mean bytes of a write: the ten mounts with the largest.",
			queries: []query{{expr: size(schema.SMBWriteBytes, "write"), legend: "{{host}} {{export}}"}},
		},
		{
			kind: stack, title: "Operations by class", w: 8, unit: perSecond, links: []string{uidMetadata}, runbooks: []string{"NasightMetadataHeavyShare"},
			description: "Operations of the chosen clients by class. Opens, closes and look-ups beside the reads and writes tell of many small files.",
			queries:     []query{{expr: sumBy("class", rate(schema.SMBOperations, inServer)), legend: "{{class}}"}},
		},
	}
}

func smbHealth() []panel {
	return []panel{
		{
			kind: lines, title: "Time of operations", w: 8, unit: seconds, runbooks: []string{"NasightServerLatencyServer"},
			description: "Mean time between sending and reply of all that a client asks a server: the twenty longest.",
			queries:     []query{{expr: top(20, maxBy(ofServer, mean(schema.EndpointOperationRTT, with(inServer, `protocol="smb"`)))), legend: "{{host}} {{server}}"}},
		},
		{
			kind: lines, title: "Free credits", w: 8, unit: number,
			description: "Credits that the server has granted and that are free, of the channel that has fewest: the ten lowest. At 0 requests wait. Linux alone tells.",
			queries:     []query{{expr: "bottomk(10, " + minBy(ofServer, now(schema.SMBCredits, inServer)) + ")", legend: "{{host}} {{server}}"}},
		},
		{
			kind: lines, title: "Reconnects and stalls", w: 8, unit: perSecond,
			description: "Sessions made anew (Linux), and requests that had to wait for a credit (Windows): the ten hosts with most.",
			queries: []query{
				{expr: top(10, sumBy("host", rate(schema.SMBSessionReconnects, inHosts))), legend: "{{host}} reconnects"},
				{expr: top(10, sumBy("host", rate(schema.SMBCreditStalls, inServer))), legend: "{{host}} stalls"},
			},
		},
	}
}
