package tcp

import (
	"math"

	"github.com/nasight/nasight/collectors"
)

// lowest keeps the lowest minimum round-trip time ever seen to each endpoint. The kernel's own minimum forgets after
// five minutes, so it rises on a session that stays saturated.
type lowest struct {
	host   string
	memory collectors.Memory
}

func newLowest(host string, memory collectors.Memory) lowest {
	if memory == nil {
		memory = processMemory{}
	}
	return lowest{host: host, memory: memory}
}

// update takes the endpoint's sessions into account and returns the lowest time in seconds, if one is known.
func (l *lowest) update(server string, e *endpoint) (float64, bool) {
	key := "lowest_rtt/" + l.host + "/" + e.protocol + "/" + server
	best := math.Inf(1)
	for i := range e.sessions {
		if rtt, ok := e.sessions[i].info.minRTT(); ok {
			best = min(best, float64(rtt)/perSecond)
		}
	}
	stored, ok := l.memory.Load(key)
	if ok && stored >= 1/perSecond && stored <= best && !math.IsInf(stored, 0) {
		return stored, true
	}
	if math.IsInf(best, 0) {
		return 0, false
	}
	l.memory.Store(key, best)
	return best, true
}

// processMemory keeps values as long as the process lives. It stops to learn new keys when it is full.
type processMemory map[string]float64

// Load implements collectors.Memory.
func (m processMemory) Load(key string) (float64, bool) {
	value, ok := m[key]
	return value, ok
}

// Store implements collectors.Memory.
func (m processMemory) Store(key string, value float64) {
	if _, known := m[key]; known || len(m) < maxEndpoints {
		m[key] = value
	}
}
