package azure

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/resources/armfeatures"

	"github.com/nasight/nasight/simulator/model"
)

// subscription is as Resource Manager writes it.
type subscription struct {
	ID             string `json:"id"`
	SubscriptionID string `json:"subscriptionId"`
	DisplayName    string `json:"displayName"`
	State          string `json:"state"`
}

func subscriptionOf(s *model.Subscription) subscription {
	return subscription{"/subscriptions/" + s.ID, s.ID, s.Name, "Enabled"}
}

// listSubscriptions gives those that the token opens: nobody is told of others.
func listSubscriptions(c *call) (any, *failure) {
	var all []subscription
	for _, s := range c.server.present(c.now).Fleet().Subscriptions {
		if _, failure := c.server.allowed(c.request.Header.Get("Authorization"), s.ID); failure == nil {
			all = append(all, subscriptionOf(s))
		}
	}
	return paged(c, all)
}

func getSubscription(c *call) (any, *failure) { return subscriptionOf(c.subscription), nil }

// The resource providers that answer.
const (
	storageNamespace  = "Microsoft.Storage"
	insightsNamespace = "Microsoft.Insights"
	netappNamespace   = "Microsoft.NetApp"
)

// namespaces are all of them. What Insights says of a resource of another one is its own.
func namespaces() []string { return []string{insightsNamespace, storageNamespace, netappNamespace} }

// provider is as Resource Manager writes it, without its resource types.
type provider struct {
	ID        string `json:"id"`
	Namespace string `json:"namespace"`
	Policy    string `json:"registrationPolicy"`
	State     string `json:"registrationState"`
}

func getProvider(c *call) (any, *failure) {
	for _, name := range namespaces() {
		if !strings.EqualFold(name, c.path["namespace"]) {
			continue
		}
		state := model.Registered
		if !c.subscription.RegisteredFor(name) {
			state = "NotRegistered"
		}
		return provider{"/subscriptions/" + c.subscription.ID + "/providers/" + name, name, "RegistrationRequired", state}, nil
	}
	return nil, failed(http.StatusNotFound, "InvalidResourceNamespace", "The resource namespace '%s' is invalid.", c.path["namespace"])
}

func featureOf(s *model.Subscription, name string) *armfeatures.FeatureResult {
	return &armfeatures.FeatureResult{
		ID:         to.Ptr("/subscriptions/" + s.ID + "/providers/Microsoft.Features/providers/" + storageNamespace + "/features/" + name),
		Name:       to.Ptr(storageNamespace + "/" + name),
		Type:       to.Ptr("Microsoft.Features/providers/features"),
		Properties: &armfeatures.FeatureProperties{State: to.Ptr(s.Features[name])},
	}
}

func listFeatures(c *call) (any, *failure) {
	var all []*armfeatures.FeatureResult
	if namespace := c.path["namespace"]; namespace == "" || strings.EqualFold(namespace, storageNamespace) {
		for _, name := range slices.Sorted(maps.Keys(c.subscription.Features)) {
			all = append(all, featureOf(c.subscription, name))
		}
	}
	return paged(c, all)
}

func getFeature(c *call) (any, *failure) {
	for name := range c.subscription.Features {
		if strings.EqualFold(name, c.path["feature"]) && strings.EqualFold(c.path["namespace"], storageNamespace) {
			return featureOf(c.subscription, name), nil
		}
	}
	return nil, failed(http.StatusNotFound, "FeatureNotFound", "The feature '%s' could not be found.", c.path["feature"])
}
