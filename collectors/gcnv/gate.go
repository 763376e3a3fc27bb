package gcnv

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"github.com/cenkalti/backoff/v5"
	"golang.org/x/time/rate"
	"google.golang.org/grpc"

	"github.com/nasight/nasight/collectors/budget"
)

// gate is what every request passes: it spaces requests evenly, bounds how many are under way, repeats those that may
// yet be answered, and counts each one.
type gate struct {
	limiter  *rate.Limiter
	slots    chan struct{}
	budget   *budget.Budget
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

func newGate(pacing Pacing, b *budget.Budget, firstRetry, patience time.Duration) *gate {
	return &gate{
		limiter: rate.NewLimiter(rate.Limit(pacing.CallsPerSecond), 1), slots: make(chan struct{}, pacing.Concurrency),
		budget: b, first: firstRetry, patience: patience, attempt: attemptTimeout,
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
	err := request(ctx)
	g.budget.Request(project, api, codeOf(err).String())
	return err
}

// unary lets each gRPC request pass the gate, counts the time series that are billed and notes what answers say about
// being incomplete.
func (g *gate) unary(ctx context.Context, method string, request, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	named, ok := request.(interface{ GetName() string })
	if !ok {
		return invoke(ctx, method, request, reply, cc, opts...)
	}
	err := g.call(ctx, lastOf(named.GetName()), lastOf(method), func(ctx context.Context) error {
		return invoke(ctx, method, request, reply, cc, opts...)
	})
	if answer, ok := reply.(*monitoringpb.ListTimeSeriesResponse); ok && err == nil {
		g.budget.Charge(lastOf(named.GetName()), len(answer.GetTimeSeries()))
		if note, ok := ctx.Value(noteKey{}).(*note); ok {
			note.errors += len(answer.GetExecutionErrors())
		}
	}
	return err
}

// note is where a reader of several pages finds what they say beside their items.
type note struct{ errors int }

type noteKey struct{}
