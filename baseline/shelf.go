package baseline

// board is how many series of a shelf are made at a time.
const board = 64

// shelf has the series of one signal side by side, in the order in which they began. Whoever feeds all of them in that order goes
// straight through the memory, which the processor foresees.
type shelf struct {
	signal Signal
	series []Series // of the newest board
	pasts  []past
	free   []*Series // that have ended
}

// begin makes a series.
func (h *shelf) begin() *Series {
	if last := len(h.free) - 1; last >= 0 {
		series := h.free[last]
		h.free = h.free[:last]
		return series
	}
	if len(h.series) == cap(h.series) {
		h.series, h.pasts = make([]Series, 0, board), make([]past, 0, board)
	}
	h.pasts = append(h.pasts, past{})
	h.series = append(h.series, Series{signal: &h.signal, past: &h.pasts[len(h.pasts)-1], clock: newClock(h.signal.Grain)})
	return &h.series[len(h.series)-1]
}

// end gives the place of a series to another.
func (h *shelf) end(series *Series) {
	series.dropped = Dropped{}
	series.restart(newClock(h.signal.Grain))
	h.free = append(h.free, series)
}
