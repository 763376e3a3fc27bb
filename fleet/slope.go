package fleet

import "time"

// Slope is by how much values change in a second: the median of the slopes between any two of them (Theil–Sen), which an odd
// sample does not move. Missing values do not count; with fewer than two the slope is missing. It takes time that grows with
// the square of their number.
func Slope(times []time.Time, values []Value) Value {
	var slopes []float64
	for i := range values {
		for j := i + 1; j < len(values); j++ {
			seconds := times[j].Sub(times[i]).Seconds()
			if values[i].Known() && values[j].Known() && seconds > 0 {
				slopes = append(slopes, float64(values[j]-values[i])/seconds)
			}
		}
	}
	return UsedOf(slopes).P50
}
