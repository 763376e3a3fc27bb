package otlp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/prometheus/common/config"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
)

// transport is the way to the receiver, which metrics and traces share: an HTTP client or a gRPC connection. Both put the headers
// on every request and note how it was answered.
type transport struct {
	address *url.URL
	client  *http.Client     // nil for gRPC
	conn    *grpc.ClientConn // nil for HTTP
}

const (
	longestReconnect = 30 * time.Second
	pingEvery        = 10 * time.Minute
)

func newTransport(cfg Config, agent string) (*transport, error) {
	address, err := url.Parse(cfg.Endpoint)
	if err != nil {
		return nil, errors.New("the endpoint is no URL")
	}
	credentials := headers{fixed: cfg.Headers, files: cfg.HeaderFiles}
	if _, err := credentials.read(); err != nil {
		return nil, err
	}
	t := &transport{address: address}
	if cfg.Protocol == HTTP {
		t.client, err = newHTTP(cfg, agent, credentials)
	} else {
		t.conn, err = newGRPC(cfg, address, agent, credentials)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// url is where one signal is sent to over HTTP.
func (t *transport) url(signal string) string { return t.address.JoinPath("v1", signal).String() }

// close gives the connections up.
func (t *transport) close() error {
	if t.client != nil {
		t.client.CloseIdleConnections()
		return nil
	}
	return t.conn.Close()
}

func (c TLS) settings() config.TLSConfig {
	return config.TLSConfig{
		CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile, ServerName: c.ServerName, InsecureSkipVerify: c.InsecureSkipVerify,
	}
}

// newHTTP makes a client that follows no redirection: the headers would be told to whom the receiver names.
func newHTTP(cfg Config, agent string, credentials headers) (*http.Client, error) {
	settings := config.HTTPClientConfig{
		EnableHTTP2: true, TLSConfig: cfg.TLS.settings(), ProxyConfig: config.ProxyConfig{ProxyFromEnvironment: true},
	}
	next, err := config.NewRoundTripperFromConfig(settings, "otlp")
	if err != nil {
		return nil, fmt.Errorf("HTTP client: %w", err)
	}
	if cfg.Compression == Gzip {
		next = &zipping{next: next}
	}
	return &http.Client{
		Transport:     &httpNotes{next: next, agent: agent, headers: credentials},
		Timeout:       cfg.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

func newGRPC(cfg Config, address *url.URL, agent string, own headers) (*grpc.ClientConn, error) {
	security, port := insecure.NewCredentials(), "80"
	if address.Scheme == "https" {
		settings := cfg.TLS.settings()
		certificates, err := config.NewTLSConfig(&settings)
		if err != nil {
			return nil, fmt.Errorf("gRPC client: %w", err)
		}
		certificates.MinVersion = tls.VersionTLS12
		security, port = credentials.NewTLS(certificates), "443"
	}
	if address.Port() != "" {
		port = address.Port()
	}
	pauses := backoff.DefaultConfig
	pauses.MaxDelay = longestReconnect
	call := []grpc.CallOption{}
	if cfg.Compression == Gzip {
		call = append(call, grpc.UseCompressor(gzip.Name))
	}
	conn, err := grpc.NewClient(net.JoinHostPort(address.Hostname(), port),
		grpc.WithTransportCredentials(security), grpc.WithUserAgent(agent), grpc.WithChainUnaryInterceptor(own.unary, noteAnswer),
		grpc.WithDefaultCallOptions(call...),
		// A connection that a firewall has forgotten ends when what was sent stays without an answer for so long, and not after
		// the kernel's quarter of an hour. Pings oftener than every five minutes are refused by servers.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingEvery, Timeout: cfg.Timeout}),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: pauses, MinConnectTimeout: cfg.Timeout}))
	if err != nil {
		return nil, fmt.Errorf("gRPC client: %w", err)
	}
	return conn, nil
}

// headers are what every request carries. Files are read each time, as secrets are replaced while nasight runs.
type headers struct{ fixed, files map[string]string }

// headersError says that a header cannot be read. It does not say what is in the file.
type headersError struct{ err error }

func (e *headersError) Error() string { return e.err.Error() }
func (e *headersError) Unwrap() error { return e.err }

const mostHeader = 64 << 10 // bytes of a value

func (h headers) read() (map[string]string, error) {
	all := make(map[string]string, len(h.fixed)+len(h.files))
	for name, value := range h.fixed {
		all[name] = value
	}
	for name, file := range h.files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, &headersError{fmt.Errorf("header %s: %w", name, err)}
		}
		value := strings.TrimSpace(string(data))
		if value == "" || len(value) > mostHeader || strings.ContainsAny(value, "\r\n\x00") {
			return nil, &headersError{fmt.Errorf("header %s: %s does not hold one line", name, file)}
		}
		all[name] = value
	}
	return all, nil
}

// unary is the gRPC interceptor that adds the headers.
func (h headers) unary(ctx context.Context, method string, request, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	all, err := h.read()
	if err != nil {
		return err
	}
	pairs := make([]string, 0, 2*len(all))
	for name, value := range all {
		pairs = append(pairs, name, value)
	}
	return invoke(metadata.AppendToOutgoingContext(ctx, pairs...), method, request, reply, cc, opts...)
}
