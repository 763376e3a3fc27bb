package main

import "github.com/nasight/nasight/schema"

func ownBoard() board {
	return board{
		uid: uidOwn, title: "nasight / nasight itself",
		description: "Whether nasight's own figures can be trusted: how old they are, what could not be read, and what reading costs.",
		variables:   []variable{chooseHost(schema.CollectorSuccess)},
		findings:    "", severity: 3,
		sections: []section{
			{"Collectors", ownCollectors()},
			{"Clouds: freshness", ownFreshness()},
			{"Clouds: calls and cost", ownCost()},
			{"Statistical baselines", ownBaselines()},
			{"History and writing", ownHistory()},
		},
	}
}

func ownCollectors() []panel {
	return []panel{
		{
			kind: stat, title: "Failing collectors", w: 6, unit: number, steps: anything(), runbooks: []string{"NasightCollectorDown"},
			description: "Collectors whose last run failed.",
			queries:     []query{{expr: orNone("count(" + now(schema.CollectorSuccess, inHosts) + " == 0)"), legend: "failing"}},
		},
		{
			kind: stat, title: "Hosts", w: 6, unit: number, description: "Hosts whose collectors were heard of in the last minutes.",
			queries: []query{{expr: "count(" + countBy("host", now(schema.CollectorSuccess, inHosts)) + ")", legend: "hosts"}},
		},
		{
			kind: stat, title: "Oldest success", w: 6, unit: seconds, steps: []step{{300, "orange"}, {3600, "red"}}, runbooks: []string{"NasightCollectorStale"},
			description: "Time since the last successful run of the collector that has waited longest.",
			queries:     []query{{expr: "max(time() - " + now(schema.CollectorLastSuccess, inHosts) + ")", legend: "age"}},
		},
		{
			kind: stat, title: "Findings", w: 6, unit: number, links: []string{uidFleet}, description: "Findings that fire, of all resources.",
			queries: []query{{expr: orNone("count(" + now(schema.FindingActive, "") + ")"), legend: "findings"}},
		},
		{
			kind: lines, title: "Time since the last success", w: 12, unit: seconds, runbooks: []string{"NasightCollectorStale"},
			description: "Of the twenty collectors that have waited longest.",
			queries:     []query{{expr: top(20, "time() - "+now(schema.CollectorLastSuccess, inHosts)), legend: "{{host}} {{collector}}"}},
		},
		{
			kind: lines, title: "Duration of runs", w: 12, unit: seconds, description: "Duration of the last run: the twenty longest.",
			queries: []query{{expr: top(20, high(schema.CollectorDuration, inHosts)), legend: "{{host}} {{collector}}"}},
		},
		{
			kind: lines, title: "Failed runs", w: 12, unit: perSecond, runbooks: []string{"NasightCollectorDown"},
			description: "Failed runs by collector and reason: the twenty most frequent.",
			queries:     []query{{expr: top(20, sumBy("collector, reason", rate(schema.CollectorErrors, inHosts))), legend: "{{collector}} {{reason}}"}},
		},
		{
			kind: lines, title: "Odd input", w: 12, unit: perSecond,
			description: "Lines, files and values that were skipped, by collector and reason: the twenty most frequent.",
			queries:     []query{{expr: top(20, sumBy("collector, reason", rate(schema.CollectorSkipped, inHosts))), legend: "{{collector}} {{reason}}"}},
		},
	}
}

func ownFreshness() []panel {
	return []panel{
		{
			kind: lines, title: "Age of the newest point", w: 12, unit: seconds,
			description: "Age of what the clouds have told last, by metric: the twenty oldest. Capacity and inventory come hourly, performance every one to five minutes.",
			queries:     []query{{expr: top(20, maxBy("service, project, location, metric", now(schema.CloudSampleAge, ""))), legend: "{{metric}} {{location}} ({{service}} {{project}})"}},
		},
		{
			kind: table, title: "Volumes that tell nothing", w: 12, unit: seconds,
			description: "Volumes and shares whose newest performance value is oldest, at most 50. An idle share of Azure Files tells nothing.",
			columns:     resourceColumns("project", "pool", "volume"),
			queries:     []query{{expr: top(50, now(schema.CloudVolumeAge, "")), legend: "age"}},
		},
		{
			kind: table, title: "What cannot be read", w: 12, unit: number, none: "all can be read",
			description: "Projects and locations that could not be read or only in part, with the reason, at most 100.",
			columns: []column{{label: "service", title: "service"}, {label: "project", title: "project"}, {label: "location", title: "location"},
				{label: "api", title: "what"}, {label: "reason", title: "reason"}},
			queries: []query{{expr: top(100, now(schema.CloudUnreachable, "")), legend: "unreachable"}},
		},
		{
			kind: bars, title: "Back-fill", w: 12, unit: ratio, max: 1, runbooks: []string{"NasightBackfillStuck"},
			description: "Share of the past that is stored, by project: the twenty lowest.",
			queries:     []query{{expr: "bottomk(20, " + minBy("service, project", now(schema.CloudBackfill, "")) + ")", legend: "{{project}} ({{service}})"}},
		},
	}
}

func ownCost() []panel {
	return []panel{
		{
			kind: lines, title: "Requests", w: 12, unit: perSecond, description: "Requests to the clouds' APIs, retries included, by API and answer: the twenty most frequent.",
			queries: []query{{expr: top(20, sumBy("service, api, code", rate(schema.CloudRequests, ""))), legend: "{{service}} {{api}} {{code}}"}},
		},
		{
			kind: lines, title: "Series returned", w: 12, unit: perSecond, description: "Time series that the monitoring API returned, which is what it bills, by project: the twelve with most.",
			queries: []query{{expr: top(12, sumBy("service, project", rate(schema.CloudSeriesReturned, ""))), legend: "{{project}} ({{service}})"}},
		},
		{
			kind: lines, title: "Cost of the month", w: 12, unit: usd, runbooks: []string{"NasightCloudBudgetExceeding"},
			description: "Price of this month's requests so far, and as it will be at its end if reading goes on so, with the limits that are set. Free allowances are left out.",
			queries: []query{
				{expr: sumBy("service", now(schema.CloudMonthCost, "")), legend: "{{service}} so far"},
				{expr: sumBy("service", now(schema.CloudProjectedCost, "")), legend: "{{service}} projected"},
				{expr: maxBy("service, limit", now(schema.CloudBudgetLimit, "")), legend: "{{service}} {{limit}} limit"},
			},
		},
		{
			kind: stat, title: "Cost in the time shown", w: 6, unit: usd, description: "Price of the requests in the time that the dashboard shows.",
			queries: []query{{expr: sum(grew(schema.CloudCost, "")), legend: "cost"}},
		},
		{
			kind: stat, title: "Budget", w: 6, unit: number, steps: []step{{1, "orange"}, {2, "red"}}, runbooks: []string{"NasightCloudBudgetExceeding"},
			description: "0 within the budget, 1 the projection is above the soft limit and reading is slowed, 2 the hard limit stops the costly part.",
			queries:     []query{{expr: "max(" + now(schema.CloudBudgetState, "") + ")", legend: "state"}},
		},
	}
}

func ownHistory() []panel {
	return []panel{
		{
			kind: lines, title: "Samples given to history", w: 12, unit: perSecond,
			description: "Samples by what became of them: stored, or why not.",
			queries:     []query{{expr: sumBy("outcome", rate(schema.HistorySamples, inHosts)), legend: "{{outcome}}"}},
		},
		{
			kind: lines, title: "Remote write", w: 12, unit: perSecond,
			description: "Samples that agents have sent, given up and tried again: the sums over hosts.",
			queries: []query{
				{expr: sum(rate(schema.RemoteWriteSent, inHosts)), legend: "sent"},
				{expr: sumBy("reason", rate(schema.RemoteWriteDropped, inHosts)), legend: "given up: {{reason}}"},
				{expr: sum(rate(schema.RemoteWriteRetries, inHosts)), legend: "tried again"},
			},
		},
		{
			kind: stat, title: "Simulated", w: 6, unit: number, steps: anything(), none: "no",
			description: "1 if all data are simulated, as those of nasight demo are.",
			queries:     []query{{expr: now(schema.Simulated, ""), legend: "simulated"}},
		},
		{
			kind: stat, title: "Configuration", w: 6, unit: number, none: "no file", runbooks: []string{"NasightConfigReloadFailed"},
			description: "1 if the configuration file was in order when it was last read, else 0. On /metrics alone: a history of nasight's own does not have it.",
			queries:     []query{{expr: "min(" + now(schema.ConfigReloadSuccess, "") + ")", legend: "in order"}},
		},
		{
			kind: lines, title: "Samples waiting to be sent", w: 12, unit: number, description: "Of the ten agents with most.",
			queries: []query{{expr: top(10, high(schema.RemoteWritePending, inHosts)), legend: "{{host}}"}},
		},
	}
}
