package report

import (
	"math"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
)

var nan = math.NaN()

// filled is a course that begins with some values and is missing after them.
func filled(values ...float64) course {
	c := newCourse()
	copy(c, values)
	return c
}

func same(a, b fleet.Value) bool {
	if !a.Known() || !b.Known() {
		return a.Known() == b.Known()
	}
	return math.Abs(float64(a-b)) <= 1e-9*math.Max(1, math.Abs(float64(b)))
}

func TestFigures(t *testing.T) {
	u := fleet.Unknown
	for name, row := range map[string]struct{ got, want fleet.Value }{
		"the median of four":             {fleet.Quantile(0.5, []float64{1, 2, 3, 10}), 2.5},
		"the highest":                    {fleet.Quantile(1, []float64{1, 2, 3, 10}), 10},
		"the lowest":                     {fleet.Quantile(0, []float64{1, 2}), 1},
		"a quantile of nothing":          {fleet.Quantile(0.99, nil), u},
		"the sum":                        {filled(1, nan, 2).sum(), 3},
		"the sum of nothing is not 0":    {newCourse().sum(), u},
		"moved in two samples":           {volumeOf(filled(1, nan, 2)), 900},
		"coverage":                       {coverageOf(filled(1, nan, 2)), 2.0 / 2016},
		"coverage of nothing":            {coverageOf(newCourse()), 0},
		"idle":                           {fleet.IdleOf(100, 30, u, u), 70},
		"more than granted is not idle":  {fleet.IdleOf(100, 130, u, u), 0},
		"idle without a grant":           {fleet.IdleOf(u, 30, u, u), u},
		"idle without use":               {fleet.IdleOf(100, u, u, u), u},
		"idle with half the operations":  {fleet.IdleOf(100, 30, 1000, 500), 50},
		"idle with few operations":       {fleet.IdleOf(100, 30, 1000, 100), 70},
		"idle with all operations":       {fleet.IdleOf(100, 30, 1000, 1200), 0},
		"idle with operations unlimited": {fleet.IdleOf(100, 30, u, 500), 70},
		"idle with unknown operations":   {fleet.IdleOf(100, 30, 1000, u), 70},
		"the largest block":              {blockOf(filled(100, 900, 50), filled(10, 30, 1), 5), 30},
		"a block of few operations":      {blockOf(filled(100), filled(10), 50), u},
		"a block of what is not known":   {blockOf(filled(100), nil, 5), u},
		"at the limit in one of two":     {atLimitOf(filled(98, 97, 5), filled(100, 100, nan), 0.98), 0.5},
		"at a limit that is not known":   {atLimitOf(filled(98), newCourse(), 0.98), u},
		"the implied price of Premium":   {impliedOf(0.338, "premium"), 5.408},
		"the implied price of Standard":  {impliedOf(0.23, "standard"), 14.72},
		"the implied price of Extreme":   {impliedOf(0.452, "extreme"), 3.616},
		"the implied price of what else": {impliedOf(0.452, "flex"), u},
		"the implied price of no price":  {impliedOf(u, "premium"), u},
	} {
		if !same(row.got, row.want) {
			t.Errorf("%s: %v, want %v", name, row.got, row.want)
		}
	}
}

func TestCourses(t *testing.T) {
	sum := filled(1, nan, 3, nan)
	sum.add(filled(10, 20, nan, nan))
	for i, want := range []float64{11, 20, 3} {
		if sum[i] != want {
			t.Errorf("sum in slot %d is %g, want %g", i, sum[i], want)
		}
	}
	if !math.IsNaN(sum[3]) {
		t.Errorf("of nothing the sum is %g, want missing", sum[3])
	}
	high := filled(1, nan, 3)
	high.highest(filled(2, 5, nan))
	for i, want := range []float64{2, 5, 3} {
		if high[i] != want {
			t.Errorf("highest in slot %d is %g, want %g", i, high[i], want)
		}
	}
	hours := hourly(filled(1, 4, 2))
	if len(hours) != 168 || hours[0] != 4 || hours[1].Known() {
		t.Errorf("%d hours, %v, %v", len(hours), hours[0], hours[1])
	}
}

// A row keeps what is missing missing, and a zero a zero.
func TestRow(t *testing.T) {
	row := emptyRow()
	row.figure(courses{filled(0, 0, 100), filled(200, 200, 200), filled(1, 1, 1), fleet.Unknown}, 0.98)
	for name, pair := range map[string][2]fleet.Value{
		"p50": {row.P50, 0}, "max": {row.Max, 100}, "mean": {row.Mean, 100.0 / 3}, "granted": {row.Granted, 200}, "p99": {row.P99, 98}, "idle": {row.Idle, 102},
		"use": {row.Use, 0.49}, "moved": {row.Moved, 30000}, "grantable": {row.Grantable, 180000}, "days": {row.Days, 3.0 / 288}, "at the limit": {row.AtLimit, 0},
	} {
		if !same(pair[0], pair[1]) {
			t.Errorf("%s is %v, want %v", name, pair[0], pair[1])
		}
	}
	row = emptyRow()
	row.figure(newSums().courses, 0.98)
	for name, value := range map[string]fleet.Value{"p50": row.P50, "mean": row.Mean, "granted": row.Granted, "idle": row.Idle, "use": row.Use, "moved": row.Moved, "at the limit": row.AtLimit} {
		if value.Known() {
			t.Errorf("of no sample %s is %v, want missing", name, value)
		}
	}
	if row.Coverage != 0 {
		t.Errorf("coverage of no sample is %v", row.Coverage)
	}
}

func TestGaps(t *testing.T) {
	from := Week{2026, 48}.From()
	c := newCourse()
	for i := range c {
		c[i] = 1
	}
	for _, i := range []int{0, 1, 2, 10, 11, 2013, 2014, 2015} {
		c[i] = nan
	}
	gaps := gapsOf(c, from, 15*time.Minute)
	if len(gaps) != 2 {
		t.Fatalf("%d gaps, want those of three samples at both ends and not that of two", len(gaps))
	}
	if !gaps[0].From.Equal(from) || !gaps[0].To.Equal(from.Add(15*time.Minute)) || !gaps[1].To.Equal(from.Add(weekLong)) {
		t.Errorf("%v", gaps)
	}
	if whole := gapsOf(newCourse(), from, 15*time.Minute); len(whole) != 1 || whole[0].To.Sub(whole[0].From) != weekLong {
		t.Errorf("a week without a sample has the gaps %v", whole)
	}
}

func TestReconcile(t *testing.T) {
	u := fleet.Unknown
	for name, row := range map[string]struct {
		total fleet.Value
		parts []fleet.Value
		holds bool
	}{
		"equal":                   {10, []fleet.Value{4, 6}, true},
		"by rounding":             {1e12 + 1, []fleet.Value{1e12}, true},
		"not equal":               {10, []fleet.Value{4, 5}, false},
		"a part that is missing":  {10, []fleet.Value{4, u, 6}, true},
		"nothing known":           {u, []fleet.Value{u}, true},
		"a total without a part":  {10, nil, false},
		"parts without a total":   {u, []fleet.Value{4}, false},
		"nothing at all and zero": {0, []fleet.Value{0}, true},
	} {
		if got := reconcile(name, "bytes", row.total, row.parts); got.Holds != row.holds {
			t.Errorf("%s: holds %v: %v", name, got.Holds, got)
		}
	}
}

func TestMiddle(t *testing.T) {
	if value, seen := middle([]fleet.Value{fleet.Unknown, 4, 2}); value != 3 || seen != 2 {
		t.Errorf("%v of %d", value, seen)
	}
	if value, seen := middle(nil); value.Known() || seen != 0 {
		t.Errorf("%v of %d", value, seen)
	}
}
