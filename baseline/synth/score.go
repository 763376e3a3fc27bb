package synth

import (
	"math"
	"slices"
	"time"

	"github.com/nasight/nasight/baseline"
)

// reach is how long behind its end a happening still explains an incident, as its return edge.
const reach = time.Hour

// Count is how a detector did on some series.
type Count struct {
	Happened, Found int // happenings that are no benign ones, and those with an incident
	True, False     int // incidents that a happening explains, and others
	Weeks           float64
	Late            []time.Duration // from the begin of each found happening to its incident
	ByWhat          map[string]Found
}

// Found is how many of what happened were found.
type Found struct{ Found, Happened int }

// Recall is the share of the happenings that were found.
func (c Count) Recall() float64 { return float64(c.Found) / float64(c.Happened) }

// Precision is the share of the incidents that something explains.
func (c Count) Precision() float64 { return float64(c.True) / float64(c.True+c.False) }

// FalsePerWeek is the number of false incidents in a week of one series.
func (c Count) FalsePerWeek() float64 { return float64(c.False) / c.Weeks }

// Judge plays a series to a baseline and holds the incidents against what happened.
func (c *Count) Judge(series Series) {
	opened := openings(series)
	c.Weeks += Days / 7.
	for _, at := range opened {
		if series.explains(at) {
			c.True++
		} else {
			c.False++
		}
	}
	for _, happening := range series.Happenings {
		if !happening.Benign {
			c.note(happening, slices.IndexFunc(opened, happening.explains), opened)
		}
	}
}

// note counts a happening with the incident that was first opened in it, if any.
func (c *Count) note(happening Happening, first int, opened []time.Time) {
	if c.ByWhat == nil {
		c.ByWhat = map[string]Found{}
	}
	of := c.ByWhat[happening.What]
	c.Happened++
	of.Happened++
	if first >= 0 {
		c.Found++
		of.Found++
		c.Late = append(c.Late, opened[first].Sub(happening.Start))
	}
	c.ByWhat[happening.What] = of
}

func (s Series) explains(at time.Time) bool {
	return slices.ContainsFunc(s.Happenings, func(h Happening) bool { return !h.Benign && h.explains(at) })
}

func (h Happening) explains(at time.Time) bool {
	return !at.Before(h.Start) && at.Before(h.End.Add(reach))
}

// openings plays the series in time: a sample where there is one, and a look at the clock at every grain.
func openings(series Series) []time.Time {
	var opened []time.Time
	detector := baseline.NewSeries(&series.Signal)
	for i, value := range series.Values {
		var event baseline.Event
		if !math.IsNaN(value) {
			event = detector.Feed(Time(i), value)
		}
		event |= detector.Look(Time(i))
		if event&baseline.Opened != 0 {
			opened = append(opened, Time(i))
		}
	}
	return opened
}
