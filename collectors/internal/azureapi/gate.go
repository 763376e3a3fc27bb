package azureapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"golang.org/x/time/rate"

	"github.com/nasight/nasight/collectors/budget"
	"github.com/nasight/nasight/collectors/internal/apitrace"
)

// The pace of one subscription. Resource Manager lets 250 reads through at once and 25 a second from then on, for one
// principal; Microsoft.Storage 100 lists in 5 minutes, for all that ask. Both keep a reserve.
const (
	readsPerSecond = 10
	readsAtOnce    = 50
	listEvery      = 4 * time.Second // 75 in 5 minutes
	listsAtOnce    = 20
	longestPause   = 10 * time.Minute
	mostBody       = 256 << 20
	slots          = 8 // requests under way at a time, all subscriptions together
)

// gate is what every attempt of every request passes: it paces the requests of a subscription, keeps the pauses that
// answers ask for, and counts each attempt by its answer. It is a policy of the SDK's pipelines.
type gate struct {
	budget  *budget.Budget
	service string
	tracer  trace.Tracer
	api     func(path string) string
	clock   func() time.Time
	slots   chan struct{}
	paced   bool

	mu    sync.Mutex
	paces map[string]*pace // by subscription
}

type pace struct {
	reads, lists *rate.Limiter
	until        time.Time // before it nothing is sent
}

func newGate(options ClientOptions, clock func() time.Time) *gate {
	g := &gate{
		budget: options.Budget, service: options.Service, tracer: options.Tracer, api: options.API, clock: clock,
		slots: make(chan struct{}, slots), paced: !options.Unpaced, paces: map[string]*pace{},
	}
	if g.tracer == nil {
		g.tracer = noop.Tracer{}
	}
	return g
}

func newPace(paced bool) *pace {
	if !paced {
		return &pace{reads: rate.NewLimiter(rate.Inf, 0), lists: rate.NewLimiter(rate.Inf, 0)}
	}
	return &pace{reads: rate.NewLimiter(readsPerSecond, readsAtOnce), lists: rate.NewLimiter(rate.Every(listEvery), listsAtOnce)}
}

// Do implements policy.Policy.
func (g *gate) Do(request *policy.Request) (*http.Response, error) {
	raw := request.Raw()
	subscription, api := scopeOf(raw.URL.Path), g.api(raw.URL.Path)
	leave, err := g.enter(raw.Context(), subscription, api)
	if err != nil {
		return nil, err
	}
	defer leave()
	call := apitrace.Call{Cloud: "azure", Service: g.service, Account: subscription, API: api}
	ctx, span := apitrace.Start(raw.Context(), g.tracer, call)
	response, err := request.WithContext(ctx).Next()
	code := codeOf(response, err)
	g.budget.Request(subscription, api, code)
	if err == nil {
		g.heed(subscription, response)
		response.Body = &limited{io.LimitReader(response.Body, mostBody), response.Body}
		err = g.traced(span, response)
	}
	span.End(code, err)
	return response, err
}

// traced tells the span how many time series an answer of Azure Monitor has. Nothing is read where nobody will see it; what it costs
// is in no dated source that we know.
func (g *gate) traced(span apitrace.Span, response *http.Response) error {
	if !span.Recording() || !hasSeries(response) {
		return nil
	}
	body, err := io.ReadAll(response.Body)
	response.Body = &limited{bytes.NewReader(body), response.Body}
	if err != nil {
		return err
	}
	if series, ok := seriesIn(body); ok {
		span.Returned(series)
	}
	return nil
}

// limited is a body that ends at a size that no true answer has.
type limited struct {
	io.Reader
	io.Closer
}

// enter waits for the turn of a request and for a free slot.
func (g *gate) enter(ctx context.Context, subscription, api string) (leave func(), err error) {
	p := g.pace(subscription)
	limiters := []*rate.Limiter{p.reads}
	if strings.HasSuffix(api, ".list") {
		limiters = append(limiters, p.lists)
	}
	for _, limiter := range limiters {
		if err := limiter.Wait(ctx); err != nil {
			return nil, ended(ctx)
		}
	}
	if err := g.pause(ctx, p); err != nil {
		return nil, err
	}
	select {
	case g.slots <- struct{}{}:
		return func() { <-g.slots }, nil
	case <-ctx.Done():
		return nil, ended(ctx)
	}
}

// pause waits until the moment that an answer named, or says at once that it is after the deadline.
func (g *gate) pause(ctx context.Context, p *pace) error {
	g.mu.Lock()
	left := p.until.Sub(g.clock())
	g.mu.Unlock()
	if left <= 0 {
		return nil
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < left {
		return &pacedError{}
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ended(ctx)
	}
}

// ended is why a request that waited was not sent.
func ended(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return &pacedError{}
}

func (g *gate) pace(subscription string) *pace {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.paces[subscription] == nil {
		g.paces[subscription] = newPace(g.paced)
	}
	return g.paces[subscription]
}

// heed keeps the pause that an answer asks for: for all requests of the subscription, not for the one alone that the SDK
// sends again.
func (g *gate) heed(subscription string, response *http.Response) {
	after := retryAfter(response.Header.Get("Retry-After"), g.clock())
	if after <= 0 || response.StatusCode < http.StatusBadRequest {
		return
	}
	p := g.pace(subscription)
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := g.clock().Add(after); until.After(p.until) {
		p.until = until
	}
}

// retryAfter reads the header: seconds or a moment. 0 is for none.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, longestPause)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), longestPause)
	}
	return 0
}

// scopeOf is what a request is paced and counted by: its subscription, or its workspace of the log service.
func scopeOf(path string) string {
	if subscription := PartOf(path, "subscriptions"); subscription != "" {
		return strings.ToLower(subscription)
	}
	return strings.ToLower(PartOf(path, "workspaces"))
}

// codeOf is what an attempt is counted under.
func codeOf(response *http.Response, err error) string {
	if err != nil || response == nil {
		return ReasonOf(err)
	}
	return strconv.Itoa(response.StatusCode)
}
