package azuretrial

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
)

const testSubscription = "00000000-0000-4000-8000-000000000001"

// response is what a service answered, as the SDK gives it.
func response(status int, body string) error {
	return fmt.Errorf("tried: %w", runtime.NewResponseError(&http.Response{
		StatusCode: status, Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), Body: io.NopCloser(strings.NewReader(body)),
		Request: &http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: "https", Host: "example.com", Path: "/x"}},
	}))
}

// The words that Azure's documentation and its users' reports give.
func TestCause(t *testing.T) {
	t.Parallel()
	tr := &Trial{Section: "azurefiles", Identity: azureapi.IdentityDefault, assignee: "A"}
	wants, on := Need{"p", "Microsoft.Storage", ReaderRole, false}, Target{testSubscription, "account a"}
	for name, row := range map[string]struct {
		err                     error
		cause, lacks, do, heard string
	}{
		"role": {response(403, `{"error":{"code":"AuthorizationFailed","message":"The client 'x' does not have authorization."}}`),
			azureapi.ReasonPermission, "the role Reader", "az role assignment create --assignee A", `"The client 'x' does not have authorization."`},
		"provider": {response(409, `{"error":{"code":"MissingSubscriptionRegistration","message":"The subscription is not registered to use namespace 'microsoft.insights'."}}`),
			CauseUnregistered, "the resource provider microsoft.insights", "az provider register --namespace microsoft.insights --subscription " + testSubscription, "namespace"},
		"provider without a name": {response(409, `{"error":{"code":"SubscriptionNotRegistered","message":"namespace '$(reboot).X'"}}`),
			CauseUnregistered, "the resource provider Microsoft.Storage", "--namespace Microsoft.Storage ", ""},
		"subscription": {response(404, `{"error":{"code":"SubscriptionNotFound","message":"The subscription could not be found."}}`),
			CauseSubscription, "the role Reader, if there is one", "az account show", ""},
		"tenant": {response(401, `{"error":{"code":"InvalidAuthenticationTokenTenant","message":"The access token is from the wrong issuer"}}`),
			CauseTenant, "", "azurefiles.identity.tenant", "wrong issuer"},
		"token of the logs": {response(403, `{"error":{"code":"InvalidAuthenticationToken","message":"The access token is invalid."}}`), azureapi.ReasonAuthentication, "", "az login", ""},
		"metrics":           {response(400, `{"code":"BadRequest","message":"Metric x is not supported"}`), azureapi.ReasonInvalid, "", "azurefiles.endpoints", `"Metric x is not supported"`},
		"no words":          {response(403, ""), azureapi.ReasonPermission, "the role Reader", "az role", `"403 Forbidden"`},
		"a page":            {response(502, "<html>\nbad gateway\n</html>"), azureapi.ReasonUnavailable, "", "firewall", `"502 Bad Gateway"`},
		"a list":            {response(403, `[{"error":7}]`), azureapi.ReasonPermission, "the role Reader", "az role", `"403 Forbidden"`},
		"unknown":           {errors.New("odd"), azureapi.ReasonOther, "", "see", `"odd"`},
	} {
		got := tr.Refusal(wants, on, row.err)
		if got.Status != connect.Failed || got.Cause != row.cause || got.Lacks != row.lacks || !strings.Contains(got.Do, row.do) || got.Says == "" || !strings.Contains(got.Heard, row.heard) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Each kind of identity has a hint of its own.
func TestIdentityHints(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		azureapi.IdentityDefault: "azurefiles.identity", azureapi.IdentityManaged: "az vm identity assign", azureapi.IdentityWorkload: "AZURE_CLIENT_ID", azureapi.IdentityCLI: "az login",
		azureapi.IdentityPrincipal: "az ad app credential reset",
	} {
		if got := (&Trial{Section: "azurefiles", Identity: kind}).identityHint(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", kind, got)
		}
	}
}

// Whatever a service says becomes one printable line of bounded length, and commands hold no words of it.
func FuzzCause(f *testing.F) {
	f.Add(403, `{"error":{"code":"AuthorizationFailed","message":"no"}}`)
	f.Add(409, `{"error":{"code":"MissingSubscriptionRegistration","message":"namespace 'A.B'; reboot"}}`)
	f.Add(400, `{"error":{"innererror":{"innererror":{"message":"a\nb\u0000\u2028c"}}}}`)
	f.Add(401, `{"error":"invalid_client","error_description":"$(reboot)"}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		tr := &Trial{Section: "azurefiles", Identity: azureapi.IdentityDefault, assignee: "A"}
		for _, err := range []error{response(status, body), errors.New(body)} {
			got := tr.Refusal(Need{"p", "Microsoft.Storage", ReaderRole, false}, Target{testSubscription, ""}, err)
			for _, text := range []string{got.Heard, got.Do, got.Lacks} {
				if len(text) > 12*240 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("%q", text)
				}
			}
			if strings.ContainsAny(strings.ReplaceAll(got.Do+got.Lacks, `--role "Reader"`, ""), "$`|&\"") {
				t.Errorf("%q, %q", got.Do, got.Lacks)
			}
		}
	})
}
