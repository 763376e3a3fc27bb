package azurenetapp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/netapp/armnetapp/v8"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// The bounds of the inventory.
const (
	mostPages     = 10_000
	oftenestAsked = 2 * time.Minute  // because a metric's resource is gone
	renewalSlack  = 30 * time.Second // what is read now and then is due that much earlier, so that a run that comes early finds it due
)

// refresh reads the subscription's inventory if it is due. What an account or a pool does not tell stays as it was.
func (s *Source) refresh(ctx context.Context, sub *subscription) error {
	unlock, err := sub.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	now := s.opts.Clock()
	if !s.due(sub, now) {
		return nil
	}
	session, err := s.clients.Use()
	if err != nil {
		return azureapi.Join(err)
	}
	factory, err := armnetapp.NewClientFactory(sub.id, session.Credential, session.ARM())
	if err != nil {
		return azureapi.Join(fmt.Errorf("client of Azure NetApp Files: %w", err))
	}
	r := &reader{now: now, odd: map[string]int{}}
	err = s.list(ctx, factory, sub, r)
	s.clients.Blame(err)
	sub.note(inventoryName, r.odd)
	return err
}

func (s *Source) due(sub *subscription, now time.Time) bool {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	age := now.Sub(sub.listed)
	renew := sub.listed.IsZero() || age < 0 || age >= s.cfg.Tiers.Inventory-renewalSlack
	if renew || sub.stale && now.Sub(sub.asked) >= oftenestAsked {
		sub.asked, sub.stale = now, false
		return true
	}
	return false
}

// list renews the pools and volumes of all accounts.
func (s *Source) list(ctx context.Context, factory *armnetapp.ClientFactory, sub *subscription, r *reader) error {
	accounts, err := s.listAccounts(ctx, factory, sub, r)
	if err != nil {
		return azureapi.Join(err)
	}
	var errs []error
	there, unread := map[string]bool{}, map[string]bool{}
	for _, at := range accounts {
		pools, err := s.renewPools(ctx, factory, sub, r, at)
		if err != nil {
			errs, unread[at.account] = append(errs, err), true
		}
		for _, pool := range pools {
			there[pool] = true
		}
	}
	sub.mu.Lock()
	defer sub.mu.Unlock()
	for name := range sub.pools {
		if !there[name] && !unread[accountOf(name)] {
			delete(sub.pools, name)
		}
	}
	if len(errs) < len(accounts) || len(accounts) == 0 {
		sub.listed = r.now
	}
	return azureapi.Join(errs...)
}

// place is where an account is.
type place struct{ group, account string }

// listAccounts are the wanted accounts.
func (s *Source) listAccounts(ctx context.Context, factory *armnetapp.ClientFactory, sub *subscription, r *reader) (found []place, err error) {
	items, err := all(ctx, "the NetApp accounts", factory.NewAccountsClient().NewListBySubscriptionPager(nil),
		func(page armnetapp.AccountsClientListBySubscriptionResponse) []*armnetapp.Account { return page.Value })
	for _, item := range items {
		var at place
		if item != nil {
			id := azureapi.Text(item.ID)
			at = place{azureapi.PartOf(id, "resourceGroups"), azureapi.PartOf(id, "netAppAccounts")}
		}
		if at.group == "" || at.account == "" {
			r.odd[oddItem]++
			continue
		}
		if !s.wanted.LeavesOut(sub.id, sub.id+"/"+at.account) {
			found = append(found, at)
		}
	}
	return found, err
}

// renewPools renews the pools of an account, and gives the names of those that are there. An account that is gone has none.
func (s *Source) renewPools(ctx context.Context, factory *armnetapp.ClientFactory, sub *subscription, r *reader, at place) (names []string, err error) {
	pools, err := s.listPools(ctx, factory, sub, r, at)
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, p := range pools {
		names = append(names, p.name)
		errs = append(errs, s.renewVolumes(ctx, factory, sub, r, p))
	}
	return names, azureapi.Join(errs...)
}

// listPools are the pools of an account that are not left out.
func (s *Source) listPools(ctx context.Context, factory *armnetapp.ClientFactory, sub *subscription, r *reader, at place) (found []*pool, err error) {
	items, err := all(ctx, "the capacity pools of "+at.account, factory.NewPoolsClient().NewListPager(at.group, at.account, nil),
		func(page armnetapp.PoolsClientListResponse) []*armnetapp.CapacityPool { return page.Value })
	for _, item := range items {
		p, ok := r.pool(item)
		if !ok {
			r.odd[oddItem]++
			continue
		}
		if !s.wanted.LeavesOut(sub.id, sub.id+"/"+at.account, sub.id+"/"+p.name) {
			found = append(found, p)
		}
	}
	return found, err
}

// listVolumes are the wanted volumes of a pool.
func (s *Source) listVolumes(ctx context.Context, factory *armnetapp.ClientFactory, sub *subscription, r *reader, p *pool) (found []*volume, err error) {
	items, err := all(ctx, "the volumes of "+p.name,
		factory.NewVolumesClient().NewListPager(p.group, azureapi.PartOf(p.id, "netAppAccounts"), azureapi.PartOf(p.id, "capacityPools"), nil),
		func(page armnetapp.VolumesClientListResponse) []*armnetapp.Volume { return page.Value })
	for _, item := range items {
		v, ok := r.volume(item, p)
		if !ok {
			r.odd[oddItem]++
			continue
		}
		if s.wants(sub, p, v) {
			found = append(found, v)
		}
	}
	return found, err
}

// renewVolumes renews the volumes of a pool. Where they cannot be read those known before stay.
func (s *Source) renewVolumes(ctx context.Context, factory *armnetapp.ClientFactory, sub *subscription, r *reader, p *pool) error {
	volumes, err := s.listVolumes(ctx, factory, sub, r, p)
	sub.mu.Lock()
	defer sub.mu.Unlock()
	t := sub.pools[p.name]
	if t == nil {
		t = newTarget(p.name)
		sub.pools[p.name] = t
	}
	t.pool, t.gone = p, false
	if err != nil && !gone(err) {
		return err
	}
	there := map[string]bool{}
	for _, v := range volumes {
		there[v.name] = true
		if t.volumes[v.name] == nil {
			t.volumes[v.name] = newTarget(v.name)
		}
		t.volumes[v.name].pool, t.volumes[v.name].volume, t.volumes[v.name].gone = p, v, false
	}
	for name := range t.volumes {
		if !there[name] {
			delete(t.volumes, name)
		}
	}
	return nil
}

func (s *Source) wants(sub *subscription, p *pool, v *volume) bool {
	path := sub.id + "/" + p.name
	return s.wanted.Wants(sub.id, sub.id+"/"+accountOf(p.name), path, path+"/"+v.name)
}

// wantsPool says whether a pool is shown: it is wanted itself or has a volume that is.
func (s *Source) wantsPool(sub *subscription, t *target) bool {
	path := sub.id + "/" + t.name
	return len(t.volumes) > 0 || s.wanted.Wants(sub.id, sub.id+"/"+accountOf(t.name), path)
}

// gone says whether what was asked for is not there any more.
func gone(err error) bool { return azureapi.StatusOf(err) == http.StatusNotFound }

var errEndless = errors.New("the list does not end")

// all reads a list to its end.
func all[P, T any](ctx context.Context, what string, pager *runtime.Pager[P], items func(P) []T) (found []T, err error) {
	for pages := 0; pager.More(); pages++ {
		if pages == mostPages {
			return nil, fmt.Errorf("list %s: %w", what, errEndless)
		}
		page, err := pager.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", what, err)
		}
		found = append(found, items(page)...)
	}
	return found, nil
}
