package report

import (
	"context"
	"fmt"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/schema"
)

// inventoryLook is how long an inventory stands: it is read hourly.
const inventoryLook = 4 * schema.ConfigGrain

// findInventory is the moment of the inventory that is used: the week's end, or where none is known then the first that was read
// after it. Zero: none is known. The cloud tells the past of its measurements and not that of its inventory.
func (o *builder) findInventory(ctx context.Context) (time.Time, error) {
	listed := fmt.Sprintf("%s or %s", "count(last_over_time(%[1]s[%[3]s]))", "count(last_over_time(%[2]s[%[3]s]))")
	at := o.Week.To()
	points, err := o.reader.Instant(ctx, fmt.Sprintf(listed, schema.PoolInfo.Name, schema.ShareInfo.Name, millis(inventoryLook)), at)
	if err != nil || len(points) > 0 {
		return at, err
	}
	if since := o.Now.Sub(at); since > 0 {
		// In steps below the look-back of a selector, none is missed.
		query := fmt.Sprintf("min_over_time((min(timestamp(%s)) or min(timestamp(%s)))[%s:4m])", schema.PoolInfo.Name, schema.ShareInfo.Name, millis(since))
		if points, err = o.reader.Instant(ctx, query, o.Now); err != nil || len(points) == 0 {
			return time.Time{}, err
		}
		first := time.Unix(int64(points[0].Value)+1, 0).UTC()
		if settled := first.Add(inventorySettles); settled.Before(o.Now) {
			return settled, nil
		}
		return o.Now, nil
	}
	return time.Time{}, nil
}

// inventorySettles is how long the first readings of all inventories take.
const inventorySettles = 5 * time.Minute

// readEstate learns what pools and accounts there were: as of the inventory, and of pools that went in the week as of before.
func (o *builder) readEstate(ctx context.Context) error {
	o.estate = estate{pools: map[fleet.Resource]described{}, limits: map[fleet.Resource]float64{}, operations: map[fleet.Resource]float64{}}
	if err := o.describe(ctx, o.Week.To(), weekLong); err != nil {
		return err
	}
	if o.inventory.IsZero() {
		return nil
	}
	if err := o.describe(ctx, o.inventory, inventoryLook); err != nil {
		return err
	}
	for _, from := range []struct {
		family *schema.Family
		to     map[fleet.Resource]float64
	}{
		{schema.ShareProvisionedThroughput, o.estate.limits}, {schema.ShareProvisionedOperations, o.estate.operations},
		{schema.PoolTotalIOPS, o.estate.operations},
	} {
		points, err := o.reader.Instant(ctx, fmt.Sprintf("last_over_time(%s[%s])", from.family.Name, millis(inventoryLook)), o.inventory)
		if err != nil {
			return fmt.Errorf("read what shares and pools provision: %w", err)
		}
		for _, point := range points {
			from.to[resourceOf(point.Labels)] = point.Value
		}
	}
	return nil
}

// describe reads levels and QoS. What is read later wins.
func (o *builder) describe(ctx context.Context, at time.Time, look time.Duration) error {
	for _, from := range []struct {
		family     *schema.Family
		level, qos string
	}{{schema.PoolInfo, "service_level", "qos_type"}, {schema.AccountInfo, "media", "billing"}} {
		points, err := o.reader.Instant(ctx, fmt.Sprintf("last_over_time(%s[%s])", from.family.Name, millis(look)), at)
		if err != nil {
			return fmt.Errorf("read the inventory of %s: %w", at.Format(time.RFC3339), err)
		}
		for _, point := range points {
			pool := resourceOf(point.Labels)
			pool.Volume, pool.Host, pool.Server, pool.Export, pool.Protocol = "", "", "", "", ""
			o.estate.pools[pool] = described{point.Labels[from.level], point.Labels[from.qos]}
		}
	}
	return nil
}

// place gives the rows what the inventory and the view alone know, and marks what is gone.
func (o *builder) place(rows []Row) {
	pools, volumes := map[fleet.Resource]*fleet.Pool{}, map[fleet.Resource]*fleet.Volume{}
	accounts, shares := map[fleet.Resource]bool{}, map[fleet.Resource]*fleet.Share{}
	for _, pool := range o.view.Pools {
		pools[pool.Identity] = pool
		for _, volume := range pool.Volumes {
			volumes[volume.Identity] = volume
		}
	}
	for _, account := range o.view.Accounts {
		accounts[account.Identity] = true
		for _, share := range account.Shares {
			shares[share.Identity] = share
		}
	}
	for i := range rows {
		row := &rows[i]
		switch pool, volume, share := pools[row.Resource], volumes[row.Resource], shares[row.Resource]; {
		case row.Level != "pool" && row.Level != "volume":
		case pool != nil:
			row.Unassigned = unassignedOf(pool)
			row.Paid = judge.Granted(pool)
		case volume != nil:
			row.reach(volume, o)
		case share != nil:
			row.reachShare(share)
		case accounts[row.Resource]:
			row.Paid = row.Granted // what shares provision is paid for
		case !o.inventory.IsZero():
			row.State = stateGone
		}
	}
	paid(rows)
	reachGroups(rows)
}

// paid gives groups of pools what their pools have for what is paid; a pool of which that is not known counts with what it granted.
func paid(rows []Row) {
	for i := range rows {
		row := &rows[i]
		if row.Level == "pool" || row.Level == "volume" {
			continue
		}
		for _, pool := range rows {
			of := pool.Resource
			if pool.Level != "pool" || of.Service != row.Resource.Service || row.Resource.Project != "" && of.Project != row.Resource.Project ||
				row.Level == "service_level" && pool.ServiceLevel != row.ServiceLevel {
				continue
			}
			if pool.Paid.Known() {
				row.Paid = row.Paid.Plus(pool.Paid)
			} else {
				row.Paid = row.Paid.Plus(pool.Granted)
			}
		}
	}
}

// unassignedOf is what no volume of a pool with manual QoS holds.
func unassignedOf(pool *fleet.Pool) fleet.Value {
	if !pool.Manual() {
		return fleet.Unknown
	}
	return pool.Available
}
