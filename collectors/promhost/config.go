package promhost

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"time"

	"github.com/prometheus/common/config"

	"github.com/nasight/nasight/internal/trust"
)

// Config is one Prometheus whose exporters are read.
type Config struct {
	URL       string            `yaml:"url"`        // http or https, with the path that the API is below, if any
	Match     string            `yaml:"match"`      // matchers that choose series, such as job="node",instance=~"app.*"; empty for all
	HostLabel string            `yaml:"host_label"` // label that names the host; empty for instance, of which a port is cut off
	Interval  time.Duration     `yaml:"interval"`   // 15s to 60s; 0 for 30s
	Headers   map[string]string `yaml:"headers"`    // sent with every request, such as X-Scope-OrgID

	BasicAuth       BasicAuth `yaml:"basic_auth"`
	BearerTokenFile string    `yaml:"bearer_token_file"` // read again for every request
	TLS             TLS       `yaml:"tls"`
}

// BasicAuth is a user whose password is in a file.
type BasicAuth struct {
	Username     string `yaml:"username"`
	PasswordFile string `yaml:"password_file"`
}

// TLS is how an https server is trusted, and what this client shows of itself.
type TLS struct {
	CAFile             string `yaml:"ca_file"` // empty for the system's authorities
	CertFile           string `yaml:"cert_file"`
	KeyFile            string `yaml:"key_file"`
	ServerName         string `yaml:"server_name"` // empty for the URL's
	InsecureSkipVerify bool   `yaml:"insecure_skip_verify"`
}

// The bounds of what can be set.
const (
	shortestInterval = 15 * time.Second
	longestInterval  = time.Minute
	defaultInterval  = 30 * time.Second

	instanceLabel = "instance"
)

const matcher = `[a-zA-Z_][a-zA-Z0-9_]*\s*(=|!=|=~|!~)\s*("(\\.|[^"\\])*"|'(\\.|[^'\\])*')`

var (
	matchers  = regexp.MustCompile(`^\s*` + matcher + `(\s*,\s*` + matcher + `)*\s*$`)
	labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
)

// Validate says everything that is wrong, a line each, with the key and what to write instead.
func (c Config) Validate() error {
	var errs []error
	fail := func(key, format string, arguments ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, arguments...)))
	}
	address, err := url.Parse(c.URL)
	switch {
	case err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https":
		fail("url", "this is no URL; write http://HOST:PORT, or https")
	case address.User != nil:
		fail("url", "has a user or a password; write them under basic_auth")
	case address.RawQuery != "" || address.Fragment != "":
		fail("url", "has something behind the path; write http://HOST:PORT/PATH")
	}
	if c.Match != "" && !matchers.MatchString(c.Match) {
		fail("match", "%q is no list of matchers; write job=\"node\", without braces", c.Match)
	}
	if c.HostLabel != "" && !labelName.MatchString(c.HostLabel) {
		fail("host_label", "%q is no name of a label; write letters, digits and underscores, as instance", c.HostLabel)
	}
	if c.Interval != 0 && (c.Interval < shortestInterval || c.Interval > longestInterval) {
		fail("interval", "%s is out of range; write %s to %s", c.Interval, shortestInterval, longestInterval)
	}
	if (c.BasicAuth.Username == "") != (c.BasicAuth.PasswordFile == "") {
		fail("basic_auth", "takes both username and password_file; write both, or leave them out")
	}
	if c.BasicAuth.Username != "" && c.BearerTokenFile != "" {
		fail("bearer_token_file", "cannot go with basic_auth; leave one of them out")
	}
	if (c.TLS.CertFile == "") != (c.TLS.KeyFile == "") {
		fail("tls", "takes both cert_file and key_file; write both, or leave them out")
	}
	if settings := c.client(); settings.HTTPHeaders != nil {
		if err := settings.HTTPHeaders.Validate(); err != nil {
			fail("headers", "%v; leave it out", err)
		}
	}
	return errors.Join(errs...)
}

// Every is how often the Prometheus is read.
func (c Config) Every() time.Duration {
	if c.Interval > 0 {
		return c.Interval
	}
	return defaultInterval
}

func (c Config) hostLabel() string {
	if c.HostLabel != "" {
		return c.HostLabel
	}
	return instanceLabel
}

// client is the configuration in the words of the HTTP library.
func (c Config) client() config.HTTPClientConfig {
	settings := config.HTTPClientConfig{
		EnableHTTP2: true,
		TLSConfig: config.TLSConfig{
			CAFile: c.TLS.CAFile, CertFile: c.TLS.CertFile, KeyFile: c.TLS.KeyFile,
			ServerName: c.TLS.ServerName, InsecureSkipVerify: c.TLS.InsecureSkipVerify,
		},
		ProxyConfig: config.ProxyConfig{ProxyFromEnvironment: true},
	}
	if c.BasicAuth.Username != "" {
		settings.BasicAuth = &config.BasicAuth{Username: c.BasicAuth.Username, PasswordFile: c.BasicAuth.PasswordFile}
	}
	if c.BearerTokenFile != "" {
		settings.Authorization = &config.Authorization{Type: "Bearer", CredentialsFile: c.BearerTokenFile}
	}
	if len(c.Headers) > 0 {
		settings.HTTPHeaders = &config.Headers{Headers: map[string]config.Header{}}
		for name, value := range c.Headers {
			settings.HTTPHeaders.Headers[name] = config.Header{Values: []string{value}}
		}
	}
	return settings
}

// transport makes what sends the requests. Credentials that cannot be read now are an error; later they are read again for
// every request, and are a failure of that.
func (c Config) transport(agent string) (http.RoundTripper, error) {
	for _, name := range []string{c.BasicAuth.PasswordFile, c.BearerTokenFile} {
		if name == "" {
			continue
		}
		if _, err := os.ReadFile(name); err != nil {
			return nil, fmt.Errorf("credentials: %w", err)
		}
	}
	transport, err := config.NewRoundTripperFromConfig(c.client(), "promhost", config.WithUserAgent(agent))
	if err != nil {
		return nil, fmt.Errorf("HTTP client: %w", err)
	}
	return trust.Explain(transport, trust.Keys{
		Address: "url", Authority: "tls.ca_file", ServerName: "tls.server_name", Client: "tls.cert_file and tls.key_file",
	}), nil
}
