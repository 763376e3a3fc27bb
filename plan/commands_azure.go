package plan

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/nasight/nasight/detectors"
)

// azureVersion is that of the API whose bodies the REST calls have.
const azureVersion = "2025-09-01"

// azureNames are the account and the pool in ACCOUNT/POOL.
func (p Pool) azureNames() (account, pool string) {
	account, pool, _ = strings.Cut(p.Name, "/")
	return account, pool
}

// azureCommands set the throughput of a volume of Azure NetApp Files.
func (p Pool) azureCommands(volume string, mibps float64) Commands {
	n := strconv.FormatFloat(mibps, 'f', -1, 64)
	account, pool := p.azureNames()
	path := fmt.Sprintf("/subscriptions/%s/resourceGroups/%s/providers/Microsoft.NetApp/netAppAccounts/%s/capacityPools/%s/volumes/%s",
		url.PathEscape(p.Project), url.PathEscape(p.azureGroup()), url.PathEscape(account), url.PathEscape(pool), url.PathEscape(volume))
	rest := REST{
		Method: "PATCH", URL: "https://management.azure.com" + path + "?api-version=" + azureVersion,
		Body: `{"properties": {"throughputMibps": ` + n + `}}`,
	}
	return Commands{
		Az: p.azureReady(fmt.Sprintf("az netappfiles volume update %s %s %s --throughput-mibps %s",
			p.azureArguments(account), shellArgument("--pool-name", pool), shellArgument("--name", volume), n)),
		REST: rest,
		Curl: p.azureReady(fmt.Sprintf("az rest --method patch --url %s --body %s", shell(rest.URL), shell(rest.Body))),
		Terraform: fmt.Sprintf("resource \"azurerm_netapp_volume\" %s {\n  name                = %s\n  account_name        = %s\n  pool_name           = %s\n"+
			"  throughput_in_mibps = %s\n  # the other arguments stay as they are\n}", hcl(label(volume)), hcl(volume), hcl(account), hcl(pool), n),
	}
}

// azureGroup is the resource group, or a word to replace where the inventory does not tell it: azureReady says so.
func (p Pool) azureGroup() string { return cmp.Or(p.Azure.ResourceGroup, detectors.Group("")) }

// azureReady is a command, with what has to be done before it is run.
func (p Pool) azureReady(command string) string {
	account, _ := p.azureNames()
	return detectors.WithGroup(p.Azure.ResourceGroup, p.Project, account, detectors.TypeNetApp, command)
}

func (p Pool) azureArguments(account string) string {
	return strings.Join([]string{
		shellArgument("--subscription", p.Project), shellArgument("--resource-group", p.azureGroup()), shellArgument("--account-name", account),
	}, " ")
}

// shellArgument is an option with its value. One that begins like an option is tied to its own.
func shellArgument(option, value string) string {
	if strings.HasPrefix(value, "-") {
		return option + "=" + shell(value)
	}
	return option + " " + shell(value)
}
