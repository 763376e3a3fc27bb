package gcnv

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"github.com/cenkalti/backoff/v5"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"
	"google.golang.org/grpc"

	"github.com/nasight/nasight/collectors/budget"
	"github.com/nasight/nasight/collectors/internal/apitrace"
)

// gate is what every request passes: it spaces requests evenly, bounds how many are under way, repeats those that may
// yet be answered, and counts each one.
type gate struct {
	limiter  *rate.Limiter
	slots    chan struct{}
	budget   *budget.Budget
	tracer   trace.Tracer
	first    time.Duration // pause before the first repetition
	patience time.Duration // time after which a request is not repeated any more
	attempt  time.Duration // most time that one request may take
}

const (
	defaultFirstRetry = time.Second
	defaultPatience   = 90 * time.Second
	longestRetry      = 30 * time.Second
	attemptTimeout    = 60 * time.Second
)

func newGate(pacing Pacing, opts Options) *gate {
	return &gate{
		limiter: rate.NewLimiter(rate.Limit(pacing.CallsPerSecond), 1), slots: make(chan struct{}, pacing.Concurrency),
		budget: opts.Budget, tracer: opts.Tracer, first: opts.FirstRetry, patience: opts.Patience, attempt: attemptTimeout,
	}
}

// call makes a request and repeats it until it is answered, refused for good, or out of time.
func (g *gate) call(ctx context.Context, project, api string, request func(context.Context) error) error {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = g.first, longestRetry
	var last error
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := g.once(ctx, project, api, request)
		if ctx.Err() == nil {
			last = err
		}
		switch {
		case err == nil:
			return struct{}{}, nil
		case ctx.Err() != nil || !retryable(err):
			return struct{}{}, backoff.Permanent(err)
		}
		if after := retryAfter(err); after > 0 {
			return struct{}{}, &after429{err, &backoff.RetryAfterError{Duration: after + rand.N(after/10+1)}}
		}
		return struct{}{}, err
	}, backoff.WithBackOff(pause), backoff.WithMaxElapsedTime(g.patience))
	if err != nil && ctx.Err() != nil && last != nil {
		return fmt.Errorf("%w; out of time", last)
	}
	return err
}

// after429 is an answer that asks for a pause. It stays the answer for those who look for its reason.
type after429 struct {
	error
	pause *backoff.RetryAfterError
}

// Unwrap gives both.
func (e *after429) Unwrap() []error { return []error{e.error, e.pause} }

func (g *gate) once(ctx context.Context, project, api string, request func(context.Context) error) error {
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := g.limiter.Wait(ctx); err != nil {
		return fmt.Errorf("waiting for the turn of the request: %w", context.DeadlineExceeded)
	}
	ctx, cancel := context.WithTimeout(ctx, g.attempt)
	defer cancel()
	ctx, span := apitrace.Start(ctx, g.tracer, apitrace.Call{Cloud: Cloud, Service: Service, Account: project, API: api})
	err := request(ctx)
	code := codeOf(err).String()
	g.budget.Request(project, api, code)
	span.End(code, err)
	return err
}

// unary lets each gRPC request pass the gate, counts the time series that are billed and notes what answers say about
// being incomplete.
func (g *gate) unary(ctx context.Context, method string, request, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	named, ok := request.(interface{ GetName() string })
	if !ok {
		return invoke(ctx, method, request, reply, cc, opts...)
	}
	project := lastOf(named.GetName())
	return g.call(ctx, project, lastOf(method), func(ctx context.Context) error {
		err := invoke(ctx, method, request, reply, cc, opts...)
		if answer, ok := reply.(*monitoringpb.ListTimeSeriesResponse); ok && err == nil {
			g.charge(ctx, project, answer)
		}
		return err
	})
}

// charge counts the time series of an answer and tells the call's span of them.
func (g *gate) charge(ctx context.Context, project string, answer *monitoringpb.ListTimeSeriesResponse) {
	series := len(answer.GetTimeSeries())
	apitrace.Billed(ctx, series, g.budget.Charge(project, series))
	if note, ok := ctx.Value(noteKey{}).(*note); ok {
		note.errors += len(answer.GetExecutionErrors())
	}
}

// note is where a reader of several pages finds what they say beside their items.
type note struct{ errors int }

type noteKey struct{}
