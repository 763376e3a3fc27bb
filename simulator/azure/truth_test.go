package azure_test

import (
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"

	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/model"
)

// observed is what metrics say of a share over five minutes, by which a detector judges it.
type observed struct {
	operations, metadata, throttled float64 // counts
	maxIOPS, maxMiBps, credits      float64 // credits at the end
	drain                           float64 // credits for each second
	full                            float64 // share of the quota
	provision                       model.Provision
	hot                             int // minutes of the log in which one file is at 0.9 of the 8,000 operations that it may do
}

func (f fleet) observe(resource, share string, from time.Time) observed {
	f.t.Helper()
	var o observed
	for _, p := range f.Model().Shares() {
		if p.Share.Name == share {
			o.provision = p.Provision()
			space := f.Model().ShareSpace(p, from)
			o.full = space.Used / space.Quota
		}
	}
	span := azquery.NewTimeInterval(from, from.Add(5*time.Minute))
	read := func(names, filter string, aggregation azquery.AggregationType, look func(name string, s *azquery.TimeSeriesElement)) {
		options := ask(names, filter, aggregation)
		options.Timespan, options.Top = &span, ptr(int32(1000))
		for _, metric := range f.query(resource, options) {
			for _, series := range metric.TimeSeries {
				look(*metric.Name.Value, series)
			}
		}
	}
	only := "FileShare eq '" + share + "'"
	read("Transactions", only+" and ApiName eq '*' and ResponseType eq '*'", azquery.AggregationTypeTotal, func(_ string, s *azquery.TimeSeriesElement) {
		o.operations += sum(s)
		if api := label(s, "apiname"); api != "Read" && api != "Write" {
			o.metadata += sum(s)
		}
		if strings.Contains(label(s, "responsetype"), "Throttling") {
			o.throttled += sum(s)
		}
	})
	read("FileShareMaxUsedIOPS,FileShareMaxUsedBandwidthMiBps", only, azquery.AggregationTypeMaximum, func(name string, s *azquery.TimeSeriesElement) {
		for _, p := range s.Data {
			if name == "FileShareMaxUsedIOPS" {
				o.maxIOPS = max(o.maxIOPS, *p.Maximum)
			} else {
				o.maxMiBps = max(o.maxMiBps, *p.Maximum)
			}
		}
	})
	read("FileShareAvailableBurstCredits", only, azquery.AggregationTypeAverage, func(_ string, s *azquery.TimeSeriesElement) {
		first, last := *s.Data[0].Average, *s.Data[len(s.Data)-1].Average
		o.credits, o.drain = last, (first-last)/float64(60*(len(s.Data)-1))
	})
	o.hot = f.hotMinutes(share)
	return o
}

func (f fleet) hotMinutes(share string) (count int) {
	f.t.Helper()
	table, err := f.logs(`StorageFileLogs | extend share = extract(@"^[^/\\]*[/\\]{2}[^/\\]+[/\\]([^/\\?]+)", 1, Uri) | where share == "` + share + `"
	| summarize n = count() by Uri, minute = bin(TimeGenerated, 1m) | summarize n = max(n) by minute`)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, row := range table.Rows {
		if row[1].(float64) >= 0.9*8000*60 {
			count++
		}
	}
	return count
}

// limit is the limit of operations that holds now.
func (o observed) limit() float64 {
	if o.credits > 0 {
		return o.provision.BurstIOPS
	}
	return o.provision.IOPS
}

// rules are the detectors' conditions on five minutes, as their specification has them.
func rules() map[string]func(observed) bool {
	return map[string]func(observed) bool{
		"metadata_heavy/share":     func(o observed) bool { return o.metadata/o.operations >= 0.5 && o.metadata/300 >= 100 },
		"limit_reached/iops":       func(o observed) bool { return o.throttled/o.operations >= 0.01 || o.maxIOPS/o.limit() >= 0.9 },
		"limit_reached/credits":    func(o observed) bool { return o.drain > 0 && o.credits/o.drain < 3600 },
		"limit_reached/throughput": func(o observed) bool { return o.maxMiBps/o.provision.MiBps >= 0.9 },
		"hard_limit/file":          func(o observed) bool { return o.hot >= 3 },
		"hard_limit/capacity":      func(o observed) bool { return o.full >= 0.8 },
		"pool_throughput_unused/allocated_unused": func(o observed) bool {
			return o.maxMiBps/o.provision.MiBps < 0.05 && o.maxIOPS/o.provision.IOPS < 0.05
		},
	}
}

// What the fleet plants is in the metrics, and is not in those of its twin.
func TestPlantedTruthShows(t *testing.T) {
	f := start(t, azure.Options{})
	f.move(epoch.Add(10 * time.Minute))
	truth := f.Model().Fleet().Truth
	for want, rows := range map[bool][]model.Planted{true: truth.Findings, false: truth.Healthy} {
		for _, planted := range rows {
			if strings.Contains(planted.Pool, "/") {
				continue // of Azure NetApp Files
			}
			rule := rules()[planted.Detector+"/"+planted.Variant]
			if rule == nil {
				t.Fatalf("no rule for %s %s", planted.Detector, planted.Variant)
			}
			resource := strings.Replace(ssd, "examplessdv2", planted.Pool, 1)
			if planted.Project == archive {
				resource = strings.NewReplacer(production, archive, "/files/", "/archive/").Replace(resource)
			}
			if got := f.observe(resource, planted.Volume, epoch); rule(got) != want {
				t.Errorf("%s %s of %s: %v on %+v", planted.Detector, planted.Variant, planted.Volume, !want, got)
			}
		}
	}
}

// The idle share's twin is as idle on the mean and bursts to most of its limit once in two days.
func TestTheIdleTwinBursts(t *testing.T) {
	f := start(t, azure.Options{})
	for _, p := range f.Model().Shares() {
		if p.Share.Name != "nightly" {
			continue
		}
		most, operations := 0.0, 0.0
		for at := epoch.Add(-48 * time.Hour); at.Before(epoch); at = at.Add(time.Minute) {
			minute := f.Model().ShareMinute(p, at)
			most, operations = max(most, minute.MaxMiBps), max(operations, minute.MaxIOPS)
		}
		if used := most / p.Provision().MiBps; used < 0.8 || used >= 0.9 {
			t.Errorf("bursts to %g of its throughput", used)
		}
		if used := operations / p.Provision().IOPS; used < 0.6 || used >= 0.9 {
			t.Errorf("bursts to %g of its operations", used)
		}
	}
}
