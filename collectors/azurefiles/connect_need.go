package azurefiles

import (
	"cmp"
	"fmt"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// need is what a check tries: an operation, the resource provider that has it and the role that allows it.
type need struct {
	name     string // of the operation, as roles name it
	provider string // empty for Resource Manager itself
	role     string
	spare    bool // without its permission the collector works
}

// The needs of the collector.
const (
	insightsProvider = "Microsoft.Insights"

	readerRole     = "Reader"
	monitoringRole = "Monitoring Reader"
	logsRole       = "Log Analytics Reader"
)

// target is what a need is tried on.
type target struct {
	subscription string
	part         string // of it, such as account examplefiles; empty for all of it
}

func (on target) String() string {
	switch {
	case on.subscription == "":
		return ""
	case on.part == "":
		return "subscription " + on.subscription
	}
	return on.part + " of subscription " + on.subscription
}

// grant is the command that gives a role on the target's subscription.
func (on target) grant(assignee, role string) string {
	return fmt.Sprintf("az role assignment create --assignee %s --role %q --scope /subscriptions/%s", assignee, role, on.subscription)
}

// refusal is the check of a need that failed: what is wrong, what lacks, what to do.
func (t *trial) refusal(wants need, on target, err error) connect.Check {
	why := causeOf(err)
	check := connect.Check{Name: wants.name, On: on.String(), Status: connect.Failed, Cause: why.cause, Heard: why.said}
	switch why.cause {
	case azureapi.ReasonPermission:
		check.Says, check.Lacks, check.Do = "permission denied", "the role "+wants.role, on.grant(t.assignee, wants.role)
		if wants.spare {
			check.Status, check.Says = connect.Warning, "permission denied; only this command asks it"
		}
	case causeUnregistered:
		provider := cmp.Or(why.provider, wants.provider)
		check.Says, check.Lacks, check.Do = "the resource provider is not registered", "the resource provider "+provider, on.register(provider)
	case causeSubscription:
		check.Says, check.Lacks = "there is no such subscription, or nothing of it may be seen", "the role "+wants.role+", if there is one"
		check.Do = "az account show --subscription " + on.subscription
	case causeTenant:
		check.Says = "the token is of another tenant than the subscription"
		check.Do = "write its tenant into azurefiles.identity.tenant: az account show --subscription " + on.subscription + " --query tenantId"
	case causeBatch:
		check.Says, check.Do = "the batch API does not take file services", "set azurefiles.batch to false; until then each region's accounts are asked one by one"
	case azureapi.ReasonAuthentication:
		check.Says, check.Do = "the credentials are not accepted", hintOf(t.cfg.Identity)
		if on.subscription == "" {
			check.Says = "no token was issued"
		}
	default:
		check.Says, check.Do = hint(why.cause)
	}
	return check
}

// register is the command that registers a resource provider.
func (on target) register(provider string) string {
	return fmt.Sprintf("az provider register --namespace %s --subscription %s", provider, on.subscription)
}

// hintOf is what to do about credentials that give no token, or one that is not accepted.
func hintOf(i Identity) string {
	switch i.Kind {
	case azureapi.IdentityManaged:
		return "give the machine an identity: az vm identity assign --resource-group GROUP --name VM; one of your own needs azurefiles.identity.client_id"
	case azureapi.IdentityWorkload:
		return "look at the pod's service account: its annotations bring AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_FEDERATED_TOKEN_FILE"
	case azureapi.IdentityCLI:
		return "az login"
	case azureapi.IdentityPrincipal:
		return "look at azurefiles.identity.tenant and client_id, or make a new secret and write it into secret_file: az ad app credential reset --id CLIENT_ID"
	}
	return "az login, or say in azurefiles.identity who asks"
}

// hint is what is wrong, and what to do, where no role, no provider and no credentials lack.
func hint(cause string) (says, do string) {
	switch cause {
	case causeFile:
		return "the clients cannot be made", "mend what it names"
	case causeCertificate:
		return "the server's certificate is not trusted", "put the certificate of its authority into azurefiles.endpoints.ca_file, or the proxy's that stands between"
	case azureapi.ReasonNotFound:
		return "there is no such thing, or it may not be seen", "look at azurefiles.endpoints and azurefiles.cloud, and run it again"
	case azureapi.ReasonRateLimited:
		return "the service takes no more requests now", "try again in five minutes: others read the subscription as well"
	case azureapi.ReasonUnavailable:
		return "the service could not be reached", "look at DNS, proxy, firewall and azurefiles.endpoints, and try again"
	case azureapi.ReasonTimeout:
		return "no answer in time", "look at DNS, proxy and firewall, or give more --timeout"
	case azureapi.ReasonInvalid:
		return "the service does not take the request, or its answer makes no sense", "look at azurefiles.endpoints: is this the API?"
	}
	return "the request failed", "see what it said"
}
