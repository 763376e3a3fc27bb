//go:build unix

package queue

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nasight/nasight/internal/measure"
)

// BenchmarkSolve is one solution of a fleet, with and without limits. Processor time is shown beside the clock's, which
// other work on the machine stretches.
func BenchmarkSolve(b *testing.B) {
	for _, classes := range []int{1, 100, 1000} {
		for name, limit := range map[string]float64{"free": 0, "limited": 512 * mib} {
			b.Run(fmt.Sprintf("%d %s", classes, name), func(b *testing.B) {
				n := fleet(b, rand.New(rand.NewPCG(15, 16)), classes, limit)
				b.ReportAllocs()
				begin := processorTime(b)
				for b.Loop() {
					if _, err := Solve(n); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((processorTime(b)-begin).Nanoseconds())/1e3/float64(b.N), "cpu-µs/op")
			})
		}
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
