package queue

import (
	"encoding/binary"
	"math"
	"testing"
)

// numbers deals out the bytes of a fuzzer as figures, of any size and sort.
type numbers struct{ left []byte }

func (b *numbers) byte() byte {
	if len(b.left) == 0 {
		return 0
	}
	one := b.left[0]
	b.left = b.left[1:]
	return one
}

// float is mostly a figure between 0 and most, and now and then any bits.
func (b *numbers) float(most float64) float64 {
	switch kind := b.byte(); {
	case kind < 48:
		return 0
	case kind < 250:
		return most * math.Exp2(-float64(b.byte())/8) * (1 + float64(b.byte())/256) / 2
	default:
		var bits [8]byte
		for i := range bits {
			bits[i] = b.byte()
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(bits[:]))
	}
}

func (b *numbers) bucket(most float64) Bucket {
	switch b.byte() % 4 {
	case 0:
		return Bucket{}
	case 1:
		return QoS(b.float(most))
	case 2:
		return Credits(b.float(most), b.float(most))
	}
	return Bucket{Rate: b.float(most), Capacity: b.float(most), Peak: b.float(most)}
}

func (b *numbers) class() Class {
	name := func(n byte) string { return string(rune('a' + b.byte()%n)) }
	c := Class{Client: name(3), Volume: name(3), Write: b.byte()%2 == 1, Multichannel: b.byte()%2 == 1, Jobs: b.float(mostJobs), Think: b.float(mostSeconds),
		Block: b.float(mostBlock), Slots: int(b.byte()) * int(b.byte()), Sessions: int(b.byte() % 32), Knee: b.float(mostKnee),
		SessionTime: b.float(mostSeconds), ClientTime: b.float(mostSeconds), RTT: b.float(mostSeconds)}
	if b.byte()%2 == 1 {
		c.Skew = make([]float64, c.Sessions)
		for j := range c.Skew {
			c.Skew[j] = b.float(mostRate)
		}
	}
	return c
}

func (b *numbers) network() Network {
	var n Network
	for i := range rune(2) {
		n.Pools = append(n.Pools, Pool{Name: string('p' + i), Bytes: b.bucket(mostRate), Ops: b.bucket(mostRate)})
	}
	for i := range rune(3) {
		v := Volume{Name: string('a' + i), Bytes: b.bucket(mostRate), Ops: b.bucket(mostRate), Pool: []string{"", "p", "q"}[b.byte()%3]}
		if fixed := b.float(mostSeconds / 10); fixed != 0 {
			v.OpTime = func(_, share float64) float64 { return fixed * (3 - 2*share) }
		}
		n.Volumes = append(n.Volumes, v)
	}
	for range b.byte() % 8 {
		n.Classes = append(n.Classes, b.class())
	}
	return n
}

// FuzzNetwork: any network is solved within the laws or refused, and so are steps from any state.
func FuzzNetwork(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("any text is a network of some sort, and the longer it is the more of it is given"))
	for seed := range byte(40) {
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte(i*i)*seed + byte(i>>3)*37 + seed
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := &numbers{left: data}
		seconds, state := b.float(100), State{Volumes: map[string]Tokens{"a": {Bytes: b.float(mostRate), Ops: b.float(mostRate)}}}
		n := b.network()
		r, err := Solve(n)
		if err != nil {
			if r.Flows != nil {
				t.Fatal("a result beside an error")
			}
			return
		}
		laws(t, n, r)
		for range 3 {
			if r, state, err = Step(n, state, seconds); err != nil {
				return // of the step or the state
			}
			laws(t, n, r)
		}
	})
}
