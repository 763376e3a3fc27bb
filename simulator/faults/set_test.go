package faults_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/simulator/faults"
)

func newSet() *faults.Set {
	return faults.NewSet(func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) })
}

// A fault lets Skip matching calls pass, hits Times of them, and is gone.
func TestSkipAndTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		skip, times := rapid.IntRange(0, 5).Draw(t, "skip"), rapid.IntRange(0, 5).Draw(t, "times")
		set := newSet()
		if _, err := set.Inject(faults.Fault{Kind: faults.Cut, Method: "a", Project: "p", Skip: skip, Times: times}); err != nil {
			t.Fatal(err)
		}
		for call := range 12 {
			if len(set.Call("b", "p"))+len(set.Call("a", "q")) > 0 {
				t.Fatal("a call that does not match was hit")
			}
			want := call >= skip && (times == 0 || call < skip+times)
			if got := len(set.Call("a", "p")) == 1; got != want {
				t.Fatalf("call %d hit: %v, want %v", call, got, want)
			}
		}
		if left := len(set.List()); (left == 0) != (times > 0) {
			t.Fatalf("%d faults are left", left)
		}
	})
}

func TestInjectRefuses(t *testing.T) {
	for name, fault := range map[string]faults.Fault{
		"no kind": {}, "an unknown kind": {Kind: "fire"}, "latency without delay": {Kind: faults.Latency}, "late without delay": {Kind: faults.Late},
		"a negative delay": {Kind: faults.Latency, Delay: -1}, "an endless delay": {Kind: faults.Latency, Delay: math.MaxInt64},
		"unreachable without location": {Kind: faults.Unreachable}, "negative times": {Kind: faults.Cut, Times: -1},
		"negative skip": {Kind: faults.Cut, Skip: -1}, "a share beyond all": {Kind: faults.Missing, Share: 1.1},
		"no share": {Kind: faults.Missing, Share: math.NaN()}, "a negative wait": {Kind: faults.Unavailable, RetryAfter: -1},
	} {
		if _, err := newSet().Inject(fault); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	set := newSet()
	for range 1000 {
		if _, err := set.Inject(faults.Fault{Kind: faults.Cut}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := set.Inject(faults.Fault{Kind: faults.Cut}); err == nil {
		t.Error("a thousand and one faults are in force")
	}
}

func TestDataFaults(t *testing.T) {
	set := newSet()
	late := faults.Fault{Kind: faults.Late, Delay: time.Minute, Project: "p", Location: "l", Volume: "v", Metric: "m"}
	for _, fault := range []faults.Fault{late, {Kind: faults.ClockSkew, Delay: time.Hour}, {Kind: faults.ClockSkew, Delay: -time.Minute}, {Kind: faults.Cut}} {
		if _, err := set.Inject(fault); err != nil {
			t.Fatal(err)
		}
	}
	if data := set.Data(); len(data) != 1 || data[0].Fault != late {
		t.Errorf("faults of data: %+v", data)
	}
	if set.Skew() != 59*time.Minute {
		t.Errorf("skew %s", set.Skew())
	}
	for _, row := range []struct {
		project, location, volume, metric string
		want                              bool
	}{{"p", "l", "v", "m", true}, {"p", "l", "v", "", true}, {"p", "l", "v", "n", false}, {"p", "l", "w", "m", false}, {"p", "k", "v", "m", false}, {"q", "l", "v", "m", false}} {
		if got := late.Hits(row.project, row.location, row.volume, row.metric); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
	set.Clear()
	if len(set.List()) != 0 || set.Skew() != 0 {
		t.Error("faults are left")
	}
}

// A fault that is written and read again is the same.
func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fault := faults.Fault{
			Kind: rapid.SampledFrom(faults.Kinds()).Draw(t, "kind"), Method: "volumes.list", Project: rapid.StringMatching("[a-z]*").Draw(t, "project"),
			Location: "us-central1", Volume: "v", Metric: "m", Skip: rapid.IntRange(0, 9).Draw(t, "skip"), Times: rapid.IntRange(0, 9).Draw(t, "times"),
			Delay:      time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "delay")),
			RetryAfter: time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "retry")), Share: rapid.Float64Range(0, 1).Draw(t, "share"),
		}
		data, err := json.Marshal(fault)
		if err != nil {
			t.Fatal(err)
		}
		var got faults.Fault
		if err := json.Unmarshal(data, &got); err != nil || got != fault {
			t.Fatalf("%s: %+v, %v", data, got, err)
		}
	})
}
