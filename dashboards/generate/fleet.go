package main

import "github.com/nasight/nasight/schema"

// What the fleet is granted and uses, of both clouds: pools where throughput is bought by the pool, shares elsewhere.
func grantedOf(matchers string) string {
	return either(now(schema.PoolGrantedThroughput, matchers), now(schema.ShareProvisionedThroughput, matchers))
}

func usedNow(matchers string) string {
	return either(now(schema.VolumeTotalThroughput, matchers), now(schema.ShareThroughput, matchers))
}

func used(matchers string) string {
	return either(steady(schema.VolumeTotalThroughput, matchers), steady(schema.ShareThroughput, matchers))
}

// idleOf is what a pool or a share is granted beyond what its volumes need together, taken as the sum of what each needs:
// no less than their need together.
func idleOf(matchers string) string {
	pools := "clamp_min(" + now(schema.PoolGrantedThroughput, matchers) + " - on (" + ofPool + ") " + sumBy(ofPool, now(schema.VolumeWeekP99, matchers)) + ", 0)"
	shares := "clamp_min(" + now(schema.ShareProvisionedThroughput, matchers) + " - on (" + ofVolume + ") " + now(schema.VolumeWeekP99, matchers) + ", 0)"
	return either(pools, shares)
}

func fleetBoard() board {
	return board{
		uid: uidFleet, title: "nasight / Fleet",
		description: "What is granted, used and idle over all clouds, what nasight finds, and what it costs.",
		variables: []variable{
			{label: "service", title: "service", from: []*schema.Family{schema.PoolInfo, schema.AccountInfo}, description: "Storage services. Findings of hosts whose volume is not known belong to none and are left out where one is chosen."},
			{label: "project", title: "project", from: []*schema.Family{schema.PoolInfo, schema.AccountInfo}, matchers: `service=~"$service"`, description: "Projects of Google Cloud and subscriptions of Azure."},
		},
		findings: inFleet, severity: 3,
		sections: []section{
			{"Now", fleetNow()},
			{"Throughput", fleetThroughput()},
			{"Findings", []panel{
				{
					kind: stack, title: "Findings by detector", w: 24, unit: number,
					description: "How many findings fire, by the detector that made them.",
					queries:     []query{{expr: countBy("detector", now(schema.FindingActive, inFleet)), legend: "{{detector}}"}},
				},
				findingsTable(inFleet, "What fires now, the most severe first, at most 200. The name leads to the runbook, the resource to its dashboard.",
					schema.FindingGain, schema.FindingWaste),
			}},
			{"Money", fleetMoney()},
		},
	}
}

func fleetNow() []panel {
	return []panel{
		{
			kind: stat, title: "Granted", w: 4, unit: bytesRate, links: []string{uidPools},
			description: "Throughput of all pools and what is provisioned for shares of Azure Files. Shares that are paid by use have none.",
			queries:     []query{{expr: sum(grantedOf(inFleet)), legend: "granted"}},
		},
		{
			kind: stat, title: "Used", w: 4, unit: bytesRate,
			description: "Throughput of all volumes and shares, the newest values that the clouds have told. Google's are 15 to 20 minutes old, Azure's 3 to 5.",
			queries:     []query{{expr: sum(usedNow(inFleet)), legend: "used"}},
		},
		{
			kind: stat, title: "Idle", w: 4, unit: bytesRate, links: []string{uidPools}, runbooks: []string{"NasightPoolThroughputUnusedUnallocated", "NasightPoolThroughputUnusedAllocatedUnused"},
			description: "Granted beyond what the volumes needed in the last 7 days: the granted throughput of each pool less the sum of its volumes' 99th percentiles, as they are seldom high together a cautious figure. Pools without a week of data are left out.",
			queries:     []query{{expr: sum(idleOf(inFleet)), legend: "idle"}},
		},
		findingCount("Critical", inFleet, 3, "red"),
		findingCount("Warnings", inFleet, 2, "orange"),
		{
			kind: stat, title: "Waste a month", w: 4, unit: usd, none: "no prices set",
			description: "What the remedies of the findings would save: of each resource the largest, since they may exclude each other. There is money only where the configuration has prices.",
			queries:     []query{{expr: sum(maxBy(ofVolume, now(schema.FindingWaste, inFleet))), legend: "waste"}},
		},
	}
}

func fleetThroughput() []panel {
	return []panel{
		{
			kind: lines, title: "Granted and used", w: 12, unit: bytesRate,
			description: "The sums over time. Changes of what is granted show within the hour. At the end of the line a value stands until the cloud tells the next, up to 20 minutes late.",
			queries: []query{
				{expr: sum(grantedOf(inFleet)), legend: "granted"},
				{expr: sum(used(inFleet)), legend: "used"},
				{expr: sum(now(schema.VolumeWeekP99, inFleet)), legend: "needed (sum of 99th percentiles of 7 days)"},
			},
		},
		{
			kind: stack, title: "Used, by pool or account", w: 12, unit: bytesRate, links: []string{uidPools},
			description: "The twelve pools and accounts that move most.",
			queries:     []query{{expr: top(12, sumBy("project, pool", used(inFleet))), legend: "{{pool}} ({{project}})"}},
		},
		{
			kind: bars, title: "Nearest to their limit", w: 12, unit: ratio, max: 1, steps: nearLimit(), links: []string{uidPools},
			runbooks:    []string{"NasightLimitReachedThroughput"},
			description: "Use over what is granted now: the twelve fullest volumes and shares. On Flex the limit is that of the whole pool.",
			queries:     []query{{expr: top(12, utilisation(inFleet)), legend: "{{pool}}/{{volume}}"}},
		},
		{
			kind: bars, title: "Most idle", w: 12, unit: bytesRate, links: []string{uidPools},
			description: "Granted beyond the need of 7 days: the twelve pools and shares with the most.",
			queries:     []query{{expr: top(12, idleOf(inFleet)), legend: "{{pool}} {{volume}}"}},
		},
	}
}

func fleetMoney() []panel {
	return []panel{
		{
			kind: table, title: "What could be saved", w: 12, unit: usd, none: "no prices set",
			description: "Findings with money, the most first, at most 50. Remedies of one resource may exclude each other.",
			columns:     append([]column{{label: "finding", title: "finding", names: runbookNames(), runbook: true}}, resourceColumns("project", "pool", "volume")...),
			queries:     []query{{expr: named(top(50, now(schema.FindingWaste, inFleet))), legend: "a month"}},
		},
		{
			kind: table, title: "What could be gained", w: 12, unit: bytesRate,
			description: "Findings whose remedy brings throughput, the most first, at most 50: the middle of the expected range.",
			columns:     append([]column{{label: "finding", title: "finding", names: runbookNames(), runbook: true}}, resourceColumns("pool", "volume", "host", "server")...),
			queries:     []query{{expr: named(top(50, now(schema.FindingGain, inFleet))), legend: "gain"}},
		},
	}
}

// utilisation is how much of its limit a volume or a share uses now.
func utilisation(matchers string) string {
	return either(
		over(now(schema.VolumeTotalThroughput, matchers), now(schema.VolumeThroughputLimit, matchers), ofVolume),
		over(now(schema.SharePeakThroughput, matchers), now(schema.ShareProvisionedThroughput, matchers), ofVolume))
}
