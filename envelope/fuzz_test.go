package envelope

import (
	"math"
	"strings"
	"testing"
)

// FuzzParse: any text is a table or an error; a table answers every query in range with a figure or an error.
func FuzzParse(f *testing.F) {
	f.Add(published)
	f.Add(small + smallLarge)
	f.Add(strings.Replace(small, "1024", "1e-300", 1))
	f.Add(header)
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Parse(strings.NewReader(text))
		if err != nil {
			if table != nil {
				t.Fatal("a table beside an error")
			}
			return
		}
		for _, protocol := range Protocols() {
			for _, block := range []float64{1, 6 * kib, MaxBlockBytes} {
				q := Query{Protocol: protocol, Level: Premium, BlockBytes: block, ReadShare: .3, LargeCapacity: block == 1}
				if got, err := table.Ceiling(q); err == nil && !(got.IOPS > 0 && got.BytesPerSecond > 0 && !math.IsInf(got.IOPS, 0)) {
					t.Fatalf("%+v: %+v", q, got)
				}
			}
		}
	})
}

// FuzzQuery: any words are a query in range or an error, and a query in range has a ceiling, a text and a plot.
func FuzzQuery(f *testing.F) {
	f.Add("nfsv3", "extreme", "64KiB", "0.75", "75TiB")
	f.Add("smb", "flex-unified", "65536", "100%", "1500")
	f.Add("NFSV4", "Standard", ".5m", "0", "1PiB")
	f.Add("", "", "", "", "")
	f.Fuzz(func(t *testing.T, protocol, level, block, share, capacity string) {
		var q Query
		var errs [5]error
		q.Protocol, errs[0] = ParseProtocol(protocol)
		q.Level, errs[1] = ParseLevel(level)
		q.BlockBytes, errs[2] = ParseBlock(block)
		q.ReadShare, errs[3] = ParseReadShare(share)
		q.CapacityGiB, errs[4] = ParseCapacity(capacity)
		for _, err := range errs {
			if err != nil {
				return
			}
		}
		answers(t, q)
	})
}

// FuzzNumbers: the same for figures that come from counters and not from words.
func FuzzNumbers(f *testing.F) {
	f.Add(65536.0, .75, 0.0, false)
	f.Add(1.0, 0.0, 1.0, true)
	f.Add(math.NaN(), math.Inf(1), math.Inf(-1), false)
	f.Fuzz(func(t *testing.T, block, share, capacity float64, large bool) {
		q := Query{Protocol: SMB, Level: Premium, BlockBytes: block, ReadShare: share, CapacityGiB: capacity, LargeCapacity: large}
		if q.Check() == nil {
			answers(t, q)
		} else if _, err := load(t).Ceiling(q); err == nil {
			t.Fatalf("%+v is out of range and answered", q)
		}
	})
}

func answers(t *testing.T, q Query) {
	t.Helper()
	got := ceiling(t, q)
	if !(got.IOPS > 0 && got.Low > 0 && got.Low <= got.BytesPerSecond && got.BytesPerSecond <= got.High) || math.IsInf(got.High+got.IOPS, 0) {
		t.Fatalf("%+v: %+v", q, got)
	}
	if err := load(t).Text(&strings.Builder{}, q); err != nil {
		t.Fatal(err)
	}
	drawn, err := load(t).Plot(q)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(drawn); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Fatalf("%+v: a plot without numbers", q)
	}
}
