package judge

import (
	"fmt"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// BenchmarkFigures is what the figures of 10,000 volumes in pools with manual QoS add to an evaluation: a plan for each pool is
// most of it.
func BenchmarkFigures(b *testing.B) {
	const pools, volumes = 200, 50
	view := &fleet.Fleet{At: time.Now(), DaysAt: time.Now()}
	for i := range pools {
		pool := unknownPool(fmt.Sprintf("pool%d", i), "manual", "premium")
		pool.Available = 100 * mib
		for j := range volumes {
			volume := aVolume(pool, fmt.Sprintf("volume%d", j))
			p99 := fleet.Value(10+j) * mib
			volume.Assigned, volume.Limit, volume.Protocols = 64*mib, 64*mib, []string{"nfsv3"}
			volume.Days = fleet.VolumeDays{Coverage: 1, Full: true, P99: p99, P95: p99, Max: p99, Peak: p99, PeakDays: 14, Before: p99, Latency: fleet.Unknown}
		}
		view.Pools = append(view.Pools, pool)
	}
	settings := detectors.DefaultSettings()
	for b.Loop() {
		if got := len(Figures(view, nil, settings)); got < 3*pools*volumes {
			b.Fatalf("%d figures", got)
		}
	}
}
