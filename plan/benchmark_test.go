package plan

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/nasight/nasight/fleet"
)

// BenchmarkPlan makes, verifies and prints the plan of one pool that is short. The goal is 50 ms for 1,000 volumes.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		pool, volumes := crowded(n)
		for name, work := range map[string]func() error{
			"build": func() error { _, err := Build(pool, volumes, Defaults()); return err },
			"build-verify-text": func() error {
				p, err := Build(pool, volumes, Defaults())
				if err == nil {
					err = Verify(p.Certificate, p)
				}
				if err == nil {
					err = p.Text(io.Discard)
				}
				return err
			},
		} {
			b.Run(fmt.Sprintf("%s/volumes=%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := work(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// crowded is a pool whose volumes want about a third more than it has.
func crowded(n int) (Pool, []Volume) {
	random, volumes, sum := rand.New(rand.NewPCG(1, 2)), make([]Volume, n), 0.0
	for i := range volumes {
		v := steady(fmt.Sprintf("volume-%05d", i), 64+400*random.Float64(), 300*random.ExpFloat64())
		v.Peak = min(v.CurrentMiBps, v.P99*fleet.Value(1+random.Float64()))
		volumes[i], sum = v, sum+float64(v.CurrentMiBps)
	}
	return manual(1.05 * sum), volumes
}
