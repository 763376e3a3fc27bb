package model

import (
	"math"
	"time"
)

// demand is what clients ask of a volume in a window, in bytes per second.
func (m *Model) demand(p *Placement, op Op, window time.Time) float64 {
	load := &p.Volume.Load
	mean := load.mean(op)
	if mean == 0 {
		return 0
	}
	return mean * mib * m.shape(p, window) * (1 + load.noise()*m.signed(p.key, "load", window))
}

// shape is the pattern's factor on the mean in a window.
func (m *Model) shape(p *Placement, window time.Time) float64 {
	return m.shapeOf(&p.Volume.Load, p.key, window)
}

func (m *Model) shapeOf(load *Workload, key uint64, window time.Time) float64 {
	switch load.Pattern {
	case Daily:
		return daily(window.Add(Grain / 2))
	case Bursty:
		if m.bursts(load, key, window) {
			return load.Factor
		}
	case Growing:
		return max(0, 1+load.PerWeek*window.Sub(m.epoch).Hours()/(7*24))
	case Step:
		if !window.Before(m.epoch.Add(time.Duration(load.At))) && (load.Until == 0 || window.Before(m.epoch.Add(time.Duration(load.Until)))) {
			return load.Factor
		}
	}
	return 1
}

// daily is a smooth weekday with its peak at noon, and a flat weekend as quiet as the night.
func daily(at time.Time) float64 {
	const night, day = 0.3, 1.4
	at = at.UTC()
	if weekday := at.Weekday(); weekday == time.Saturday || weekday == time.Sunday {
		return night
	}
	hours := float64(at.Hour()) + float64(at.Minute())/60
	wave := math.Sin(math.Pi * hours / 24)
	return night + day*wave*wave
}

// bursts tells whether a window is in the burst of its span. The burst begins at a place in the span that the description or
// the seed chooses, and ends within the span.
func (m *Model) bursts(load *Workload, key uint64, window time.Time) bool {
	every, length := int64(time.Duration(load.Every)/Grain), int64(time.Duration(load.Length)/Grain)
	index := window.Unix() / int64(Grain/time.Second)
	span := floorDiv(index, every)
	start := int64(m.unitAt(key, "span", span) * float64(max(1, every-length+1)))
	if load.Begins > 0 {
		start = int64(time.Duration(load.Begins) / Grain)
	}
	at := index - span*every
	return at >= start && at < start+length
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// mean is the load's mean of one type in MiB/s.
func (l *Workload) mean(op Op) float64 {
	switch op {
	case Read:
		return l.ReadMiBps
	case Write:
		return l.WriteMiBps
	}
	return l.MetadataMiBps
}

// size is the bytes of one operation.
func (l *Workload) size(op Op) float64 {
	if op == Metadata {
		return l.MetadataBytes
	}
	return l.BlockKiB * 1024
}

// latency is the time of one operation on an idle volume in ms. Writes end in battery-backed memory, and most metadata is
// in the cache.
func (l *Workload) latency(op Op) float64 {
	switch op {
	case Read:
		return l.LatencyMS
	case Write:
		return 0.8 * l.LatencyMS
	}
	return 0.5 * l.LatencyMS
}

func (l *Workload) noise() float64 { return max(0, l.Noise) }

// ReadShare is the share of reads in the reads and writes, 0 to 1; 0 on a volume without either.
func (l *Workload) ReadShare() float64 {
	if l.ReadMiBps+l.WriteMiBps == 0 {
		return 0
	}
	return l.ReadMiBps / (l.ReadMiBps + l.WriteMiBps)
}

// Measured is the window whose measurements the service tells for a window of a volume: the same one but where it repeats the
// last; false where it tells nothing.
func (m *Model) Measured(p *Placement, window time.Time) (time.Time, bool) {
	volume, since := m.At(window).Find(p.Path).Volume, window
	if volume.Since != 0 {
		since = m.epoch.Add(time.Duration(volume.Since)).Truncate(Grain)
	}
	switch {
	case window.Before(since):
		return window, true
	case volume.Silent:
		return window, false
	case volume.Frozen && volume.Since != 0:
		return since.Add(-Grain), true
	case volume.Frozen:
		return m.epoch.Truncate(Grain), true
	}
	return window, true
}
