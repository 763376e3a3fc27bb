package azureapi

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
	"github.com/Azure/azure-sdk-for-go/sdk/monitor/query/azmetrics"
	"go.opentelemetry.io/otel/trace"

	"github.com/nasight/nasight/collectors/budget"
	"github.com/nasight/nasight/internal/trust"
)

const (
	mostRetries    = 3
	longestRetry   = 30 * time.Second
	attemptTimeout = 60 * time.Second
	leastRenewal   = time.Minute // how old credentials are at least before new ones are made after a refusal
)

// ClientOptions are what Clients are made of.
type ClientOptions struct {
	Access     Access
	Budget     *budget.Budget           // counts each attempt of each request
	API        func(path string) string // names what a request asks for, for the counters; lists end in .list
	FirstRetry time.Duration            // pause before the first repetition of a request; 0 for the SDK's
	Retries    int32                    // of a request; 0 for 3
	Attempt    time.Duration            // most time that one takes; 0 for a minute
	Given      azcore.TokenCredential   // nil for what the configuration says
	Clock      func() time.Time
	Service    string       // what spans say that is read
	Tracer     trace.Tracer // gets a span for every attempt of a request; nil for none
	Agent      string       // what requests say who they are of; empty for nasight
	Unpaced    bool         // requests do not wait for their turn: the service's time is simulated and passes faster than this machine's
}

// Clients make the SDK's clients under one set of credentials, which are made when they are first needed and anew after
// a refusal: a secret that was replaced is used without a restart.
type Clients struct {
	ClientOptions
	gate *gate

	mu      sync.Mutex
	http    *http.Client
	current azcore.TokenCredential
	made    time.Time
	refused bool
}

// NewClients connects to nothing yet.
func NewClients(options ClientOptions) *Clients {
	return &Clients{ClientOptions: options, gate: newGate(options, time.Now)}
}

// Session is what one run asks with.
type Session struct {
	Credential azcore.TokenCredential
	options    azcore.ClientOptions
	access     Access
}

// Use hands out a session. An error is about the credentials or the certificates of the configuration.
func (c *Clients) Use() (*Session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Clock()
	if c.http == nil {
		client, err := newHTTP(c.Access.Endpoints.CAFile, cmp.Or(c.Agent, "nasight"))
		if err != nil {
			return nil, &identityError{err}
		}
		c.http = client
	}
	options := c.options()
	if c.current == nil || c.refused && now.Sub(c.made).Abs() >= leastRenewal {
		credential, err := c.credential(options)
		if err != nil {
			return nil, &identityError{fmt.Errorf("credentials of identity %s: %w", c.Access.Identity.Kind, err)}
		}
		c.current, c.made, c.refused = credential, now, false
	}
	options.PerRetryPolicies = []policy.Policy{c.gate}
	return &Session{Credential: c.current, options: options, access: c.Access}, nil
}

func (c *Clients) credential(options azcore.ClientOptions) (azcore.TokenCredential, error) {
	if c.Given != nil {
		return c.Given, nil
	}
	return c.Access.Identity.credential(options)
}

// options are those of every client. The list of statuses replaces the SDK's own, which lacks 529.
func (c *Clients) options() azcore.ClientOptions {
	return azcore.ClientOptions{
		Cloud: c.Access.cloud(), Transport: c.http,
		Retry: policy.RetryOptions{
			MaxRetries: cmp.Or(c.Retries, mostRetries), TryTimeout: cmp.Or(c.Attempt, attemptTimeout), RetryDelay: c.FirstRetry, MaxRetryDelay: longestRetry,
			StatusCodes: []int{
				http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
				http.StatusServiceUnavailable, http.StatusGatewayTimeout, statusMonitorThrottled,
			},
		},
	}
}

// Blame looks whether new credentials may help against an error.
func (c *Clients) Blame(err error) {
	if Refused(err) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.refused = true
	}
}

// Close gives idle connections up.
func (c *Clients) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
}

func newHTTP(caFile, agent string) (*http.Client, error) {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: slots,
		IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if caFile != "" {
		pem, err := os.ReadFile(caFile)
		if err != nil {
			return nil, fmt.Errorf("endpoints.ca_file: %w", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("endpoints.ca_file: no certificate in %s; write one in PEM", caFile)
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	keys := trust.Keys{Address: "endpoints", Authority: "endpoints.ca_file"}
	return &http.Client{Transport: trust.Explain(&named{agent, transport}, keys)}, nil
}

// named says who a request is of, before what the SDK says of itself. The SDK would cut a name after 24 characters, and with it the
// version.
type named struct {
	agent string
	next  *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (n *named) RoundTrip(request *http.Request) (*http.Response, error) {
	agent := n.agent
	if own := request.UserAgent(); own != "" {
		agent += " " + own
	}
	request = request.Clone(request.Context())
	request.Header.Set("User-Agent", agent)
	return n.next.RoundTrip(request)
}

// CloseIdleConnections lets http.Client reach the transport beneath.
func (n *named) CloseIdleConnections() { n.next.CloseIdleConnections() }

// Token gets a token for Resource Manager.
func (s *Session) Token(ctx context.Context) (string, error) {
	scope := s.options.Cloud.Services[cloud.ResourceManager].Audience + "/.default"
	token, err := s.Credential.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{scope}})
	return token.Token, err
}

// ARM are the options of Resource Manager's clients. The SDK would register a resource provider that a subscription
// lacks: nasight changes nothing.
func (s *Session) ARM() *arm.ClientOptions {
	return &arm.ClientOptions{ClientOptions: s.options, DisableRPRegistration: true}
}

// Metrics makes a client of the metrics of single resources.
func (s *Session) Metrics() (*azquery.MetricsClient, error) {
	return azquery.NewMetricsClient(s.Credential, &azquery.MetricsClientOptions{ClientOptions: s.options})
}

// Logs makes a client of the log service.
func (s *Session) Logs() (*azquery.LogsClient, error) {
	return azquery.NewLogsClient(s.Credential, &azquery.LogsClientOptions{ClientOptions: s.options})
}

// Batch makes a client of the metrics of many resources of a region.
func (s *Session) Batch(region string) (*azmetrics.Client, error) {
	return azmetrics.NewClient(s.access.batchEndpoint(region), s.Credential, &azmetrics.ClientOptions{ClientOptions: s.options})
}
