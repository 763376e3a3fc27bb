package web

import (
	"fmt"
	"strings"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// Chart is what a finding is about over time, beside what is usual.
type Chart struct {
	Unit   string
	Since  time.Time // of the finding
	Falls  bool      // it is about values that are too low
	Points []Point
}

// Point is one moment of a chart; what is missing leaves a gap.
type Point struct {
	At                         time.Time
	Value, Lower, Usual, Upper fleet.Value
}

// The size of a chart in its own units.
const (
	chartWidth  = 720.0
	chartHeight = 120.0
	headroom    = 1.05
)

// drawing is a chart as the template writes it: points of lines and areas.
type drawing struct {
	Values, Usual []string // one for each stretch without a gap
	Bands         []string
	Since         float64 // where the finding begins
	From, To      time.Time
	Says          string
}

// draw makes the drawing of a chart; nil where there is nothing to see.
func (c Chart) draw() *drawing {
	most, shown := c.top(), false
	top := headroom * most
	if len(c.Points) < 2 || top <= 0 {
		return nil
	}
	from, to := c.Points[0].At, c.Points[len(c.Points)-1].At
	x := func(at time.Time) float64 { return chartWidth * float64(at.Sub(from)) / float64(to.Sub(from)) }
	y := func(v fleet.Value) float64 { return chartHeight * (1 - min(float64(v), top)/top) }
	line := func(of func(Point) fleet.Value) []string {
		return stretches(c.Points, of, func(part []Point) string {
			var b strings.Builder
			for _, p := range part {
				fmt.Fprintf(&b, "%.1f,%.1f ", x(p.At), y(of(p)))
			}
			shown = true
			return strings.TrimSpace(b.String())
		})
	}
	d := &drawing{From: from, To: to, Since: min(max(x(c.Since), 0), chartWidth)}
	d.Values, d.Usual = line(func(p Point) fleet.Value { return p.Value }), line(func(p Point) fleet.Value { return p.Usual })
	d.Bands = stretches(c.Points, func(p Point) fleet.Value { return p.Lower.Plus(p.Usual) }, func(part []Point) string {
		var above, below []string
		for _, p := range part {
			upper := p.Upper
			if !upper.Known() {
				upper = fleet.Value(top)
			}
			above = append(above, fmt.Sprintf("%.1f,%.1f", x(p.At), y(upper)))
			below = append([]string{fmt.Sprintf("%.1f,%.1f", x(p.At), y(p.Lower))}, below...)
		}
		return strings.Join(append(above, below...), " ")
	})
	if !shown {
		return nil
	}
	d.Says = fmt.Sprintf("From %s to %s: %s; the band is what is usual at that time of day.", clock(from), clock(to), c.farthest())
	return d
}

// farthest says how far what was measured went, in the direction that the finding is about.
func (c Chart) farthest() string {
	lowest, highest := fleet.Unknown, fleet.Unknown
	for _, p := range c.Points {
		if !p.Value.Known() {
			continue
		}
		if !lowest.Known() || p.Value < lowest {
			lowest = p.Value
		}
		if !highest.Known() || p.Value > highest {
			highest = p.Value
		}
	}
	switch {
	case !highest.Known():
		return "nothing was measured"
	case c.Falls:
		return "at least " + detectors.Quantity(lowest, c.Unit)
	}
	return "at most " + detectors.Quantity(highest, c.Unit)
}

// top is the highest number to be drawn. A bound that lies far above all else is cut off.
func (c Chart) top() float64 {
	highest, bound := 0.0, 0.0
	for _, p := range c.Points {
		highest = max(highest, p.Value.Or(0), p.Usual.Or(0))
		bound = max(bound, p.Upper.Or(0))
	}
	return max(highest, min(bound, 2*highest))
}

// stretches writes each part of the points in which there is a value.
func stretches(points []Point, of func(Point) fleet.Value, write func([]Point) string) []string {
	var all []string
	begin := 0
	for i := 0; i <= len(points); i++ {
		if i < len(points) && of(points[i]).Known() {
			continue
		}
		if i > begin {
			all = append(all, write(points[begin:i]))
		}
		begin = i + 1
	}
	return all
}
