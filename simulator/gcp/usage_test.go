package gcp

import (
	"fmt"
	"testing"
)

// The first million series costs nothing, each further million half a dollar.
func TestBill(t *testing.T) {
	u := usage{calls: map[callKey]*Calls{}}
	for series, want := range map[int]float64{999_999: 0, 1: 0, 2_000_000: 1, 500_000: 1.25} {
		u.series = 0
		if series >= 500_000 && series != 999_999 {
			u.series = map[int]int64{2_000_000: 1_000_000, 500_000: 3_000_000}[series]
		}
		u.returned(series)
		if got := u.snapshot().USD; got != want {
			t.Errorf("%d series more: %g USD, want %g", series, got, want)
		}
	}
}

// Clients that make projects up do not fill the memory, and their calls still count.
func TestUsageIsBounded(t *testing.T) {
	u := usage{calls: map[callKey]*Calls{}}
	for i := range maxRows + 50 {
		u.call("ListTimeSeries", fmt.Sprintf("made-up-%d", i), "a client", true)
	}
	got := u.snapshot()
	if len(got.Calls) > maxRows+1 || got.Of("ListTimeSeries") != maxRows+50 || got.Calls[0].Count != 50 || got.Calls[0].Failed != 50 {
		t.Errorf("%d rows, first %+v", len(got.Calls), got.Calls[0])
	}
}
