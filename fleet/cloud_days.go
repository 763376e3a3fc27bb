package fleet

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// Days is what looks over days found of the cloud's side: taken once a day, used by every view until the next time.
type Days struct {
	at      time.Time
	pools   map[Resource]PoolDays
	volumes map[volumeKey]VolumeDays
	shares  map[Resource]ShareDays
}

// At is when the looks were taken.
func (d *Days) At() time.Time {
	if d == nil {
		return time.Time{}
	}
	return d.at
}

func unknownDays() VolumeDays {
	return VolumeDays{Coverage: Unknown, P99: Unknown, P95: Unknown, Max: Unknown, Peak: Unknown, PeakDays: Unknown, Before: Unknown, Latency: Unknown}
}

// LearnDays looks over the last two weeks of every pool of the inventory, some pools at a time, so that the samples of a few
// hundred volumes are in memory at once. Once a day is enough, and once after history was filled with the past. It takes
// seconds of CPU for a large fleet and should not hold up the evaluations.
func LearnDays(ctx context.Context, reader history.Reader, at time.Time, profile Profile) (*Days, error) {
	// On the grid of the samples, so that a backend that rounds moments gives the same.
	d := &dayReader{
		reader: reader, at: at.Truncate(schema.GCNVGrain), profile: profile,
		sums: map[Resource]*[2]sums{},
	}
	d.days = &Days{at: d.at, pools: map[Resource]PoolDays{}, volumes: map[volumeKey]VolumeDays{}, shares: map[Resource]ShareDays{}}
	pools, err := d.pools(ctx)
	if err != nil {
		return nil, err
	}
	for _, batch := range batches(pools) {
		if err := d.learn(ctx, batch); err != nil {
			return nil, fmt.Errorf("%d pools in %s of project %s: %w", len(batch.pools), batch.place.Location, batch.place.Project, err)
		}
	}
	if err := d.learnShares(ctx); err != nil {
		return nil, err
	}
	return d.days, d.learnPeaks(ctx)
}

// Pools is the number of pools that the looks found something of, and of the storage accounts.
func (d *Days) Pools() int {
	if d == nil {
		return 0
	}
	accounts := map[Resource]bool{}
	for identity := range d.shares {
		identity.Volume = ""
		accounts[identity] = true
	}
	return len(d.pools) + len(accounts)
}

// dayReader takes one look.
type dayReader struct {
	reader  history.Reader
	at      time.Time
	profile Profile
	days    *Days
	sums    map[Resource]*[2]sums // of each pool: throughput, operations
}

// poolSize is what a pool asks of a look.
type poolSize struct {
	volumes int
	flex    bool
}

// pools are those of the inventory, at the moment of the look or when it was read first.
func (d *dayReader) pools(ctx context.Context) (map[Resource]poolSize, error) {
	at := d.at
	if d.profile.Inventory.After(at) {
		at = d.profile.Inventory
	}
	pools := map[Resource]poolSize{}
	for _, feature := range cloudFeatures() {
		if feature.Name != FeaturePoolInfo && feature.Name != FeatureVolumeInfo {
			continue
		}
		points, err := d.reader.Instant(ctx, feature.expand(d.profile, ""), at)
		if err != nil {
			return nil, fmt.Errorf("feature %s: %w", feature.Name, err)
		}
		for _, point := range points {
			pool := identityOf(point.Labels)
			pool.Volume = ""
			size := pools[pool]
			size.flex = size.flex || point.Labels["service_level"] == levelFlex
			if feature.Name == FeatureVolumeInfo {
				size.volumes++
			}
			pools[pool] = size
		}
	}
	return pools, nil
}

// batch is what is read together: pools of one place, all of them Flex or none.
type batch struct {
	place   Resource
	pools   []string
	flex    bool
	volumes int
}

type batchKey struct {
	place Resource
	flex  bool
}

// batchVolumes is how many volumes are read together; a pool that has more is read on its own.
const batchVolumes = 200

func batches(pools map[Resource]poolSize) []batch {
	var all []batch
	open := map[batchKey]int{} // the batch of a place that is being filled
	for _, pool := range slices.SortedFunc(maps.Keys(pools), compareIdentities) {
		size := pools[pool]
		name, place := pool.Pool, pool
		place.Pool = ""
		key := batchKey{place, size.flex}
		i, begun := open[key]
		if !begun || all[i].volumes+size.volumes > batchVolumes {
			all = append(all, batch{place: place, flex: size.flex})
			i = len(all) - 1
			open[key] = i
		}
		all[i].pools, all[i].volumes = append(all[i].pools, name), all[i].volumes+size.volumes
	}
	return all
}

// matchers choose the batch's pools by name.
func (b batch) matchers() string {
	names := make([]string, len(b.pools))
	for i, name := range b.pools {
		names[i] = regexp.QuoteMeta(name)
	}
	return fmt.Sprintf("%s,pool=~%q", Feature{By: byPool}.matchers(b.place), strings.Join(names, "|"))
}

// samples reads an expression over a batch, over the week that ended so long before the look.
func (d *dayReader) samples(ctx context.Context, b batch, expr string, step, back time.Duration, use func(history.Series)) error {
	end := d.at.Add(-back)
	lines, err := d.reader.Range(ctx, Feature{Expr: expr}.expand(d.profile, b.matchers()), end.Add(step-week), end, step)
	if err != nil {
		return fmt.Errorf("read a week: %w", err)
	}
	for _, line := range lines {
		use(line)
	}
	return nil
}

func (d *dayReader) update(line history.Series, change func(*VolumeDays)) {
	key := volumeOf(line.Labels)
	volume, known := d.days.volumes[key]
	if !known {
		volume = unknownDays()
	}
	change(&volume)
	d.days.volumes[key] = volume
}

// add counts a series of a volume in its pool's sum: of throughput, or of operations.
func (d *dayReader) add(which int, line history.Series) {
	pool := identityOf(line.Labels)
	pool.Volume = ""
	if d.sums[pool] == nil {
		d.sums[pool] = &[2]sums{{}, {}}
	}
	d.sums[pool][which].add(line)
}

func (d *dayReader) learn(ctx context.Context, b batch) error {
	throughput, operations, latency := schema.VolumeTotalThroughput, schema.VolumeTotalOperations, schema.VolumeMeanLatency
	read := lately("last_over_time", throughput, 1)
	err := d.samples(ctx, b, read, throughput.Grain, 0, func(line history.Series) {
		d.add(0, line)
		d.update(line, func(v *VolumeDays) { v.summarise(line, d.at, throughput.Grain) })
	})
	if err != nil {
		return err
	}
	err = d.samples(ctx, b, read, throughput.Grain, week, func(line history.Series) {
		d.update(line, func(v *VolumeDays) { v.Before = UsedOf(line.Values).P99 })
	})
	if err != nil {
		return err
	}
	if b.flex {
		err = d.samples(ctx, b, lately("last_over_time", operations, 1), operations.Grain, 0, func(line history.Series) { d.add(1, line) })
		if err != nil {
			return err
		}
	}
	for pool, s := range d.sums {
		throughput, operations := s[0].used(), s[1].used()
		d.days.pools[pool] = PoolDays{P99: throughput.P99, Max: throughput.Max, IOPSP99: operations.P99, IOPSMax: operations.Max}
	}
	clear(d.sums)
	err = d.samples(ctx, b, fmt.Sprintf("avg_over_time(%s{$sel}[1h]%s)", latency.Name, offset(latency.Delay)), time.Hour, 0, func(line history.Series) {
		d.update(line, func(v *VolumeDays) { v.Latency = UsedOf(line.Values).P50 })
	})
	if err != nil {
		return err
	}
	return d.hours(ctx, b)
}

// summarise takes the numbers of a week from its samples.
func (v *VolumeDays) summarise(line history.Series, at time.Time, grain time.Duration) {
	used := UsedOf(line.Values)
	v.P99, v.P95, v.Max = used.P99, used.P95, used.Max
	v.Coverage = CoverageOf(len(line.Values), grain)
	v.Full = line.Times[0].Before(at.Add(-week + day/4))
}

func (d *dayReader) hours(ctx context.Context, b batch) error {
	all := map[volumeKey]*hourly{}
	for _, family := range []*schema.Family{schema.VolumeThroughput, schema.VolumeOperations} {
		err := d.samples(ctx, b, hourMean(family), time.Hour, 0, func(line history.Series) {
			key := volumeOf(line.Labels)
			if all[key] == nil {
				all[key] = &hourly{labels: line.Labels, hours: map[time.Time]*traffic{}}
			}
			all[key].add(family == schema.VolumeThroughput, line)
		})
		if err != nil {
			return err
		}
	}
	for _, volume := range all {
		d.update(history.Series{Labels: volume.labels}, func(v *VolumeDays) {
			if volume.whole(v.Coverage) {
				v.Hours = volume.pick()
			}
		})
	}
	return nil
}

// applyDays gives the volumes and pools what the last look over days found.
func (c *cloud) applyDays() {
	days := c.profile.Days
	if days == nil {
		return
	}
	c.view.DaysAt = days.at
	for identity, pool := range c.pools {
		if found, ok := days.pools[identity]; ok {
			pool.Days = found
		}
	}
	for key, volume := range c.volumes {
		if found, ok := days.volumes[key]; ok {
			volume.Days = found
		}
	}
}
