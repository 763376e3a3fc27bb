package model

import (
	"hash/fnv"
	"time"
)

// Draw is a number from 0 up to but not 1 that the seed gives to a name and an index, always the same one.
func (m *Model) Draw(name string, index int64) float64 {
	return m.unitAt(hash(m.seed, name), "draw", index)
}

// signed is a number from -1 up to 1.
func (m *Model) signed(key uint64, purpose string, window time.Time) float64 {
	return 2*m.unit(key, purpose, window) - 1
}

func (m *Model) unit(key uint64, purpose string, window time.Time) float64 {
	return m.unitAt(key, purpose, window.Unix())
}

// unitAt is the top 53 bits of the hash as a fraction: the bits that a float64 holds exactly.
func (*Model) unitAt(key uint64, purpose string, index int64) float64 {
	for _, c := range []byte(purpose) {
		key = (key ^ uint64(c)) * 0x100000001b3
	}
	return float64(mix(key^mix(uint64(index)))>>11) / (1 << 53)
}

// mix is the finisher of splitmix64: each bit of the input moves half of the output's.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func hash(seed uint64, name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // a hash takes everything
	return mix(h.Sum64() ^ mix(seed))
}
