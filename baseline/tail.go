package baseline

import "math"

const (
	tailSize  = 128 // largest distances kept
	hillSize  = 64  // of those, how many shape the extrapolation
	hillLeast = 0.5
	hillMost  = 12

	// mostRare bounds −log10 P: a series that never moved makes every move as rare as can be.
	mostRare = 20
)

// tail holds the largest of all distances that a series had from its baseline, and from it tells how rare another one is.
// The probability is conformal: the rank among the distances so far, whatever their distribution. Beyond the record a power
// tail continues it (Hill's estimator).
type tail struct {
	total float32 // distances seen, halved with age
	least float32 // of those kept
	kept  uint8
}

// ranks are the distances that a tail keeps. They lie apart from it since almost no sample needs them, and what lies together
// is in the processor's cache together.
type ranks struct {
	values [tailSize]float32 // ascending, the first kept of them
	stamps [tailSize]uint8   // when each came, in the units of ageing
}

// rarity is −log10 of the probability that a usual distance is as large as this one: 0 for what is common, 3 for one in a
// thousand.
func (t *tail) rarity(r *ranks, distance float32) float64 {
	if t.kept == 0 || distance < t.least || t.kept == tailSize && distance == t.least {
		return 0
	}
	record := r.values[t.kept-1]
	if distance <= record {
		rank := int(t.kept) - t.place(r, distance)
		return math.Log10((float64(t.total) + 1) / float64(rank+1))
	}
	beyond := float64(mostRare)
	if record > 0 {
		beyond = t.index(r) * math.Log10(float64(distance)/float64(record))
	}
	return min(beyond+math.Log10((float64(t.total)+1)), mostRare)
}

// distance is the inverse of rarity: how far from the baseline a value is that is as rare as that.
func (t *tail) distance(r *ranks, rarity float64) float64 {
	if t.kept == 0 {
		return math.Inf(1)
	}
	record := float64(r.values[t.kept-1])
	rank := (float64(t.total)+1)*math.Pow(10, -rarity) - 1 // of the kept ones, how many may be as large or larger
	if rank >= 1 {
		return float64(r.values[max(0, int(t.kept)-int(rank))])
	}
	beyond := rarity - math.Log10((float64(t.total) + 1))
	return record * math.Pow(10, max(beyond, 0)/t.index(r))
}

// add counts a distance and keeps it if it is among the largest.
func (t *tail) add(r *ranks, distance float32, stamp uint8) {
	t.total++
	if t.kept == tailSize && distance <= t.least { // as almost all are
		return
	}
	place := t.place(r, distance)
	if t.kept < tailSize {
		copy(r.values[place+1:t.kept+1], r.values[place:t.kept])
		copy(r.stamps[place+1:t.kept+1], r.stamps[place:t.kept])
		r.values[place], r.stamps[place] = distance, stamp
		t.kept++
		t.least = r.values[0]
		return
	}
	place--
	copy(r.values[:place], r.values[1:place+1])
	copy(r.stamps[:place], r.stamps[1:place+1])
	r.values[place], r.stamps[place] = distance, stamp
	t.least = r.values[0]
}

// place is the number of kept values below the distance.
func (t *tail) place(r *ranks, distance float32) int {
	low, high := 0, int(t.kept)
	for low < high {
		middle := (low + high) / 2
		if r.values[middle] < distance {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// index is the exponent of the power tail: the smaller, the heavier. It is the reciprocal mean of the logarithms of the upper
// values over the one below them.
func (t *tail) index(r *ranks) float64 {
	upper := min(hillSize, int(t.kept)-1)
	if upper < 1 {
		return hillLeast
	}
	below := float64(r.values[int(t.kept)-upper-1])
	if below == 0 {
		return hillLeast
	}
	// One logarithm for eight values. A product beyond a float64 is infinite, which is the heaviest tail as well.
	sum, product := 0.0, 1.0
	for i, value := range r.values[int(t.kept)-upper : t.kept] {
		product *= float64(value) / below
		if i%8 == 7 {
			sum, product = sum+math.Log(product), 1
		}
	}
	sum += math.Log(product)
	if sum == 0 {
		return hillMost
	}
	return min(max(float64(upper)/sum, hillLeast), hillMost)
}

// age forgets the older half, so that a series that changed its ways is judged by the new ones.
func (t *tail) age(r *ranks) {
	t.total /= 2
	drop := t.kept / 2
	limit, within := t.median(r, drop)
	kept := uint8(0)
	for i := range t.kept {
		stamp := r.stamps[i]
		if stamp < limit {
			continue
		}
		if stamp == limit && within > 0 {
			within--
			continue
		}
		r.values[kept], r.stamps[kept] = r.values[i], stamp-min(stamp, period)
		kept++
	}
	t.kept, t.least = kept, r.values[0]
}

// forget drops what is as young as the stamp or younger.
func (t *tail) forget(r *ranks, since uint8) {
	kept := uint8(0)
	for i := range t.kept {
		if r.stamps[i] < since {
			r.values[kept], r.stamps[kept] = r.values[i], r.stamps[i]
			kept++
		}
	}
	t.total = max(0, t.total-float32(t.kept-kept))
	t.kept, t.least = kept, r.values[0]
}

// median finds the stamp below which everything is dropped, and how many of that very stamp go as well.
func (t *tail) median(r *ranks, drop uint8) (limit, within uint8) {
	var counts [256]uint8
	for _, stamp := range r.stamps[:t.kept] {
		counts[stamp]++
	}
	for limit = 0; counts[limit] < drop; limit++ {
		drop -= counts[limit]
	}
	return limit, drop
}

// scale follows a change of unit or level: what was usual stays usual.
func (t *tail) scale(r *ranks, factor float64) {
	for i := range r.values[:t.kept] {
		r.values[i] = bounded(float64(r.values[i]) * factor)
	}
	t.least = r.values[0]
}

// bounded keeps a number within what a float32 holds.
func bounded(value float64) float32 {
	return float32(min(max(value, -math.MaxFloat32), math.MaxFloat32))
}
