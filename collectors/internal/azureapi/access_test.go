package azureapi

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBatchEndpointNamesTheRegion(t *testing.T) {
	for want, cfg := range map[string]Access{
		"https://westeurope.metrics.monitor.azure.com": {Cloud: "public"},
		"https://westeurope.metrics.monitor.azure.us":  {Cloud: "usgov"},
		"https://westeurope.metrics.monitor.azure.cn":  {Cloud: "china"},
		"https://example.com:8443":                     {Endpoints: Endpoints{Batch: "https://example.com:8443/"}},
		"https://westeurope.example.com":               {Endpoints: Endpoints{Batch: "https://{region}.example.com"}},
	} {
		if got := cfg.batchEndpoint("westeurope"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// An own address replaces one service's alone, and not for other sources of the process.
func TestOwnEndpointsLeaveTheRestAlone(t *testing.T) {
	cfg := Access{Cloud: "public"}
	before := cfg.cloud()
	cfg.Endpoints.Metrics = "https://example.com/"
	changed, again := cfg.cloud(), (Access{Cloud: "public"}).cloud()
	if got := changed.Services["azqueryMetrics"]; got.Endpoint != "https://example.com" || got.Audience != "https://management.azure.com" {
		t.Errorf("metrics are %+v", got)
	}
	for name, service := range before.Services {
		if again.Services[name] != service {
			t.Errorf("%s was changed for all: %+v", name, again.Services[name])
		}
		if name != "azqueryMetrics" && changed.Services[name] != service {
			t.Errorf("%s is %+v", name, changed.Services[name])
		}
	}
}

func TestSecretIsReadFromItsFileAndInNoError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("  hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	identity := Identity{Kind: IdentityPrincipal, Tenant: "t", ClientID: "11111111-2222-3333-4444-555555555555", SecretFile: path}
	if secret, err := identity.secret(); err != nil || secret != "hunter2" {
		t.Errorf("got %q, %v", secret, err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := identity.secret(); err == nil || !strings.Contains(err.Error(), "identity.secret_file") {
		t.Errorf("an empty file gives %v", err)
	}
}

// What is in the secret's file is looked at when the configuration is read, and not first by the collectors.
func TestValidateLooksIntoTheSecretsFile(t *testing.T) {
	for name, test := range map[string]struct{ content, says string }{
		"a secret": {"hunter2\n", ""}, "empty": {"", "no secret in"}, "white space": {" \t\n", "no secret in"}, "a new line": {"\n", "no secret in"},
		"two lines": {"hunter2\nhunter3\n", "does not hold one line"}, "too long": {strings.Repeat("x", mostSecret+1), "no secret in"},
	} {
		path := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		identity := Identity{Kind: IdentityPrincipal, Tenant: "t", ClientID: "11111111-2222-3333-4444-555555555555", SecretFile: path}
		var said []string
		identity.validate(func(key, format string, arguments ...any) {
			said = append(said, key+": "+fmt.Sprintf(format, arguments...))
		})
		text := strings.Join(said, "\n")
		if (text == "") != (test.says == "") || !strings.Contains(text, test.says) || strings.Contains(text, "hunter") || len(said) > 1 {
			t.Errorf("%s: %.300s", name, text)
		}
	}
}
