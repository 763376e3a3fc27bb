package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

const (
	leastAtLimit = 0.005 // of the samples: less is chance
	fewCredits   = 0.5   // of a bucket
)

// tellLimited lists what was held at its throughput limit for a part of the week, or used most of its burst credits.
func (o *builder) tellLimited(ctx context.Context) error {
	credits, err := o.leastCredits(ctx)
	if err != nil {
		return err
	}
	for _, row := range o.weekly.rowsOf("volume") {
		one := Limited{Resource: row.Resource, AtLimit: row.AtLimit, Credits: fleet.Unknown}
		if least, known := credits[row.Resource]; known {
			one.Credits = least
		}
		if one.AtLimit.AtLeast(leastAtLimit) || one.Credits.Below(fewCredits) {
			o.weekly.Limited = append(o.weekly.Limited, one)
		}
	}
	slices.SortStableFunc(o.weekly.Limited, func(a, b Limited) int {
		return cmp.Or(cmp.Compare(b.AtLimit.Or(0), a.AtLimit.Or(0)), cmp.Compare(a.Credits.Or(1), b.Credits.Or(1)), compareResources(a.Resource, b.Resource))
	})
	return nil
}

// leastCredits are the fewest burst credits of the week of each share, as a part of its bucket.
func (o *builder) leastCredits(ctx context.Context) (map[fleet.Resource]fleet.Value, error) {
	points, err := o.reader.Instant(ctx, fmt.Sprintf("min_over_time(%s[%s])", schema.ShareBurstCreditsRollUp.Name, millis(weekLong)), o.Week.To())
	if err != nil {
		return nil, fmt.Errorf("read the burst credits of the week: %w", err)
	}
	buckets := map[fleet.Resource]fleet.Value{}
	for _, account := range o.view.Accounts {
		for _, share := range account.Shares {
			buckets[share.Identity] = share.Bucket()
		}
	}
	least := map[fleet.Resource]fleet.Value{}
	for _, point := range points {
		of := resourceOf(point.Labels)
		if bucket, known := buckets[of]; known {
			least[of] = fleet.Value(point.Value).Over(bucket)
		}
	}
	return least, nil
}
