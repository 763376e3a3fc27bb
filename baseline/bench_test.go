package baseline

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/nasight/nasight/internal/measure"
)

const (
	mostBytes  = 4096  // of one series
	mostSeries = 50000 // of one serve …
	mostMemory = 250e6 // … in bytes
)

// TestSize: what a series takes is the size of its struct and of its past, since nothing of it is elsewhere.
func TestSize(t *testing.T) {
	size := unsafe.Sizeof(Series{}) + unsafe.Sizeof(past{})
	if size > mostBytes {
		t.Errorf("a series takes %d bytes, want %d at most", size, mostBytes)
	}
	if all := mostSeries * mostBytes; all > mostMemory {
		t.Errorf("%d series take %d bytes, want %d at most", mostSeries, all, int(mostMemory))
	}
}

// usual are two weeks of samples with a day and noise.
func usual(n int) []float64 {
	random := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, n)
	for i := range values {
		values[i] = 100 + 30*float64(i%288)/288 + 5*random.NormFloat64()
	}
	return values
}

// BenchmarkFeed is the cost of one sample of one series that is in the cache; BenchmarkFleet of one among 50,000.
func BenchmarkFeed(b *testing.B) {
	values, signal := usual(14*288), unit()
	s := NewSeries(&signal)
	at, n := monday, 0
	start, err := measure.Processor()
	if err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		s.Feed(at, values[n%len(values)])
		at = at.Add(grain)
		n++
	}
	end, err := measure.Processor()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64((end-start).Nanoseconds())/float64(n), "cpu-ns/sample")
}

// BenchmarkFleet feeds 50,000 series one sample each and reports what one sample costs and what all of them occupy.
func BenchmarkFleet(b *testing.B) {
	values, signal := usual(14*288), unit()
	runtime.GC()
	before, err := measure.Memory("RssAnon")
	if err != nil {
		b.Skip(err)
	}
	// Two weeks old, all of them: a young series keeps more of its samples than an old one.
	warm := NewSeries(&signal)
	at, n := monday, 0
	for range values {
		warm.Feed(at, values[n])
		at, n = at.Add(grain), n+1
	}
	shelf := shelf{signal: signal}
	fleet := make([]*Series, mostSeries)
	for i := range fleet {
		fleet[i] = shelf.begin()
		past := fleet[i].past
		*fleet[i], *past = *warm, *warm.past
		fleet[i].past = past
	}
	start, err := measure.Processor()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for i, s := range fleet {
			s.Feed(at, values[(n+288*i)%len(values)]) // of another day
		}
		at, n = at.Add(grain), n+1
	}
	end, err := measure.Processor()
	if err != nil {
		b.Fatal(err)
	}
	after, err := measure.Memory("RssAnon")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64((end-start).Nanoseconds())/float64(n-len(values))/mostSeries, "cpu-ns/sample")
	b.ReportMetric(float64(after-before)/mostSeries, "bytes/series")
	b.ReportMetric(float64(after-before)/1e6, "MB")
	runtime.KeepAlive(fleet)
}
