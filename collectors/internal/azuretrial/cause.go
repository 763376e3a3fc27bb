// Package azuretrial tries what a source in Azure needs of its subscriptions: it takes the steps that the source names, and says of
// each what was found or what lacks and the command that gives it.
package azuretrial

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// The causes of a failure that a trial tells apart beside the reasons of azureapi.
const (
	CauseUnregistered = "provider_unregistered"
	CauseSubscription = "subscription_not_found"
	CauseTenant       = "tenant"
	CauseCertificate  = "certificate"
	CauseFile         = "configuration"
)

// Told is what an answer of Azure says about why it refuses.
type Told struct {
	Cause    string
	Said     string // in one printable line
	provider string // that the answer names; empty for none
}

// fault is what Azure writes about an error: Resource Manager below error, the metrics without that, the log service one
// inside the other, the identity platform with names of its own.
type fault struct {
	Code        string `json:"code"`
	Message     string `json:"message"`
	Inner       *fault `json:"innererror"`
	Description string `json:"error_description"`
}

// CauseOf finds out why a request failed.
func CauseOf(err error) Told {
	f := faultOf(err)
	why := Told{Cause: azureapi.ReasonOf(err), Said: saidBy(err, f)}
	var state *unregisteredError
	var answer *azcore.ResponseError
	switch {
	case errors.As(err, &state):
		why.Cause, why.provider = CauseUnregistered, state.provider
		return why
	case errors.As(err, &answer):
		why.Cause = causeOfCode(answer.ErrorCode, why.Cause)
		why.provider = azureapi.NamespaceIn(f.Message)
		return why
	}
	if cause := causeOfConnection(err, f); cause != "" {
		why.Cause = cause
	}
	return why
}

// causeOfCode is what a code says more closely than the status.
func causeOfCode(code, otherwise string) string {
	if cause, known := map[string]string{
		"missingsubscriptionregistration": CauseUnregistered, "missingregistrationforresourceprovider": CauseUnregistered,
		"subscription not registered": CauseUnregistered, "subscriptionnotregistered": CauseUnregistered,
		"subscriptionnotfound": CauseSubscription, "invalidsubscriptionid": CauseSubscription,
		"invalidauthenticationtokentenant": CauseTenant, "invalidauthenticationtoken": azureapi.ReasonAuthentication,
		"expiredauthenticationtoken": azureapi.ReasonAuthentication, "invalidtokenaudience": azureapi.ReasonAuthentication,
	}[strings.ToLower(code)]; known {
		return cause
	}
	return otherwise
}

// causeOfConnection is why there is no answer; empty where that is not to be told. Credentials keep no more than the text
// of what they ran into.
func causeOfConnection(err error, f fault) string {
	var untrusted *tls.CertificateVerificationError
	text := err.Error()
	switch {
	case errors.As(err, &untrusted):
		return CauseCertificate
	case azureapi.Credentials(err) && strings.Contains(text, "_file: "):
		return CauseFile // the text names the key
	case azureapi.ReasonOf(err) != azureapi.ReasonAuthentication || f.Description != "":
		return ""
	case strings.Contains(text, "tls: failed to verify certificate"):
		return CauseCertificate
	case slices.ContainsFunc([]string{"dial tcp", "no such host", "connection reset"}, func(part string) bool { return strings.Contains(text, part) }):
		return azureapi.ReasonUnavailable
	}
	return ""
}

// Message is what the service said at its deepest; empty where an error has no answer, or one that says nothing.
func Message(err error) string { return faultOf(err).deepest() }

// faultOf reads the body of the answer that an error has; its fields are empty where there is none.
func faultOf(err error) fault {
	body, _ := answerOf(err)
	return parseFault(body)
}

// answerOf is the body and the status of the answer that an error is made of; both are empty where there is none.
func answerOf(err error) (body []byte, status string) {
	var answer *azcore.ResponseError
	var token *azidentity.AuthenticationFailedError
	var response *http.Response
	switch {
	case errors.As(err, &token):
		response = token.RawResponse
	case errors.As(err, &answer):
		response = answer.RawResponse
	}
	if response == nil || response.Body == nil {
		return nil, ""
	}
	if body, err = runtime.Payload(response); err != nil { // the SDK has kept it
		return nil, response.Status
	}
	return body, response.Status
}

func parseFault(body []byte) fault {
	var wrapped struct {
		Error fault `json:"error"`
	}
	if json.Unmarshal(body, &wrapped) == nil && wrapped.Error != (fault{}) {
		return wrapped.Error
	}
	var plain fault
	if json.Unmarshal(body, &plain) != nil {
		return fault{}
	}
	return plain
}

// deepest is the message that says most: the log service hides it inside others.
func (f fault) deepest() string {
	message := f.Message
	for inner := f.Inner; inner != nil; inner = inner.Inner {
		if inner.Message != "" {
			message = inner.Message
		}
	}
	return message
}

// saidBy is what a service said, in one line. Of an answer that says nothing it is the status: the SDK's own text is a
// page.
func saidBy(err error, f fault) string {
	_, status := answerOf(err)
	var token *azidentity.AuthenticationFailedError
	switch said := f.deepest(); {
	case f.Description != "":
		said, _, _ = strings.Cut(f.Description, "Trace ID:") // what follows is for Microsoft
		return connect.Said(said)
	case said != "":
		return connect.Said(said)
	case errors.As(err, &token) && status != "":
		first, _, _ := strings.Cut(token.Error(), "\n") // names the kind of credentials
		return connect.Said(strings.TrimSpace(first) + " " + status)
	case status != "":
		return connect.Said(strings.TrimSpace(f.Code + " " + status))
	}
	var request *url.Error
	if errors.As(err, &request) { // its address is long, and what matters is at its end
		host := request.URL
		if parsed, parseErr := url.Parse(request.URL); parseErr == nil {
			host = parsed.Host
		}
		return connect.Said(host + ": " + request.Err.Error())
	}
	return connect.Said(err.Error())
}
