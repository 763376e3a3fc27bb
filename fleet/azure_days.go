package fleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

const (
	shareLook  = schema.AzureRollUpGrain // what one value of a week is of: the highest second in it
	growthStep = 6 * time.Hour           // the service computes the used space a few times a day
	growthLow  = 8                       // steps that have to be known for a slope
)

func unknownShareDays() ShareDays {
	use := ShareUse{Unknown, Unknown, Unknown, Unknown}
	return ShareDays{Coverage: Unknown, Operations: use, Throughput: use, Growth: Unknown}
}

// learnShares looks over the last weeks of every share, some accounts at a time.
func (d *dayReader) learnShares(ctx context.Context) error {
	at := d.at
	if d.profile.Inventory.After(at) {
		at = d.profile.Inventory
	}
	accounts := map[Resource]poolSize{}
	points, err := d.reader.Instant(ctx, Feature{Expr: settled(schema.ShareInfo, byVolume)}.expand(d.profile, ""), at)
	if err != nil {
		return fmt.Errorf("feature %s: %w", FeatureShareInfo, err)
	}
	for _, point := range points {
		account := identityOf(point.Labels)
		account.Volume = ""
		accounts[account] = poolSize{volumes: accounts[account].volumes + 1}
	}
	for _, batch := range batches(accounts) {
		if err := d.learnAccounts(ctx, batch); err != nil {
			return fmt.Errorf("%d accounts in %s of subscription %s: %w", len(batch.pools), batch.place.Location, batch.place.Project, err)
		}
	}
	return d.learnSharePeaks(ctx)
}

// shareWeek is what a week tells of a share.
type shareWeek struct {
	told                   map[int64]bool // parts of the week that the service told something of
	first                  time.Time
	operations, throughput []float64
}

func (w *shareWeek) tell(line history.Series) {
	for _, at := range line.Times {
		w.told[at.UnixMilli()] = true
		if w.first.IsZero() || at.Before(w.first) {
			w.first = at
		}
	}
}

func (d *dayReader) learnAccounts(ctx context.Context, b batch) error {
	weeks := map[Resource]*shareWeek{}
	week := func(line history.Series) *shareWeek {
		identity := identityOf(line.Labels)
		if weeks[identity] == nil {
			weeks[identity] = &shareWeek{told: map[int64]bool{}}
		}
		weeks[identity].tell(line)
		return weeks[identity]
	}
	for family, use := range map[*schema.Family]func(history.Series){
		schema.SharePeakOperationsRollUp: func(line history.Series) { week(line).operations = line.Values },
		schema.SharePeakThroughputRollUp: func(line history.Series) { week(line).throughput = line.Values },
		schema.ShareBurstCreditsRollUp:   func(line history.Series) { week(line) },
	} {
		if err := d.samples(ctx, b, lately("last_over_time", family, 1), shareLook, 0, use); err != nil {
			return err
		}
	}
	for identity, w := range weeks {
		days := unknownShareDays()
		w.summarise(&days, d.at)
		d.days.shares[identity] = days
	}
	return d.learnEarlier(ctx, b)
}

// summarise takes the numbers of a week. The service tells nothing of a minute in which nothing was done: where it told of
// the share's burst credits and of no operations there were none.
func (w *shareWeek) summarise(days *ShareDays, at time.Time) {
	days.Coverage = CoverageOf(len(w.told), shareLook)
	days.Full = w.first.Before(at.Add(-week + day/4))
	for values, use := range map[*[]float64]*ShareUse{&w.operations: &days.Operations, &w.throughput: &days.Throughput} {
		all := append(make([]float64, max(0, len(w.told)-len(*values))), *values...)
		used := UsedOf(all)
		use.P99, use.Max, use.Peak = used.P99, used.Max, used.Max
	}
}

// learnEarlier looks at the weeks before, of the shares that the last one told something of, and at the growth.
func (d *dayReader) learnEarlier(ctx context.Context, b batch) error {
	update := func(line history.Series, change func(*ShareDays)) {
		identity := identityOf(line.Labels)
		if days, ok := d.days.shares[identity]; ok {
			change(&days)
			d.days.shares[identity] = days
		}
	}
	for family, use := range map[*schema.Family]func(*ShareDays) *ShareUse{
		schema.SharePeakOperationsRollUp: func(d *ShareDays) *ShareUse { return &d.Operations },
		schema.SharePeakThroughputRollUp: func(d *ShareDays) *ShareUse { return &d.Throughput },
	} {
		err := d.samples(ctx, b, lately("last_over_time", family, 1), shareLook, week, func(line history.Series) {
			update(line, func(days *ShareDays) { use(days).Before = UsedOf(line.Values).P99 })
		})
		if err != nil {
			return err
		}
	}
	used := lately("last_over_time", schema.ShareUsed, int(growthStep/schema.ShareUsed.Grain))
	return d.samples(ctx, b, used, growthStep, 0, func(line history.Series) {
		// A share of which the minutes tell nothing, as one that is paid by use, grows all the same.
		identity := identityOf(line.Labels)
		if _, ok := d.days.shares[identity]; !ok {
			d.days.shares[identity] = unknownShareDays()
		}
		if len(line.Values) >= growthLow {
			update(line, func(days *ShareDays) { days.Growth = Slope(line.Times, valuesOf(line.Values)) })
		}
	})
}

// shareKey is a share as Peaks names it: the names of shares are unique in an account alone.
func shareKey(labels map[string]string) volumeKey {
	key := volumeOf(labels)
	key.volume = labels["pool"] + "/" + key.volume
	return key
}

// learnSharePeaks gives the shares that have samples in the last week the highest of the last five weeks, of which looks that
// follow each other read each day once.
func (d *dayReader) learnSharePeaks(ctx context.Context) error {
	if len(d.days.shares) == 0 {
		return nil
	}
	first, last := d.at.Add(day-peakWindow), d.at.Add(-week)
	for family, use := range map[*schema.Family]func(*ShareDays) *ShareUse{
		schema.SharePeakOperationsRollUp: func(d *ShareDays) *ShareUse { return &d.Operations },
		schema.SharePeakThroughputRollUp: func(d *ShareDays) *ShareUse { return &d.Throughput },
	} {
		peaks := d.profile.Peaks.ofShares(family)
		if from, to := peaks.lacking(first, last); !from.IsZero() {
			daily := fmt.Sprintf("max by (%s) (%s)", strings.Join(byVolume, ", "), lately("max_over_time", family, int(day/family.Grain)))
			lines, err := d.reader.Range(ctx, Feature{Expr: daily}.expand(d.profile, ""), from, to, day)
			if err != nil {
				return fmt.Errorf("read the highest of %s: %w", family.Name, err)
			}
			peaks.keep(from, to, lines, shareKey)
		}
		for identity, days := range d.days.shares {
			key := shareKey(map[string]string{
				"cloud": identity.Cloud, "service": identity.Service, "project": identity.Project, "location": identity.Location,
				"pool": identity.Pool, "volume": identity.Volume,
			})
			use(&days).raise(peaks.highs[key], first, last)
			d.days.shares[identity] = days
		}
	}
	return nil
}

// ofShares are the highs of a family of shares; of no Peaks they are empty.
func (p *Peaks) ofShares(family *schema.Family) *Peaks {
	if p == nil {
		return &Peaks{}
	}
	if p.shares == nil {
		p.shares = map[*schema.Family]*Peaks{}
	}
	if p.shares[family] == nil {
		p.shares[family] = &Peaks{}
	}
	return p.shares[family]
}

// raise lifts the peak of a share that was used in the last week to the highest of the days that end in a span before it.
func (u *ShareUse) raise(highs []dayHigh, first, last time.Time) {
	for _, high := range highs {
		if u.Max.Known() && high.end >= first.UnixMilli() && high.end <= last.UnixMilli() {
			u.Peak = max(u.Peak, high.value)
		}
	}
}

func valuesOf(numbers []float64) []Value {
	values := make([]Value, len(numbers))
	for i, number := range numbers {
		values[i] = Value(number)
	}
	return values
}
