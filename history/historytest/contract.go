// Package historytest is the contract of histories: what each answers for the same samples, wherever they lie.
package historytest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// Options say how a history is tested. The zero value of a field stands for what histories of this process need.
type Options struct {
	// Base is the moment at which the samples begin; they reach two hours further, and one question a day. Default a fixed one.
	// A server that refuses what is old needs a moment of the last hours.
	Base time.Time
	// Settle waits until what was written is found by queries; nil for no wait.
	Settle func()
	// Skip has the cases that a server answers differently by design, with the reason.
	Skip map[string]string
	// KeepsName tells that a server may leave the metric's name where PromQL takes it away: MetricsQL does where a function's
	// result means the same as the metric.
	KeepsName bool
	// Tolerance is by which part values may differ; 0 for not at all.
	Tolerance float64
}

// Test runs the contract. Open makes a history that it may close, or opens one that others use as well: each case writes a
// metric of a name of its own.
func Test(t *testing.T, open func(testing.TB) history.History, opts Options) {
	t.Helper()
	if opts.Base.IsZero() {
		opts.Base = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	}
	run := func(name string, test func(*testing.T, *bench)) {
		t.Run(name, func(t *testing.T) {
			if reason, skipped := opts.Skip[name]; skipped {
				t.Skip(reason)
			}
			b := &bench{History: open(t), opts: opts, name: fmt.Sprintf("contract_%d_%d_total", time.Now().UnixNano(), count.Add(1))}
			t.Cleanup(func() {
				if err := b.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			test(t, b)
		})
	}
	for _, c := range cases {
		run(c.name, func(t *testing.T, b *bench) {
			b.write(t, c.batches...)
			b.expect(t, c.query, c.at, c.want)
		})
	}
	run("a range includes both ends", rangeIncludesBothEnds)
	run("nonsense is refused", nonsense)
	run("a bad query names itself", badQuery)
	run("a cancelled context", cancelled)
	run("many series", manySeries)
	run("what is closed says so", closed)
}

var count atomic.Int64 // of metrics in this process

// bench is one case on one history.
type bench struct {
	history.History
	opts Options
	name string // of the metric
}

// sample is one value of the metric.
type sample struct {
	host, volume  string
	second, value float64
}

// line makes the samples of one series from pairs of second and value.
func line(host, volume string, pairs ...float64) []sample {
	samples := make([]sample, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		samples = append(samples, sample{host, volume, pairs[i], pairs[i+1]})
	}
	return samples
}

func (b *bench) at(seconds float64) time.Time {
	return b.opts.Base.Add(time.Duration(seconds * float64(time.Second)))
}

func (b *bench) samples(batch []sample) []schema.Sample {
	family := &schema.Family{Name: b.name, Type: schema.Counter, Labels: []string{"host", "volume"}}
	made := make([]schema.Sample, len(batch))
	for i, one := range batch {
		made[i] = schema.Sample{Family: family, Labels: []string{one.host, one.volume}, Time: b.at(one.second), Value: one.value}
	}
	return made
}

func (b *bench) write(t *testing.T, batches ...[]sample) {
	t.Helper()
	for _, batch := range batches {
		if err := b.Append(context.Background(), b.samples(batch)); err != nil {
			t.Fatal(err)
		}
	}
	if b.opts.Settle != nil && len(batches) > 0 {
		b.opts.Settle()
	}
}

// query puts the metric's name and the base in.
func (b *bench) query(text string) string {
	return strings.NewReplacer("NAME", b.name, "BASE", fmt.Sprint(b.opts.Base.Unix())).Replace(text)
}

// key renders a label set in a fixed order.
func key(labels map[string]string) string {
	parts := make([]string, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		parts = append(parts, name+"="+labels[name])
	}
	return strings.Join(parts, ",")
}

// key is that of a point of the result, without the name where it may be there or not.
func (b *bench) key(labels map[string]string) string {
	if b.opts.KeepsName {
		labels = maps.Clone(labels)
		delete(labels, "__name__")
	}
	return key(labels)
}

// expect evaluates a query and compares the result as a map from label set to value.
func (b *bench) expect(t *testing.T, text string, second float64, want values) {
	t.Helper()
	query, when := b.query(text), b.at(second)
	points, err := b.Instant(context.Background(), query, when)
	if err != nil {
		t.Fatal(err)
	}
	found, named := values{}, values{}
	for _, point := range points {
		if !point.Time.Equal(when) {
			t.Errorf("%s: point at %s, want %s", query, point.Time, when)
		}
		found[b.key(point.Labels)] = point.Value
	}
	for name, value := range want {
		if b.opts.KeepsName {
			name = strings.TrimPrefix(name, "__name__=NAME,")
		}
		named[b.query(name)] = value
	}
	if diff := gocmp.Diff(named, found, cmpopts.EquateApprox(b.opts.Tolerance, 0)); diff != "" || len(found) != len(points) {
		t.Errorf("%s gives %d points (-want +got):\n%s", query, len(points), diff)
	}
}

type values = map[string]float64

// contract is what every history answers for the same appends.
var cases = []struct {
	name    string
	batches [][]sample
	query   string
	at      float64
	want    values
}{
	{
		"points come back", [][]sample{line("h", "v", 0, 10, 60, 20)},
		"avg_over_time(NAME[5m])", 60, values{"host=h,volume=v": 15},
	},
	{
		"the name stays where the expression keeps it", [][]sample{line("h", "v", 0, 10)},
		"last_over_time(NAME[5m])", 60, values{"__name__=NAME,host=h,volume=v": 10},
	},
	{
		"ranges are open on the left", [][]sample{line("h", "v", 0, 1, 5, 2, 10, 3)},
		"count_over_time(NAME[10s])", 10, values{"host=h,volume=v": 2},
	},
	{
		"span plus one millisecond holds the first moment", [][]sample{line("h", "v", 0, 1, 5, 2, 10, 3)},
		"count_over_time(NAME[10001ms])", 10, values{"host=h,volume=v": 3},
	},
	{
		"increase over span plus one millisecond", [][]sample{line("h", "v", 0, 100, 5, 150, 10, 200)},
		"round(increase(NAME[10001ms]), 0.1)", 10, values{"host=h,volume=v": 100},
	},
	{
		"unequal steps", [][]sample{line("h", "v", 0, 0, 1, 10, 31, 310, 60, 600)},
		"round(rate(NAME[60001ms]), 0.001)", 60, values{"host=h,volume=v": 10},
	},
	{
		"a counter that starts over", [][]sample{line("h", "v", 0, 100, 15, 160, 30, 20, 45, 80, 60, 140)},
		"resets(NAME[61s])", 60, values{"host=h,volume=v": 1},
	},
	{
		"the increase over a start adds up", [][]sample{line("h", "v", 0, 100, 15, 160, 30, 20, 45, 80, 60, 140)},
		"round(increase(NAME[60001ms]))", 60, values{"host=h,volume=v": 200},
	},
	{
		"offset", [][]sample{line("h", "v", 0, 1, 60, 2, 120, 3)},
		"sum_over_time(NAME[60s] offset 1m)", 120, values{"host=h,volume=v": 2},
	},
	{
		"late samples", [][]sample{line("h", "v", 0, 1, 7200, 4), line("h", "v", 3600, 3, 1800, 2)},
		"sum_over_time(NAME[3h])", 7200, values{"host=h,volume=v": 10},
	},
	{
		"late samples of a new series", [][]sample{line("h", "v", 7200, 4), line("h", "w", 0, 3, 60, 2)},
		"sum_over_time(NAME[3h])", 7200, values{"host=h,volume=v": 4, "host=h,volume=w": 5},
	},
	{
		"the first of two values stays", [][]sample{line("h", "v", 0, 1, 60, 2), line("h", "v", 60, 9)},
		"sum_over_time(NAME[5m])", 60, values{"host=h,volume=v": 3},
	},
	{
		"the first of two values stays among late samples", [][]sample{line("h", "v", 0, 1, 60, 2, 120, 3), line("h", "v", 60, 9)},
		"sum_over_time(NAME[5m])", 120, values{"host=h,volume=v": 6},
	},
	{
		"the same batch again changes nothing", [][]sample{line("h", "v", 0, 1, 60, 2), line("h", "v", 0, 1, 60, 2)},
		"count_over_time(NAME[5m])", 60, values{"host=h,volume=v": 2},
	},
	{
		"series that differ by one label", [][]sample{line("h", "v", 0, 1), line("h", "w", 0, 2), line("g", "v", 0, 4)},
		"sum by (volume) (last_over_time(NAME[5m]))", 0, values{"volume=v": 5, "volume=w": 2},
	},
	{
		"an empty label is no label", [][]sample{line("h", "", 0, 1), line("h", "w", 0, 2)},
		`sum_over_time(NAME{volume=""}[5m])`, 0, values{"host=h": 1},
	},
	{
		"what is not a finite number is dropped", [][]sample{line("h", "v", 0, 1, 15, math.NaN(), 30, math.Inf(1), 45, math.Inf(-1), 60, 2)},
		"count_over_time(NAME[5m])", 60, values{"host=h,volume=v": 2},
	},
	{
		"extreme values", [][]sample{line("h", "v", 0, math.MaxFloat64, 15, -math.MaxFloat64, 30, math.SmallestNonzeroFloat64, 45, 0)},
		"min_over_time(NAME[5m])", 60, values{"host=h,volume=v": -math.MaxFloat64},
	},
	{
		"results that are not a number are dropped", [][]sample{line("h", "v", 0, 0), line("h", "w", 0, 1)},
		"NAME / NAME", 0, values{"host=h,volume=w": 1},
	},
	{
		"a bare selector looks back five minutes", [][]sample{line("h", "v", 0, 1), line("h", "w", 1, 2)},
		"NAME", 300, values{"__name__=NAME,host=h,volume=w": 2},
	},
	{"nothing stored", nil, "avg_over_time(NAME[5m])", 0, values{}},
	{"a scalar", nil, "1 + 1", 0, values{"": 2}},
	{
		"a subquery without a step", [][]sample{line("h", "v", 0, 1, 60, 2, 120, 3)},
		"max_over_time(NAME[3m:])", 120, values{"host=h,volume=v": 3},
	},
	{
		"an old spike is found by its moment", [][]sample{line("h", "v", 0, 7, 60, 2)},
		"max_over_time(NAME[1m] @ BASE)", 86400, values{"host=h,volume=v": 7},
	},
}

func rangeIncludesBothEnds(t *testing.T, b *bench) {
	b.write(t, line("h", "v", 0, 1, 60, 2, 120, 3), line("h", "w", 60, 5))
	got, err := b.Range(context.Background(), b.query("last_over_time(NAME[1m])"), b.at(0), b.at(120), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b history.Series) int { return cmp.Compare(key(a.Labels), key(b.Labels)) })
	labels := func(volume string) map[string]string {
		return map[string]string{"__name__": b.name, "host": "h", "volume": volume}
	}
	want := []history.Series{
		{Labels: labels("v"), Times: []time.Time{b.at(0), b.at(60), b.at(120)}, Values: []float64{1, 2, 3}},
		{Labels: labels("w"), Times: []time.Time{b.at(60)}, Values: []float64{5}},
	}
	if diff := gocmp.Diff(want, got, cmpopts.IgnoreFields(history.Series{}, "Identity")); diff != "" {
		t.Errorf("range (-want +got):\n%s", diff)
	}
}

func nonsense(t *testing.T, b *bench) {
	ctx := context.Background()
	for name, ask := range map[string]func() error{
		"step of zero":        func() error { _, err := b.Range(ctx, "1", b.at(0), b.at(1), 0); return err },
		"end before start":    func() error { _, err := b.Range(ctx, "1", b.at(1), b.at(0), time.Second); return err },
		"range of a string":   func() error { _, err := b.Range(ctx, `"x"`, b.at(0), b.at(1), time.Second); return err },
		"instant of a range":  func() error { _, err := b.Instant(ctx, b.query("NAME[5m]"), b.at(0)); return err },
		"instant of a string": func() error { _, err := b.Instant(ctx, `"x"`, b.at(0)); return err },
	} {
		if ask() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func badQuery(t *testing.T, b *bench) {
	bad := b.query("rate(NAME[5m]")
	_, err := b.Instant(context.Background(), bad, b.at(0))
	place := regexp.MustCompile("parse error|unexpected token") // of PromQL, of MetricsQL
	if err == nil || !strings.Contains(err.Error(), bad) || !place.MatchString(err.Error()) {
		t.Errorf("error %v, want the query and the place of the mistake", err)
	}
	_, err = b.Instant(context.Background(), "nosuch("+strings.Repeat("x", 10_000)+")", b.at(0))
	if err == nil || len(err.Error()) > 1500 {
		t.Errorf("error of %d bytes for a long query: %.80v", len(fmt.Sprint(err)), err)
	}
}

func cancelled(t *testing.T, b *bench) {
	b.write(t, line("h", "v", 0, 1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := b.Append(ctx, b.samples(line("h", "v", 15, 2))); !errors.Is(err, context.Canceled) {
		t.Errorf("append: %v, want it cancelled", err)
	}
	if _, err := b.Instant(ctx, b.query("count_over_time(NAME[5m])"), b.at(60)); err == nil {
		t.Error("query of a cancelled context: no error")
	}
	b.expect(t, "count_over_time(NAME[5m])", 60, values{"host=h,volume=v": 1})
}

func manySeries(t *testing.T, b *bench) {
	const many = 3000
	batch := make([]sample, 0, 2*many)
	for i := range many {
		batch = append(batch, line("h", fmt.Sprint("v", i), 0, float64(i), 15, float64(i))...)
	}
	b.write(t, batch)
	b.expect(t, "count(avg_over_time(NAME[1m]))", 15, values{"": many})
	b.expect(t, `sum(count_over_time(NAME{volume=~"v1.."}[1m]))`, 15, values{"": 200})
}

func closed(t *testing.T, b *bench) {
	for range 2 {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if err := b.Append(context.Background(), b.samples(line("h", "v", 0, 1))); !errors.Is(err, history.ErrClosed) {
		t.Errorf("append: %v", err)
	}
	if _, err := b.Instant(context.Background(), b.name, b.at(0)); err == nil || !strings.Contains(err.Error(), history.ErrClosed.Error()) {
		t.Errorf("query: %v", err)
	}
}
