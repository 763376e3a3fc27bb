package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// keep is a history and the pushers beside it, as serve has them.
type keep struct {
	*history.Memory
	values *values
}

// values is a memory that outlives a pusher.
type values struct {
	mu  sync.Mutex
	all map[string]float64
}

func (v *values) Load(key string) (float64, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	value, ok := v.all[key]
	return value, ok
}

func (v *values) Store(key string, value float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.all[key] = value
}

func newKeep(t *testing.T) *keep {
	t.Helper()
	k := &keep{history.NewMemory(history.MemoryOptions{}), &values{all: map[string]float64{}}}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// store puts samples into history and hands them to the pusher.
func (k *keep) store(t *testing.T, p *Pusher, samples []schema.Sample) {
	t.Helper()
	if err := k.Append(context.WithoutCancel(t.Context()), samples); err != nil {
		t.Fatal(err)
	}
	if p != nil {
		p.Push(samples, true)
	}
}

// minute makes the samples of a number of series at a moment.
func moment(at time.Time, series int) []schema.Sample {
	samples := make([]schema.Sample, series)
	for i := range samples {
		samples[i] = schema.Sample{Family: schema.CPUCores, Labels: []string{fmt.Sprintf("client%05d", i)}, Time: at, Value: float64(at.Unix()%1e6) + float64(i)}
	}
	return samples
}

// linesOf are samples as the receiver writes them.
func linesOf(batches ...[]schema.Sample) []string {
	var lines []string
	for _, one := range slices.Concat(batches...) {
		lines = append(lines, fmt.Sprintf(`{__name__=%q, host=%q} %v@%d`, one.Family.Name, one.Labels[0], one.Value, one.Time.UnixMilli()))
	}
	slices.Sort(lines)
	return lines
}

// counted says how often each line was received.
func counted(r *receiver) map[string]int {
	counts := map[string]int{}
	for _, line := range r.received() {
		counts[line]++
	}
	return counts
}

// expectAll wants every line at least once and no other. It tells how many came more than once.
func expectAll(t *testing.T, r *receiver, want []string) (twice int) {
	t.Helper()
	got := counted(r)
	if diff := cmp.Diff(slices.Compact(want), slices.Sorted(maps.Keys(got))); diff != "" {
		if len(diff) > 2000 {
			diff = diff[:2000]
		}
		t.Errorf("received (-want +got):\n%s", diff)
	}
	for _, n := range got {
		if n > 1 {
			twice++
		}
	}
	return twice
}

// down is a receiver that can be away.
func downReceiver(t *testing.T) (*receiver, *atomic.Bool) {
	t.Helper()
	r := newReceiver(t)
	down := &atomic.Bool{}
	r.refuse = func([]string) int {
		if down.Load() {
			return http.StatusServiceUnavailable
		}
		return 0
	}
	return r, down
}

// The receiver is away for an hour in which far more comes than the queue holds, with late samples among it: when it is back,
// everything arrives, in each protocol, and what was neither queued nor late arrives once.
func TestAnHourWithoutTheReceiverLosesNothing(t *testing.T) {
	for _, protocol := range []string{ProtocolV2, ProtocolV1} {
		t.Run(protocol, func(t *testing.T) {
			k := newKeep(t)
			r, down := downReceiver(t)
			down.Store(true)
			p := startPusher(t, PusherConfig{URL: r.server.URL, Protocol: protocol, Past: k, Memory: k.values, MaxBytes: 100_000})
			begin := time.Now().Add(-time.Hour).Truncate(time.Minute)
			var all [][]schema.Sample
			for i := range 240 {
				batch := moment(begin.Add(time.Duration(i)*15*time.Second), 100)
				if i%20 == 19 { // a cloud tells what was ten minutes ago
					batch = moment(begin.Add(time.Duration(i)*15*time.Second-10*time.Minute-time.Second), 50)
				}
				k.store(t, p.Pusher, batch)
				all = append(all, batch)
			}
			if pending, dropped := p.queue.counts(); pending > 3000 || dropped > 0 {
				t.Errorf("%d samples wait, %d were dropped", pending, dropped)
			}
			if behind := p.behind(time.Now()); behind < 59*time.Minute {
				t.Errorf("behind by %s", behind)
			}
			down.Store(false)
			await(t, func() bool { return p.queue.oldest().IsZero() })
			live := moment(time.Now(), 100) // the queue is used again
			k.store(t, p.Pusher, live)
			await(t, func() bool { return p.queue.oldest().IsZero() })
			p.stop()
			if twice := expectAll(t, r, linesOf(append(all, live)...)); twice > 400 {
				t.Errorf("%d of %d samples came twice", twice, 240*100)
			}
			if got := health(t, p.Pusher); got["pending_samples"] != 0 || got["dropped_samples_total/queue_full"]+got["dropped_samples_total/rejected"] != 0 {
				t.Errorf("health is %v", got)
			}
		})
	}
}

// While the receiver is away nasight is stopped and started again: what it had in its queue, what it had not, and what history
// got meanwhile arrives.
func TestARestartWithoutTheReceiverLosesNothing(t *testing.T) {
	k := newKeep(t)
	r, down := downReceiver(t)
	begin := time.Now().Add(-30 * time.Minute)
	cfg := PusherConfig{URL: r.server.URL, Past: k, Memory: k.values, MaxBytes: 20_000, Flush: time.Millisecond}
	k.store(t, nil, moment(begin.Add(-time.Hour), 10)) // before the first start: it is not sent
	p := startPusher(t, cfg)
	first := moment(begin, 10)
	k.store(t, p.Pusher, first)
	await(t, func() bool { return p.sent.Load() == 10 })
	all := [][]schema.Sample{first}
	down.Store(true)
	for restart := range 3 {
		for i := range 20 {
			batch := moment(begin.Add(time.Duration(restart*20+i+1)*15*time.Second), 20)
			k.store(t, p.Pusher, batch)
			all = append(all, batch)
		}
		p.stop()
		if got := health(t, p.Pusher)["dropped_samples_total/shutdown"]; got != 0 {
			t.Errorf("%v samples were lost at the end", got)
		}
		p = startPusher(t, cfg)
	}
	down.Store(false)
	await(t, func() bool { return len(counted(r)) == 10+60*20 && p.queue.oldest().IsZero() })
	p.stop()
	expectAll(t, r, linesOf(all...))
}

// A killed process has stored a position that is older than what it had sent: it sends some again, and loses nothing.
func TestAKilledProcessGoesOnFromWhatItHadStored(t *testing.T) {
	k := newKeep(t)
	r, down := downReceiver(t)
	cfg := PusherConfig{URL: r.server.URL, Past: k, Memory: k.values, Flush: time.Millisecond}
	begin := time.Now().Add(-5 * time.Minute)
	p := startPusher(t, cfg)
	sent := moment(begin, 10)
	k.store(t, p.Pusher, sent)
	await(t, func() bool { return p.sent.Load() == 10 })
	down.Store(true)
	unsent := moment(begin.Add(time.Minute), 10)
	k.store(t, p.Pusher, unsent)
	killed := &values{all: maps.Clone(k.values.all)} // what a kill leaves
	p.stop()
	down.Store(false)
	cfg.Memory = killed
	p = startPusher(t, cfg)
	await(t, func() bool { return len(counted(r)) == 20 && p.queue.oldest().IsZero() })
	p.stop()
	if twice := expectAll(t, r, linesOf(sent, unsent)); twice < 10 {
		t.Errorf("%d samples came twice, want at least the 10 that had been sent", twice)
	}
}

// A slow receiver that answers 429 with Retry-After now and then gets everything, while more comes than it takes at once.
func TestASlowReceiverGetsEverything(t *testing.T) {
	k := newKeep(t)
	r := newReceiver(t, answer{status: http.StatusTooManyRequests, header: map[string]string{"Retry-After": "1"}},
		answer{status: http.StatusInternalServerError}, answer{status: http.StatusTooManyRequests})
	p := startPusher(t, PusherConfig{URL: r.server.URL, Past: k, Memory: k.values, MaxBytes: 50_000})
	begin := time.Now().Add(-10 * time.Minute)
	var all [][]schema.Sample
	for i := range 40 {
		batch := moment(begin.Add(time.Duration(i)*15*time.Second), 200)
		k.store(t, p.Pusher, batch)
		all = append(all, batch)
	}
	await(t, func() bool { return p.queue.oldest().IsZero() })
	p.stop()
	expectAll(t, r, linesOf(all...))
}

// A receiver that is slow enough for the queue to fill, and a bad sample in what is read back: it alone is lost, and counted.
func TestABadSampleReadBackCostsNoOther(t *testing.T) {
	k := newKeep(t)
	r := newReceiver(t)
	var down atomic.Bool
	down.Store(true)
	r.refuse = func(lines []string) int {
		switch {
		case down.Load():
			return http.StatusBadGateway
		case slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, `"client00013"`) }):
			return http.StatusBadRequest
		}
		return 0
	}
	p := startPusher(t, PusherConfig{URL: r.server.URL, Past: k, Memory: k.values, MaxBytes: 1000})
	batch := moment(time.Now().Add(-time.Minute), 300)
	k.store(t, p.Pusher, batch)
	down.Store(false)
	await(t, func() bool { return p.sent.Load() == 299 && p.queue.oldest().IsZero() })
	p.stop()
	expectAll(t, r, linesOf(slices.Delete(slices.Clone(batch), 13, 14)))
	expectHealth(t, p.Pusher, map[string]float64{"samples_total": 299, "dropped_samples_total/rejected": 1})
}

// failing is a history that cannot be read at first.
type failing struct {
	Past
	left atomic.Int32
}

func (f *failing) Raw(prefix string, from, to time.Time, atLeast int) func(context.Context) ([]schema.Sample, error) {
	next := f.Past.Raw(prefix, from, to, atLeast)
	return func(ctx context.Context) ([]schema.Sample, error) {
		if f.left.Add(-1) >= 0 {
			return nil, errors.New("disk fails")
		}
		return next(ctx)
	}
}

func TestAHistoryThatCannotBeReadIsReadLater(t *testing.T) {
	k := newKeep(t)
	r := newReceiver(t)
	past := &failing{Past: k}
	past.left.Store(3)
	var log syncBuffer
	p := startPusher(t, PusherConfig{URL: r.server.URL, Past: past, Memory: k.values, MaxBytes: 1, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	batch := moment(time.Now(), 10)
	k.store(t, p.Pusher, batch)
	await(t, func() bool { return p.sent.Load() == 10 })
	p.stop()
	expectAll(t, r, linesOf(batch))
	if n := strings.Count(log.String(), "cannot be read from history"); n != 1 {
		t.Errorf("told %d times:\n%s", n, log.String())
	}
}

// What history could not store either is lost when the queue is full, and counted.
func TestWhatNobodyHasIsCounted(t *testing.T) {
	k := newKeep(t)
	r, down := downReceiver(t)
	down.Store(true)
	p := startPusher(t, PusherConfig{URL: r.server.URL, Past: k, MaxBytes: 1, Flush: time.Millisecond})
	p.Push(moment(time.Now(), 7), false)
	expectHealth(t, p.Pusher, map[string]float64{"dropped_samples_total/queue_full": 7})
}

// A receiver that is away for an hour costs no more than 64 MB with samples as those of volumes, each with labels of its own.
func TestTheQueueIsBoundedInBytes(t *testing.T) {
	q := newQueue(defaultMaxPending, defaultMaxBytes)
	heap := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := heap()
	begin := time.Now()
	for minute := range 60 {
		for host := range 10 { // 1,000 samples each, every string its own
			batch := make([]schema.Sample, 1000)
			for i := range batch {
				texts := make([]string, len(schema.VolumeInfo.Labels))
				for j := range texts {
					texts[j] = fmt.Sprintf("value-%d-of-%d-%d-%d", j, minute, host, i)
				}
				batch[i] = schema.Sample{Family: schema.VolumeInfo, Labels: texts, Time: begin.Add(time.Duration(minute) * time.Minute), Value: 1}
			}
			q.add(batch, true)
		}
	}
	grown := int64(heap()) - int64(before)
	t.Logf("%d samples in the queue, %d minutes owed, %d MiB", q.pending, len(q.owed), grown>>20)
	if grown > 64e6 || q.bytes > defaultMaxBytes {
		t.Errorf("the queue takes %d bytes, by its own account %d", grown, q.bytes)
	}
	if q.pending < 10_000 || len(q.owed) < 50 || q.dropped > 0 {
		t.Errorf("%d samples wait, %d minutes are owed, %d samples were dropped", q.pending, len(q.owed), q.dropped)
	}
	runtime.KeepAlive(q)
}

func TestOwedSpans(t *testing.T) {
	at := func(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }
	o := owed{}
	o.put(span{at(30), at(150.5)})
	o.add([]schema.Sample{{Time: at(151)}, {Time: at(301)}, {Time: at(299.999)}, {Time: at(310)}})
	var got []string
	for {
		first := o.first()
		s, ok := o.take()
		if !ok {
			break
		}
		if !first.Equal(s.from) {
			t.Errorf("the first is %s, taken is %s", first, s.from)
		}
		got = append(got, fmt.Sprintf("%v to %v", s.from.Sub(noon).Seconds(), s.to.Sub(noon).Seconds()))
	}
	want := []string{"30 to 59.999", "60 to 119.999", "120 to 151", "299.999 to 299.999", "301 to 310"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

var _ collectors.Memory = (*values)(nil)
