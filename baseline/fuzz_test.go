package baseline

import (
	"encoding/binary"
	"math"
	"testing"
	"time"
)

// FuzzFeed takes eight bytes a sample: a step in time and a value. Whatever comes, nothing panics and no number stops being
// one; what is saved is what is restored.
func FuzzFeed(f *testing.F) {
	usual := make([]byte, 0, 8*400)
	for i := range 400 {
		usual = binary.LittleEndian.AppendUint32(usual, 300)
		usual = binary.LittleEndian.AppendUint32(usual, math.Float32bits(100+float32(i%7)))
	}
	f.Add(usual, true)
	f.Add([]byte{0, 0, 0, 0x80, 0, 0, 0xc0, 0x7f, 44, 1, 0, 0, 0, 0, 0x80, 0xff}, false)
	f.Fuzz(func(t *testing.T, data []byte, zero bool) {
		signal := unit()
		signal.GapIsZero = zero
		s := NewSeries(&signal)
		// Old enough to judge.
		at := monday
		for i := range 2 * 288 {
			s.Feed(at, 100+float64(i%5))
			at = at.Add(grain)
		}
		for ; len(data) >= 8; data = data[8:] {
			step := int32(binary.LittleEndian.Uint32(data))
			value := float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4:])))
			if math.Abs(value) > 1e30 {
				value *= 1e200
			}
			at = at.Add(time.Duration(step%(60*24*60*60)) * time.Second)
			s.Feed(at, value)
			s.Look(at.Add(time.Duration(step) * time.Second))
			sane(t, s)
		}
		restored := NewSeries(s.signal)
		if err := restored.decode(s.appendTo(nil)); err != nil {
			t.Fatal(err)
		}
		if !restored.equal(s) {
			t.Fatal("what is restored is not what was saved")
		}
	})
}

// FuzzDecode: a state from anywhere is refused or can be used.
func FuzzDecode(f *testing.F) {
	p := newPlayer(unit(), 1)
	p.around(100, 2*24*time.Hour)
	f.Add(p.appendTo(nil))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		signal := unit()
		s := NewSeries(&signal)
		if s.decode(data) != nil {
			return
		}
		at := s.Last().Add(grain)
		for i := range 400 {
			s.Feed(at, float64(100+i%5))
			s.Look(at)
			at = at.Add(grain)
		}
		s.Band(at)
		if math.IsNaN(s.linear.level) || math.IsNaN(s.log.level) {
			t.Fatalf("%+v", s)
		}
	})
}

// FuzzSet: a file from anywhere is refused or read, and never takes more than it holds.
func FuzzSet(f *testing.F) {
	f.Add([]byte(fileMagic + "\x01\x00\x00\x00\xff\xff\xff\xff\x04\x00test\xff\xff"))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		set := NewSet([]Signal{unit()}, 10)
		_ = set.read(byteReader(data))
		if set.Len() > len(data)/stateSize() {
			t.Fatalf("%d series out of %d bytes", set.Len(), len(data))
		}
	})
}
