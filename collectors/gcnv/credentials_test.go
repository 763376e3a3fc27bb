package gcnv

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator"
)

// The credentials of the environment are used, here those of workload identity federation; a token that is refused is
// replaced by a new one, and no token gets into an error.
func TestWorkloadIdentity(t *testing.T) {
	var token atomic.Pointer[string]
	issue := func(text string) { token.Store(&text) }
	issue("secret-first")
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if *token.Load() == "" {
			http.Error(w, `{"error":"invalid_grant","error_description":"the subject is unknown"}`, http.StatusBadRequest)
			return
		}
		_, _ = fmt.Fprintf(w, `{"access_token":%q,"issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer","expires_in":3600}`, *token.Load())
	}))
	t.Cleanup(issuer.Close)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", federated(t, issuer.URL))

	l := newLab(t, fleetOf("alpha"), func(_ *Config, o *simulator.Options) { o.Access = map[string][]string{"secret-second": nil} })
	l.source.Close()
	l.config.Endpoints = Endpoints{Monitoring: l.server.GRPCAddress(), NetApp: l.server.URL(), ResourceManager: l.server.URL()}
	source, err := New(l.config, Options{Clock: l.clock.Now, FirstRetry: time.Millisecond, Patience: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(source.Close)
	l.source = source

	for _, refused := range []string{"secret-first", ""} {
		issue(refused)
		result := l.run("gcnv_inventory")
		if got := of(result.Samples, schema.CloudUnreachable); got["alpha,,inventory,authentication"] != 1 {
			t.Errorf("with %q unreachable are %v, error %v", refused, got, result.Err)
		}
		if result.Err == nil || strings.Contains(result.Err.Error(), "secret") {
			t.Errorf("the error is %v", result.Err)
		}
		l.clock.add(time.Hour)
	}
	issue("secret-second")
	if got := of(l.good("gcnv_inventory").Samples, schema.VolumeInfo); len(got) != 2 {
		t.Errorf("volumes are %v", sortedKeys(got))
	}
}

// federated writes the credential configuration of a workload that has its own token in a file.
func federated(t *testing.T, issuer string) string {
	t.Helper()
	directory := t.TempDir()
	subject, config := filepath.Join(directory, "subject"), filepath.Join(directory, "credentials.json")
	text := fmt.Sprintf(`{"type":"external_account","audience":"//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
		"subject_token_type":"urn:ietf:params:oauth:token-type:jwt","token_url":%q,"credential_source":{"file":%q}}`, issuer, subject)
	for name, content := range map[string]string{subject: "a.b.c", config: text} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config
}

// A service account that cannot be acted as is a failure of the credentials, told as such.
func TestImpersonationNeedsCredentials(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "nothing.json"))
	config := DefaultConfig()
	config.Impersonate = "reader@example-prod.iam.gserviceaccount.com"
	if _, err := config.dial(t.Context(), string(netappAPI)); err == nil || !strings.Contains(err.Error(), config.Impersonate) {
		t.Errorf("the error is %v", err)
	}
}
