package otlp

import (
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Config)
		want   string // empty for nothing to complain of
	}{
		"gRPC":             {func(*Config) {}, ""},
		"nothing":          {func(c *Config) { c.Endpoint = "" }, ""},
		"HTTP with a path": {func(c *Config) { c.Protocol, c.Endpoint = HTTP, "https://otlp.example.com/otlp" }, ""},
		"IPv6":             {func(c *Config) { c.Endpoint = "http://[2001:db8::1]:4317" }, ""},
		"no scheme":        {func(c *Config) { c.Endpoint = "otlp.example.com:4317" }, "endpoint: this is no URL"},
		"other scheme":     {func(c *Config) { c.Endpoint = "grpc://otlp.example.com:4317" }, "endpoint: this is no URL"},
		"no host":          {func(c *Config) { c.Endpoint = "http://:4317" }, "endpoint: this is no URL"},
		"password":         {func(c *Config) { c.Endpoint = "https://a:secret@otlp.example.com" }, "endpoint: has a user or a password; write an Authorization header under header_files"},
		"query":            {func(c *Config) { c.Endpoint = "https://otlp.example.com?a=b" }, "endpoint: has something behind the path"},
		"path for gRPC":    {func(c *Config) { c.Endpoint = "https://otlp.example.com/otlp" }, "endpoint: has a path, which gRPC does not know"},
		"TLS without TLS":  {func(c *Config) { c.TLS.CAFile = "ca.pem" }, "tls: the endpoint is http and takes none"},
		"half a pair":      {func(c *Config) { c.Endpoint, c.TLS.CertFile = "https://otlp.example.com", "c.pem" }, "tls: takes both cert_file and key_file"},
		"protocol":         {func(c *Config) { c.Protocol = "http/json" }, `protocol: "http/json" is not known; write grpc or http/protobuf`},
		"compression":      {func(c *Config) { c.Compression = "zstd" }, `compression: "zstd" is not known; write gzip or none`},
		"temporality":      {func(c *Config) { c.Temporality = "" }, `temporality: "" is not known; write cumulative or delta`},
		"interval":         {func(c *Config) { c.Interval = time.Millisecond }, "interval: 1ms is out of range; write 1s to 1h0m0s"},
		"timeout":          {func(c *Config) { c.Timeout = time.Hour }, "timeout: 1h0m0s is out of range"},
		"header":           {func(c *Config) { c.Headers = map[string]string{"X Y": "1"} }, `headers: "X Y" is no name of a header`},
		"own header":       {func(c *Config) { c.Headers = map[string]string{"Content-Type": "text/plain"} }, "headers: Content-Type is the protocol's own"},
		"gRPC's header":    {func(c *Config) { c.HeaderFiles = map[string]string{"grpc-timeout": "f"} }, "header_files: grpc-timeout is the protocol's own"},
		"header twice":     {func(c *Config) { c.Headers, c.HeaderFiles = map[string]string{"A": "1"}, map[string]string{"a": "f"} }, "header_files: a is there twice"},
		"two lines":        {func(c *Config) { c.Headers = map[string]string{"A": "1\n2"} }, "headers: the value of A has control characters"},
		"no value":         {func(c *Config) { c.Headers = map[string]string{"A": ""} }, "headers: A has no value"},
		"resource":         {func(c *Config) { c.Resource = map[string]string{"": "x"} }, `resource: "" is no attribute`},
	} {
		cfg := DefaultConfig()
		cfg.Endpoint = "http://127.0.0.1:4317"
		test.change(&cfg)
		err := cfg.Validate()
		if (err == nil) != (test.want == "") || err != nil && (!strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
