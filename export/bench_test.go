//go:build unix

package export

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
)

// BenchmarkScrape is one scrape of 10,000 samples of 10 hosts: all of them new, as most scrapes find them, or the same
// again, as a second Prometheus server finds them. The clock on the wall is of little use on a busy machine, so the
// processor time is reported as well.
func BenchmarkScrape(b *testing.B) {
	b.Run("new", func(b *testing.B) { benchmarkScrape(b, "identity", true) })
	b.Run("new-gzip", func(b *testing.B) { benchmarkScrape(b, "gzip", true) })
	b.Run("again", func(b *testing.B) { benchmarkScrape(b, "identity", false) })
}

func benchmarkScrape(b *testing.B, encoding string, renew bool) {
	s := &Store{}
	handler := Handler(HandlerConfig{Store: s})
	var batches []collectors.Batch
	for i := range 10 {
		host := fmt.Sprint("client", i)
		batches = append(batches, batch(host, "nfs", mountSamples(host, 100)...))
	}
	publish(b, s, batches...)
	b.ReportAllocs()
	begin := processorTime(b)
	for b.Loop() {
		if renew {
			publish(b, s, batches...)
		}
		if code, body := get(b, handler, "/metrics", "Accept-Encoding", encoding); code != http.StatusOK || body == "" {
			b.Fatal(code)
		}
	}
	b.ReportMetric(float64((processorTime(b)-begin).Microseconds())/1e3/float64(b.N), "cpu-ms/op")
}

func BenchmarkEncode(b *testing.B) {
	samples := mountSamples("client1", 1000)
	for name, encode := range map[string]func(){
		"v2": func() { encodeV2(samples) }, "v1": func() { encodeV1(samples) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				encode()
			}
		})
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
