package fleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// peakWindow is how far back the highest sample of a volume is looked for: what each end of a month brings is in it.
const peakWindow = 35 * day

// Peaks are the highest samples of each volume, day by day, before the week that a look over days reads as samples. Looks
// that are a day apart share all of them but one, so a fold over days that keeps its Peaks pays once for looking back further.
// It is for looks that follow each other over a history whose past stays as it is: whoever fills the past starts anew. The
// zero value is empty.
type Peaks struct {
	read  map[int64]bool // the ends of the days that were read, in milliseconds
	highs map[volumeKey][]dayHigh

	shares map[*schema.Family]*Peaks // of Azure shares, by what is measured of them
}

type dayHigh struct {
	end   int64
	value Value
}

// peakExpr is the highest sample over a time, of each volume by some labels; one that was moved has a series of each pool.
func peakExpr(over time.Duration, by []string) string {
	family := schema.VolumeTotalThroughput
	return fmt.Sprintf("max by (%s) (max_over_time(%s{$sel}[%s]%s))", strings.Join(by, ", "), family.Name, millis(over), offset(family.Delay))
}

// learnPeaks gives the volumes that have samples in the last week the highest of the last five weeks.
func (d *dayReader) learnPeaks(ctx context.Context) error {
	peaks := d.profile.Peaks
	if peaks == nil {
		peaks = &Peaks{}
	}
	first, last := d.at.Add(day-peakWindow), d.at.Add(-week)
	if from, to := peaks.lacking(first, last); !from.IsZero() {
		lines, err := d.reader.Range(ctx, Feature{Expr: peakExpr(day, byVolume)}.expand(d.profile, ""), from, to, day)
		if err != nil {
			return fmt.Errorf("feature %s: %w", FeatureVolumePeak, err)
		}
		peaks.keep(from, to, lines, volumeOf)
	}
	for key, volume := range d.days.volumes {
		if volume.Max.Known() {
			volume.raise(peaks.highs[key], first, last)
			d.days.volumes[key] = volume
		}
	}
	return nil
}

// lacking gives the first and the last end of the days that were not read, of those that end in a span; zero for none.
func (p *Peaks) lacking(first, last time.Time) (from, to time.Time) {
	for end := first; !end.After(last); end = end.Add(day) {
		if p.read[end.UnixMilli()] {
			continue
		}
		if from.IsZero() {
			from = end
		}
		to = end
	}
	return from, to
}

// keep takes in what was read of the days that end in a span. A day that was known is read with others around it at times:
// its highs are there twice then, and the same.
func (p *Peaks) keep(from, to time.Time, lines []history.Series, keyOf func(map[string]string) volumeKey) {
	if p.read == nil {
		p.read, p.highs = map[int64]bool{}, map[volumeKey][]dayHigh{}
	}
	for end := from; !end.After(to); end = end.Add(day) {
		p.read[end.UnixMilli()] = true
	}
	for _, line := range lines {
		key := keyOf(line.Labels)
		for i, at := range line.Times {
			p.highs[key] = append(p.highs[key], dayHigh{at.UnixMilli(), Value(line.Values[i])})
		}
	}
}

// raise takes the peak of a volume from its last week and the highs of the days that end in a span before it.
func (v *VolumeDays) raise(highs []dayHigh, first, last time.Time) {
	v.Peak, v.PeakDays = v.Max, v.Coverage*Value(week/day)
	if v.Full {
		v.PeakDays = Value(week / day)
	}
	for _, high := range highs {
		if high.end < first.UnixMilli() || high.end > last.UnixMilli() {
			continue
		}
		back := last.Sub(time.UnixMilli(high.end)) + week + day // to the beginning of that day
		v.Peak, v.PeakDays = max(v.Peak, high.value), max(v.PeakDays, Value(back/day))
	}
}
