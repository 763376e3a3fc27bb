//go:build unix

package export

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// BenchmarkAnHourWithoutTheReceiver is an hour of a fleet with 100,000 series a minute, kept in files, whose receiver is away, and
// then what it missed. It reports what waiting costs in memory: what of the heap is free when the pusher has gone, and how much more
// is in use while it catches up. No sample may be lost.
func BenchmarkAnHourWithoutTheReceiver(b *testing.B) {
	for b.Loop() {
		hourWithout(b, 100_000, 60)
	}
}

func hourWithout(b *testing.B, series, minutes int) {
	kept, err := history.OpenEmbedded(b.Context(), history.EmbeddedOptions{Path: b.TempDir(), MinFreeBytes: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = kept.Close() }()
	target := &away{}
	server := httptest.NewServer(target)
	defer server.Close()
	p, err := NewPusher(PusherConfig{URL: server.URL, Protocol: ProtocolV1, Past: kept, FirstRetry: time.Millisecond, Flush: time.Millisecond})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = p.Run(ctx) })
	begin := time.Now().Add(-time.Duration(minutes) * time.Minute).Truncate(time.Minute)
	for minute := range minutes {
		for _, samples := range ofMinute(begin.Add(time.Duration(minute)*time.Minute), series) {
			if err := kept.Append(b.Context(), samples); err != nil {
				b.Fatal(err)
			}
			p.Push(samples, true)
		}
	}
	runtime.GC()
	waiting := liveHeap()
	target.back.Store(true)
	for poll := time.Tick(50 * time.Millisecond); p.sent.Load() < int64(series*minutes); {
		<-poll
	}
	cancel()
	running.Wait()
	if lost := p.rejected.Load(); lost > 0 || target.requests.Load() == 0 {
		b.Errorf("%d samples lost", lost)
	}
	p = nil
	runtime.GC()
	without := liveHeap()
	b.ReportMetric(float64(waiting)/1e6-float64(without)/1e6, "waiting-MB")
	b.ReportMetric(float64(target.most.Load())/1e6-float64(without)/1e6, "catching-up-MB")
}

// away is a receiver that is not there until it is back. It takes what comes unread.
type away struct {
	back     atomic.Bool
	requests atomic.Int64
	most     atomic.Uint64 // bytes in use while a request waits for its answer
}

// ServeHTTP is the receiver.
func (a *away) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil || !a.back.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if a.requests.Add(1)%100 == 0 { // the sender waits meanwhile, so that garbage is no part of it
		runtime.GC()
		a.most.Store(max(a.most.Load(), liveHeap()))
	}
	w.WriteHeader(http.StatusNoContent)
}

// liveHeap is what the last collection of garbage has left, in bytes.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// ofMinute are a minute's batches of volumes, a thousand samples each, every string its own as where it comes from an API.
func ofMinute(at time.Time, series int) [][]schema.Sample {
	batches := make([][]schema.Sample, series/1000)
	for i := range batches {
		batches[i] = make([]schema.Sample, 1000)
		for j := range batches[i] {
			labels := make([]string, len(schema.VolumeTotalThroughput.Labels))
			for k := range labels {
				labels[k] = fmt.Sprintf("%s-of-%d-%d", schema.VolumeTotalThroughput.Labels[k], i, j)
			}
			batches[i][j] = schema.Sample{Family: schema.VolumeTotalThroughput, Labels: labels, Value: float64(i * j), Time: at}
		}
	}
	return batches
}
