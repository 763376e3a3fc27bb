package baseline

// silence is a series that says nothing new: one value again and again, or no sample at all.
type silence struct {
	start, end int64
	value      float64 // of the newest sample
	run        uint16  // samples in a row with it
	changed    uint16  // samples that changed …
	counted    uint16  // … of so many
	open       bool
	stale      bool
	adopted    bool
}

// see takes one sample through the rules: any ends a stale series, a changed value ends a flatline, the twelfth identical one
// begins it. Zero is no value that is stuck: it is what an idle volume has.
func (s *silence) see(at int64, value float64, grain int32, stands bool) Event {
	var event Event
	if s.open && (s.stale || value != s.value) {
		s.open, s.end = false, at
		event = Closed
	}
	if value != s.value || s.run == 0 {
		s.count()
		s.value, s.run = value, 1
		return event
	}
	s.run = min(s.run+1, 1<<15)
	if s.open || stands || value == 0 || s.run != flatSamples || !s.changes() {
		return event
	}
	*s = silence{start: at - int64(flatSamples-1)*int64(grain), value: value, run: s.run, changed: s.changed, counted: s.counted, open: true}
	return event | Opened
}

// count takes down the run that ends. A long one counts as one flatline's, so that standing still for a day does not hide
// what the series is like.
func (s *silence) count() {
	if s.run == 0 {
		return
	}
	s.changed++
	s.counted += min(s.run, flatSamples)
	if s.counted > flatMemory {
		s.changed, s.counted = s.changed/2, s.counted/2
	}
}

func (s *silence) changes() bool {
	return s.counted >= learnSamples && float64(s.changed) >= flatShare*float64(s.counted)
}

// look opens a stale incident where the newest sample is too old, and ends a silence that became what is usual.
func (s *silence) look(now, last, staleAfter int64) Event {
	if s.open && now-s.start >= newNormal {
		s.open, s.end, s.adopted = false, now, true
		return Closed
	}
	if now-last <= staleAfter || s.open && s.stale || s.adopted && s.stale && s.start == last {
		return 0
	}
	event := Opened
	if s.open {
		event |= Closed // the flatline: there is no value any more that could stand still
	}
	*s = silence{start: last, value: s.value, run: s.run, changed: s.changed, counted: s.counted, open: true, stale: true}
	return event
}

func (s *silence) incident() Incident {
	if s.start == 0 {
		return Incident{}
	}
	i := Incident{Kind: Flatline, Start: moment64(s.start), Value: s.value, Settled: true, NewNormal: s.adopted}
	if s.stale {
		i.Kind = Stale
	}
	if !s.open {
		i.End = moment64(s.end)
	}
	return i
}
