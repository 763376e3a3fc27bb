package azureapi

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
)

// unregistered says whether a subscription was never registered for the service that was asked. The SDK would register it;
// nasight changes nothing and says what to do.
func unregistered(answer *azcore.ResponseError) bool {
	return strings.EqualFold(answer.ErrorCode, "MissingSubscriptionRegistration") || strings.EqualFold(answer.ErrorCode, "SubscriptionNotRegistered")
}

var namespace = regexp.MustCompile(`namespace '([A-Za-z]{1,64}\.[A-Za-z]{1,64})'`)

// NamespaceIn is the resource provider that an answer says lacks, such that it can be put into a command; empty for none.
func NamespaceIn(text string) string {
	if found := namespace.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// registerProvider is what to do about it. Metrics are what answers without a name are of.
func registerProvider(err error, subscription string) string {
	provider := cmp.Or(NamespaceIn(err.Error()), "Microsoft.Insights")
	return "an owner of the subscription runs: az provider register --namespace " + provider + " --subscription " + subscription
}
