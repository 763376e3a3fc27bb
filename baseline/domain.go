package baseline

import "math"

const (
	buckets  = 96 // half hours of a working day, then of a day of the weekend
	ringSize = 6  // the values of the last 30 minutes at five minutes each

	clipAfter     = 50   // samples after which the influence of one is bounded
	clipSpreads   = 4    // … to this many mean distances
	profileWeight = 0.05 // of a sample in its half hour's usual value
	profileGain   = 0.9  // how much nearer the profile has to be than the level to be the base
)

// domain is the baseline of one series in one scale, linear or logarithmic.
type domain struct {
	level         float64
	spread        float64           // mean distance from the level
	profileSpread float64           // mean distance from the profile
	recent        [ringSize]float32 // how far off the samples of the last 30 minutes were
	single, mean  tail              // of single samples, of the mean of the last 30 minutes
}

// scale is what a domain measures distances in.
type scale uint8

const (
	linear scale = iota
	logarithmic
	scales // how many there are
)

// past is what a series learnt and needs a little of at each sample.
type past struct {
	days  halfHours
	ranks [scales]struct{ single, mean ranks }
}

// halfHours are those of a working day, then of a day of the weekend. What a sample needs of one lies together.
type halfHours [buckets]struct {
	usual  [scales]float32
	filled uint8 // samples, up to what fills it
}

// moment is what all domains of a series have in common at one sample.
type moment struct {
	known          uint32  // samples before this one
	bucket         uint8   // half hour of the day
	before, behind uint8   // the half hours beside it, itself where one was never seen
	filled         uint8   // samples of that half hour before, up to what fills it
	full           uint8   // samples that fill a half hour
	slot           uint8   // of the ring
	recents        uint8   // samples in the ring, this one included
	weight         float64 // of one sample in the level
	stamp          uint8
	teach          bool // whether the baseline learns from it
	rank           bool // whether its distances count for how rare others are
}

// verdict is how a sample stands to the baseline.
type verdict struct {
	base   float64
	rarity float64
}

// base is what the series usually has at this time.
func (d *domain) base(p *past, k scale, m *moment) float64 {
	if d.seasonal(m) {
		return float64(p.days[m.bucket].usual[k])
	}
	return d.level
}

// seasonal says that the half hour was seen, and that half hours tell more of this series than its level.
func (d *domain) seasonal(m *moment) bool {
	return m.filled >= m.full && d.profileSpread < profileGain*d.spread
}

// nearest is the base for a sample: of what is usual in its half hour and in those beside it, what is nearest to x. What begins
// within a half hour, or now and then a little earlier, is judged by either side of its beginning.
func (d *domain) nearest(p *past, k scale, x float64, m *moment) float64 {
	if !d.seasonal(m) {
		return d.level
	}
	low, usual, high := p.days[m.before].usual[k], p.days[m.bucket].usual[k], p.days[m.behind].usual[k]
	return min(max(x, float64(min(low, usual, high))), float64(max(low, usual, high)))
}

// feed judges a sample, then learns from it.
func (d *domain) feed(p *past, k scale, x float64, m *moment) verdict {
	if m.known == 0 {
		d.level = x
	}

	base, ranks := d.nearest(p, k, x, m), &p.ranks[k]
	d.recent[m.slot] = float32(x - base)
	single, mean := distance(x, base), distance(d.recentMean(m.recents), 0)
	v := verdict{base: base, rarity: max(d.single.rarity(&ranks.single, single), d.mean.rarity(&ranks.mean, mean))}
	if m.teach {
		d.learn(&p.days[m.bucket].usual[k], x, m)
	}
	if m.rank {
		d.single.add(&ranks.single, single, m.stamp)
		d.mean.add(&ranks.mean, mean, m.stamp)
	}
	return v
}

// learn moves the level and the half hour's usual value, each by no more than a few of its mean distances: an outage must not
// become the baseline.
func (d *domain) learn(halfHour *float32, x float64, m *moment) {
	fromLevel := x - d.level
	d.level += m.weight * clip(fromLevel, d.spread, m.known)
	d.spread += m.weight * (math.Abs(fromLevel) - d.spread)

	usual := float64(*halfHour)
	fromProfile := x - usual
	if m.filled == 0 {
		fromProfile = fromLevel
	}
	d.profileSpread += m.weight * (math.Abs(fromProfile) - d.profileSpread)
	if m.filled < m.full {
		*halfHour = float32(usual + (x-usual)/float64(m.filled+1))
		return
	}
	*halfHour = float32(usual + profileWeight*clip(fromProfile, d.profileSpread, m.known))
}

// lately is how far off the newest three samples were on average.
func (d *domain) lately(m *moment) float64 {
	sum := 0.0
	for back := range uint8(openSpan) {
		sum += float64(d.recent[(m.slot+m.full-back)%m.full])
	}
	return sum / openSpan
}

func (d *domain) recentMean(count uint8) float64 {
	sum := 0.0
	for _, x := range d.recent[:count] {
		sum += float64(x)
	}
	return sum / float64(count)
}

func (d *domain) age(p *past, k scale) {
	d.single.age(&p.ranks[k].single)
	d.mean.age(&p.ranks[k].mean)
}

func clip(distance, spread float64, known uint32) float64 {
	if known < clipAfter {
		return distance
	}
	limit := clipSpreads * spread
	return min(max(distance, -limit), limit)
}

// distance fits: samples are bounded by largest.
func distance(a, b float64) float32 { return float32(math.Abs(a - b)) }

// forget drops what the tails kept since a stamp.
func (d *domain) forget(p *past, k scale, since uint8) {
	d.single.forget(&p.ranks[k].single, since)
	d.mean.forget(&p.ranks[k].mean, since)
}

// scale and shift move everything that was learnt to another level, in the linear and in the logarithmic scale.
func (d *domain) scale(p *past, factor float64) {
	d.level *= factor
	d.spread *= factor
	d.profileSpread *= factor
	for i := range p.days {
		usual := &p.days[i].usual[linear]
		*usual = bounded(float64(*usual) * factor)
	}
	d.single.scale(&p.ranks[linear].single, factor)
	d.mean.scale(&p.ranks[linear].mean, factor)
}

func (d *domain) shift(p *past, by float64) {
	d.level += by
	for i := range p.days {
		p.days[i].usual[logarithmic] += float32(by)
	}
}
