package config

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/nasight/nasight/collectors/promhost"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/schema"
)

// RemoteWrite is one receiver of remote write.
type RemoteWrite struct {
	Name            string             `yaml:"name"`     // in metrics, and of what is remembered; empty for the URL's host
	URL             string             `yaml:"url"`      // of the write endpoint
	Protocol        string             `yaml:"protocol"` // 2.0, also if empty, or 1.0
	Timeout         Duration           `yaml:"timeout"`  // of one request; 0 for 10s
	Headers         map[string]string  `yaml:"headers"`  // sent with every request, such as X-Scope-OrgID
	BasicAuth       promhost.BasicAuth `yaml:"basic_auth"`
	BearerTokenFile string             `yaml:"bearer_token_file"` // read again for every request
	CAFile          string             `yaml:"ca_file"`           // empty for the system's authorities
}

// VictoriaMetrics is one VictoriaMetrics that is pushed to in the text format.
type VictoriaMetrics struct {
	Name               string            `yaml:"name"`                // in metrics; empty for the URL's host
	URL                string            `yaml:"url"`                 // of /api/v1/import/prometheus
	Interval           Duration          `yaml:"interval"`            // 0 for 15s
	ExtraLabels        map[string]string `yaml:"extra_labels"`        // added to every series
	Headers            map[string]string `yaml:"headers"`             // sent with every push
	AuthorizationFile  string            `yaml:"authorization_file"`  // holds the value of the header Authorization, as Bearer TOKEN; read for every push
	DisableCompression bool              `yaml:"disable_compression"` // else gzip
}

// ReceiverName is the receiver's name in metrics.
func (r RemoteWrite) ReceiverName() string { return nameOr(r.Name, r.URL) }

// ReceiverName is the receiver's name in metrics.
func (v VictoriaMetrics) ReceiverName() string { return nameOr(v.Name, v.URL) }

func nameOr(name, address string) string {
	if name != "" {
		return name
	}
	return export.ReceiverName(address)
}

// remoteWrites checks each receiver. Two of one name would share what is remembered of them.
func (c *check) remoteWrites(all []RemoteWrite) {
	names := map[string]int{}
	for i, one := range all {
		key := fmt.Sprintf("export.remote_write[%d]", i)
		c.address(key+".url", one.URL, "https://prometheus.example.com/api/v1/write")
		c.protocol(key+".protocol", one.Protocol)
		c.timeout(key+".timeout", one.Timeout)
		c.headers(key+".headers", one.Headers)
		c.ownHeaders(key+".headers", one.Headers, credentialsInFiles)
		c.credentials(key, one.BasicAuth, one.BearerTokenFile)
		c.authority(key+".ca_file", one.CAFile)
		c.unique(key, "export.remote_write", one.Name, one.ReceiverName(), names, i)
	}
}

func (c *check) victoriaMetrics(all []VictoriaMetrics) {
	names := map[string]int{}
	for i, one := range all {
		key := fmt.Sprintf("export.victoriametrics[%d]", i)
		c.address(key+".url", one.URL, "http://victoriametrics.example.com:8428/api/v1/import/prometheus")
		if one.Interval != 0 {
			c.within(key+".interval", one.Interval, shortestInterval)
		}
		for _, name := range sortedKeys(one.ExtraLabels) {
			if c.labelName(key+".extra_labels", name) && ownLabel(name) {
				c.fail(key+".extra_labels", "%q is a label that series of nasight have; write another name", name)
			}
		}
		c.headers(key+".headers", one.Headers)
		c.ownHeaders(key+".headers", one.Headers, twiceAuthorized(one))
		c.secret(key+".authorization_file", one.AuthorizationFile)
		c.unique(key, "export.victoriametrics", one.Name, one.ReceiverName(), names, i)
	}
}

// ownLabel tells whether a family has a label of this name.
func ownLabel(name string) bool {
	return slices.ContainsFunc(schema.All(), func(f *schema.Family) bool { return slices.Contains(f.Labels, name) })
}

// unique wants a name that no other receiver of the list has.
func (c *check) unique(key, list, given, name string, names map[string]int, i int) {
	if strings.ContainsFunc(given, unicode.IsControl) {
		c.fail(key+".name", "%q has control characters; leave them out", given)
	}
	if before, twice := names[name]; twice && name != "" {
		if given == "" {
			c.fail(key+".url", "is called %q after its host, as is %s[%d]; give each of one host a name of its own, as name: %s-2", name, list, before, name)
			return
		}
		c.fail(key+".name", "%q is the name of %s[%d] already; give each a name of its own", name, list, before)
		return
	}
	names[name] = i
}

// address wants an address of HTTP without anything that should not show, as the example.
func (c *check) address(key, text, example string) {
	address, err := url.Parse(text)
	switch {
	case err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" || len(text) > longestAddress:
		c.fail(key, "this is no http or https URL; write one as %s", example)
	case address.User != nil:
		c.fail(key, "has a user or a password, which belong into a file; leave them out")
	}
}

// bareAddress wants one with nothing behind its path.
func (c *check) bareAddress(key, text, example string) {
	c.address(key, text, example)
	if address, err := url.Parse(text); err == nil && (address.RawQuery != "" || address.Fragment != "") {
		c.fail(key, "has something behind the path; leave it out, as %s does", example)
	}
}

// labelName wants what may be the name of a label.
func (c *check) labelName(key, name string) bool {
	sound := labelName.MatchString(name) && !strings.HasPrefix(name, "__")
	if !sound {
		c.fail(key, "%q is no name of a label; write letters, digits and underscores, as cluster", name)
	}
	return sound
}

var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

const longestAddress = 2048

func (c *check) protocol(key, protocol string) {
	if protocol != "" {
		c.oneOf(key, protocol, export.ProtocolV2, export.ProtocolV1)
	}
}

func (c *check) timeout(key string, timeout Duration) {
	if timeout != 0 {
		c.within(key, timeout, shortestTimeout)
	}
}

func (c *check) credentials(key string, basic promhost.BasicAuth, bearer string) {
	if (basic.Username == "") != (basic.PasswordFile == "") {
		c.fail(key+".basic_auth", "takes both username and password_file; write both, or leave them out")
	}
	if basic.Username != "" && bearer != "" {
		c.fail(key+".bearer_token_file", "cannot go with basic_auth; leave one of them out")
	}
	c.secret(key+".basic_auth.password_file", basic.PasswordFile)
	c.secret(key+".bearer_token_file", bearer)
}

// credentialsInFiles is what to do about a header Authorization.
const credentialsInFiles = "belongs into a file; leave it out, and name the file under bearer_token_file or basic_auth"

// twiceAuthorized is what is wrong with a header Authorization; nothing where it is the only one.
func twiceAuthorized(v VictoriaMetrics) string {
	if v.AuthorizationFile == "" {
		return ""
	}
	return "is in authorization_file already; leave one of them out"
}
