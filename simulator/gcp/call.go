package gcp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// failure is an answer other than the one asked for, whatever the protocol.
type failure struct {
	code       codes.Code
	message    string
	retryAfter time.Duration
	cut        bool                  // no answer: the connection ends
	info       *errdetails.ErrorInfo // why, for programs; nil where the service tells none
}

func failed(code codes.Code, format string, args ...any) *failure {
	return &failure{code: code, message: fmt.Sprintf(format, args...)}
}

// call is one call that may be answered.
type call struct {
	project *model.Project // nil for calls without one
	faults  []faults.Fault // that hit it
}

// hit tells whether a fault of a kind hits the call.
func (c call) hit(kind faults.Kind) bool {
	return slices.ContainsFunc(c.faults, func(f faults.Fault) bool { return f.Kind == kind })
}

// begin lets the faults of a call act, and then checks who calls. authorization is the header as sent.
func (c *Cloud) begin(ctx context.Context, method, project, authorization string) (call, *failure) {
	known := c.project(project)
	id := project
	if known != nil {
		id = known.ID
	}
	hits := c.faults.Call(method, id)
	for _, fault := range hits {
		if fault.Kind == faults.ServiceDisabled {
			return call{}, disabled(method, project, known)
		}
		if failure := act(ctx, fault); failure != nil {
			return call{}, failure
		}
	}
	if failure := c.allowed(authorization, id); failure != nil {
		return call{}, failure
	}
	if known == nil {
		// The services do not tell a project that is not there from one that may not be seen.
		return call{}, failed(codes.PermissionDenied, "Permission denied on resource project %s.", project)
	}
	return call{project: known, faults: hits}, nil
}

// act waits for the delay of a latency fault, and makes the answer of a fault that is one.
func act(ctx context.Context, fault faults.Fault) *failure {
	switch fault.Kind {
	case faults.Latency:
		timer := time.NewTimer(fault.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			// A client of gRPC sends its deadline along, and the server may see it pass before the client does.
			return failed(status.FromContextError(ctx.Err()).Code(), "the client has gone: %v", context.Cause(ctx))
		}
	case faults.TooManyRequests:
		return &failure{code: codes.ResourceExhausted, message: "Query aborted. Please reduce the query rate.", retryAfter: fault.RetryAfter}
	case faults.Unavailable:
		return &failure{code: codes.Unavailable, message: "The service is currently unavailable.", retryAfter: fault.RetryAfter}
	case faults.Unauthenticated:
		return unauthenticated()
	case faults.Forbidden:
		return failed(codes.PermissionDenied, "Permission denied (or the resource may not exist).")
	case faults.Cut:
		return &failure{code: codes.Unavailable, message: "connection cut", cut: true}
	}
	return nil
}

// disabled is the answer for a project in which the API of a method is not enabled.
func disabled(method, asked string, project *model.Project) *failure {
	service, consumer := "netapp.googleapis.com", "projects/"+asked
	if strings.HasPrefix(method, "List") || strings.HasPrefix(method, "Get") { // the methods of gRPC
		service = "monitoring.googleapis.com"
	}
	if project != nil {
		consumer = "projects/" + number(project)
	}
	f := failed(codes.PermissionDenied, "%s has not been used in project %s before or it is disabled.", service, lastPart(consumer))
	f.info = &errdetails.ErrorInfo{
		Reason: "SERVICE_DISABLED", Domain: "googleapis.com", Metadata: map[string]string{"service": service, "consumer": consumer},
	}
	return f
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

func unauthenticated() *failure {
	return failed(codes.Unauthenticated, "Request had invalid authentication credentials. Expected OAuth 2 access token, "+
		"login cookie or other valid authentication credential.")
}

func (c *Cloud) allowed(authorization, project string) *failure {
	if c.access == nil {
		return nil
	}
	scheme, token, _ := strings.Cut(authorization, " ")
	projects, known := c.access[token]
	if !known || !strings.EqualFold(scheme, "Bearer") {
		return unauthenticated()
	}
	if len(projects) > 0 && !slices.Contains(projects, project) {
		return failed(codes.PermissionDenied, "Permission denied on resource project %s.", project)
	}
	return nil
}

// number is the project's number as resource names carry it.
func number(p *model.Project) string { return strconv.FormatInt(p.Number, 10) }
