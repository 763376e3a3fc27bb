package gcnv

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/oauth2/google"
	"google.golang.org/api/netapp/v1"
	"google.golang.org/api/option"
	"google.golang.org/api/transport"

	"github.com/nasight/nasight/collectors/connect"
)

// anyMember stands in commands for an account that is not known.
const anyMember = "MEMBER"

// authenticate gets a token from the environment's credentials, and one of the account that they act as. It tells which
// account that is, as far as the credentials say, and whether there is any use in going on.
func (t *trial) authenticate(ctx context.Context) (who string, checks []connect.Check, ok bool) {
	if t.cfg.Endpoints.Insecure {
		return "nobody", []connect.Check{{Name: "credentials", Status: connect.Skipped, Says: "gcnv.endpoints.insecure: none are sent"}}, true
	}
	creds, err := token(ctx, func(context.Context) ([]option.ClientOption, error) {
		return []option.ClientOption{option.WithScopes(netapp.CloudPlatformScope)}, nil
	})
	if err != nil {
		said := saidBy(err)
		says, do := hint(reasonAuthentication)
		return "nobody", []connect.Check{{
			Name: "credentials", Status: connect.Failed, Cause: reasonAuthentication, Says: strings.Replace(says, "accepted", "to be had", 1), Do: do, Heard: said,
		}}, false
	}
	who = "the account of the environment's credentials"
	if email := emailOf(creds.JSON); email != "" {
		who, t.member = email, "serviceAccount:"+email
	}
	checks = []connect.Check{{Name: "credentials", Status: connect.OK, Says: "a token was issued to " + who}}
	if t.cfg.Impersonate == "" {
		return who, checks, true
	}
	check, ok := t.impersonate(ctx)
	if ok {
		who, t.member = t.cfg.Impersonate, "serviceAccount:"+t.cfg.Impersonate
	}
	return who, append(checks, check), ok
}

// impersonate gets a token of the service account that the credentials are to act as.
func (t *trial) impersonate(ctx context.Context) (connect.Check, bool) {
	wants := need{"iam.serviceAccounts.getAccessToken", tokensService, tokenRole}
	on := target{accountTarget, t.cfg.Impersonate}
	_, err := token(ctx, func(ctx context.Context) ([]option.ClientOption, error) { return t.opts.Dial(ctx, string(netappAPI)) })
	if err != nil {
		return wants.refusal(on, err, t.member, t.cfg.QuotaProject), false
	}
	return connect.Check{Name: wants.name, On: on.String(), Status: connect.OK, Says: "a token was issued"}, true
}

// token gets a token as a client with those options would. The libraries' token sources take no context: one that hangs is
// left behind.
func token(ctx context.Context, options func(context.Context) ([]option.ClientOption, error)) (*google.Credentials, error) {
	type outcome struct {
		creds *google.Credentials
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		opts, err := options(ctx)
		if err != nil {
			done <- outcome{nil, err}
			return
		}
		creds, err := transport.Creds(ctx, opts...)
		if err == nil {
			_, err = creds.TokenSource.Token()
		}
		done <- outcome{creds, err}
	}()
	select {
	case got := <-done:
		return got.creds, got.err
	case <-ctx.Done():
		return nil, fmt.Errorf("no token came: %w", ctx.Err())
	}
}

// accountName is a service account's address, safe in a command.
var accountName = regexp.MustCompile(`[a-z0-9][a-z0-9.-]*@[a-z0-9.-]+\.gserviceaccount\.com`)

// emailOf finds the service account in a credentials file: its own, or the one that it acts as. Nothing else of the file
// is looked at.
func emailOf(file []byte) string {
	var fields struct {
		Email       string `json:"client_email"`
		Impersonate string `json:"service_account_impersonation_url"`
	}
	if json.Unmarshal(file, &fields) != nil {
		return ""
	}
	return accountName.FindString(fields.Email + " " + fields.Impersonate)
}
