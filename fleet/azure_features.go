package fleet

import (
	"fmt"
	"strings"

	"github.com/nasight/nasight/schema"
)

// shareSamples is how many minutes of a share are read one by one: the slope of burst credits is over a quarter of an hour.
const shareSamples = 16

const operationsUnit = "operations"

// azureFeatures are the rows about Azure Files.
func azureFeatures() []Feature {
	var rows []Feature
	for _, group := range [][]Feature{accountFeatures(), shareFeatures(), shareLoadFeatures(), shareSampleFeatures(), shareDayFeatures(), logClientFeatures(), logFileFeatures()} {
		for _, row := range group {
			row.Cloud = true
			rows = append(rows, row)
		}
	}
	return rows
}

func accountFeatures() []Feature {
	return []Feature{
		{Name: FeatureAccountInfo, Expr: settled(schema.AccountInfo, byPool), By: byPool, Config: true},
		{Name: FeatureAccountLimit, Expr: known(schema.AccountLimit), By: byPool, Config: true},
		{Name: FeatureAccountFeature, Expr: known(schema.SubscriptionFeatureInfo), By: byPool[:3], Config: true},
	}
}

func shareFeatures() []Feature {
	return []Feature{
		{Name: FeatureShareInfo, Expr: settled(schema.ShareInfo, byVolume), By: byVolume, Config: true},
		{Name: FeatureShareQuota, Unit: "bytes", Expr: known(schema.ShareQuota), By: byVolume, Config: true},
		{Name: FeatureShareIOPS, Unit: operationsRate, Expr: known(schema.ShareProvisionedOperations), By: byVolume, Config: true},
		{Name: FeatureShareThroughput, Unit: bytesRate, Expr: known(schema.ShareProvisionedThroughput), By: byVolume, Config: true},
		{Name: FeatureShareBurst, Unit: operationsRate, Expr: known(schema.ShareBurstOperations), By: byVolume, Config: true},
		{Name: FeatureShareCreditsMost, Unit: operationsUnit, Expr: known(schema.ShareBurstCreditsMost), By: byVolume, Config: true},
		{Name: FeatureSharePaidBurst, Expr: known(schema.SharePaidBurstLimit), By: byVolume, Config: true},
		{Name: FeatureShareLowerAfter, Unit: "seconds", Expr: known(schema.ShareDowngradeAllowed), By: byVolume, Config: true},
		{Name: FeatureShareUsed, Unit: "bytes", Expr: known(schema.ShareUsed), By: byVolume},
		{Name: FeatureShareSnapshots, Unit: "snapshots", Expr: known(schema.ShareSnapshots), By: byVolume},
		{Name: FeatureShareFiles, Unit: "files", Expr: known(schema.ShareFiles), By: byVolume},
	}
}

// fewMinutes is a mean rate over the newest five minutes. In a minute of which the service tells nothing there was nothing.
func fewMinutes(family *schema.Family, matchers string) string {
	return matching(lately("sum_over_time", family, 5), matchers) + " / 5"
}

func shareLoadFeatures() []Feature {
	latency := func(scope string) string {
		return matching(lately("avg_over_time", schema.ShareLatency, 5), fmt.Sprintf("%s=%q", schema.Scope, scope))
	}
	class := func(class APIClass) string {
		return fewMinutes(schema.ShareOperations, fmt.Sprintf("%s=~%q", schema.API, "(?i:"+strings.Join(apiNames[class], "|")+")"))
	}
	direction := func(way string) string {
		return fewMinutes(schema.ShareThroughput, fmt.Sprintf("%s=%q", schema.Direction, way))
	}
	return []Feature{
		{Name: FeatureShareEgress, Unit: bytesRate, Expr: direction("egress"), By: byVolume},
		{Name: FeatureShareIngress, Unit: bytesRate, Expr: direction("ingress"), By: byVolume},
		{Name: FeatureShareOperations, Unit: operationsRate, Expr: lately("sum_over_time", schema.ShareOperations, 5) + " / 5", By: byVolume, Sum: true},
		{Name: FeatureShareData, Unit: operationsRate, Expr: class(APIData), By: byVolume, Sum: true, Only: true},
		{Name: FeatureShareMetadata, Unit: operationsRate, Expr: class(APIMetadata), By: byVolume, Sum: true, Only: true},
		{Name: FeatureShareSession, Unit: operationsRate, Expr: class(APISession), By: byVolume, Sum: true, Only: true},
		{Name: FeatureShareServer, Unit: "seconds", Expr: latency("server"), By: byVolume},
		{Name: FeatureShareEndToEnd, Unit: "seconds", Expr: latency("end_to_end"), By: byVolume},
		{Name: FeatureShareAvailability, Unit: "ratio", Expr: lately("avg_over_time", schema.ShareAvailability, 5), By: byVolume},
	}
}

// shareSampleFeatures are asked minute by minute, all but those that evidence alone names.
func shareSampleFeatures() []Feature {
	row := func(name, unit string, family *schema.Family) Feature {
		return Feature{
			Name: name, Unit: unit, Expr: lately("last_over_time", family, 1), By: byVolume,
			Steps: shareSamples, Step: family.Grain,
		}
	}
	responses := lately("sum_over_time", schema.ShareResponses, 5)
	throttled := fmt.Sprintf("sum(%s) / sum(%s)", matching(responses, schema.Response+`=~".*Throttling(Error)?"`), responses)
	drain := lately("deriv", schema.ShareBurstCredits, shareSamples-1)
	return []Feature{
		row(FeatureShareResponses, operationsRate, schema.ShareResponses),
		row(FeatureSharePeakIOPS, operationsRate, schema.SharePeakOperations),
		row(FeatureSharePeakBytes, bytesRate, schema.SharePeakThroughput),
		row(FeatureShareCredits, operationsUnit, schema.ShareBurstCredits),
		{Name: FeatureShareThrottled, Unit: "ratio", Expr: throttled, By: byVolume, Only: true},
		// The view takes the Theil–Sen slope, which no odd sample moves; on a steady line both are the same.
		{Name: FeatureShareDrain, Unit: "credits per second", Expr: drain, By: byVolume, Only: true},
	}
}

func shareDayFeatures() []Feature {
	operations, throughput := schema.SharePeakOperationsRollUp, schema.SharePeakThroughputRollUp
	p99 := func(family *schema.Family, back string) string {
		return fmt.Sprintf("quantile_over_time(0.99, %s{$sel}[7d] offset %s)", family.Name, back)
	}
	now, before := millis(operations.Delay), millis(operations.Delay+week)
	rows := []Feature{
		{Name: FeatureShareIOPSP99, Unit: operationsRate, Expr: p99(operations, now), By: byVolume},
		{Name: FeatureShareIOPSBefore, Unit: operationsRate, Expr: p99(operations, before), By: byVolume},
		{Name: FeatureShareIOPSMax, Unit: operationsRate, Expr: lately("max_over_time", operations, int(peakWindow/operations.Grain)), By: byVolume},
		{Name: FeatureShareP99, Unit: bytesRate, Expr: p99(throughput, now), By: byVolume},
		{Name: FeatureShareBefore, Unit: bytesRate, Expr: p99(throughput, before), By: byVolume},
		{Name: FeatureShareMax, Unit: bytesRate, Expr: lately("max_over_time", throughput, int(peakWindow/throughput.Grain)), By: byVolume},
		{Name: FeatureShareGrowth, Unit: bytesRate, Expr: lately("deriv", schema.ShareUsed, int(week/schema.ShareUsed.Grain)), By: byVolume},
	}
	for i := range rows {
		rows[i].Slow, rows[i].Only = true, true
	}
	return rows
}
