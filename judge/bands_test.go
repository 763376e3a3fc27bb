package judge

import (
	"math"
	"testing"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// TestBandOfAnAnomaly: the newest sample lies beyond the bound that it is beyond, in the signal's unit; what has no lower bound has
// none, and what is silent has no value.
func TestBandOfAnAnomaly(t *testing.T) {
	step := midday.Add(-time.Hour)
	for name, row := range map[string]struct {
		keep  func(*stretch, *fleet.Volume)
		check func(fleet.Band) bool
		unit  string
	}{
		"latency that rose": {func(s *stretch, v *fleet.Volume) { s.busy(v, since(step, 0.002, 0.008)) }, func(b fleet.Band) bool {
			return !b.Lower.Known() && near(b.Usual, 0.002) && b.Upper.Above(0.002) && b.Upper.Below(0.004) && near(b.Value, 0.008)
		}, "seconds"},
		"throughput that fell": {func(s *stretch, v *fleet.Volume) {
			s.measure(schema.VolumeTotalThroughput, midday.Add(-fortnight), midday, since(step, 100*mib, 20*mib), identity(v.Identity)...)
		}, func(b fleet.Band) bool {
			return b.Lower.Above(60*mib) && near(b.Usual, 100*mib) && b.Upper.Above(100*mib) && near(b.Value, 20*mib)
		}, "bytes per second"},
		"operations that nobody tells": {func(s *stretch, v *fleet.Volume) {
			v.Days.Coverage = 1
			s.ones(schema.CollectorSuccess, midday.Add(-3*time.Hour), midday, 5*time.Minute, "host", "gcnv_performance")
			s.measure(schema.VolumeTotalOperations, midday.Add(-fortnight), step, steadily(1000), identity(v.Identity)...)
		}, func(b fleet.Band) bool {
			return !b.Value.Known() && b.Lower.Above(600) && near(b.Usual, 1000) && b.At.Equal(midday)
		}, "operations per second"},
	} {
		s := newStretch(t)
		row.keep(s, s.volume("one"))
		b := NewBaselines(learning)
		s.feed(b, midday)
		seen := s.seen(b, midday)
		if len(seen) != 1 || seen[0].Band == nil {
			t.Fatalf("%s: %+v, want one anomaly with its band", name, seen)
		}
		if band := *seen[0].Band; !row.check(band) || band.Unit != row.unit || band.Signal != seen[0].Root.Signal.Name || midday.Sub(band.At) > 15*time.Minute {
			t.Errorf("%s: %+v", name, band)
		}
	}
}

func near(v fleet.Value, want float64) bool { return math.Abs(float64(v)-want) < 0.15*want }

// TestStatesOfAView: the counts are those of the moment at which the anomalies were looked up; before anything is read there are some
// as well, and none where nobody looks for anomalies.
func TestStatesOfAView(t *testing.T) {
	s := newStretch(t)
	s.busy(s.volume("one"), since(midday.Add(-time.Hour), 0.002, 0.008))
	b := NewBaselines(learning)
	s.seen(b, midday)
	if states := States(s.view, "here"); len(states) != 6 || states[0].Value != 0 {
		t.Errorf("before anything is read: %+v", states)
	}
	s.feed(b, midday)
	s.seen(b, midday)
	got := map[string]float64{}
	for _, sample := range States(s.view, "here") {
		if sample.Family != schema.BaselineSeries || !sample.Time.Equal(midday) || sample.Labels[0] != "here" {
			t.Errorf("%+v", sample)
		}
		got[sample.Labels[1]] = sample.Value
	}
	if got[string(baseline.Off)] != 1 || got[string(baseline.Normal)] != 2 || len(got) != 6 {
		t.Errorf("%v, want one off and two normal", got)
	}
	if off := States(&fleet.Fleet{}, "here"); off != nil {
		t.Errorf("%+v, want none of a view without baselines", off)
	}
}
