package azuretrial

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// anyAssignee stands in commands for somebody who is not known.
const anyAssignee = "ASSIGNEE"

// Authenticate gets a token for Resource Manager from the configured identity. It tells whose it is, as far as the token
// says; the session is nil where there is no use in going on.
func (t *Trial) Authenticate(ctx context.Context, clients *azureapi.Clients) (asks *azureapi.Session, who string, check connect.Check) {
	wants := Need{Name: "credentials"}
	asks, err := clients.Use()
	if err != nil {
		return nil, nobody, t.Refusal(wants, Target{}, err)
	}
	if t.Anonymous {
		return asks, nobody, connect.Check{Name: wants.Name, Status: connect.Skipped, Says: t.Section + ".identity.kind is none: no credentials are sent"}
	}
	token, err := asks.Token(ctx)
	if err != nil {
		return nil, nobody, t.Refusal(wants, Target{}, err)
	}
	p := principalOf(token)
	who = "the identity of kind " + t.Identity
	if p.name != "" {
		who = p.name
	}
	if p.assignee != "" {
		t.assignee = p.assignee
	}
	return asks, who, connect.Check{Name: wants.Name, Status: connect.OK, Says: "a token was issued to " + who}
}

const nobody = "nobody"

// principal is who a token is for.
type principal struct {
	name     string
	assignee string // for role assignments
}

// mostToken bounds what is read of a token.
const mostToken = 64 << 10

var userName = regexp.MustCompile(`^[A-Za-z0-9._+#@-]{1,128}$`)

// principalOf reads a token's claims: names to print and to put into commands, which nobody relies on otherwise. Its
// signature is not looked at. Nothing is known of a token that cannot be read.
func principalOf(token string) principal {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > mostToken {
		return principal{}
	}
	data, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return principal{}
	}
	var claims struct {
		Object      string `json:"oid"`
		Application string `json:"appid"`
		User        string `json:"upn"`
		Unique      string `json:"unique_name"`
	}
	if json.Unmarshal(data, &claims) != nil {
		return principal{}
	}
	p := principal{assignee: firstMatch(azureapi.IsGUID, claims.Object, claims.Application)}
	if user := firstMatch(userName.MatchString, claims.User, claims.Unique); user != "" {
		p.name = user
	} else if application := firstMatch(azureapi.IsGUID, claims.Application); application != "" {
		p.name = "application " + application
	}
	return p
}

func firstMatch(fits func(string) bool, texts ...string) string {
	for _, text := range texts {
		if fits(text) {
			return text
		}
	}
	return ""
}
