package baseline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// coder writes the fields of a series, or reads them: one list of fields serves both, so that they cannot differ.
type coder struct {
	data    []byte // written so far, or left to read
	reading bool
	short   bool // there was too little to read
}

func (c *coder) take(size int) []byte {
	if !c.reading {
		c.data = append(c.data, make([]byte, size)...)
		return c.data[len(c.data)-size:]
	}
	if len(c.data) < size {
		c.short = true
		return make([]byte, size)
	}
	taken := c.data[:size]
	c.data = c.data[size:]
	return taken
}

func (c *coder) u8(values ...*uint8) {
	for _, value := range values {
		if field := c.take(1); c.reading {
			*value = field[0]
		} else {
			field[0] = *value
		}
	}
}

func (c *coder) u16(values ...*uint16) {
	for _, value := range values {
		if field := c.take(2); c.reading {
			*value = binary.LittleEndian.Uint16(field)
		} else {
			binary.LittleEndian.PutUint16(field, *value)
		}
	}
}

func (c *coder) u32(values ...*uint32) {
	for _, value := range values {
		if field := c.take(4); c.reading {
			*value = binary.LittleEndian.Uint32(field)
		} else {
			binary.LittleEndian.PutUint32(field, *value)
		}
	}
}

func (c *coder) u64(values ...*uint64) {
	for _, value := range values {
		if field := c.take(8); c.reading {
			*value = binary.LittleEndian.Uint64(field)
		} else {
			binary.LittleEndian.PutUint64(field, *value)
		}
	}
}

func (c *coder) i64(values ...*int64) {
	for _, value := range values {
		bits := uint64(*value)
		c.u64(&bits)
		*value = int64(bits)
	}
}

func (c *coder) f32(values ...*float32) {
	for _, value := range values {
		bits := math.Float32bits(*value)
		c.u32(&bits)
		*value = math.Float32frombits(bits)
	}
}

func (c *coder) f64(values ...*float64) {
	for _, value := range values {
		bits := math.Float64bits(*value)
		c.u64(&bits)
		*value = math.Float64frombits(bits)
	}
}

func (c *coder) flags(values ...*bool) {
	for _, value := range values {
		bit := boolBit(*value)
		c.u8(&bit)
		*value = bit != 0
	}
}

// code goes through every field of a series but the signal.
func (s *Series) code(c *coder) {
	k := &s.clock
	c.i64(&k.last, &s.stepAt)
	c.u32(&k.known, &k.young)
	c.u8(&k.slot, &k.recents, &s.steps)
	s.linear.code(c)
	s.log.code(c)
	d := &s.departure
	c.i64(&d.start, &d.lastOff, &d.closedAt, &d.previousHit, &d.severeSince)
	c.f32(&d.value, &d.base, &d.rarity)
	c.f64(&d.sumValue, &d.sumBase, &d.sumLog)
	c.u16(&d.samples)
	c.u8(&d.hits, &d.calm)
	c.flags(&d.open, &d.level, &d.severe, &d.adopted, &d.settled)
	q := &s.silence
	c.i64(&q.start, &q.end)
	c.f64(&q.value)
	c.u16(&q.run, &q.changed, &q.counted)
	c.flags(&q.open, &q.stale, &q.adopted)
	c.u32(&s.dropped.NotANumber, &s.dropped.OutOfRange, &s.dropped.Duplicate, &s.dropped.OutOfStep)
	for i := range s.past.days {
		c.u8(&s.past.days[i].filled)
	}
	for k := range scales {
		s.past.code(c, k)
	}
}

func (d *domain) code(c *coder) {
	c.f64(&d.level, &d.spread, &d.profileSpread)
	for i := range d.recent {
		c.f32(&d.recent[i])
	}
	for _, t := range []*tail{&d.single, &d.mean} {
		c.f32(&t.total, &t.least)
		c.u8(&t.kept)
	}
}

func (p *past) code(c *coder, k scale) {
	for i := range p.days {
		c.f32(&p.days[i].usual[k])
	}
	for _, r := range []*ranks{&p.ranks[k].single, &p.ranks[k].mean} {
		for i := range r.values {
			c.f32(&r.values[i])
		}
		for i := range r.stamps {
			c.u8(&r.stamps[i])
		}
	}
}

// appendTo writes the state of a series behind data.
func (s *Series) appendTo(data []byte) []byte {
	c := coder{data: data}
	s.code(&c)
	return c.data
}

// decode reads the state of a series that begins. What no series can be in is refused.
func (s *Series) decode(data []byte) error {
	c := coder{data: data, reading: true}
	s.code(&c)
	if c.short || len(c.data) > 0 {
		return fmt.Errorf("%d bytes, not what a series takes", len(data))
	}
	if !s.valid() {
		return errors.New("values that no series has")
	}
	return nil
}

// valid says that the state is one that samples can lead to, as far as anything depends on it.
func (s *Series) valid() bool {
	k, half := &s.clock, s.clock.half()
	times := []int64{k.last, s.stepAt, s.departure.start, s.departure.lastOff, s.departure.closedAt, s.departure.previousHit,
		s.departure.severeSince, s.silence.start, s.silence.end}
	for _, at := range times {
		if at < -2*largestTime || at > 2*largestTime {
			return false
		}
	}
	for i := range s.past.days {
		if s.past.days[i].filled > half {
			return false
		}
	}
	d, q := &s.departure, &s.silence
	return k.known <= maxKnown && k.young <= ageing && k.slot < half && k.recents <= half && s.steps <= stepSamples &&
		s.linear.valid() && s.log.valid() && s.past.valid(linear, &s.linear) && s.past.valid(logarithmic, &s.log) &&
		within(float64(d.value)) && within(float64(d.base)) && within(float64(d.rarity)) && within(d.sumValue) && within(d.sumBase) && within(d.sumLog) &&
		d.samples <= 1<<15 && (!d.open || d.start != 0) && within(q.value) && q.run <= 1<<15 && q.counted <= 2*flatMemory &&
		q.changed <= q.counted
}

func (d *domain) valid() bool {
	for _, x := range d.recent {
		if !within(float64(x)) {
			return false
		}
	}
	ok := within(d.level) && within(d.spread) && within(d.profileSpread) && d.spread >= 0 && d.profileSpread >= 0
	for _, t := range []tail{d.single, d.mean} {
		ok = ok && t.kept <= tailSize && t.total >= 0 && t.total <= 4*ageing
	}
	return ok
}

func (p *past) valid(k scale, d *domain) bool {
	for i := range p.days {
		if !within(float64(p.days[i].usual[k])) {
			return false
		}
	}
	return p.ranks[k].single.valid(&d.single) && p.ranks[k].mean.valid(&d.mean)
}

func (r *ranks) valid(t *tail) bool {
	previous := t.least
	for i := range t.kept {
		if value := r.values[i]; !(value >= previous && value >= 0) || !within(float64(value)) || r.stamps[i] > 2*period {
			return false
		}
		previous = r.values[i]
	}
	return t.kept == 0 || t.least == r.values[0]
}

// within refuses NaN as well.
func within(x float64) bool { return math.Abs(x) <= math.MaxFloat32 }
