package host

import (
	"math"
	"testing"
	"time"
)

func TestWhole(t *testing.T) {
	for count, want := range map[float64]uint64{
		-1: 0, 0: 0, 0.4: 0, 0.5: 1, 1 << 53: 1 << 53, 1<<53 + 2: 1<<53 + 2, 1 << 62: 1 << 62,
		1 << 63: most, 1e300: most, math.Inf(1): most, math.Inf(-1): 0,
	} {
		if got := whole(count); got != want {
			t.Errorf("whole(%v) = %d, want %d", count, got, want)
		}
	}
	if got := whole(math.NaN()); got != 0 {
		t.Errorf("no number is %d", got)
	}
	if got := wrapped(1<<32 + 7); got != 7 {
		t.Errorf("2^32 + 7 is %d in four bytes", got)
	}
	if got := shortMicros(math.MaxInt64); got == neverRTT {
		t.Error("the longest time passes for none")
	}
	if got := micros(-time.Second); got != 0 {
		t.Errorf("a time before is %d", got)
	}
}

// A machine of which nothing or nonsense is known is written, and nothing of it is odd.
func TestOddMachines(t *testing.T) {
	odd := plain()
	odd.NFS[0].Mounts[0].Operations = map[string]NFSOperation{
		"READ": {Count: math.NaN(), Transmissions: math.Inf(1), ReceivedBytes: -5, RTT: -1}, "UNHEARD_OF": {Count: 3},
	}
	odd.NFS[0].Transports[0].Sends, odd.NFS[0].Transports[0].Pending = 1e300, 0
	odd.NFS[1].Transports, odd.NICs, odd.Cores = nil, nil, nil
	for name, m := range map[string]*Machine{"nothing": {}, "nonsense": odd} {
		t.Run(name, func(t *testing.T) { newReader(t, m.Root()).read(t) })
	}
}
