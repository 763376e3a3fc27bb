package azure

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// statusOverloaded is what the store of Azure's metrics answers when it is asked too much. No registry has it.
const statusOverloaded = 529

// failure is an answer other than the one asked for.
type failure struct {
	status     int
	code       string // for programs
	message    string
	retryAfter time.Duration
	cut        bool // no answer: the connection ends
}

func failed(status int, code, format string, args ...any) *failure {
	return &failure{status: status, code: code, message: fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) *failure {
	return failed(http.StatusBadRequest, "BadRequest", format, args...)
}

// call is one call that may be answered.
type call struct {
	server       *Server
	kind         string // such as shares.list
	request      *http.Request
	query        url.Values        // names in lower case
	path         map[string]string // what the route's placeholders hold, in lower case
	subscription *model.Subscription
	faults       []faults.Fault // that hit it
	now          time.Time
}

// hit tells whether a fault of a kind hits the call.
func (c *call) hit(kind faults.Kind) bool {
	return slices.ContainsFunc(c.faults, func(f faults.Fault) bool { return f.Kind == kind })
}

// begin lets the faults of a call act, then checks who calls and how often, and what is asked about.
func (s *Server) begin(ctx context.Context, c *call, header http.Header, r route) *failure {
	id := c.path["subscription"]
	c.faults = s.faults.Call(c.kind, id)
	for _, fault := range c.faults {
		if failure := act(ctx, fault, id, r.provider()); failure != nil {
			return failure
		}
	}
	token, failure := s.allowed(c.request.Header.Get("Authorization"), id)
	if failure != nil {
		return failure
	}
	if failure := s.limits.take(c.now, r, token, id, header); failure != nil {
		return failure
	}
	if r.versioned && c.query.Get("api-version") == "" {
		return failed(http.StatusBadRequest, "MissingApiVersionParameter", "The api-version query parameter (?api-version=) is required for all requests.")
	}
	if id == "" {
		return nil
	}
	if c.subscription = s.subscription(id, c.now); c.subscription == nil {
		return failed(http.StatusNotFound, "SubscriptionNotFound", "The subscription '%s' could not be found.", id)
	}
	if c.subscription.RegisteredFor(r.provider()) {
		return nil
	}
	return unregistered(r.provider())
}

// act waits for the delay of a latency fault, and makes the answer of a fault that is one.
func act(ctx context.Context, fault faults.Fault, subscription, provider string) *failure {
	switch fault.Kind {
	case faults.Latency:
		timer := time.NewTimer(fault.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return &failure{cut: true} // the client has gone
		}
	case faults.TooManyRequests:
		return &failure{http.StatusTooManyRequests, "TooManyRequests", "The request is being throttled as the limit has been reached for operation type - Read.", fault.RetryAfter, false}
	case faults.Unavailable:
		return &failure{http.StatusServiceUnavailable, "ServiceUnavailable", "The service is unavailable now.", fault.RetryAfter, false}
	case faults.Overloaded:
		return &failure{statusOverloaded, "TooManyRequests", "The metrics service is overloaded. Please retry with a lower rate.", fault.RetryAfter, false}
	case faults.Unauthenticated:
		return unauthenticated()
	case faults.Forbidden:
		return forbidden(subscription)
	case faults.ServiceDisabled:
		return unregistered(provider)
	case faults.Refused:
		return badRequest("The request is not supported for this resource type.")
	case faults.Cut:
		return &failure{cut: true}
	}
	return nil
}

// unregistered is what a resource provider answers in a subscription that does not use it.
func unregistered(provider string) *failure {
	return failed(http.StatusConflict, "MissingSubscriptionRegistration", "The subscription is not registered to use namespace '%s'. "+
		"See https://aka.ms/rps-not-found for how to register subscriptions.", provider)
}

func unauthenticated() *failure {
	return failed(http.StatusUnauthorized, "InvalidAuthenticationToken", "The access token is invalid.")
}

func forbidden(subscription string) *failure {
	return failed(http.StatusForbidden, "AuthorizationFailed", "The client does not have authorization to perform this action over scope '/subscriptions/%s' "+
		"or the scope is invalid.", subscription)
}

// allowed is the token that is shown, if it opens the subscription.
func (s *Server) allowed(authorization, subscription string) (string, *failure) {
	scheme, token, _ := strings.Cut(authorization, " ")
	if s.access == nil {
		return token, nil
	}
	may, known := s.access[token]
	if !known || !strings.EqualFold(scheme, "Bearer") {
		return "", unauthenticated()
	}
	if subscription != "" && len(may) > 0 && !slices.Contains(may, subscription) {
		return "", forbidden(subscription)
	}
	return token, nil
}
