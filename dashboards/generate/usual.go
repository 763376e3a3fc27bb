package main

import "github.com/nasight/nasight/schema"

// volumeUsual is what the statistical baselines say of a volume or share: each value within its band.
func volumeUsual() []panel {
	runbooks := []string{"NasightAnomalyLevel", "NasightAnomalySpike", "NasightAnomalyFlatline", "NasightAnomalyStale"}
	band := func(title, signal, unit, description string, value query) panel {
		of := with(inOne, `host="",signal="`+signal+`"`)
		p := panel{
			kind: lines, title: title, w: 8, unit: unit, runbooks: runbooks, description: description,
			queries: []query{
				value,
				{expr: maxBy(ofVolume, now(schema.BaselineUsual, of)), legend: "usual"},
				{expr: maxBy(ofVolume, now(schema.BaselineUpper, of)), legend: "upper"},
			},
		}
		if signal != "latency" { // faster is no anomaly
			p.queries = append(p.queries, query{expr: maxBy(ofVolume, now(schema.BaselineLower, of)), legend: "lower"})
		}
		return p
	}
	const until = " A series that is learning has no band, and neither have those beyond the number that is configured."
	return []panel{
		band("Latency and its usual", "latency", seconds,
			"Mean time of operations, what it usually is at this time of day and week, and the bound above which it is unusual. Of shares see the chart by operations for the time itself."+until,
			query{expr: maxBy(ofVolume, mean(schema.VolumeMeanLatency, inOne)), legend: "now"}),
		band("Throughput and its usual", "throughput", bytesRate,
			"What is moved, what usually is at this time, and the bounds beyond which it is unusual."+until,
			query{expr: either(sumBy(ofVolume, mean(schema.VolumeTotalThroughput, inOne)), sumBy(ofVolume, mean(schema.ShareThroughput, inOne))), legend: "now"}),
		band("Operations and their usual", "operations", perSecond,
			"Operations, how many are usual at this time, and the bounds beyond which it is unusual."+until,
			query{expr: either(sumBy(ofVolume, mean(schema.VolumeTotalOperations, inOne)), sumBy(ofVolume, mean(schema.ShareOperations, inOne))), legend: "now"}),
	}
}

// ownBaselines is how the baselines fare.
func ownBaselines() []panel {
	return []panel{
		{
			kind: stack, title: "Series with a baseline", w: 12, unit: number, runbooks: []string{"NasightBaselineRefusing"},
			description: "Series by the state of their baseline: learning ones are not judged yet, new_normal ones took what they departed to for their usual within the last day.",
			queries:     []query{{expr: sumBy("state", now(schema.BaselineSeries, inHosts)), legend: "{{state}}"}},
		},
		{
			kind: lines, title: "Samples that no baseline took", w: 12, unit: perSecond, runbooks: []string{"NasightBaselineRefusing"},
			description: "Samples by the reason: no_room where there are as many baselines as there may be.",
			queries:     []query{{expr: sumBy("reason", rate(schema.BaselineRefused, inHosts)), legend: "{{reason}}"}},
		},
		{
			kind: stat, title: "Last learnt", w: 6, unit: seconds, steps: []step{{1200, "orange"}}, runbooks: []string{"NasightBaselineLate"},
			description: "Time since the baselines took in what history got. Nothing while they learn from the past.", none: "not yet",
			queries: []query{{expr: "max(time() - " + now(schema.BaselineFed, inHosts) + ")", legend: "age"}},
		},
		{
			kind: stat, title: "State in order", w: 6, unit: number, runbooks: []string{"NasightBaselineStateDamaged"},
			description: "0 if the file with the state of the baselines was damaged, or cannot be written.", none: "not yet",
			queries: []query{{expr: "min(" + now(schema.BaselineStateHealthy, inHosts) + ")", legend: "state"}},
		},
	}
}
