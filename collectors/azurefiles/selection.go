package azurefiles

import "github.com/nasight/nasight/collectors/internal/azureapi"

// selection is what of the inventory is kept.
type selection struct{ azureapi.Selection }

// share says whether a share of an account is wanted.
func (s selection) share(subscription, account, share string) bool {
	above := subscription + "/" + account
	return s.Wants(subscription, above, above+"/"+share)
}

// account says whether an account is wanted for itself.
func (s selection) account(subscription, account string) bool {
	return s.Wants(subscription, subscription+"/"+account)
}
