package judge

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

const (
	changesBefore = 15 * time.Minute // before an incident began: what was in force then
	changesAfter  = 75 * time.Minute // after it: an inventory is read once an hour
	mountsAfter   = 10 * time.Minute // the same of mounts, which are read all the time
	changesEvery  = seriesGrain      // how often it is asked anew until then
	changesAsked  = 16               // incidents of which it is asked in one look
	nearBy        = 30 * time.Minute // within which other findings count as begun at the same time
	leastChange   = 0.01             // relative: below it a number was rounded, not changed
)

// noted is what is known of what changed when an incident began.
type noted struct {
	words []string
	at    time.Time // when it was asked
}

// incidentKey is the same from the beginning to the end of an incident.
func incidentKey(m baseline.Merged) string {
	return m.Start.String() + separator + resourceKey(fleet.ResourceAt(m.Root.Place))
}

// explain finds out what changed at the time of each incident, the ones of which least is known first, and forgets those
// that are over.
func (b *Baselines) explain(ctx context.Context, reader history.Reader, view *fleet.Fleet, merged []baseline.Merged, findings []detectors.Finding) (map[string]noted, error) {
	b.mu.Lock()
	before := b.changes
	b.mu.Unlock()
	known, asked := map[string]noted{}, 0
	var failed error
	for _, one := range merged {
		key := incidentKey(one)
		note := before[key]
		due := note.at.Before(one.Start.Add(changesAfter+changesEvery)) && view.At.Sub(note.at) >= changesEvery
		if due && asked < changesAsked && failed == nil {
			asked++
			words, err := changes(ctx, reader, view, one)
			if failed = err; err == nil {
				note = noted{words: words, at: view.At}
			}
		}
		known[key] = note
	}
	b.mu.Lock()
	b.changes = known
	b.mu.Unlock()
	told := make(map[string]noted, len(known))
	for _, one := range merged {
		key := incidentKey(one)
		told[key] = noted{words: slices.Concat(known[key].words, begun(one, findings))}
	}
	return told, failed
}

// begun are the findings of other rules on the path that began at about the same time.
func begun(m baseline.Merged, findings []detectors.Finding) []string {
	var words []string
	for _, finding := range findings {
		if finding.Detector == detectors.Anomaly || finding.State == detectors.Resolved || finding.Since.Sub(m.Start).Abs() > nearBy {
			continue
		}
		if detectors.OnPath(fleet.Anomaly{Merged: m}, finding) {
			bound := ""
			if finding.SinceAtLeast {
				bound = "at least "
			}
			words = append(words, fmt.Sprintf("%s/%s %ssince %s", finding.Detector, finding.Variant, bound, finding.Since.UTC().Format("15:04 UTC")))
		}
	}
	return words
}

// changes compares what was in force before an incident with what was after it.
func changes(ctx context.Context, reader history.Reader, view *fleet.Fleet, m baseline.Merged) ([]string, error) {
	ask := func(query string, at time.Time) ([]history.Point, error) { return reader.Instant(ctx, query, at) }
	c := comparison{ask: ask, before: m.Start.Add(-changesBefore)}
	place, later := m.Root.Place, func(after time.Duration) time.Time {
		if at := m.Start.Add(after); at.Before(view.At) {
			return at
		}
		return view.At
	}
	c.after = later(changesAfter)
	if place.Pool != "" {
		pool := matchers("cloud", place.Cloud, "service", place.Service, "project", place.Project, "location", place.Location, "pool", place.Pool)
		c.inventory(pool, schema.PoolInfo, schema.AccountInfo)
		c.limits(pool, schema.PoolCapacity, schema.PoolTotalThroughput, schema.PoolTotalIOPS)
	}
	if place.Volume != "" {
		volume := matchers("cloud", place.Cloud, "service", place.Service, "project", place.Project, "location", place.Location, "volume", place.Volume)
		c.inventory(volume, schema.VolumeInfo, schema.ShareInfo)
		c.limits(volume, schema.VolumeThroughputLimit, schema.VolumeAssignedThroughput, schema.VolumeCapacity, schema.ShareQuota,
			schema.ShareProvisionedThroughput, schema.ShareProvisionedOperations)
	}
	c.after = later(mountsAfter)
	for _, selector := range mountSelectors(view, place) {
		c.mounts(selector)
	}
	slices.Sort(c.words)
	return slices.Compact(c.words), c.err
}

// mountSelectors are those of the mounts at a place: of the host, or of all that mount the volume.
func mountSelectors(view *fleet.Fleet, place baseline.Place) []string {
	if place.Host != "" {
		return []string{matchers("host", place.Host)}
	}
	var selectors []string
	for _, pool := range view.Pools {
		for _, volume := range pool.Volumes {
			if placeIn(volume.Identity) == place {
				for _, endpoint := range volume.Endpoints {
					selectors = append(selectors, matchers("server", endpoint.Server, "export", endpoint.Export))
				}
			}
		}
	}
	return selectors
}

func matchers(pairs ...string) string {
	var all []string
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, fmt.Sprintf("%s=%q", pairs[i], pairs[i+1]))
	}
	return strings.Join(all, ",")
}

// comparison asks history for the same at two moments. After an error it asks nothing more.
type comparison struct {
	ask           func(query string, at time.Time) ([]history.Point, error)
	before, after time.Time
	words         []string
	err           error
}

// both are the newest points of a family at either moment, each look over so long a time.
func (c *comparison) both(family *schema.Family, selector string, window time.Duration) (then, now []history.Point) {
	query := fmt.Sprintf("last_over_time(%s{%s}[%s])", family.Name, selector, promDuration(window))
	for i, at := range []time.Time{c.before, c.after} {
		if c.err != nil {
			return nil, nil
		}
		points, err := c.ask(query, at)
		if err != nil {
			c.err = fmt.Errorf("ask what changed: %w", err)
		}
		if i == 0 {
			then = points
		} else {
			now = points
		}
	}
	return then, now
}

// limits notes the numbers of resources that differ.
func (c *comparison) limits(selector string, families ...*schema.Family) {
	for _, family := range families {
		then, now := c.both(family, selector, 2*max(family.Grain, family.Delay)+seriesGrain)
		for _, point := range now {
			same := slices.IndexFunc(then, func(p history.Point) bool { return maps.Equal(p.Labels, point.Labels) })
			if same >= 0 && math.Abs(point.Value-then[same].Value) > leastChange*math.Abs(then[same].Value) {
				c.words = append(c.words, fmt.Sprintf("%s of %s from %s to %s", plainName(family), nameOf(point.Labels), amount(family, then[same].Value), amount(family, point.Value)))
			}
		}
	}
}

// inventory notes the facts of resources that differ, and those that came or went. Of a resource whose facts changed the look
// may find both series: the one that was not there before counts.
func (c *comparison) inventory(selector string, families ...*schema.Family) {
	for _, family := range families {
		c.facts(family, selector, 2*family.Grain+seriesGrain, func(labels map[string]string) string {
			return resourceKey(fleet.ResourceOf(labels))
		})
	}
}

// mounts notes mounts that came or went, and options that changed.
func (c *comparison) mounts(selector string) {
	for _, family := range []*schema.Family{schema.NFSMountInfo, schema.SMBMountInfo, schema.ISCSIMountInfo} {
		c.facts(family, selector, 8*schema.HostGrain, func(labels map[string]string) string {
			return labels["host"] + separator + labels["server"] + separator + labels["export"]
		})
	}
}

func (c *comparison) facts(family *schema.Family, selector string, window time.Duration, key func(map[string]string) string) {
	then, now := c.both(family, selector, window)
	if len(then) == 0 || len(now) == 0 { // it was not read at one of the moments: that tells of no change
		return
	}
	before, after := byKey(then, nil, key), byKey(now, then, key)
	for _, k := range slices.Sorted(maps.Keys(after)) {
		if old, ok := before[k]; !ok {
			c.words = append(c.words, nameOf(after[k])+" appeared")
		} else {
			c.words = append(c.words, differences(old, after[k])...)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[k]; !ok {
			c.words = append(c.words, nameOf(before[k])+" is gone")
		}
	}
}

// byKey are the labels of each resource: of several series those that are not among the old ones.
func byKey(points, old []history.Point, key func(map[string]string) string) map[string]map[string]string {
	found := map[string]map[string]string{}
	for _, point := range points {
		k := key(point.Labels)
		was := slices.ContainsFunc(old, func(p history.Point) bool { return maps.Equal(p.Labels, point.Labels) })
		if _, known := found[k]; !known || !was {
			found[k] = point.Labels
		}
	}
	return found
}

// differences are the facts in which two series of one resource differ. Where it is mounted on the host is none.
func differences(old, now map[string]string) []string {
	var words []string
	for _, label := range slices.Sorted(maps.Keys(now)) {
		if old[label] != now[label] && label != "mountpoints" && label != "device" {
			words = append(words, fmt.Sprintf("%s of %s from %s to %s", strings.ReplaceAll(label, "_", " "), nameOf(now),
				cmp.Or(old[label], "nothing"), cmp.Or(now[label], "nothing")))
		}
	}
	return words
}

// nameOf names a resource in a sentence.
func nameOf(labels map[string]string) string {
	switch {
	case labels["host"] != "":
		return "the mount of " + labels["server"] + ":" + labels["export"] + " at " + labels["host"]
	case labels["volume"] != "":
		return "volume " + labels["volume"]
	}
	return "pool " + labels["pool"]
}

// plainName is a family's name in a sentence.
func plainName(family *schema.Family) string {
	name := strings.TrimPrefix(family.Name, "nasight_")
	for _, suffix := range []string{"_bytes_per_second", "_operations_per_second", "_bytes"} {
		name = strings.TrimSuffix(name, suffix)
	}
	_, name, _ = strings.Cut(name, "_") // pool, volume, share
	return strings.ReplaceAll(name, "_", " ")
}

func amount(family *schema.Family, value float64) string {
	switch family.Unit {
	case schema.BytesPerSecond:
		return fmt.Sprintf("%.4g MiB/s", value/(1<<20))
	case schema.Bytes:
		return fmt.Sprintf("%.5g GiB", value/(1<<30))
	}
	return fmt.Sprintf("%.4g", value)
}
