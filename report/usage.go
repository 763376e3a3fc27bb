package report

import (
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// The ways in which use is measured.
const (
	measureMean = "mean" // means of five minutes
	measurePeak = "peak" // the busiest second of each five minutes
)

const (
	serviceShares = "azurefiles"
	levelFlex     = "flex"
)

// The states of a row. The one of none is empty.
const (
	stateGone = "gone" // not in the inventory
	stateIdle = "idle" // hardly anything was done in 99 of 100 samples
)

// described is what the inventory says of a pool or account.
type described struct{ level, qos string }

// source is what is read of one kind of storage.
type source struct {
	used       *schema.Family
	limit      *schema.Family // nil: the limit is in the inventory
	operations *schema.Family
	measure    string
}

func sources() []source {
	return []source{
		{schema.VolumeTotalThroughput, schema.VolumeThroughputLimit, schema.VolumeTotalOperations, measureMean},
		{schema.SharePeakThroughputRollUp, nil, schema.SharePeakOperationsRollUp, measurePeak},
	}
}

// estate is what is known of pools, apart from samples.
type estate struct {
	pools      map[fleet.Resource]described
	limits     map[fleet.Resource]float64 // of shares: throughput that is provisioned
	operations map[fleet.Resource]float64 // of shares, and of Flex pools: operations that they may do
}

// usageReader reads one week's samples and adds them up as they come: of all volumes together no more is kept than the figures.
type usageReader struct {
	reader   history.Reader
	week     Week
	asked    selection
	estate   estate
	settings detectors.Settings
	limits   bool // whether what was granted is read, and operations, beside what was used

	groups map[group]*sums
	rows   []Row // of volumes
}

// group is what is added up: a row of a level.
type group struct {
	level        string
	resource     fleet.Resource
	serviceLevel string
	measure      string
}

type sums struct {
	courses
	volumes int
}

// courses are what is read of one volume, or the sums of several.
type courses struct {
	used, limit, operations course
	mayOperate              fleet.Value // operations per second; missing as soon as a part has no limit of them
}

func newSums() *sums { return &sums{courses: courses{newCourse(), newCourse(), newCourse(), 0}} }

func (s *sums) add(of courses) {
	s.used.add(of.used)
	s.limit.add(of.limit)
	s.operations.add(of.operations)
	s.mayOperate += of.mayOperate
}

// usage reads a week. Of an earlier one, which the week is held against, what was used is enough.
func (o *builder) usage(ctx context.Context, week Week) (*usageReader, error) {
	u := &usageReader{
		reader: o.reader, week: week, asked: selection{o.Pool, o.Project}, estate: o.estate, settings: o.terms.Settings, limits: week == o.Week,
		groups: map[group]*sums{},
	}
	for _, from := range sources() {
		if err := u.read(ctx, from); err != nil {
			return nil, fmt.Errorf("read the samples of week %s: %w", week, err)
		}
	}
	return u, nil
}

func (u *usageReader) read(ctx context.Context, from source) error {
	pools, err := u.pools(ctx, from.used)
	if err != nil {
		return err
	}
	for _, part := range u.parts(pools) {
		if err := u.readPart(ctx, from, part); err != nil {
			return err
		}
	}
	return nil
}

const poolLabels = "cloud, service, project, location, pool"

// pools are those that have samples in the week, with the number of their volumes.
func (u *usageReader) pools(ctx context.Context, family *schema.Family) (map[fleet.Resource]int, error) {
	query := fmt.Sprintf(`count by (%s) (count_over_time(%s[%s]))`, poolLabels, family.Name, millis(weekLong))
	points, err := u.reader.Instant(ctx, query, u.week.To())
	if err != nil {
		return nil, err
	}
	pools := map[fleet.Resource]int{}
	for _, point := range points {
		if pool := resourceOf(point.Labels); u.asked.pool(pool) {
			pools[pool] = int(point.Value)
		}
	}
	return pools, nil
}

// part is what is read at once: pools of one place, with a few hundred volumes together.
type part struct {
	place fleet.Resource
	names []string
}

const partVolumes = 200

func (u *usageReader) parts(pools map[fleet.Resource]int) []part {
	var parts []part
	volumes := 0
	for _, pool := range slices.SortedFunc(maps.Keys(pools), compareResources) {
		place := pool
		place.Pool = ""
		last := len(parts) - 1
		if last < 0 || parts[last].place != place || volumes+pools[pool] > partVolumes {
			parts, volumes = append(parts, part{place: place}), 0
			last++
		}
		parts[last].names, volumes = append(parts[last].names, pool.Pool), volumes+pools[pool]
	}
	return parts
}

func (p part) matchers() string {
	names := make([]string, len(p.names))
	for i, name := range p.names {
		names[i] = regexp.QuoteMeta(name)
	}
	return fmt.Sprintf("cloud=%q,service=%q,project=%q,location=%q,pool=~%q", p.place.Cloud, p.place.Service, p.place.Project, p.place.Location, strings.Join(names, "|"))
}

func (u *usageReader) readPart(ctx context.Context, from source, p part) error {
	used, err := u.courses(ctx, from.used, p)
	if err != nil {
		return err
	}
	limits, operations := map[fleet.Resource]course{}, map[fleet.Resource]course{}
	if u.limits {
		if operations, err = u.courses(ctx, from.operations, p); err != nil {
			return err
		}
	}
	switch {
	case from.limit == nil:
		if err := u.told(ctx, p, used, limits, operations); err != nil {
			return err
		}
	case u.limits:
		if limits, err = u.courses(ctx, from.limit, p); err != nil {
			return err
		}
	}
	pools := map[group]*sums{}
	for _, volume := range slices.SortedFunc(maps.Keys(used), compareResources) {
		if volume.Volume == "" {
			continue // an account as a whole
		}
		u.volume(volume, courses{used[volume], limits[volume], operations[volume], u.mayOperate(volume)}, from.measure, pools)
	}
	for _, of := range slices.SortedFunc(maps.Keys(pools), func(a, b group) int { return compareResources(a.resource, b.resource) }) {
		u.addPool(of, pools[of]) // in an order: sums of floating-point numbers depend on it
	}
	return nil
}

// courses reads a family over the week, volume by volume.
func (u *usageReader) courses(ctx context.Context, family *schema.Family, p part) (map[fleet.Resource]course, error) {
	query := fmt.Sprintf("last_over_time(%s{%s}[%s])", family.Name, p.matchers(), millis(grain))
	lines, err := u.reader.Range(ctx, query, u.week.From().Add(grain), u.week.To(), grain)
	if err != nil {
		return nil, fmt.Errorf("%s of pools in %s of %s: %w", family.Name, p.place.Location, p.place.Project, err)
	}
	all, monday := make(map[fleet.Resource]course, len(lines)), u.week.From()
	for _, line := range lines {
		of := resourceOf(line.Labels)
		if all[of] == nil {
			all[of] = newCourse()
		}
		for i, at := range line.Times {
			if slot := int(at.Sub(monday)/grain) - 1; slot >= 0 && slot < slots {
				all[of][slot] = line.Values[i]
			}
		}
	}
	return all, nil
}

// told gives shares their limit, which the inventory alone has, and the zeros that Azure leaves out: where it told of a share's
// burst credits and of no throughput there was none.
func (u *usageReader) told(ctx context.Context, p part, used, limits, operations map[fleet.Resource]course) error {
	credits, err := u.courses(ctx, schema.ShareBurstCreditsRollUp, p)
	if err != nil {
		return err
	}
	for share, told := range credits {
		if used[share] == nil {
			used[share] = newCourse()
		}
		used[share].zeros(told)
		if u.limits {
			if operations[share] == nil {
				operations[share] = newCourse()
			}
			operations[share].zeros(told)
		}
	}
	for share, line := range used {
		limit, granted := u.estate.limits[share]
		if !granted {
			continue
		}
		limits[share] = newCourse()
		for i := range line {
			if !math.IsNaN(line[i]) {
				limits[share][i] = limit
			}
		}
	}
	return nil
}

// volume adds one volume to its pool and keeps its figures.
func (u *usageReader) volume(of fleet.Resource, its courses, measure string, pools map[group]*sums) {
	if its.limit == nil {
		its.limit = newCourse()
	}
	pool := of
	pool.Volume = ""
	about := u.estate.pools[pool]
	key := group{"pool", pool, about.level, measure}
	if pools[key] == nil {
		pools[key] = newSums()
	}
	total := pools[key]
	total.volumes++
	if about.level == levelFlex {
		total.limit.highest(its.limit) // each volume's is the pool's
		its.limit = newCourse()
		total.add(its)
		total.mayOperate = u.mayOperate(pool)
	} else {
		total.add(its)
	}
	row := emptyRow()
	row.Level, row.Resource, row.ServiceLevel, row.QoS, row.Measure, row.Volumes = "volume", of, about.level, about.qos, measure, 1
	row.figure(its, u.settings.Limit.At)
	row.block = blockOf(its.used, its.operations, u.settings.Activity.Operations)
	if row.P99.Known() && u.settings.Activity.Idle(row.Operations, row.P99, fleet.Unknown) {
		row.State = stateIdle
	}
	u.rows = append(u.rows, row)
}

// mayOperate is how many operations a share, or a Flex pool, may do in a second; missing where they have no limit.
func (u *usageReader) mayOperate(of fleet.Resource) fleet.Value {
	if most, limited := u.estate.operations[of]; limited {
		return fleet.Value(most)
	}
	return fleet.Unknown
}

// groupsOf are a pool and the groups that it is in.
func groupsOf(pool group) []group {
	service := fleet.Resource{Cloud: pool.resource.Cloud, Service: pool.resource.Service}
	project := service
	project.Project = pool.resource.Project
	return []group{
		pool, {"project", project, "", pool.measure}, {"service_level", service, pool.serviceLevel, pool.measure}, {"cloud", service, "", pool.measure},
	}
}

// poolGroup is the pool that a volume's row lies in.
func poolGroup(volume Row) group {
	pool := volume.Resource
	pool.Volume = ""
	return group{"pool", pool, volume.ServiceLevel, volume.Measure}
}

// addPool adds a pool to the groups that it is in.
func (u *usageReader) addPool(of group, total *sums) {
	for _, key := range groupsOf(of) {
		if u.groups[key] == nil {
			u.groups[key] = newSums()
		}
		u.groups[key].add(total.courses)
		u.groups[key].volumes += total.volumes
	}
}

// all are the rows of every level, the widest first.
func (u *usageReader) all() []Row {
	rows := make([]Row, 0, len(u.rows)+len(u.groups))
	for key, total := range u.groups {
		row := emptyRow()
		row.Level, row.Resource, row.ServiceLevel, row.Measure, row.Volumes = key.level, key.resource, key.serviceLevel, key.measure, total.volumes
		if key.level == "pool" {
			row.QoS = u.estate.pools[key.resource].qos
		}
		row.figure(total.courses, u.settings.Limit.At)
		if key.level != "pool" || key.serviceLevel != levelFlex {
			row.AtLimit = fleet.Unknown // a limit that nothing enforces for all together
		}
		rows = append(rows, row)
	}
	rows = append(rows, u.rows...)
	slices.SortFunc(rows, compareRows)
	return rows
}

// resourceOf is the identity in a series' labels.
func resourceOf(labels map[string]string) fleet.Resource {
	return fleet.Resource{
		Cloud: labels["cloud"], Service: labels["service"], Project: labels["project"], Location: labels["location"], Pool: labels["pool"], Volume: labels["volume"],
		Host: labels["host"], Server: labels["server"], Export: labels["export"], Protocol: labels["protocol"],
	}
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + "ms" }

// thin says that a week has no samples, or lacks a part of them; empty where it is whole.
func (u *usageReader) thin() string {
	all := newCourse()
	for key, total := range u.groups {
		if key.level == "cloud" {
			all.add(total.used)
		}
	}
	switch days := coverageOf(all) * 7; {
	case days == 0:
		return "history has no samples of that week."
	case days.Below(fullWeek):
		return fmt.Sprintf("samples cover %s of its 7 days.", daysOf(days))
	}
	return ""
}
