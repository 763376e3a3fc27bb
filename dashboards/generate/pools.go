package main

import "github.com/nasight/nasight/schema"

func poolsBoard() board {
	return board{
		uid: uidPools, title: "nasight / Pools and QoS",
		description: "What volumes hold of their pool's throughput, what they use of it, and how nasight plan would share it.",
		variables:   []variable{chooseProject(schema.PoolInfo, schema.AccountInfo), choosePool(schema.PoolInfo, schema.AccountInfo)},
		findings:    inPools, severity: 2,
		sections: []section{
			{"Pools", poolsNow()},
			{"Over time", poolsOverTime()},
			{"Volumes", poolsVolumes()},
			{"Azure Files", poolsAccounts()},
			{"Findings", []panel{findingsTable(with(inPools, `detector=~"pool_throughput_unused|limit_reached|beyond_envelope|hard_limit"`),
				"What nasight finds of these pools' allocation, the most severe first.", schema.FindingGain, schema.FindingWaste)}},
		},
	}
}

// held is what the volumes of a pool hold of its throughput. On Flex none holds any.
func held(matchers string) string {
	return sumBy(ofPool, now(schema.VolumeAssignedThroughput, matchers))
}

func poolsNow() []panel {
	level := maxBy(ofPool+", service_level, qos_type", now(schema.PoolInfo, inPools))
	listed := top(200, mapped(now(schema.PoolGrantedThroughput, inPools), ofPool, "service_level, qos_type", level))
	of := func(expr string) string { return among(expr, ofPool, listed) }
	return []panel{{
		kind: table, title: "Pools", w: 24, unit: bytesRate, runbooks: []string{"NasightPoolThroughputUnusedUnallocated"},
		description: "What each pool has, what its volumes hold, what no volume has (manual QoS), what they move now, and what each needed in the last 7 days, summed up. The 200 largest.",
		columns: append(resourceColumns("project", "location", "pool"),
			column{label: "service_level", title: "level"}, column{label: "qos_type", title: "QoS"}),
		queries: []query{
			{listed, "granted", bytesRate},
			{of(held(inPools)), "held by volumes", bytesRate},
			{of(now(schema.PoolAvailableThroughput, inPools)), "free", bytesRate},
			{of(sumBy(ofPool, now(schema.VolumeTotalThroughput, inPools))), "used", bytesRate},
			{of(sumBy(ofPool, now(schema.VolumeWeekP99, inPools))), "needed", bytesRate},
			{of(over(sumBy(ofPool, now(schema.VolumeWeekP99, inPools)), now(schema.PoolGrantedThroughput, inPools), ofPool)), "needed of granted", ratio},
			{of(now(schema.PoolCapacity, inPools)), "capacity", bytes},
			{of(now(schema.PoolVolumes, inPools)), "volumes", number},
		},
	}}
}

func poolsOverTime() []panel {
	return []panel{
		{
			kind: lines, title: "Allocation against use", w: 12, unit: bytesRate,
			description: "Of the chosen pools together: what they have, what volumes hold of it, and what these move. Between the upper two lies what no volume has, between the lower two what is given and not used.",
			queries: []query{
				{expr: sum(now(schema.PoolGrantedThroughput, inPools)), legend: "granted"},
				{expr: sum(held(inPools)), legend: "held by volumes"},
				{expr: sum(mean(schema.VolumeTotalThroughput, inPools)), legend: "used"},
			},
		},
		{
			kind: lines, title: "Use of what the pool has", w: 12, unit: ratio, max: 1, steps: nearLimit(),
			description: "The ten fullest pools: what their volumes move over the pool's throughput.",
			queries: []query{{
				expr:   top(10, over(sumBy(ofPool, mean(schema.VolumeTotalThroughput, inPools)), now(schema.PoolGrantedThroughput, inPools), ofPool)),
				legend: "{{pool}} ({{project}})",
			}},
		},
		{
			kind: lines, title: "Free throughput", w: 12, unit: bytesRate, runbooks: []string{"NasightPoolThroughputUnusedUnallocated"},
			description: "Throughput of pools with manual QoS that no volume has: the ten with the most.",
			queries:     []query{{expr: top(10, now(schema.PoolAvailableThroughput, inPools)), legend: "{{pool}} ({{project}})"}},
		},
		{
			kind: lines, title: "Volumes nearest to their limit", w: 12, unit: ratio, max: 1, steps: nearLimit(), runbooks: []string{"NasightLimitReachedThroughput"},
			description: "Use over the limit of the ten fullest volumes. Near 1 for long means that demand above it is not seen. On Flex the limit is that of the whole pool.",
			queries: []query{{
				expr:   top(10, over(mean(schema.VolumeTotalThroughput, inPools), now(schema.VolumeThroughputLimit, inPools), ofVolume)),
				legend: "{{pool}}/{{volume}}",
			}},
		},
	}
}

func poolsVolumes() []panel {
	change := now(schema.VolumePlanned, inPools) + " - on (" + ofVolume + ") " + now(schema.VolumeAssignedThroughput, inPools)
	listed := top(200, now(schema.VolumePeak, inPools))
	of := func(expr string) string { return among(expr, ofVolume, listed) }
	return []panel{
		{
			kind: table, title: "Volumes: what they hold, need and should have", w: 24, unit: bytesRate, runbooks: []string{"NasightPoolThroughputUnusedAllocatedUnused"},
			description: "The 200 volumes and shares with the highest peaks. Need is the 99th percentile of 7 days, peak the highest sample of as many of the last 35 days as history holds. The plan is what nasight plan would give: of pools with manual QoS.",
			columns:     resourceColumns("project", "location", "pool", "volume"),
			queries: []query{
				{of(either(now(schema.VolumeThroughputLimit, inPools), now(schema.ShareProvisionedThroughput, inPools))), "limit", bytesRate},
				{of(sumBy(ofVolume, usedNow(inPools))), "used", bytesRate},
				{of(now(schema.VolumeWeekP99, inPools)), "need", bytesRate},
				{listed, "peak", bytesRate},
				{of(now(schema.VolumePlanned, inPools)), "plan", bytesRate},
				{of(change), "change", bytesRate},
			},
		},
		{
			kind: bars, title: "The plan takes most from", w: 12, unit: bytesRate,
			description: "The twelve volumes that would hand over most throughput. nasight plan gives the commands and the proof.",
			queries:     []query{{expr: top(12, "-("+change+") > 0"), legend: "{{pool}}/{{volume}}"}},
		},
		{
			kind: bars, title: "The plan gives most to", w: 12, unit: bytesRate,
			description: "The twelve volumes that would get most throughput.",
			queries:     []query{{expr: top(12, "("+change+") > 0"), legend: "{{pool}}/{{volume}}"}},
		},
	}
}

func poolsAccounts() []panel {
	listed := top(100, maxBy(ofPool, now(schema.AccountLimit, with(inPools, `quantity="throughput_bytes_per_second"`))))
	of := func(expr string) string { return among(expr, ofPool, listed) }
	return []panel{
		{
			kind: table, title: "Storage accounts", w: 24, unit: bytesRate,
			description: "What the shares of each account may do and do together, against what the account may do at most. At most 100.",
			columns:     resourceColumns("project", "location", "pool"),
			queries: []query{
				{listed, "account's most", bytesRate},
				{of(sumBy(ofPool, now(schema.ShareProvisionedThroughput, inPools))), "provisioned", bytesRate},
				{of(sumBy(ofPool, now(schema.ShareThroughput, inPools))), "used", bytesRate},
				{of(sumBy(ofPool, now(schema.VolumeWeekP99, inPools))), "needed", bytesRate},
			},
		},
	}
}
