package azurefiles

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/connect/connecttest"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/collectors/internal/azuretrial"
	"github.com/nasight/nasight/simulator/azure"
)

const (
	someTenant = "00000000-0000-4000-8000-0000000000aa"
	someClient = "00000000-0000-4000-8000-0000000000bb"
	someObject = "00000000-0000-4000-8000-0000000000cc"
)

// jwt is a token with claims, and no signature that anybody looks at.
func jwt(claims string) string {
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2lnbg"
}

// The token's principal is in the report and in the commands; the token is in neither.
func TestConnectNamesThePrincipal(t *testing.T) {
	shown := jwt(`{"oid":"` + someObject + `","appid":"` + someClient + `"}`)
	l := newLab(t, fleetOf(1, 1), func(_ *Config, o *azure.Options) { o.Access = map[string][]string{shown: {someTenant}} })
	l.config.Identity.Kind = azureapi.IdentityDefault
	holder := &token{}
	holder.current.Store(&shown)
	l.opts.Credential = holder
	section := l.connected(t.Context())
	if got := connecttest.Checked(t, section, "credentials", ""); got.Status != connect.OK || section.As != "application "+someClient {
		t.Errorf("%+v as %s", got, section.As)
	}
	got := connecttest.Checked(t, section, onAccounts, testSubscription)
	if !strings.HasPrefix(got.Do, "az role assignment create --assignee "+someObject+" --role") || len(section.Notes) != 1 {
		t.Errorf("%+v, notes %q", got, section.Notes)
	}
	if strings.Contains(fmt.Sprintf("%+v", section), shown) {
		t.Error("the token is in the report")
	}
}

// A token that Azure does not accept: every need says so.
func TestConnectRefusedToken(t *testing.T) {
	l := newLab(t, fleetOf(1, 1), func(_ *Config, o *azure.Options) { o.Access = map[string][]string{"good": nil} })
	bad, holder := "bad", &token{}
	holder.current.Store(&bad)
	l.opts.Credential = holder
	for _, check := range l.connected(t.Context()).Checks {
		if check.Status == connect.Failed && (check.Cause != azureapi.ReasonAuthentication || !strings.Contains(check.Do, "azurefiles.identity")) {
			t.Errorf("%+v", check)
		}
		if check.Status == connect.OK && check.Name != "credentials" {
			t.Errorf("%+v", check)
		}
	}
}

// Credentials that are not to be had end the trial: no API is asked.
func TestConnectWithoutCredentials(t *testing.T) {
	directory := t.TempDir()
	for _, name := range []string{"PATH", "HOME", "AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE"} {
		t.Setenv(name, "")
	}
	nothing := filepath.Join(directory, "none.pem")
	if err := os.WriteFile(nothing, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		identity         Identity
		ca               string
		cause, do, heard string
	}{
		"no command line tool": {Identity{Kind: azureapi.IdentityCLI}, "", azureapi.ReasonAuthentication, "az login", "AzureCLICredential"},
		"no workload":          {Identity{Kind: azureapi.IdentityWorkload}, "", azureapi.ReasonAuthentication, "AZURE_FEDERATED_TOKEN_FILE", "credentials of identity workload"},
		"no certificate":       {Identity{Kind: azureapi.IdentityNone}, nothing, azuretrial.CauseFile, "mend", "endpoints.ca_file: no certificate in " + nothing},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, fleetOf(1, 1), nil)
			l.config.Identity = row.identity
			if row.ca != "" {
				l.config.Endpoints.CAFile = row.ca
			}
			section := l.connected(t.Context())
			got := connecttest.Checked(t, section, "credentials", "")
			if len(section.Checks) != 1 || got.Status != connect.Failed || got.Cause != row.cause || !strings.Contains(got.Do, row.do) || !strings.Contains(got.Heard, row.heard) {
				t.Errorf("%+v", section.Checks)
			}
			if section.Cost.Calls != 0 || len(section.Answers) != 0 || section.As != "nobody" {
				t.Errorf("%+v", section)
			}
			oneLine(t, section)
		})
	}
}

// quiet is a TLS server that says nothing of handshakes that fail.
func quiet(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// authority is an identity platform that refuses every secret.
func authority(t *testing.T, body string) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	server := quiet(t, mux)
	mux.HandleFunc("GET /"+someTenant+"/v2.0/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"issuer":"%[1]s/%[2]s/v2.0","authorization_endpoint":"%[1]s/%[2]s/authorize","token_endpoint":"%[1]s/%[2]s/token"}`, server.URL, someTenant)
	})
	mux.HandleFunc("POST /"+someTenant+"/token", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprint(w, body)
	})
	return server
}

// What the identity platform says is one line, without the page that the SDK makes of it; one that is not reached, or
// whose certificate is not trusted, is no matter of the secret.
func TestConnectRefusedByTheIdentityPlatform(t *testing.T) {
	refusing := authority(t, `{"error":"invalid_client","error_description":"AADSTS7000222: The provided client secret keys are expired.\r\nTrace ID: 1234 Correlation ID: 5678"}`)
	silent := authority(t, "no JSON")
	for name, row := range map[string]struct {
		host             string
		client           *http.Client
		cause, do, heard string
	}{
		"expired":  {refusing.URL, refusing.Client(), azureapi.ReasonAuthentication, "az ad app credential reset", `"AADSTS7000222: The provided client secret keys are expired."`},
		"nonsense": {silent.URL, silent.Client(), azureapi.ReasonAuthentication, "az ad app credential reset", `"ClientSecretCredential authentication failed. 401 Unauthorized"`},
		"nobody":   {"https://127.0.0.1:1", refusing.Client(), azureapi.ReasonUnavailable, "firewall", ""},
		"stranger": {refusing.URL, &http.Client{Transport: &http.Transport{}}, azuretrial.CauseCertificate, "azurefiles.endpoints.ca_file", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(row.client.CloseIdleConnections)
			credential, err := azidentity.NewClientSecretCredential(someTenant, someClient, "secret", &azidentity.ClientSecretCredentialOptions{
				DisableInstanceDiscovery: true,
				ClientOptions:            azcore.ClientOptions{Retry: policy.RetryOptions{MaxRetries: -1}, Transport: row.client, Cloud: cloud.Configuration{ActiveDirectoryAuthorityHost: row.host}},
			})
			if err != nil {
				t.Fatal(err)
			}
			secret := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(secret, []byte("secret\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			l := newLab(t, fleetOf(1, 1), nil)
			l.config.Identity = Identity{Kind: azureapi.IdentityPrincipal, Tenant: someTenant, ClientID: someClient, SecretFile: secret}
			l.opts.Credential = credential
			section := l.connected(t.Context())
			got := connecttest.Checked(t, section, "credentials", "")
			if len(section.Checks) != 1 || got.Cause != row.cause || !strings.Contains(got.Do, row.do) {
				t.Errorf("%+v", got)
			}
			if diff := cmp.Diff(row.heard, got.Heard); row.heard != "" && diff != "" {
				t.Error(diff)
			}
			oneLine(t, section)
		})
	}
}
