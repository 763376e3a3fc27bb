//go:build unix

package export

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/internal/measure"
)

// BenchmarkScrape is one scrape of 10,000 samples of 10 hosts, or 100,000 of 100: all of them new, as most scrapes find them, or
// the same again, as a second Prometheus server finds them. The clock on the wall is of little use on a busy machine, so the
// processor time is reported as well, and the memory of the whole process, the samples included, too.
func BenchmarkScrape(b *testing.B) {
	for samples, hosts := range map[string]int{"10000": 10, "100000": 100} {
		b.Run(samples+"/new", func(b *testing.B) { benchmarkScrape(b, hosts, "identity", true) })
		b.Run(samples+"/new-gzip", func(b *testing.B) { benchmarkScrape(b, hosts, "gzip", true) })
		b.Run(samples+"/again", func(b *testing.B) { benchmarkScrape(b, hosts, "identity", false) })
	}
}

func benchmarkScrape(b *testing.B, hosts int, encoding string, renew bool) {
	s := &Store{}
	handler := Handler(HandlerConfig{Store: s})
	var batches []collectors.Batch
	for i := range hosts {
		host := fmt.Sprint("client", i)
		batches = append(batches, batch(host, "nfs", mountSamples(host, 100)...))
	}
	publish(b, s, batches...)
	request := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/metrics", http.NoBody)
	request.Header.Set("Accept-Encoding", encoding)
	coded := map[string]string{"gzip": "gzip"}
	b.ReportAllocs()
	begin := processorTime(b)
	for b.Loop() {
		if renew {
			publish(b, s, batches...)
		}
		answer := &counting{header: http.Header{}}
		handler.ServeHTTP(answer, request)
		if answer.bytes < 10_000 || answer.header.Get("Content-Encoding") != coded[encoding] {
			b.Fatalf("%d bytes, %v", answer.bytes, answer.header)
		}
	}
	b.ReportMetric(float64((processorTime(b)-begin).Microseconds())/1e3/float64(b.N), "cpu-ms/op")
	if anonymous, err := measure.Memory("RssAnon"); err == nil { // Linux alone tells
		b.ReportMetric(float64(anonymous)/1e6, "anon-MB")
	}
}

// counting is an answer on its way: what is sent is gone.
type counting struct {
	header http.Header
	bytes  int
}

func (c *counting) Header() http.Header { return c.header }
func (c *counting) WriteHeader(int)     {}
func (c *counting) Write(part []byte) (int, error) {
	c.bytes += len(part)
	return len(part), nil
}

func BenchmarkEncode(b *testing.B) {
	samples := mountSamples("client1", 1000)
	for _, protocol := range []string{ProtocolV2, ProtocolV1} {
		b.Run(protocol, func(b *testing.B) {
			b.ReportAllocs()
			var writer encoder
			for b.Loop() {
				writer.encode(protocol, samples)
			}
		})
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	spent, err := measure.Processor()
	if err != nil {
		b.Fatal(err)
	}
	return spent
}
