package azurenetapp

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

func load() *group { return groups()[0] }

// answered converts what the service may write about the hour from noon on.
func answered(t testing.TB, rows []*row, text string) *found {
	t.Helper()
	var answer azquery.Response
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	f := newFound()
	f.convert(load(), rows, azureapi.Window{Start: noon, End: noon.Add(time.Hour)}, azureapi.FromQuery(answer))
	return f
}

func TestOddAnswers(t *testing.T) {
	metric := func(series string) string {
		return `{"value":[{"name":{"value":"totalthroughput"},"errorCode":"Success","timeseries":` + series + `}]}`
	}
	point := func(at, value string) string { return `{"timeStamp":"2026-11-30T` + at + `Z"` + value + `}` }
	for name, test := range map[string]struct {
		text   string
		points map[int]float64 // by the minute of their end
		odd    map[string]int
		failed int
	}{
		"a point":            {metric(`[{"data":[` + point("12:05:00", `,"average":7`) + `]}]`), map[int]float64{10: 7}, nil, 0},
		"no series":          {metric(`[]`), nil, nil, 0},
		"null":               {metric(`[{"data":[` + point("12:05:00", `,"average":null`) + "," + point("12:10:00", "") + `]}]`), nil, nil, 0},
		"zero is a value":    {metric(`[{"data":[` + point("12:05:00", `,"average":0`) + `]}]`), map[int]float64{10: 0}, nil, 0},
		"below nothing":      {metric(`[{"data":[` + point("12:05:00", `,"average":-1`) + `]}]`), nil, map[string]int{oddValue: 1}, 0},
		"beyond all bounds":  {metric(`[{"data":[` + point("12:05:00", `,"average":1e99`) + `]}]`), nil, map[string]int{oddValue: 1}, 0},
		"between the grains": {metric(`[{"data":[` + point("12:06:00", `,"average":1`) + `]}]`), nil, map[string]int{oddPoint: 1}, 0},
		"out of the window":  {metric(`[{"data":[` + point("13:00:00", `,"average":1`) + `]}]`), nil, nil, 0},
		"twice":              {metric(`[{"data":[` + point("12:05:00", `,"average":1`) + "," + point("12:05:00", `,"average":2`) + `]}]`), map[int]float64{10: 1}, nil, 0},
		"two series":         {metric(`[{"data":[]},{"data":[]}]`), nil, map[string]int{oddSeries: 1}, 0},
		"another metric":     {`{"value":[{"name":{"value":"Else"}}]}`, nil, nil, 1},
		"nothing":            {`{}`, nil, nil, 1},
		"throttled":          {`{"value":[{"name":{"value":"TotalThroughput"},"errorCode":"Throttled","errorMessage":"later"}]}`, nil, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := answered(t, []*row{totalRow}, test.text)
			got := map[int]float64{}
			for _, p := range f.points[totalRow] {
				got[int(time.UnixMilli(p.End).Sub(noon)/time.Minute)] = p.Value
			}
			if test.points == nil {
				test.points = map[int]float64{}
			}
			if test.odd == nil {
				test.odd = map[string]int{}
			}
			if diff := cmp.Diff(test.points, got) + cmp.Diff(test.odd, f.odd); diff != "" || len(f.failed) != test.failed {
				t.Errorf("%d failed (-want +got):\n%s", len(f.failed), diff)
			}
		})
	}
}

// The mean latency lies between that of reads and of writes, and is there only where all of it is known.
func TestMeanLatency(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) *float64 {
		if rapid.Bool().Draw(t, "missing") {
			return nil
		}
		v := rapid.Float64Range(0, 1000).Draw(t, "value")
		return &v
	})
	rapid.Check(t, func(t *rapid.T) {
		f, at := newFound(), noon.UnixMilli()
		values := map[*row]*float64{}
		for _, r := range []*row{readIopsRow, writeIopsRow, readTimeRow, writeTimeRow} {
			if values[r] = value.Draw(t, r.metric); values[r] != nil {
				f.points[r] = []azureapi.Point{{End: at, Value: *values[r]}}
			}
		}
		deriveLoad(f, nil)
		reads, writes := values[readIopsRow], values[writeIopsRow]
		known := reads != nil && writes != nil && *reads+*writes > 0 &&
			(*reads == 0 || values[readTimeRow] != nil) && (*writes == 0 || values[writeTimeRow] != nil)
		got := f.points[meanLatencyRow]
		if (len(got) == 1) != known {
			t.Fatalf("%d points, known %v", len(got), known)
		}
		if !known {
			return
		}
		low, high := math.Inf(1), 0.0
		for operations, times := range map[*row]*row{readIopsRow: readTimeRow, writeIopsRow: writeTimeRow} {
			if *values[operations] > 0 {
				low, high = min(low, *values[times]), max(high, *values[times])
			}
		}
		if mean := got[0].Value; mean < low*(1-1e-9) || mean > high*(1+1e-9) {
			t.Fatalf("%g is not within %g to %g", mean, low, high)
		}
	})
}

// Without what the inventory tells there is neither a limit nor a number of inodes.
func TestWhatFollowsFromTheInventory(t *testing.T) {
	at, limit, files := noon.UnixMilli(), 400.0*mib, 1e6
	for name, test := range map[string]struct {
		volume *volume
		points int
	}{
		"all": {&volume{limit: &limit, files: &files}, 3}, "nothing": {&volume{}, 0}, "no volume": {nil, 0},
	} {
		f := newFound()
		f.points[totalRow], f.points[inodesRow] = []azureapi.Point{{End: at, Value: 5}}, []azureapi.Point{{End: at, Value: 0.25}}
		deriveLoad(f, test.volume)
		deriveInodes(f, test.volume)
		if n := len(f.points[limitRow]) + len(f.points[inodeLimitRow]) + len(f.points[inodeUsedRow]); n != test.points {
			t.Errorf("%s: %d points", name, n)
		}
		if _, there := f.points[inodesRow]; there {
			t.Errorf("%s: a share of inodes is left that no family takes", name)
		}
		if used := f.points[inodeUsedRow]; test.points > 0 && used[0].Value != 250_000 {
			t.Errorf("%g inodes", used[0].Value)
		}
	}
}

// Every row that is put out has a family, and those of one request have one grain and are no more than twenty.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range groups() {
		if len(g.rows) > 20 || g.interval() == fiveMinutes != (g.pace.Grain == 5*time.Minute) {
			t.Errorf("%s: %d metrics each %s", g.name, len(g.rows), g.interval())
		}
		for _, r := range g.rows {
			if r.family == nil && r != inodesRow || r.metric == "" || seen[r.metric] {
				t.Errorf("%s: row %+v", g.name, r)
			}
			seen[r.metric] = true
		}
	}
	if !seen["ThroughputLimitReached"] || schema.VolumeLimitReached.Unit != schema.None {
		t.Error("whether the limit was reached is not asked for")
	}
}
