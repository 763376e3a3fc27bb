package azurefiles

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
	"github.com/Azure/azure-sdk-for-go/sdk/monitor/query/azmetrics"
	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

// hour is the window of most tests.
var hour = azureapi.Window{Start: noon, End: noon.Add(time.Hour)}

func conversionOf(t testing.TB, name string, split bool) *conversion {
	g := groupNamed(t, name)
	return &conversion{group: g, rows: g.rows, split: split, window: hour, words: newVocabulary(nil), top: azureapi.MostSeries}
}

func parse(t testing.TB, text string) []azureapi.MetricAnswer {
	t.Helper()
	var answer azquery.Response
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	return azureapi.FromQuery(answer)
}

// shown are the points by family, share, kind and own labels, and by the minute of their end after noon.
func shown(f *found) map[string]map[int]float64 {
	all := map[string]map[int]float64{}
	for k, points := range f.points {
		name := strings.Join(append([]string{strings.TrimPrefix(k.row.family.Name, "nasight_share_"), k.share, k.kind}, k.row.labels...), "/")
		all[name] = map[int]float64{}
		for _, p := range points {
			all[name][int(time.UnixMilli(p.End).Sub(noon)/time.Minute)] = p.Value
		}
	}
	return all
}

const operationsAnswer = `{"cost":59,"timespan":"2026-11-30T12:00:00Z/2026-11-30T13:00:00Z","interval":"PT1M","value":[
{"name":{"value":"Transactions","localizedValue":"Transactions"},"unit":"Count","errorCode":"Success","timeseries":[
 {"metadatavalues":[{"name":{"value":"apiname"},"value":"Read"},{"name":{"value":"fileshare"},"value":"data"}],
  "data":[{"timeStamp":"2026-11-30T12:00:00Z","total":600},{"timeStamp":"2026-11-30T12:01:00Z"},{"timeStamp":"2026-11-30T12:02:00Z","total":0}]},
 {"metadatavalues":[{"name":{"value":"fileshare"},"value":"data"},{"name":{"value":"apiname"},"value":"NfsRead"}],
  "data":[{"timeStamp":"2026-11-30T12:00:00Z","total":60}]},
 {"metadatavalues":[{"name":{"value":"fileshare"},"value":"data"},{"name":{"value":"apiname"},"value":"NfsWrite"}],
  "data":[{"timeStamp":"2026-11-30T12:00:00Z","total":180}]},
 {"metadatavalues":[{"name":{"value":"apiname"},"value":"Read"}],"data":[{"timeStamp":"2026-11-30T12:00:00Z","total":7}]}]},
{"name":{"value":"SuccessServerLatency"},"errorCode":"Success","timeseries":[
 {"metadatavalues":[{"name":{"value":"apiname"},"value":"NfsRead"},{"name":{"value":"fileshare"},"value":"data"}],
  "data":[{"timeStamp":"2026-11-30T12:00:00Z","average":1}]},
 {"metadatavalues":[{"name":{"value":"apiname"},"value":"NfsWrite"},{"name":{"value":"fileshare"},"value":"data"}],
  "data":[{"timeStamp":"2026-11-30T12:00:00Z","average":5}]}]},
{"name":{"value":"SuccessE2ELatency"},"errorCode":"Throttled","errorMessage":"too much","timeseries":[]}]}`

// A total of a minute is a rate, a missing number no zero, a zero a zero; the unknown operations are one, with the mean
// latency by their weights; a metric that was throttled is a failure and nothing else.
func TestConvertOperations(t *testing.T) {
	f := conversionOf(t, "operations", true).convert(parse(t, operationsAnswer))
	want := map[string]map[int]float64{
		"operations_per_second/data/Read":   {1: 10, 3: 0},
		"operations_per_second/data/other":  {1: 4},
		"latency_seconds/data/other/server": {1: 0.004},
	}
	if diff := cmp.Diff(want, shown(f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var missing *azureapi.MetricError
	if err := f.failed["SuccessE2ELatency"]; len(f.failed) != 1 || !errors.As(err, &missing) || azureapi.ReasonOf(err) != azureapi.ReasonRateLimited {
		t.Errorf("failed are %v", f.failed)
	}
	if diff := cmp.Diff(map[string]int{oddAPI: 4, oddSeries: 1}, f.odd); diff != "" {
		t.Errorf("odd (-want +got):\n%s", diff)
	}
}

// The buckets of a window are those that begin in it; one that is torn, twice there or no number costs itself.
func TestConvertKeepsWholeBucketsOfTheWindowOnce(t *testing.T) {
	const answer = `{"value":[{"name":{"value":"Egress"},"timeseries":[
{"metadatavalues":[{"name":{"value":"FileShare"},"value":"data"}],"data":[
 {"timeStamp":"2026-11-30T11:59:00Z","total":60},{"timeStamp":"2026-11-30T12:05:00Z","total":120},
 {"timeStamp":"2026-11-30T12:00:00Z","total":60},{"timeStamp":"2026-11-30T12:05:00Z","total":999},
 {"timeStamp":"2026-11-30T12:00:30Z","total":60},{"total":60},{"timeStamp":"2026-11-30T12:06:00Z","total":-1},
 {"timeStamp":"2026-11-30T12:07:00Z","total":1e300},{"timeStamp":"2026-11-30T12:08:00Z","average":5},
 {"timeStamp":"2026-11-30T12:59:00Z","total":6},{"timeStamp":"2026-11-30T13:00:00Z","total":60}]}]}]}`
	c := conversionOf(t, "load", true)
	c.rows = c.rows[:1]
	f := c.convert(parse(t, answer))
	if diff := cmp.Diff(map[string]map[int]float64{"throughput_bytes_per_second/data//egress": {1: 1, 6: 2, 60: 0.1}}, shown(f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{oddPoint: 2, oddValue: 2}, f.odd); diff != "" {
		t.Errorf("odd (-want +got):\n%s", diff)
	}
}

func TestConvertUnitesPrefixesOfResponses(t *testing.T) {
	const answer = `{"value":[{"name":{"value":"Transactions"},"timeseries":[
{"metadatavalues":[{"name":{"value":"fileshare"},"value":"a"},{"name":{"value":"responsetype"},"value":"Success"}],"data":[{"timeStamp":"2026-11-30T12:00:00Z","total":60}]},
{"metadatavalues":[{"name":{"value":"fileshare"},"value":"a"},{"name":{"value":"responsetype"},"value":"KerberosSuccess"}],"data":[{"timeStamp":"2026-11-30T12:00:00Z","total":120}]},
{"metadatavalues":[{"name":{"value":"fileshare"},"value":"a"},{"name":{"value":"responsetype"},"value":"KerberosSuccessWithShareIopsThrottling"}],"data":[{"timeStamp":"2026-11-30T12:00:00Z","total":6}]}]}]}`
	got := shown(conversionOf(t, "responses", true).convert(parse(t, answer)))
	want := map[string]map[int]float64{
		"responses_per_second/a/Success": {1: 3}, "responses_per_second/a/SuccessWithShareIopsThrottling": {1: 0.1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Units: MiB/s, percent, credits; an account that is paid by use has no share.
func TestConvertUnits(t *testing.T) {
	const answer = `{"value":[
{"name":{"value":"FileShareMaxUsedBandwidthMiBps"},"timeseries":[{"data":[{"timeStamp":"2026-11-30T12:00:00Z","maximum":2,"average":1}]}]},
{"name":{"value":"FileShareMaxUsedIOPS"},"timeseries":[{"data":[{"timeStamp":"2026-11-30T12:00:00Z","maximum":1840}]}]},
{"name":{"value":"FileShareAvailableBurstCredits"},"timeseries":[{"data":[{"timeStamp":"2026-11-30T12:00:00Z","average":3600}]}]},
{"name":{"value":"Availability"},"timeseries":[{"data":[{"timeStamp":"2026-11-30T12:00:00Z","average":99.5,"maximum":100}]}]},
{"name":{"value":"Ingress"},"timeseries":[]}]}`
	f := conversionOf(t, "load", false).convert(parse(t, answer))
	want := map[string]map[int]float64{
		"peak_throughput_bytes_per_second//": {1: 2 * mib}, "peak_operations_per_second//": {1: 1840},
		"burst_credits//": {1: 3600}, "availability_ratio//": {1: 0.995},
	}
	if diff := cmp.Diff(want, shown(f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := slices.Collect(maps.Keys(f.failed)); !slices.Equal(got, []string{"Egress"}) { // Ingress is there, with nothing in it
		t.Errorf("missing are %v", got)
	}
}

func TestConvertSaysWhenSeriesAreMissing(t *testing.T) {
	c := conversionOf(t, "operations", true)
	c.top = 4
	f := c.convert(parse(t, operationsAnswer))
	if !slices.Equal(f.full, []string{"Transactions"}) || f.odd[oddTop] != 1 {
		t.Errorf("full are %v, odd %v", f.full, f.odd)
	}
}

// The batch API's answers are the same in other types.
func TestBatchAnswersAreTheSame(t *testing.T) {
	var data azmetrics.MetricData
	if err := json.Unmarshal([]byte(operationsAnswer), &data); err != nil {
		t.Fatal(err)
	}
	c := conversionOf(t, "operations", true)
	if diff := cmp.Diff(shown(c.convert(parse(t, operationsAnswer))), shown(c.convert(azureapi.FromBatch(data)))); diff != "" {
		t.Errorf("(-query +batch):\n%s", diff)
	}
}

// Public answers of other resources: names that are missing are taken from the id, buckets without a number are no
// points, and empty series no series.
func TestRecordedAnswers(t *testing.T) {
	text := capturetest.Public(t, "azure_monitor/telegraf-metrics-responses.json")
	var answers []azquery.Response
	if err := json.Unmarshal(text, &answers); err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2022, 2, 22, 22, 0, 0, 0, time.UTC)
	var counts []int
	for _, answer := range answers {
		for _, metric := range []string{"metric1", "metric2"} {
			r := &row{metric: metric, aggregation: total, family: schema.ShareThroughput, scale: 1}
			g := &group{grain: time.Minute, rows: []*row{r}}
			c := &conversion{group: g, rows: g.rows, window: azureapi.Window{Start: begin, End: begin.Add(time.Hour)}, words: newVocabulary(nil), top: azureapi.MostSeries}
			if f := c.convert(azureapi.FromQuery(answer)); len(f.failed) == 0 {
				counts = append(counts, len(f.points[seriesKey{row: r}]))
			}
		}
	}
	if diff := cmp.Diff([]int{5, 5, 5, 4, 0, 0, 0}, counts); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
}

func FuzzConvert(f *testing.F) {
	f.Add(operationsAnswer)
	f.Add(`{"value":[null,{"timeseries":[null,{"metadatavalues":[null],"data":[null,{"timeStamp":"2026-11-30T12:00:00Z","total":1e308}]}]}]}`)
	c := conversionOf(f, "operations", true)
	f.Fuzz(func(t *testing.T, text string) {
		var answer azquery.Response
		if json.Unmarshal([]byte(text), &answer) != nil {
			return
		}
		for k, points := range c.convert(azureapi.FromQuery(answer)).points {
			for i, p := range points {
				end := time.UnixMilli(p.End)
				if !end.After(hour.Start) || end.After(hour.End) || i > 0 && points[i-1].End >= p.End || k.share == "" || k.kind == "" {
					t.Errorf("%+v of %+v", p, k)
				}
			}
		}
	})
}
