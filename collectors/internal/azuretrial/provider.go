package azuretrial

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// What a request for a resource provider's state is made of. None of the SDK's clients that nasight uses has it.
const (
	providersVersion = "2021-04-01"
	ownModule        = "nasight"
	ownVersion       = "v0.0.0"
	registered       = "Registered"
	registering      = "Registering"
)

// Provider is the step that asks whether a subscription is registered for a resource provider. The collector works without
// knowing.
func Provider(asks *azureapi.Session, subscription, name string) Step {
	return Step{
		Need: Need{"Microsoft.Resources/subscriptions/providers/read", "", ReaderRole, true}, Part: "provider " + name,
		Try: func(ctx context.Context) Outcome {
			state, err := providerState(ctx, asks, subscription, name)
			switch {
			case err != nil:
				return Outcome{Err: err}
			case state == registered:
				return Outcome{Found: state}
			case state == registering:
				return Outcome{Found: state, Odd: []string{"it will work when that is over"}}
			}
			return Outcome{Err: &unregisteredError{name, state}}
		},
	}
}

// unregisteredError is a resource provider that a subscription does not use.
type unregisteredError struct{ provider, state string }

// Error says so.
func (e *unregisteredError) Error() string { return fmt.Sprintf("%s is %s", e.provider, e.state) }

func providerState(ctx context.Context, s *azureapi.Session, subscription, name string) (string, error) {
	client, err := arm.NewClient(ownModule, ownVersion, s.Credential, s.ARM())
	if err != nil {
		return "", fmt.Errorf("resource manager client: %w", err)
	}
	address := runtime.JoinPaths(client.Endpoint(), "subscriptions", url.PathEscape(subscription), "providers", name)
	request, err := runtime.NewRequest(ctx, http.MethodGet, address+"?api-version="+providersVersion)
	if err != nil {
		return "", fmt.Errorf("resource provider %s: %w", name, err)
	}
	response, err := client.Pipeline().Do(request)
	if err != nil {
		return "", fmt.Errorf("resource provider %s: %w", name, err)
	}
	defer func() { _ = response.Body.Close() }() // nothing is left to be told
	if !runtime.HasStatusCode(response, http.StatusOK) {
		return "", runtime.NewResponseError(response)
	}
	var answer struct {
		State string `json:"registrationState"`
	}
	if err := runtime.UnmarshalAsJSON(response, &answer); err != nil {
		return "", fmt.Errorf("resource provider %s: %w", name, err)
	}
	return answer.State, nil
}
