package azurenetapp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
)

const (
	mostLooked = 5 // accounts, and pools, that are listed at most to find a volume to try the rest on
	mostNamed  = 5 // things that one line names
)

// oddities tells how much of a list made no sense.
func (r *reader) oddities() []string {
	count := 0
	for _, n := range r.odd {
		count += n
	}
	if count == 0 {
		return nil
	}
	return []string{connect.Count(count, "item") + " of the lists made no sense"}
}

func (v *visit) reader() *reader { return &reader{now: v.at, odd: map[string]int{}} }

// tryAccounts lists the accounts.
func (v *visit) tryAccounts(ctx context.Context) outcome {
	factory, err := v.factory()
	if err != nil {
		return outcome{Err: err}
	}
	r := v.reader()
	if v.accounts, err = v.listAccounts(ctx, factory, v.sub, r); err != nil {
		return outcome{Err: err}
	}
	got := outcome{Found: connect.Count(len(v.accounts), "NetApp account"), Odd: r.oddities()}
	if len(v.accounts) == 0 {
		got.Odd = append(got.Odd, "there is nothing to read")
	}
	return got
}

// tryPools lists the pools of some accounts, until one has some.
func (v *visit) tryPools(ctx context.Context) outcome {
	if len(v.accounts) == 0 {
		return outcome{Absent: "cannot be tried: no account is known"}
	}
	factory, err := v.factory()
	if err != nil {
		return outcome{Err: err}
	}
	r, part := v.reader(), ""
	for _, at := range v.accounts[:min(mostLooked, len(v.accounts))] {
		part = "account " + at.account
		if v.pools, err = v.listPools(ctx, factory, v.sub, r, at); err != nil {
			return outcome{Part: part, Err: err}
		}
		if len(v.pools) > 0 {
			v.pool = v.pools[0]
			break
		}
	}
	got := outcome{Part: part, Found: connect.Count(len(v.pools), "capacity pool"), Odd: r.oddities()}
	if len(v.pools) == 0 {
		got.Odd = append(got.Odd, "there is no pool to read")
	}
	return got
}

// tryVolumes lists the volumes of some pools, until one has some.
func (v *visit) tryVolumes(ctx context.Context) outcome {
	if len(v.pools) == 0 {
		return outcome{Absent: "cannot be tried: no pool is known"}
	}
	factory, err := v.factory()
	if err != nil {
		return outcome{Err: err}
	}
	r, part, found := v.reader(), "", 0
	for _, p := range v.pools[:min(mostLooked, len(v.pools))] {
		part = "pool " + p.name
		volumes, err := v.listVolumes(ctx, factory, v.sub, r, p)
		if err != nil {
			return outcome{Part: part, Err: err}
		}
		if found = len(volumes); found > 0 {
			v.pool, v.volume = p, volumes[0]
			break
		}
	}
	got := outcome{Part: part, Found: connect.Count(found, "volume"), Odd: r.oddities()}
	if found == 0 {
		got.Odd = append(got.Odd, "there is no volume to read")
	}
	return got
}

// tryMetrics asks for each group as the collector does, of one volume and of its pool.
func (v *visit) tryMetrics(ctx context.Context) outcome {
	if v.pool == nil {
		return outcome{Absent: "cannot be tried: no pool is known"}
	}
	client, err := v.asks.Metrics()
	if err != nil {
		return outcome{Err: fmt.Errorf("client of Azure Monitor: %w", err)}
	}
	known, points, part := 0, 0, "pool "+v.pool.name
	failed := map[string]bool{}
	for _, g := range v.groups {
		one := &target{name: v.pool.name, pool: v.pool, groups: map[*group]*groupState{}}
		if !g.ofPools {
			if v.volume == nil {
				continue
			}
			one.volume, part = v.volume, "volume "+v.pool.name+"/"+v.volume.name
		}
		w, _ := g.pace.Window(time.Time{}, false, v.at, v.delay(g))
		f, err := ask(ctx, client, g, v.jobOf(one, g, w, v.at))
		if err != nil {
			return outcome{Part: part, Err: err}
		}
		known += len(g.rows)
		for metric, err := range f.failed {
			failed[metric+" ("+azureapi.ReasonOf(err)+")"] = true
		}
		for _, found := range f.points {
			points += len(found)
		}
	}
	got := outcome{Part: part, Found: fmt.Sprintf("%d of %d metrics can be read", known-len(failed), known)}
	if len(failed) > 0 {
		got.Odd = append(got.Odd, "the service leaves out "+connect.Few(slices.Sorted(maps.Keys(failed)), mostNamed))
	}
	if points == 0 {
		got.Odd = append(got.Odd, "no metric has a point: nobody uses it, or its metrics are not there yet")
	}
	return got
}
