package detectors

import (
	"cmp"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// accountOf is the storage account behind an endpoint, nil where none was joined. All shares of a server are one account's.
func accountOf(endpoint *fleet.Endpoint) *fleet.Account {
	for _, mount := range endpoint.Mounts {
		if mount.Share != nil {
			return mount.Share.Of
		}
	}
	return nil
}

func mediaKnown(endpoint *fleet.Endpoint) bool {
	account := accountOf(endpoint)
	return account != nil && account.Media != ""
}

// neverSet says why an account has multichannel off that nobody switched off.
func neverSet(account *fleet.Account) string {
	if account.Multichannel == fleet.ChannelsOff {
		return ""
	}
	return ": it was never set, and the account is from before it became the default"
}

// switchOn is the command for the account of an endpoint: that of a share which was joined, else the one that the server's name
// tells, with what the inventory knows of it.
func (c sessionCase) switchOn() string {
	if account := accountOf(c.endpoint); account != nil {
		return accountChannels(account, "")
	}
	name := fleet.AccountOf(c.endpoint.Server)
	for _, mount := range c.endpoint.Mounts {
		name = cmp.Or(name, fleet.AccountOf(mount.ServerName))
	}
	for _, account := range c.view.Accounts {
		if strings.EqualFold(account.Identity.Pool, name) {
			return accountChannels(account, "")
		}
	}
	return accountChannels(nil, name)
}

// accountRemedy switches multichannel on for the account, unless it is on. Where it was never set and is the default it is
// expected to be on, and only to be made sure of.
func (c sessionCase) accountRemedy() []Remedy {
	if c.endpoint.Provider != fleet.ProviderAzure {
		return nil
	}
	account, state := accountOf(c.endpoint), ""
	if account != nil {
		state = account.Channels()
	}
	if state == fleet.ChannelsOn || state != fleet.ChannelsOff && c.endpoint.SMB.Multichannel == "true" {
		return nil
	}
	remedy := Remedy{
		What: "Switch multichannel on for the storage account.", Command: c.switchOn(),
		Caveat: "SSD shares only. Concerns every client of the account.",
	}
	if state == fleet.ChannelsExpected {
		remedy.What = "Make sure that multichannel is on for the storage account: it was never set, and is on by default in accounts made since 2025-10-24."
	}
	return []Remedy{remedy}
}
