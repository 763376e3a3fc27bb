package azurefiles

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/resources/armfeatures"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/storage/armstorage/v2"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// feature is the state of a feature of a subscription.
type feature struct {
	name, state string
	at          time.Time
}

const storageProvider = "Microsoft.Storage"

// featureNames are the features that change what shares can do: the metadata cache of SSD shares, more handles a file.
func featureNames() []string {
	return []string{"AzurePremiumFilesMetadataCacheFeature", "HigherHandlesCountOnSmb"}
}

// The bounds of the inventory.
const (
	mostPages        = 10_000
	oftenestAsked    = 10 * time.Minute // for one account, because metrics name a share that is not known
	inventorySlack   = 30 * time.Second // an account is due that much earlier, so that a tick that comes early finds it due
	ticks            = 12               // runs of a collector per renewal: what the pace leaves over is for the next one
	shortestTick     = time.Minute
	deletedAndActive = "deleted"
)

// refresh renews what of the subscription's inventory is due. What the pace of requests does not let through before the
// deadline is left for the next time, which is no failure.
func (s *Source) refresh(ctx context.Context, sub *subscription) error {
	unlock, err := sub.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	now := s.opts.Clock()
	err = s.refreshNow(ctx, sub, now)
	s.clients.Blame(err)
	sub.mu.Lock()
	defer sub.mu.Unlock()
	sub.tried, sub.invErr = now, err
	return err
}

func (s *Source) refreshNow(ctx context.Context, sub *subscription, now time.Time) error {
	session, err := s.clients.use()
	if err != nil {
		return err
	}
	factory, err := session.storage(sub.id)
	if err != nil {
		return fmt.Errorf("storage client: %w", err)
	}
	var errs []error
	if s.due(now, sub.listed) {
		if err := s.listAccounts(ctx, factory.NewAccountsClient(), sub, now); err != nil {
			return unlessPaced(err, sub.known())
		}
		errs = append(errs, s.readFeatures(ctx, session, sub, now))
	}
	reader := accountReader{shares: factory.NewFileSharesClient(), services: factory.NewFileServicesClient(), now: now}
	for _, a := range s.dueAccounts(sub, now) {
		err := s.readAccount(ctx, reader, sub, a)
		if azureapi.Paced(err) || ctx.Err() != nil {
			break
		}
		errs = append(errs, err)
	}
	return azureapi.Join(errs...)
}

// unlessPaced drops an error that only says that a request has to wait, where something is known meanwhile.
func unlessPaced(err error, known bool) error {
	if azureapi.Paced(err) && known {
		return nil
	}
	return azureapi.Join(err)
}

// due says whether what was read at a moment is to be read again.
func (s *Source) due(now, at time.Time) bool {
	age := now.Sub(at)
	return at.IsZero() || age >= s.cfg.Tiers.Inventory-inventorySlack || age < 0
}

// listAccounts renews the list of accounts. One that is not there any more is forgotten.
func (s *Source) listAccounts(ctx context.Context, client *armstorage.AccountsClient, sub *subscription, now time.Time) error {
	found, odd := map[string]*details{}, map[string]int{}
	pager := client.NewListPager(nil)
	for pages := 0; pager.More(); pages++ {
		if pages == mostPages {
			return fmt.Errorf("list the storage accounts: more than %d pages", mostPages)
		}
		page, err := pager.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("list the storage accounts: %w", err)
		}
		for _, item := range page.Value {
			d, ok, strange := detailsOf(item, now)
			if strange {
				odd[oddAccount]++
			}
			if ok && !s.wanted.LeavesOut(sub.id, sub.id+"/"+d.name) {
				found[d.name] = d
			}
		}
	}
	sub.note(inventoryName, odd)
	sub.mu.Lock()
	defer sub.mu.Unlock()
	for name := range sub.accounts {
		if found[name] == nil {
			delete(sub.accounts, name)
		}
	}
	for name, d := range found {
		a := sub.accounts[name]
		if a == nil || a.details.class != d.class || a.details.id != d.id {
			a = &account{groups: map[*group]*groupState{}}
			sub.accounts[name] = a
		}
		a.details = d
	}
	sub.listed = now
	return nil
}

// readFeatures asks for the states of the features. A feature that the service does not have any more is left out.
func (s *Source) readFeatures(ctx context.Context, session *session, sub *subscription, now time.Time) error {
	client, err := session.features(sub.id)
	if err != nil {
		return fmt.Errorf("features client: %w", err)
	}
	var found []feature
	for _, name := range featureNames() {
		answer, err := client.Get(ctx, storageProvider, name, nil)
		if azureapi.StatusOf(err) == http.StatusNotFound {
			continue
		}
		if err != nil {
			return fmt.Errorf("state of feature %s: %w", name, err)
		}
		if state := stateOf(answer); state != "" {
			found = append(found, feature{name, state, now})
		}
	}
	sub.mu.Lock()
	defer sub.mu.Unlock()
	sub.features = found
	return nil
}

func stateOf(answer armfeatures.ClientGetResponse) string {
	if answer.Properties == nil {
		return ""
	}
	return azureapi.Text(answer.Properties.State)
}

// dueAccounts are the accounts whose file service is to be read, the oldest first.
func (s *Source) dueAccounts(sub *subscription, now time.Time) []*account {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	var found []*account
	for _, a := range sub.sorted() {
		if s.due(now, a.asked) || a.unknown && now.Sub(a.asked) >= oftenestAsked {
			found = append(found, a)
		}
	}
	slices.SortStableFunc(found, func(x, y *account) int { return x.asked.Compare(y.asked) })
	return found
}
