package tcp

import (
	"math"
	"net/netip"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

func busy(localPort string, cookie, microseconds, segments uint64) socket {
	s := established(localPort, "192.0.2.9:2049", cookie)
	s.info = tcpInfo(232, map[field]uint64{fieldBusyTime: microseconds, fieldSegsOut: segments})
	return s
}

func TestSumsRiseWhileSessionsComeAndGo(t *testing.T) {
	c := newCollector(t, collectors.Settings{})
	steps := []struct {
		name     string
		sockets  []socket
		busy     float64
		segments float64
	}{
		{"first", []socket{busy("700", 1, 4e6, 40), busy("701", 2, 2e6, 20)}, 6, 60},
		{"one ends", []socket{busy("700", 1, 5e6, 50)}, 7, 70},
		{"one begins", []socket{busy("700", 1, 5e6, 50), busy("702", 3, 1e6, 5)}, 8, 75},
		{"the same port again", []socket{busy("700", 4, 3e6, 30), busy("702", 3, 1e6, 5)}, 11, 105},
		{"a four-byte counter wraps", []socket{busy("700", 4, 3e6, 1<<32-1), busy("702", 3, 1e6, 5)}, 11, 1<<32 + 74},
		{"and goes on", []socket{busy("700", 4, 3e6, 9), busy("702", 3, 1e6, 5)}, 11, 1<<32 + 84},
		{"a wide counter falls", []socket{busy("700", 4, 1e6, 9), busy("702", 3, 1e6, 5)}, 11, 1<<32 + 84},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			c.dump = serve(reply(step.sockets...))
			sink := run(t, c)
			expect(t, sink, step.busy, schema.EndpointBusy, "192.0.2.9", "nfs")
			expect(t, sink, step.segments, schema.EndpointSegmentsSent, "192.0.2.9", "nfs")
		})
	}
}

func TestSumsNeverFall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var kept sums
		key := endpointKey{netip.MustParseAddr("192.0.2.9"), "nfs"}
		previous := 0.0
		for range rapid.IntRange(1, 8).Draw(t, "runs") {
			e := endpoint{address: key.address, protocol: key.protocol}
			for i := range rapid.IntRange(0, 4).Draw(t, "sessions") {
				value := rapid.Uint64Max(1<<40).Draw(t, "busy")
				e.sessions = append(e.sessions, session{
					cookie: uint64(i), info: info{data: tcpInfo(232, map[field]uint64{fieldBusyTime: value})},
				})
			}
			kept.update([]endpoint{e})
			if sum := kept.of(key)[0]; sum.value < previous {
				t.Fatalf("sum fell from %v to %v", previous, sum.value)
			} else {
				previous = sum.value
			}
		}
	})
}

func TestSumsForgetEndpointsBeyondTheirBound(t *testing.T) {
	var kept sums
	for i := range maxEndpoints + 10 {
		address := netip.AddrFrom4([4]byte{198, 18, byte(i >> 8), byte(i)})
		kept.update([]endpoint{{address: address, protocol: "nfs", sessions: make([]session, 1)}})
	}
	if len(kept.totals) > maxEndpoints || len(kept.last) != 1 {
		t.Errorf("%d endpoints and %d sessions remembered", len(kept.totals), len(kept.last))
	}
}

// table is a Memory in a map.
type table map[string]float64

func (m table) Load(key string) (float64, bool) { value, ok := m[key]; return value, ok }
func (m table) Store(key string, value float64) { m[key] = value }

func quickest(microseconds uint64) socket {
	s := established("700", "192.0.2.9:2049", 1)
	s.info = tcpInfo(232, map[field]uint64{fieldMinRTT: microseconds})
	return s
}

func TestLowestIsKeptOverRestarts(t *testing.T) {
	const key = "lowest_rtt/client/nfs/192.0.2.9"
	memory := table{}
	for _, step := range []struct {
		minRTT uint64
		want   float64
	}{{900, 0.0009}, {1200, 0.0009}, {700, 0.0007}, {unknownRTT, 0.0007}, {0, 0.0007}} {
		sink := run(t, newCollector(t, collectors.Settings{Memory: memory}, quickest(step.minRTT)))
		expect(t, sink, step.want, schema.EndpointLowestRTT, "192.0.2.9", "nfs")
	}
	if memory[key] != 0.0007 {
		t.Errorf("memory %v", memory)
	}
}

func TestLowestIgnoresWhatCannotBe(t *testing.T) {
	for _, stored := range []float64{0, -1, 5e-7, math.NaN(), math.Inf(1), math.Inf(-1)} {
		memory := table{"lowest_rtt/client/nfs/192.0.2.9": stored}
		sink := run(t, newCollector(t, collectors.Settings{Memory: memory}, quickest(800)))
		expect(t, sink, 0.0008, schema.EndpointLowestRTT, "192.0.2.9", "nfs")
		sink = run(t, newCollector(t, collectors.Settings{Memory: table{"lowest_rtt/client/nfs/192.0.2.9": stored}}, quickest(unknownRTT)))
		expect(t, sink, -1, schema.EndpointLowestRTT, "192.0.2.9", "nfs")
	}
}

func TestLowestIsKeptInTheProcess(t *testing.T) {
	c := newCollector(t, collectors.Settings{}, quickest(800))
	run(t, c)
	c.dump = serve(reply(quickest(5000)))
	expect(t, run(t, c), 0.0008, schema.EndpointLowestRTT, "192.0.2.9", "nfs")
}

func TestProcessMemoryIsBounded(t *testing.T) {
	memory := processMemory{}
	for i := range maxEndpoints + 5 {
		memory.Store(strconv.Itoa(i), 1)
	}
	memory.Store("0", 2)
	if value, _ := memory.Load("0"); len(memory) != maxEndpoints || value != 2 {
		t.Errorf("%d keys, the first one %v", len(memory), value)
	}
}

func TestSharesAreFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 12).Draw(t, "counts")
		limit := rapid.IntRange(0, 100).Draw(t, "limit")
		endpoints := make([]endpoint, len(counts))
		total := 0
		for i, count := range counts {
			endpoints[i].sessions = make([]session, count)
			total += count
		}
		given, largest, sum := shares(endpoints, limit), 0, 0
		for _, share := range given {
			largest, sum = max(largest, share), sum+share
		}
		if sum != min(limit, total) {
			t.Fatalf("shares %v of %v add up to %d, limit %d", given, counts, sum, limit)
		}
		for i, share := range given {
			if share < counts[i] && share < largest-1 {
				t.Fatalf("shares %v of %v with limit %d", given, counts, limit)
			}
		}
	})
}
