package detectors

import "fmt"

// unknownGroup stands in a command for a resource group that the inventory does not tell.
const unknownGroup = "RESOURCE_GROUP"

// Of what a resource group is looked up by.
const (
	typeStorage = "Microsoft.Storage/storageAccounts"
	// TypeNetApp is the type of accounts of Azure NetApp Files.
	TypeNetApp = "Microsoft.NetApp/netAppAccounts"
)

// Group is a resource group as commands name it: quoted, or the word that stands for one that is not known.
func Group(name string) string {
	if name == "" {
		return unknownGroup
	}
	return quote(name)
}

// WithGroup is a command for a resource of an account. Where the account's resource group is not known, a line before it says so and
// shows how to find it: names of accounts are unique in a subscription.
func WithGroup(group, subscription, account, kind, command string) string {
	if group != "" {
		return command
	}
	where := ""
	if subscription != "" {
		where = " --subscription " + quote(subscription)
	}
	return fmt.Sprintf("# Not ready to run: put the account's resource group, which is not known here, in place of %s. To find it:\n# az resource list%s --resource-type %s --name %s --query '[].resourceGroup' --output tsv\n%s",
		unknownGroup, where, kind, quote(account), command)
}
