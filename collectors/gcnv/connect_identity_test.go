package gcnv

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"google.golang.org/api/option"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/connect/connecttest"
	"github.com/nasight/nasight/simulator"
)

// said is a section as a program reads it.
func said(t *testing.T, section *connect.Section) string {
	t.Helper()
	var text strings.Builder
	report := &connect.Report{Clouds: []*connect.Section{section}}
	if err := report.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// issuer is a token service that gives one token, or refuses where it has none.
func issuer(t *testing.T, token string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if token == "" {
			http.Error(w, `{"error":"invalid_grant","error_description":"the subject is unknown"}`, http.StatusBadRequest)
			return
		}
		_, _ = fmt.Fprintf(w, `{"access_token":%q,"issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer","expires_in":3600}`, token)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A trial shows the token of the environment's credentials to the APIs and to nobody else.
func TestConnectCredentials(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", federated(t, issuer(t, "secret-token")))
	l := newLab(t, fleetOf("alpha"), func(_ *Config, o *simulator.Options) { o.Access = map[string][]string{"secret-token": nil} })
	l.config.Endpoints = Endpoints{Monitoring: "127.0.0.1:1", NetApp: l.server.URL()}
	section := l.connected(t.Context())
	if got := connecttest.Checked(t, section, "credentials", ""); got.Status != connect.OK {
		t.Errorf("%+v", got)
	}
	if got := connecttest.Checked(t, section, "netapp.volumes.list", "alpha"); got.Status != connect.OK {
		t.Errorf("%+v", got)
	}
	if text := said(t, section); strings.Contains(text, "secret") {
		t.Errorf("a secret is in %s", text)
	}
}

// Without a token nothing else is tried: it would all fail alike.
func TestConnectWithoutCredentials(t *testing.T) {
	for name, file := range map[string]string{
		"no file": filepath.Join(t.TempDir(), "nothing.json"), "refused": federated(t, issuer(t, "")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
			l := newLab(t, fleetOf("alpha"), nil)
			l.config.Endpoints = Endpoints{NetApp: l.server.URL()}
			section := l.connected(t.Context())
			got := connecttest.Checked(t, section, "credentials", "")
			if len(section.Checks) != 1 || got.Status != connect.Failed || got.Cause != reasonAuthentication || got.Do == "" || got.Heard == "" {
				t.Errorf("%+v", section.Checks)
			}
			if section.Cost.Calls != 0 || *section.Cost.Bill != (connect.Bill{}) || len(section.Answers) != 0 {
				t.Errorf("%+v", section)
			}
		})
	}
}

// An account that must not be acted as is told with the role that allows it; what the tokens' API says is read.
func TestConnectImpersonation(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", federated(t, issuer(t, "secret-token")))
	const account = "reader@example-prod.iam.gserviceaccount.com"
	for body, want := range map[string]connect.Check{
		`{"error":{"code":403,"message":"Permission 'iam.serviceAccounts.getAccessToken' denied","status":"PERMISSION_DENIED"}}`: {
			Cause: reasonPermission, Says: "permission denied", Lacks: tokenRole,
			Do:    "gcloud iam service-accounts add-iam-policy-binding " + account + " --member=MEMBER --role=" + tokenRole,
			Heard: `"Permission 'iam.serviceAccounts.getAccessToken' denied"`,
		},
		`{"error":{"code":403,"message":"off","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED","metadata":{"service":"iamcredentials.googleapis.com","consumer":"projects/77"}}]}}`: {
			Cause: causeDisabled, Says: "the API is not enabled", Lacks: "the API iamcredentials.googleapis.com",
			Do: "gcloud services enable iamcredentials.googleapis.com --project=77", Heard: `"off"`,
		},
	} {
		l := newLab(t, fleetOf("alpha"), nil)
		l.config.Impersonate = account
		dial := func(context.Context, string) ([]option.ClientOption, error) {
			return []option.ClientOption{option.WithTokenSource(refusing{fmt.Errorf("impersonate: status code 403: %s", body)})}, nil
		}
		section, err := Connect(t.Context(), l.config, nil, Options{Clock: l.clock.Now, Dial: dial, FirstRetry: time.Millisecond, Patience: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		want.Name, want.On, want.Status = "iam.serviceAccounts.getAccessToken", "service account "+account, connect.Failed
		if got := connecttest.Checked(t, section, want.Name, account); got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
		if len(section.Checks) != 2 || !strings.Contains(strings.Join(section.Notes, " "), "MEMBER stands for") == strings.Contains(want.Do, anyMember) {
			t.Errorf("%+v", section)
		}
	}
}

// refusing is a source of tokens that has none.
type refusing struct{ err error }

// Token refuses.
func (r refusing) Token() (*oauth2.Token, error) { return nil, r.err }

// A source of tokens that hangs costs the time that there is, no more.
func TestConnectHangingCredentials(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := token(ctx, func(context.Context) ([]option.ClientOption, error) {
		<-release
		return nil, errors.New("too late")
	})
	if reasonOf(err) != reasonTimeout {
		t.Errorf("the error is %v", err)
	}
}

func TestEmailOf(t *testing.T) {
	for file, want := range map[string]string{
		`{"client_email":"nasight@example-prod.iam.gserviceaccount.com","private_key":"secret"}`:                                                                      "nasight@example-prod.iam.gserviceaccount.com",
		`{"service_account_impersonation_url":"https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/r@p.iam.gserviceaccount.com:generateAccessToken"}`: "r@p.iam.gserviceaccount.com",
		`{"client_email":"a; rm -rf /"}`: "", `{"client_email":7}`: "", ``: "", `[]`: "",
	} {
		if got := emailOf([]byte(file)); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// A service account that may not be impersonated is a matter of credentials, by whichever client it is heard.
func TestRefusedImpersonationIsAuthentication(t *testing.T) {
	heard := &url.Error{Op: "Get", URL: "https://netapp.example.com", Err: errors.New("impersonate: status code 403: no")}
	if reason := reasonOf(heard); reason != reasonAuthentication {
		t.Errorf("reason %q", reason)
	}
	heard.Err = errors.New("impersonate: unable to generate access token: connection refused")
	if reason := reasonOf(heard); reason == reasonAuthentication {
		t.Errorf("reason %q of a network that is down", reason)
	}
}
