package envelope

import (
	"errors"
	"fmt"
	"math"
)

// microseconds of a second: op time is in µs per operation of the whole volume, 1e6/IOPS.
const microseconds = 1e6

// The half widths of the band: the 90th percentile of the error when known cells are left out and predicted.
const (
	bandInside     = 0.13 // between the read shares of one table
	bandBlocks     = 0.19 // between two block sizes
	bandProtocol   = 0.19 // NFSv3's table for another protocol: 18 % for SMB, NFSv4.1 has no measurement
	bandHeldMiBps  = 0.22 // 64 KiB predicted by 256 KiB at the same MiB/s, and the other way round
	bandHeldIOPS   = 0.30 // 4 KiB predicted by 8 KiB at the same IOPS, and the other way round
	bandLevel      = 0.52 // another service level
	confidenceStep = 0.8  // for each stand-in
	confidenceHeld = 0.7  // for a block outside the measured ones
)

// BeyondMargin is how far a limit must lie above the ceiling to count as beyond it: more than nine in ten of the
// model's errors are smaller.
const BeyondMargin = 1.25

// Ceiling is what a volume can do at most, whatever throughput is provisioned: a figure for the volume, not for one client.
type Ceiling struct {
	IOPS           float64 `json:"iops"` // reads and writes together, op/s
	BytesPerSecond float64 `json:"bytes_per_second"`
	Low            float64 `json:"low"`  // lower end of the band, bytes per second
	High           float64 `json:"high"` // upper end
	Band           float64 `json:"band"` // half width as a fraction, before any cap
	Confidence     float64 `json:"confidence"`

	Family      string   `json:"family"`       // what was used, protocol/level
	Pages       []string `json:"pages"`        // the charts of the benchmark page
	Clients     string   `json:"clients"`      // hosts that drove the measurement
	ExactFamily bool     `json:"exact_family"` // the protocol and level asked for were measured
	BlockInside bool     `json:"block_inside"` // the block lies within the measured ones
	Capped      bool     `json:"capped"`       // an entitlement or a pool's maximum lies below the envelope
	Notes       []string `json:"notes"`
}

// Beyond says whether a throughput limit lies beyond a ceiling by more than the model's error. Both in the same unit;
// an unknown (NaN) or empty ceiling proves nothing.
func Beyond(limit, ceiling float64) bool { return ceiling > 0 && limit > BeyondMargin*ceiling }

// Ceiling interpolates in the table, in time per operation. A block below the measured ones holds IOPS, one above
// holds bytes per second. The error says in one line what is wrong with the query.
func (t *Table) Ceiling(q Query) (Ceiling, error) {
	if err := q.Check(); err != nil {
		return Ceiling{}, err
	}
	if q.LargeCapacity {
		return t.largeCeiling(q)
	}
	c, steps, err := t.family(q.Protocol, q.Level)
	if err != nil {
		return Ceiling{}, err
	}
	e := Ceiling{Confidence: 1, Band: bandInside, Family: c.name(), Pages: c.near(q.BlockBytes), Clients: c.clients, ExactFamily: len(steps) == 0}
	for _, step := range steps {
		e.lower(confidenceStep, step.band, step.note)
	}
	e.IOPS = e.read(c, q)
	e.BytesPerSecond = e.IOPS * q.BlockBytes
	e.Low, e.High = e.BytesPerSecond*(1-e.Band), e.BytesPerSecond*(1+e.Band)
	e.bound(q, c.protocol)
	return e, nil
}

// read takes IOPS from the curve, and says so where the block was not measured.
func (e *Ceiling) read(c curve, q Query) float64 {
	first, last := c.blocks[0], c.blocks[len(c.blocks)-1]
	block := min(max(q.BlockBytes, first), last)
	iops := microseconds / c.opTime(block, q.ReadShare)
	switch {
	case q.BlockBytes < first:
		e.lower(confidenceHeld, bandHeldIOPS, fmt.Sprintf("blocks below %s were not measured: IOPS are held", blockText(first)))
	case q.BlockBytes > last:
		e.lower(confidenceHeld, bandHeldMiBps, fmt.Sprintf("blocks above %s were not measured: MiB/s are held", blockText(last)))
		iops *= last / q.BlockBytes
	default:
		e.BlockInside = true
		if len(e.Pages) > 1 {
			e.lower(1, bandBlocks, "")
		}
	}
	return iops
}

func (e *Ceiling) lower(confidence, band float64, note string) {
	e.Confidence *= confidence
	e.Band = max(e.Band, band)
	if note != "" {
		e.Notes = append(e.Notes, note)
	}
}

// bound applies what is published beside the benchmarks: the entitlement by capacity, and a Flex pool's maximum where
// another level stands in (where Flex itself was measured, the measurement says it already).
func (e *Ceiling) bound(q Query, measured string) {
	l := levelNamed(q.Level)
	switch {
	case l.rate > 0 && q.CapacityGiB > 0:
		why := fmt.Sprintf("%s of %s capacity x %g KiB/s per GiB", capacityText(q.CapacityGiB), l.of, l.rate)
		e.cap(q.CapacityGiB*l.rate*kib, q.BlockBytes, why)
	case l.rate > 0 && l.name != Extreme:
		e.Notes = append(e.Notes, fmt.Sprintf("the %s's capacity is not given: by %g KiB/s per GiB it may be entitled to less", l.of, l.rate))
	case l.maxIOPS > 0 && !e.ExactFamily:
		e.cap(min(l.maxIOPS*q.BlockBytes, l.maxMiBps*mib), q.BlockBytes, fmt.Sprintf("a pool's maximum of %.0f op/s and %.0f MiB/s", l.maxIOPS, l.maxMiBps))
	}
	if measured == ISCSI {
		e.Notes = append(e.Notes, "measured on a pool of six volumes: the ceiling is the pool's")
	}
}

func (e *Ceiling) cap(limit, block float64, why string) {
	if limit >= e.BytesPerSecond {
		e.High = min(e.High, limit)
		return
	}
	e.BytesPerSecond, e.IOPS = limit, limit/block
	e.Low, e.High, e.Capped = min(e.Low, limit), min(e.High, limit), true
	e.Notes = append(e.Notes, "capped by "+why)
}

// largeCeiling goes by the one published maximum: the tables are about volumes with a single address.
func (t *Table) largeCeiling(q Query) (Ceiling, error) {
	if t.large == nil {
		return Ceiling{}, errors.New("no published maximum of large-capacity volumes in the table")
	}
	e := Ceiling{Confidence: 1, Family: NFSv3 + "/" + largeLevel, Pages: []string{page(t.large.Source)}, Clients: t.large.Clients,
		ExactFamily: q.Protocol == NFSv3 && q.Level == Extreme}
	e.lower(confidenceStep, bandLevel, "one mixed benchmark over all addresses, published as \"up to\"; over one address expect an ordinary volume's ceiling")
	if q.Protocol != NFSv3 {
		e.lower(confidenceStep, bandLevel, q.Protocol+" was not measured: NFSv3 stands in")
	}
	if q.Level != Extreme {
		e.lower(confidenceStep, bandLevel, q.Level+" was not measured: extreme stands in")
	}
	e.BytesPerSecond = math.Min(t.large.BytesPerSecond, t.large.IOPS*q.BlockBytes)
	e.IOPS = e.BytesPerSecond / q.BlockBytes
	e.Low, e.High = e.BytesPerSecond*(1-e.Band), e.BytesPerSecond
	e.bound(q, NFSv3)
	return e, nil
}
