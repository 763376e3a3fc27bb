// Package otlp pushes what /metrics shows to a receiver of the OpenTelemetry protocol, by gRPC or HTTP, and traces of collection
// cycles with the requests to cloud APIs beneath them.
//
// The exporters are the OpenTelemetry SDK's. The loop around them is this package's own, and so are the metrics that they are given:
// made from the same gathered families as an exposition, so that both show the same numbers. The SDK's periodic reader would report
// failures to the process's global error handler, where nobody counts them, and its instruments would be a second bookkeeping of
// what the store has already. Nothing global of OpenTelemetry is set or asked.
package otlp

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// The protocols, compressions and temporalities, as the configuration writes them.
const (
	GRPC       = "grpc"
	HTTP       = "http/protobuf"
	Gzip       = "gzip"
	None       = "none"
	Cumulative = "cumulative"
	Delta      = "delta"
)

// Config is where metrics and traces are pushed to and how. It alone decides: no environment variable of OpenTelemetry has a part.
type Config struct {
	Endpoint    string            `yaml:"endpoint"`     // http or https://HOST:PORT, over HTTP with the path before /v1/metrics; empty for no push
	Protocol    string            `yaml:"protocol"`     // grpc or http/protobuf
	Interval    time.Duration     `yaml:"interval"`     // from one push to the next, 1s to 1h
	Timeout     time.Duration     `yaml:"timeout"`      // most time of one request, 100ms to 5m
	Headers     map[string]string `yaml:"headers"`      // sent with every request
	HeaderFiles map[string]string `yaml:"header_files"` // the same, each value from a file that is read again for every request
	TLS         TLS               `yaml:"tls"`
	Compression string            `yaml:"compression"` // gzip or none
	Temporality string            `yaml:"temporality"` // of counters: cumulative or delta
	Resource    map[string]string `yaml:"resource"`    // attributes beside those that nasight knows of itself, or in their place
	Traces      bool              `yaml:"traces"`      // push spans of collection cycles as well
}

// TLS is how an https receiver is trusted, and what this client shows of itself.
type TLS struct {
	CAFile             string `yaml:"ca_file"` // empty for the system's authorities
	CertFile           string `yaml:"cert_file"`
	KeyFile            string `yaml:"key_file"`
	ServerName         string `yaml:"server_name"` // empty for the endpoint's
	InsecureSkipVerify bool   `yaml:"insecure_skip_verify"`
}

// DefaultConfig pushes nothing, as it has no endpoint.
func DefaultConfig() Config {
	return Config{
		Protocol: GRPC, Interval: time.Minute, Timeout: 10 * time.Second, Compression: Gzip, Temporality: Cumulative,
	}
}

// Enabled says whether anything is pushed.
func (c Config) Enabled() bool { return c.Endpoint != "" }

// The bounds of what can be set.
const (
	shortestInterval = time.Second
	longestInterval  = time.Hour
	shortestTimeout  = 100 * time.Millisecond
	longestTimeout   = 5 * time.Minute
	longestAttribute = 255 // bytes of a name
)

// headerName is a token of RFC 9110, section 5.6.2.
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// ownHeaders are the protocol's.
var ownHeaders = []string{"content-type", "content-encoding", "content-length", "host", "user-agent", "te", "transfer-encoding", "connection"}

// Validate says everything that is wrong, a line each, with the key and what to write instead.
func (c Config) Validate() error {
	v := &validation{}
	v.endpoint(c)
	v.oneOf("protocol", c.Protocol, GRPC, HTTP)
	v.oneOf("compression", c.Compression, Gzip, None)
	v.oneOf("temporality", c.Temporality, Cumulative, Delta)
	v.within("interval", c.Interval, shortestInterval, longestInterval)
	v.within("timeout", c.Timeout, shortestTimeout, longestTimeout)
	v.headers(c)
	if (c.TLS.CertFile == "") != (c.TLS.KeyFile == "") {
		v.fail("tls", "takes both cert_file and key_file; write both, or leave them out")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Resource)) {
		if name == "" || len(name) > longestAttribute || strings.ContainsFunc(name+c.Resource[name], unicode.IsControl) {
			v.fail("resource", "%.50q is no attribute; write NAME: VALUE, as deployment.environment.name: production", name)
		}
	}
	return errors.Join(v.errs...)
}

type validation struct{ errs []error }

func (v *validation) fail(key, format string, arguments ...any) {
	v.errs = append(v.errs, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, arguments...)))
}

func (v *validation) oneOf(key, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		v.fail(key, "%.50q is not known; write %s", value, strings.Join(allowed, " or "))
	}
}

func (v *validation) within(key string, value, least, most time.Duration) {
	if value < least || value > most {
		v.fail(key, "%s is out of range; write %s to %s", value, least, most)
	}
}

func (v *validation) endpoint(c Config) {
	if c.Endpoint == "" {
		return
	}
	address, err := url.Parse(c.Endpoint)
	switch {
	case err != nil || address.Hostname() == "" || address.Scheme != "http" && address.Scheme != "https":
		v.fail("endpoint", "this is no URL; write http://HOST:PORT, or https")
	case address.User != nil:
		v.fail("endpoint", "has a user or a password; write an Authorization header under header_files")
	case address.RawQuery != "" || address.Fragment != "":
		v.fail("endpoint", "has something behind the path; write http://HOST:PORT/PATH")
	case c.Protocol == GRPC && strings.Trim(address.Path, "/") != "":
		v.fail("endpoint", "has a path, which gRPC does not know; write http://HOST:PORT, or protocol: %s", HTTP)
	case address.Scheme == "http" && c.TLS != TLS{}:
		v.fail("tls", "the endpoint is http and takes none; write https, or leave tls out")
	}
}

func (v *validation) headers(c Config) {
	seen := map[string]bool{}
	for _, section := range []struct {
		key     string
		headers map[string]string
	}{{"headers", c.Headers}, {"header_files", c.HeaderFiles}} {
		for _, name := range slices.Sorted(maps.Keys(section.headers)) {
			lower := strings.ToLower(name)
			switch {
			case !headerName.MatchString(name):
				v.fail(section.key, "%.50q is no name of a header; write letters, digits and dashes, as X-Scope-OrgID", name)
			case slices.Contains(ownHeaders, lower) || strings.HasPrefix(lower, "grpc-"):
				v.fail(section.key, "%s is the protocol's own; leave it out", name)
			case seen[lower]:
				v.fail(section.key, "%s is there twice; leave one out", name)
			case strings.ContainsFunc(section.headers[name], unicode.IsControl):
				v.fail(section.key, "the value of %s has control characters; write it on one line", name)
			case section.headers[name] == "":
				v.fail(section.key, "%s has no value; write one, or leave it out", name)
			}
			seen[lower] = true
		}
	}
}
