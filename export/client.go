package export

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"

	"github.com/prometheus/common/config"

	"github.com/nasight/nasight/internal/redirect"
	"github.com/nasight/nasight/internal/trust"
)

// newClient makes the HTTP client with the credentials and certificates of the configuration.
func newClient(cfg PusherConfig) (*http.Client, *statusRecorder, error) {
	target, err := url.Parse(cfg.URL)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, nil, errors.New("is no http or https URL")
	}
	if (cfg.User == "") != (cfg.PasswordFile == "") {
		return nil, nil, errors.New("basic auth takes both a user and a password file")
	}
	settings := config.HTTPClientConfig{
		EnableHTTP2: true,
		TLSConfig:   config.TLSConfig{CAFile: cfg.CAFile},
		ProxyConfig: config.ProxyConfig{ProxyFromEnvironment: true},
	}
	if cfg.User != "" {
		settings.BasicAuth = &config.BasicAuth{Username: cfg.User, PasswordFile: cfg.PasswordFile}
	}
	if cfg.BearerTokenFile != "" {
		settings.Authorization = &config.Authorization{CredentialsFile: cfg.BearerTokenFile}
	}
	if len(cfg.Headers) > 0 {
		settings.HTTPHeaders = &config.Headers{Headers: map[string]config.Header{}}
		for name, value := range cfg.Headers {
			settings.HTTPHeaders.Headers[name] = config.Header{Values: []string{value}}
		}
	}
	if err := settings.Validate(); err != nil {
		return nil, nil, fmt.Errorf("credentials: %w", err)
	}
	if err := errors.Join(readable("password file", cfg.PasswordFile), readable("bearer token file", cfg.BearerTokenFile)); err != nil {
		return nil, nil, err
	}
	client, err := config.NewClientFromConfig(settings, "remote_write", config.WithUserAgent(cfg.UserAgent))
	if err != nil {
		return nil, nil, fmt.Errorf("HTTP client: %w", err)
	}
	client.Transport = trust.Explain(redirect.Refuse(client.Transport), trust.Keys{Address: "url", Authority: "ca_file"})
	if cfg.Wrap != nil {
		client.Transport = cfg.Wrap(client.Transport)
	}
	status := &statusRecorder{next: client.Transport}
	client.Transport = status
	client.Timeout = cfg.Timeout
	return client, status, nil
}

// NewTransport makes what sends requests with the credentials and certificates of the configuration, without a timeout.
func NewTransport(cfg PusherConfig) (http.RoundTripper, error) {
	client, _, err := newClient(cfg)
	if err != nil {
		return nil, err
	}
	return client.Transport, nil
}

// readable refuses a file with credentials that cannot be read at the start; no name is no file. One that goes away later
// is read again with every request, and is no reason to end.
func readable(what, name string) error {
	if name == "" {
		return nil
	}
	if _, err := os.ReadFile(name); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// statusRecorder remembers the status of the last answer, which the client library has in the text of its error alone.
type statusRecorder struct {
	next http.RoundTripper
	code atomic.Int32
}

// RoundTrip implements http.RoundTripper.
func (s *statusRecorder) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := s.next.RoundTrip(r)
	if err == nil {
		s.code.Store(int32(response.StatusCode))
	}
	return response, err
}

// CloseIdleConnections lets http.Client reach the transport beneath.
func (s *statusRecorder) CloseIdleConnections() {
	if next, ok := s.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

func (s *statusRecorder) reset() { s.code.Store(0) }

func (s *statusRecorder) last() int { return int(s.code.Load()) }

// redacted is the URL without its password, if it has one, for logs and errors.
func redacted(text string) string {
	parsed, err := url.Parse(text)
	if err != nil {
		return "(unreadable URL)"
	}
	return parsed.Redacted()
}
