package azuretrial

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// Need is what a check tries: an operation, the resource provider that has it and the role that allows it.
type Need struct {
	Name     string // of the operation, as roles name it
	Provider string // empty for Resource Manager itself
	Role     string
	Spare    bool // without its permission the collector works
}

// What all sources need.
const (
	InsightsProvider = "Microsoft.Insights"

	ReaderRole     = "Reader"
	MonitoringRole = "Monitoring Reader"
	LogsRole       = "Log Analytics Reader"
)

// Target is what a need is tried on.
type Target struct {
	Subscription string
	Part         string // of it, such as account examplefiles; empty for all of it
}

// String names it.
func (on Target) String() string {
	switch {
	case on.Subscription == "":
		return ""
	case on.Part == "":
		return "subscription " + on.Subscription
	}
	return on.Part + " of subscription " + on.Subscription
}

// grant is the command that gives a role on the target's subscription.
func (on Target) grant(assignee, role string) string {
	return fmt.Sprintf("az role assignment create --assignee %s --role %q --scope /subscriptions/%s", assignee, role, on.Subscription)
}

// Refusal is the check of a need that failed: what is wrong, what lacks, what to do.
func (t *Trial) Refusal(wants Need, on Target, err error) connect.Check {
	why := CauseOf(err)
	check := connect.Check{Name: wants.Name, On: on.String(), Status: connect.Failed, Cause: why.Cause, Heard: why.Said}
	var own Explained
	if errors.As(err, &own) {
		check.Cause, check.Says, check.Do = own.Explain()
		return check
	}
	switch why.Cause {
	case azureapi.ReasonPermission:
		check.Says, check.Lacks, check.Do = "permission denied", "the role "+wants.Role, on.grant(t.assignee, wants.Role)
		if wants.Spare {
			check.Status, check.Says = connect.Warning, "permission denied; only this command asks it"
		}
	case CauseUnregistered:
		provider := cmp.Or(why.provider, wants.Provider)
		check.Says, check.Lacks, check.Do = "the resource provider is not registered", "the resource provider "+provider, on.register(provider)
	case CauseSubscription:
		check.Says, check.Lacks = "there is no such subscription, or nothing of it may be seen", "the role "+wants.Role+", if there is one"
		check.Do = "az account show --subscription " + on.Subscription
	case CauseTenant:
		check.Says = "the token is of another tenant than the subscription"
		check.Do = "write its tenant into " + t.Section + ".identity.tenant: az account show --subscription " + on.Subscription + " --query tenantId"
	case azureapi.ReasonAuthentication:
		check.Says, check.Do = "the credentials are not accepted", t.identityHint()
		if on.Subscription == "" {
			check.Says = "no token was issued"
		}
	default:
		check.Says, check.Do = t.hint(why.Cause)
	}
	return check
}

// register is the command that registers a resource provider.
func (on Target) register(provider string) string {
	return fmt.Sprintf("az provider register --namespace %s --subscription %s", provider, on.Subscription)
}

// identityHint is what to do about credentials that give no token, or one that is not accepted.
func (t *Trial) identityHint() string {
	switch t.Identity {
	case azureapi.IdentityManaged:
		return "give the machine an identity: az vm identity assign --resource-group GROUP --name VM; one of your own needs azurefiles.identity.client_id"
	case azureapi.IdentityWorkload:
		return "look at the pod's service account: its annotations bring AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_FEDERATED_TOKEN_FILE"
	case azureapi.IdentityCLI:
		return "az login"
	case azureapi.IdentityPrincipal:
		return "look at " + t.Section + ".identity.tenant and client_id, or make a new secret and write it into secret_file: az ad app credential reset --id CLIENT_ID"
	}
	return "az login, or say in " + t.Section + ".identity who asks"
}

// hint is what is wrong, and what to do, where no role, no provider and no credentials lack.
func (t *Trial) hint(cause string) (says, do string) {
	switch cause {
	case CauseFile:
		return "the clients cannot be made", "mend what it names"
	case CauseCertificate:
		return "the server's certificate is not trusted", "put the certificate of its authority into " + t.Section + ".endpoints.ca_file, or the proxy's that stands between"
	case azureapi.ReasonNotFound:
		return "there is no such thing, or it may not be seen", "look at " + t.Section + ".endpoints and " + t.Section + ".cloud, and run it again"
	case azureapi.ReasonRateLimited:
		return "the service takes no more requests now", "try again in five minutes: others read the subscription as well"
	case azureapi.ReasonUnavailable:
		return "the service could not be reached", "look at DNS, proxy, firewall and " + t.Section + ".endpoints, and try again"
	case azureapi.ReasonTimeout:
		return "no answer in time", "look at DNS, proxy and firewall, or give more --timeout"
	case azureapi.ReasonInvalid:
		return "the service does not take the request, or its answer makes no sense", "look at " + t.Section + ".endpoints: is this the API?"
	}
	return "the request failed", "see what it said"
}
