package fleet

import (
	"cmp"
	"net/netip"
	"strings"
)

// privateLabel is the second label of the names that private endpoints go by. What is beneath it is the same account.
const privateLabel = "privatelink"

// fileHost writes the host name of an account's files in one way, whatever cloud it is in: without the label of private
// endpoints.
func fileHost(name string) string {
	name = canonicalServer(name)
	account, rest, ok := strings.Cut(name, "."+privateLabel+".")
	if ok && account != "" && !strings.Contains(account, ".") {
		return account + "." + rest
	}
	return name
}

// byHost finds accounts by the host name of their files. Of an account whose name is not told any host name of Azure Files
// that begins with it is its own: names of accounts are unique.
func (a *accounts) byHost() map[string]*Account {
	if a == nil {
		return nil
	}
	hosts := map[string]*Account{}
	for _, account := range a.view.Accounts {
		host := fileHost(account.Endpoint)
		if host == "" {
			host = strings.ToLower(account.Identity.Pool) + azureSuffix
		}
		hosts[host] = account
	}
	return hosts
}

// joinAccount joins a mount of a server that no volume has to the storage account behind it.
func (c *cloud) joinAccount(j *joiner, endpoint *Endpoint, mount *Mount) {
	account := j.account(mount)
	if account == nil && (endpoint.Provider == ProviderUnknown || endpoint.Provider == ProviderAzure) {
		account = cmp.Or(j.accountOfPath(mount), j.accountOfAddress(mount))
	}
	if account == nil {
		c.unjoined(mount.Resource(), "no volume of the inventory has this server's address"+j.nameless(mount))
		return
	}
	endpoint.Provider = ProviderAzure
	c.joinShare(account, mount)
}

// account is the storage account that a mount's server name is of. The address says nothing: accounts share those of the
// service, and a private endpoint's belongs to whatever name leads to it.
func (j *joiner) account(mount *Mount) *Account {
	for _, name := range serverNames(mount) {
		host := fileHost(name)
		if account, ok := j.accounts[host]; ok {
			return account
		}
		if label, _, ok := strings.Cut(host, azureSuffix); ok {
			if account := j.accounts[label+azureSuffix]; account != nil {
				return account
			}
		}
	}
	return nil
}

// byName finds accounts by their own names.
func (a *accounts) byName() map[string]*Account {
	if a == nil {
		return nil
	}
	names := map[string]*Account{}
	for _, account := range a.view.Accounts {
		names[strings.ToLower(account.Identity.Pool)] = account
	}
	return names
}

// accountOfPath is the storage account that an NFS export names, where the server's name tells nothing: a mount by the bare
// address of a private endpoint, or by a name of one's own. Names of accounts are unique in all of Azure, and only an account
// that has the share as well is taken for it.
func (j *joiner) accountOfPath(mount *Mount) *Account {
	if kindOf(mount.Protocol) != NFS {
		return nil
	}
	first, _, _ := strings.Cut(strings.Trim(mount.Export, "/"), "/")
	account := j.byName[first]
	if account == nil || shareOf(account, mount) == nil {
		return nil
	}
	return account
}

// privateEndpoints learns the addresses of private endpoints from the mounts of all hosts that go by an account's name: within
// a network each leads to one account. Public addresses say nothing, as accounts share them, and neither does an address that leads
// to two accounts: networks that are apart may use the same one.
func (j *joiner) privateEndpoints(clients []*Client) map[string]*Account {
	found, both := map[string]*Account{}, map[string]bool{}
	for _, client := range clients {
		for _, mount := range client.Mounts {
			address, account := privateAddress(mount.Server), j.account(mount)
			if address == "" || account == nil {
				continue
			}
			if known := found[address]; known != nil && known != account {
				both[address] = true
			}
			found[address] = account
		}
	}
	for address := range both {
		delete(found, address)
	}
	return found
}

// privateAddress is the address that a server is written as, where it is a private one; else empty.
func privateAddress(server string) string {
	text, ok := parseAddress(server)
	if !ok {
		return ""
	}
	if address, err := netip.ParseAddr(text); err != nil || !address.IsPrivate() {
		return ""
	}
	return text
}

// accountOfAddress is the storage account behind the bare address of a private endpoint that some mount reaches by name. Only one
// that has the share as well is taken for it.
func (j *joiner) accountOfAddress(mount *Mount) *Account {
	account := j.private[privateAddress(mount.Server)]
	if account == nil || shareOf(account, mount) == nil {
		return nil
	}
	return account
}

// nameless says what keeps an SMB mount from being joined where an address is all that is known of its server: the share
// alone names no account.
func (j *joiner) nameless(mount *Mount) string {
	names := serverNames(mount)
	if _, address := parseAddress(names[len(names)-1]); !address || kindOf(mount.Protocol) != SMB {
		return ""
	}
	for _, account := range j.byName {
		if shareOf(account, mount) != nil {
			return "; if it is a private endpoint of Azure Files, mount it by ACCOUNT.file.core.windows.net, here or on another host: an address and a share name no account"
		}
	}
	return ""
}

// shareName is the share in an export: the first directory of SMB's, the second of NFS's /ACCOUNT/SHARE.
func shareName(account *Account, mount *Mount) string {
	path := strings.Trim(canonicalExport(kindOf(mount.Protocol), mount.Export), "/")
	first, rest, _ := strings.Cut(path, "/")
	if kindOf(mount.Protocol) == NFS {
		if !strings.EqualFold(first, account.Identity.Pool) {
			return ""
		}
		first, _, _ = strings.Cut(rest, "/")
	}
	return first
}

// shareOf is the share of an account that a mount is of, nil where the account has none of that name and protocol.
func shareOf(account *Account, mount *Mount) *Share {
	name := shareName(account, mount)
	for _, share := range account.Shares {
		if name != "" && strings.EqualFold(share.Identity.Volume, name) && (share.Protocol == "" || share.Protocol == kindOf(mount.Protocol)) {
			return share
		}
	}
	return nil
}

func (c *cloud) joinShare(account *Account, mount *Mount) {
	if share := shareOf(account, mount); share != nil {
		mount.Share = share
		share.Mounts = append(share.Mounts, mount)
		share.MountedBy = append(share.MountedBy, Resource{Host: mount.Host, Server: mount.Server, Export: mount.Export, Protocol: mount.Protocol})
		return
	}
	c.unjoined(mount.Resource(), "storage account "+account.Identity.Pool+" is known, the share is not: one made since the inventory was read")
}

// list names the shares that no mount was joined to.
func (a *accounts) list() {
	if a == nil {
		return
	}
	for _, share := range a.shares {
		if len(share.Mounts) == 0 {
			a.unjoined(share.Identity, "no host that nasight sees mounts it")
		}
	}
}

// utilisation is that of the volume or share behind the mount.
func (m *Mount) utilisation() Value {
	switch {
	case m.Volume != nil:
		return m.Volume.use()
	case m.Share != nil:
		return m.Share.Utilisation()
	}
	return Unknown
}

// throttled tells whether the service holds back a share that carries a part of the endpoint's bytes.
func (e *Endpoint) throttled() bool {
	total := e.OverMounts((*Mount).Bytes)
	for _, mount := range e.Mounts {
		if mount.Share != nil && !mount.Bytes().Over(total).Below(telling) && mount.Share.Throttled() {
			return true
		}
	}
	return false
}
