package judge

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

const (
	mountThroughput = "mount/throughput"
	mountOperations = "mount/operations"

	listedFor     = 8 * seriesGrain // so long its host has to have listed a mount for its silence to count
	presenceEvery = 7 * time.Hour   // looks at a week, each at another hour of the day …
	presenceLooks = 24              // … and so many of them
)

// presence is in how many of the looks at the last week each mount had a sample.
type presence struct {
	at    time.Time // when they were taken; zero: never
	looks map[string]int
}

func (p presence) steady(resource string) bool {
	return float64(p.looks[resource]) >= steadyShare*presenceLooks
}

func mountsOf(view *fleet.Fleet) map[string]bool {
	found := map[string]bool{}
	for _, client := range view.Clients {
		for _, mount := range client.Mounts {
			found[resourceKey(mount.Resource())] = true
		}
	}
	return found
}

// silentMounts are those whose hosts list them all the time while their counters are told no more, though they usually are. A
// mount that is gone is no silence: it was unmounted, which is listed among what changed. Nothing is asked while every mount
// that is listed has samples.
func (b *Baselines) silentMounts(ctx context.Context, reader history.Reader, now time.Time) ([]string, error) {
	candidates := b.withoutSamples(now)
	if len(candidates) == 0 {
		return nil, nil
	}
	listed, err := listedMounts(ctx, reader, now)
	if err != nil {
		return nil, err
	}
	var silent []string
	for _, resource := range candidates {
		if !listed[resource] {
			continue
		}
		if now.Sub(b.usually.at).Abs() >= Daily {
			if b.usually, err = b.present(ctx, reader, now); err != nil {
				return nil, err
			}
		}
		if b.usually.steady(resource) {
			silent = append(silent, resource)
		}
	}
	return silent, nil
}

// withoutSamples are the mounts of the last view that had samples once and have none now.
func (b *Baselines) withoutSamples(now time.Time) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []string
	for resource := range b.mounts {
		series := b.set.Series(baseline.Key{Signal: mountOperations, Resource: resource})
		if series != nil && now.Sub(series.Last()) > 3*seriesGrain+clientDelay {
			found = append(found, resource)
		}
	}
	return found
}

// listedMounts are those that their hosts listed in every grain of the last time.
func listedMounts(ctx context.Context, reader history.Reader, now time.Time) (map[string]bool, error) {
	var parts []string
	for _, family := range []*schema.Family{schema.NFSMountInfo, schema.SMBMountInfo, schema.ISCSIMountInfo} {
		parts = append(parts, fmt.Sprintf("count_over_time((group by (%s) (last_over_time(%s[%s])))[%s:%s]) >= %d", mountBy, family.Name,
			grainRange(), promDuration(listedFor), promDuration(seriesGrain), listedFor/seriesGrain))
	}
	points, err := reader.Instant(ctx, strings.Join(parts, " or "), now)
	if err != nil {
		return nil, fmt.Errorf("ask which mounts are listed: %w", err)
	}
	listed := map[string]bool{}
	for _, point := range points {
		listed[resourceKey(fleet.ResourceOf(point.Labels))] = true
	}
	return listed, nil
}

// present looks at the last week, at one moment after the other: a range over all of it would read every sample.
func (b *Baselines) present(ctx context.Context, reader history.Reader, now time.Time) (presence, error) {
	found := presence{at: now, looks: map[string]int{}}
	for i := range b.sources {
		if b.sources[i].signal.ID != mountOperations {
			continue
		}
		query := strings.ReplaceAll(strings.Join(b.sources[i].queries, " or "), anyOf, "")
		for look := 1; look <= presenceLooks; look++ {
			points, err := reader.Instant(ctx, query, now.Add(-time.Duration(look)*presenceEvery))
			if err != nil {
				return presence{}, fmt.Errorf("ask which mounts are usually read: %w", err)
			}
			for _, point := range points {
				found.looks[resourceKey(fleet.ResourceOf(point.Labels))]++
			}
		}
	}
	return found, nil
}

// lookAtMounts tells the series of silent mounts what time it is. Called with the lock held.
func (b *Baselines) lookAtMounts(silent []string, now time.Time) {
	for _, resource := range silent {
		for _, signal := range []string{mountOperations, mountThroughput} {
			if series := b.set.Series(baseline.Key{Signal: signal, Resource: resource}); series != nil {
				series.Look(now)
			}
		}
	}
}
