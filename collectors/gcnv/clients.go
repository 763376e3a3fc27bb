package gcnv

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	monitoring "cloud.google.com/go/monitoring/apiv3/v2"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/impersonate"
	"google.golang.org/api/netapp/v1"
	"google.golang.org/api/option"
	htransport "google.golang.org/api/transport/http"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// api is one of the services that are called.
type api string

const (
	monitoringAPI api = "monitoring"
	netappAPI     api = "netapp"
	resourcesAPI  api = "resource_manager"
)

// Dial makes the options of a client of one API ("monitoring", "netapp", "resource_manager"). It is asked again when
// credentials were refused.
type Dial func(ctx context.Context, api string) ([]option.ClientOption, error)

const (
	netappURL    = "https://netapp.googleapis.com/"
	resourcesURL = "https://cloudresourcemanager.googleapis.com/"
	readScope    = "https://www.googleapis.com/auth/monitoring.read"
)

// dial makes the options that the configuration asks for: the credentials of the environment (a key file, workload
// identity, the metadata server), which may act as a service account.
func (c Config) dial(ctx context.Context, name string) ([]option.ClientOption, error) {
	scope := netapp.CloudPlatformScope
	if name == string(monitoringAPI) {
		scope = readScope
	}
	opts := []option.ClientOption{option.WithTelemetryDisabled()}
	if endpoint := c.endpoint(api(name)); endpoint != "" {
		opts = append(opts, option.WithEndpoint(endpoint))
	}
	if c.Endpoints.Insecure {
		opts = append(opts, option.WithoutAuthentication())
		if name == string(monitoringAPI) {
			opts = append(opts, option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
		}
		return opts, nil
	}
	if c.QuotaProject != "" {
		opts = append(opts, option.WithQuotaProject(c.QuotaProject))
	}
	if c.Impersonate == "" {
		return append(opts, option.WithScopes(scope)), nil
	}
	tokens, err := impersonate.CredentialsTokenSource(ctx, impersonate.CredentialsConfig{
		TargetPrincipal: c.Impersonate, Scopes: []string{scope},
	})
	if err != nil {
		return nil, fmt.Errorf("act as %s: %w", c.Impersonate, err)
	}
	return append(opts, option.WithTokenSource(tokens)), nil
}

func (c Config) endpoint(name api) string {
	switch name {
	case monitoringAPI:
		return c.Endpoints.Monitoring
	case netappAPI:
		return c.Endpoints.NetApp
	}
	return c.Endpoints.ResourceManager
}

// clients are the connections to the APIs under one set of credentials. They are made when they are first needed.
type clients struct {
	dial  Dial
	agent string // what requests say who they are of
	gate  *gate

	mu      sync.Mutex
	current *connections
	made    time.Time // when the current ones were made
	refused bool      // somebody was refused since
}

// connections are closed once they are given up and nobody uses them.
type connections struct {
	metrics           *monitoring.MetricClient
	netapp, resources *rest
	users             int
	given             bool // up
}

// leastRenewal is how old connections have to be before new ones are made after a refusal: a project that is forbidden
// for good would otherwise make new ones all the time.
const leastRenewal = time.Minute

// use hands out the connections; the caller calls done when it needs them no longer. After a refusal they are made anew,
// with the credentials that there are now.
func (c *clients) use(ctx context.Context, now time.Time) (conns *connections, done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused && now.Sub(c.made).Abs() >= leastRenewal {
		c.giveUp()
	}
	if c.current == nil {
		c.made, c.refused = now, false
		if c.current, err = c.connect(ctx); err != nil {
			return nil, nil, fmt.Errorf("credentials: %w", err)
		}
	}
	conns = c.current
	conns.users++
	return conns, sync.OnceFunc(func() { c.release(conns) }), nil
}

func (c *clients) release(conns *connections) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conns.users--
	conns.closeIfIdle()
}

// blame notes that the credentials were refused.
func (c *clients) blame() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused = true
}

// close gives the connections up for good.
func (c *clients) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveUp()
}

func (c *clients) giveUp() {
	if c.current != nil {
		c.current.given = true
		c.current.closeIfIdle()
		c.current = nil
	}
}

func (c *connections) closeIfIdle() {
	if c.given && c.users == 0 {
		// An error of closing a connection that nobody uses has no consequence.
		_ = c.metrics.Close()
		c.netapp.client.CloseIdleConnections()
		c.resources.client.CloseIdleConnections()
	}
}

// connect makes the clients. The credentials live longer than the run that needs them first.
func (c *clients) connect(ctx context.Context) (*connections, error) {
	ctx = context.WithoutCancel(ctx)
	opts, err := c.dial(ctx, string(monitoringAPI))
	if err != nil {
		return nil, err
	}
	opts = append(opts, option.WithUserAgent(c.agent), option.WithGRPCDialOption(grpc.WithChainUnaryInterceptor(c.gate.unary)))
	conns := &connections{}
	if conns.metrics, err = monitoring.NewMetricClient(ctx, opts...); err != nil {
		return nil, fmt.Errorf("monitoring client: %w", err)
	}
	// The gate repeats requests; the client would do so unseen and uncounted.
	conns.metrics.CallOptions.ListTimeSeries = []gax.CallOption{}
	conns.metrics.CallOptions.ListMetricDescriptors = []gax.CallOption{}
	if conns.netapp, err = c.rest(ctx, netappAPI, netappURL); err == nil {
		conns.resources, err = c.rest(ctx, resourcesAPI, resourcesURL)
	}
	if err != nil {
		return nil, errors.Join(err, conns.metrics.Close())
	}
	return conns, nil
}

func (c *clients) rest(ctx context.Context, name api, base string) (*rest, error) {
	opts, err := c.dial(ctx, string(name))
	if err != nil {
		return nil, err
	}
	client, endpoint, err := htransport.NewClient(ctx, append(opts, option.WithUserAgent(c.agent))...)
	if err != nil {
		return nil, fmt.Errorf("%s client: %w", name, err)
	}
	if endpoint != "" {
		base = endpoint
	}
	return &rest{client: client, base: strings.TrimSuffix(base, "/") + "/", gate: c.gate}, nil
}

// rest reads lists of an API over HTTP.
type rest struct {
	client *http.Client
	base   string
	gate   *gate
}
