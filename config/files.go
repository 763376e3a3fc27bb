package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"

	client "github.com/prometheus/common/config"

	"github.com/nasight/nasight/collectors/promhost"
)

// windows checks where the recordings lie.
func (c *check) windows(w Windows) {
	c.within("windows.interval", w.Interval, shortestInterval)
	if w.Directory == "" {
		return
	}
	switch info, err := os.Stat(w.Directory); {
	case errors.Is(err, fs.ErrNotExist):
		c.fail("windows.directory", "there is no directory %s; make it, or leave the key out", w.Directory)
	case err != nil:
		c.fail("windows.directory", "cannot be read: %v; let the user that nasight runs as read it", err)
	case !info.IsDir():
		c.fail("windows.directory", "%s is no directory; write the one that the hosts record into", w.Directory)
	}
}

// promhosts checks each Prometheus, and that none is there twice.
func (c *check) promhosts(all []promhost.Config) {
	first := map[string]int{}
	for i, one := range all {
		name := fmt.Sprintf("promhost[%d]", i)
		c.section(name, one.Validate())
		c.files(name, one)
		c.headers(name+".headers", one.Headers)
		identity := fmt.Sprintln(strings.TrimRight(one.URL, "/"), one.Match, one.Headers) // a header may name the tenant
		if before, twice := first[identity]; twice {
			c.fail(name+".url", "%s is read by promhost[%d] already; leave one out, or give each a match or a tenant's header of its own", one.URL, before)
			continue
		}
		first[identity] = i
	}
}

// files wants the files of a Prometheus to be there, and to hold what they are named for.
func (c *check) files(name string, one promhost.Config) {
	c.secret(name+".basic_auth.password_file", one.BasicAuth.PasswordFile)
	c.secret(name+".bearer_token_file", one.BearerTokenFile)
	c.authority(name+".tls.ca_file", one.TLS.CAFile)
	c.keyPair(name+".tls", one.TLS.CertFile, one.TLS.KeyFile)
}

// headerName is a token of RFC 9110, section 5.6.2.
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

func (c *check) headers(key string, headers map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		switch {
		case !headerName.MatchString(name):
			c.fail(key, "%q is no name of a header; write letters, digits and dashes, as X-Scope-OrgID", name)
		case strings.ContainsFunc(headers[name], unicode.IsControl):
			c.fail(key, "the value of %s has control characters; write it on one line", name)
		}
	}
}

// ownHeaders refuses headers that nasight sets itself, or the protocol does; Authorization has keys of its own.
func (c *check) ownHeaders(key string, headers map[string]string, authorization string) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		canonical := http.CanonicalHeaderKey(name)
		_, reserved := client.ReservedHeaders[canonical]
		switch {
		case canonical == "Authorization" && authorization != "":
			c.fail(key, "%s %s", name, authorization)
		case canonical != "Authorization" && reserved:
			c.fail(key, "%s is set by nasight itself; leave it out", name)
		}
	}
}
