package main

import "github.com/nasight/nasight/schema"

func volumeBoard() board {
	chosen := variable{
		label: "volume", title: "volume or share", from: []*schema.Family{schema.VolumeInfo, schema.ShareInfo}, single: true,
		matchers: inPools, description: "One volume, or one share of Azure Files.",
	}
	return board{
		uid: uidVolume, title: "nasight / Volume",
		description: "One volume or share: what binds it, what it could reach, how long operations take, how near its limits are.",
		variables:   []variable{chooseProject(schema.PoolInfo, schema.AccountInfo), choosePool(schema.PoolInfo, schema.AccountInfo), chosen},
		findings:    `project=~"$project",pool=~"$pool",volume=~"$volume|"`, severity: 1,
		sections: []section{
			{"Now", volumeNow()},
			{"Ladder of its mounts", volumeLadder()},
			{"Throughput, operations, latency", volumeLoad()},
			{"Against its usual", volumeUsual()},
			{"Space and other limits", volumeLimits()},
			{"Findings", []panel{findingsTable(`project=~"$project",pool=~"$pool",volume=~"$volume|"`, "What nasight finds of this volume and its pool.", schema.FindingGain, schema.FindingWaste)}},
		},
	}
}

func volumeNow() []panel {
	figure := func(title, description, expr string) panel {
		return panel{kind: stat, title: title, w: 4, unit: bytesRate, description: description, queries: []query{{expr: expr, legend: title}}, none: "not known"}
	}
	full := figure("Of its limit", "Use over the limit now; of shares in the busiest second of the minute.", maxBy(ofVolume, utilisation(inOne)))
	full.unit, full.steps, full.max = ratio, nearLimit(), 1
	full.runbooks = []string{"NasightLimitReachedThroughput"}
	reach := figure("Envelope", "The most that this protocol, block size and share of reads can reach, whatever is granted. Of volumes of Google Cloud NetApp Volumes with a week of data.", now(schema.VolumeEnvelope, inOne))
	reach.runbooks = []string{"NasightBeyondEnvelopeEnvelope"}
	return []panel{
		figure("Used", "Throughput now: the newest that the cloud has told.", sumBy(ofVolume, usedNow(inOne))),
		figure("Limit", "What the volume is granted, or provisioned for the share. On Flex that of the whole pool.",
			either(now(schema.VolumeThroughputLimit, inOne), now(schema.ShareProvisionedThroughput, inOne))),
		full,
		figure("Needed", "99th percentile of the last 7 days.", now(schema.VolumeWeekP99, inOne)),
		figure("Plan", "What nasight plan would give it. Of pools with manual QoS.", now(schema.VolumePlanned, inOne)),
		reach,
	}
}

func volumeLadder() []panel {
	steps := now(schema.MountStepUtilisation, inOne)
	fullest := top(100, maxBy(ofMount, steps))
	of := func(names string) string {
		return among(maxBy(ofMount, now(schema.MountStepUtilisation, with(inOne, `step=~"`+names+`"`))), ofMount, fullest)
	}
	return []panel{
		{
			kind: bars, title: "Fullest step", w: 8, unit: ratio, max: 1, steps: nearLimit(), links: []string{uidNFS, uidSMB},
			description: "Load over capacity of each step between application and pool, of the mount for which it is highest. A step without a known capacity is not here: that none is full does not say that none binds.",
			queries:     []query{{expr: maxBy("step", steps), legend: "{{step}}"}},
		},
		{
			kind: lines, title: "Steps over time", w: 16, unit: ratio, max: 1, steps: nearLimit(),
			description: "The same over time.",
			queries:     []query{{expr: maxBy("step", high(schema.MountStepUtilisation, inOne)), legend: "{{step}}"}},
		},
		{
			kind: table, title: "Mounts", w: 24, unit: ratio, steps: nearLimit(),
			description: "The steps of each active mount of this volume, at most 100 mounts. Only hosts that nasight or an agent reads are here.",
			columns:     resourceColumns("host", "server", "export", "protocol"),
			queries: []query{
				{fullest, "fullest", ratio},
				{of("slots|credits"), "slots or credits", ratio},
				{of("sessions|channels"), "sessions or channels", ratio},
				{of("cpu"), "cpu", ratio},
				{of("network"), "network", ratio},
			},
		},
	}
}

func volumeLoad() []panel {
	return []panel{
		{
			kind: lines, title: "Throughput", w: 12, unit: bytesRate, runbooks: []string{"NasightLimitReachedThroughput"},
			description: "What is read and written, and the limit; of shares the busiest second of each minute as well.",
			queries: []query{
				{expr: sumBy("type", mean(schema.VolumeThroughput, inOne)), legend: "{{type}}"},
				{expr: sumBy("direction", mean(schema.ShareThroughput, inOne)), legend: "{{direction}}"},
				{expr: maxBy(ofVolume, high(schema.SharePeakThroughput, inOne)), legend: "busiest second"},
				{expr: maxBy(ofVolume, either(now(schema.VolumeThroughputLimit, inOne), now(schema.ShareProvisionedThroughput, inOne))), legend: "limit"},
			},
		},
		{
			kind: lines, title: "Limit, need and envelope", w: 12, unit: bytesRate, runbooks: []string{"NasightBeyondEnvelopeEnvelope", "NasightPoolThroughputUnusedAllocatedUnused"},
			description: "What it is granted against what it needed in 7 days, its highest sample, and the envelope: what this protocol, block size and share of reads can reach at all. A limit far above the need is idle, one above the envelope out of reach.",
			queries: []query{
				{expr: maxBy(ofVolume, either(now(schema.VolumeThroughputLimit, inOne), now(schema.ShareProvisionedThroughput, inOne))), legend: "limit"},
				{expr: maxBy(ofVolume, now(schema.VolumeWeekP99, inOne)), legend: "need"},
				{expr: maxBy(ofVolume, now(schema.VolumePeak, inOne)), legend: "peak"},
				{expr: maxBy(ofVolume, now(schema.VolumeEnvelope, inOne)), legend: "envelope"},
				{expr: maxBy(ofVolume, now(schema.VolumePlanned, inOne)), legend: "plan"},
			},
		},
		{
			kind: lines, title: "Operations", w: 12, unit: perSecond,
			description: "Operations by type, or by the service's name of them; of shares the busiest second and what is provisioned beside it.",
			queries: []query{
				{expr: sumBy("type", mean(schema.VolumeOperations, inOne)), legend: "{{type}}"},
				{expr: top(10, sumBy("api", mean(schema.ShareOperations, inOne))), legend: "{{api}}"},
				{expr: maxBy(ofVolume, high(schema.SharePeakOperations, inOne)), legend: "busiest second"},
				{expr: maxBy(ofVolume, now(schema.ShareProvisionedOperations, inOne)), legend: "provisioned"},
			},
		},
		{
			kind: lines, title: "Latency", w: 12, unit: seconds, runbooks: []string{"NasightServerLatencyServer"},
			description: "Mean time of operations inside the service, by type; of shares the slowest of the names of operations, with and without network and client.",
			queries: []query{
				{expr: maxBy("type", mean(schema.VolumeLatency, inOne)), legend: "{{type}}"},
				{expr: maxBy("scope", mean(schema.ShareLatency, inOne)), legend: "{{scope}}"},
			},
		},
	}
}

func volumeLimits() []panel {
	used := either(now(schema.VolumeUsed, inOne), now(schema.ShareUsed, inOne))
	size := either(now(schema.VolumeCapacity, inOne), now(schema.ShareQuota, inOne))
	return []panel{
		{
			kind: lines, title: "Space", w: 8, unit: bytes, runbooks: []string{"NasightHardLimitCapacity"},
			description: "Space in use, snapshots included, and the size.",
			queries:     []query{{expr: maxBy(ofVolume, used), legend: "used"}, {expr: maxBy(ofVolume, size), legend: "size"}},
		},
		{
			kind: lines, title: "Inodes in use", w: 8, unit: ratio, max: 1, steps: nearLimit(), runbooks: []string{"NasightHardLimitInodes"},
			description: "Inodes in use over the most that the volume may have. Not of Azure Files.",
			queries:     []query{{expr: over(now(schema.VolumeInodeUsed, inOne), now(schema.VolumeInodeLimit, inOne), ofVolume), legend: "inodes"}},
		},
		{
			kind: lines, title: "Burst credits", w: 8, unit: ratio, max: 1, runbooks: []string{"NasightLimitReachedCredits"},
			description: "Burst credits that are left of a full bucket. Of shares of Azure Files on SSD.",
			queries:     []query{{expr: over(mean(schema.ShareBurstCredits, inOne), now(schema.ShareBurstCreditsMost, inOne), ofVolume), legend: "credits"}},
		},
	}
}
