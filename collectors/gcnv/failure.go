package gcnv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/auth"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The reasons that something could not be read for.
const (
	reasonPermission     = "permission"
	reasonAuthentication = "authentication"
	reasonNotFound       = "not_found"
	reasonRateLimited    = "rate_limited"
	reasonUnavailable    = "unavailable"
	reasonTimeout        = "timeout"
	reasonBudget         = "budget"
	reasonInvalid        = "invalid"
	reasonIncomplete     = "incomplete"
	reasonOther          = "other"
)

var (
	errBudget     = errors.New("the hard limit of the month's budget is reached")
	errIncomplete = errors.New("the answer is incomplete")
	errInvalid    = errors.New("the answer makes no sense")
	errUntimed    = errors.New("the sink takes no values of other times than the run's")
)

// reasonOf finds the reason of a failure.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, errBudget):
		return reasonBudget
	case errors.Is(err, errIncomplete):
		return reasonIncomplete
	case errors.Is(err, errInvalid):
		return reasonInvalid
	case noToken(err):
		return reasonAuthentication
	}
	if reason, ok := map[codes.Code]string{
		codes.PermissionDenied: reasonPermission, codes.Unauthenticated: reasonAuthentication, codes.NotFound: reasonNotFound,
		codes.ResourceExhausted: reasonRateLimited, codes.Unavailable: reasonUnavailable, codes.Internal: reasonUnavailable,
		codes.Aborted: reasonUnavailable, codes.DeadlineExceeded: reasonTimeout, codes.InvalidArgument: reasonInvalid,
	}[codeOf(err)]; ok {
		return reason
	}
	return reasonOther
}

// noToken says whether a request was not sent because there is no token for it. Some credentials have no error of a type
// of their own.
func noToken(err error) bool {
	var credentials *oauth2.RetrieveError
	var token *auth.Error
	var request *url.Error
	switch {
	case errors.As(err, &credentials):
		return true
	case errors.As(err, &token):
		return !token.Temporary()
	}
	if !errors.As(err, &request) {
		return false
	}
	text := request.Err.Error()
	return strings.HasPrefix(text, "oauth2") || strings.HasPrefix(text, "impersonate: status code 4")
}

// codeOf is the gRPC code of an answer, also of one over HTTP.
func codeOf(err error) codes.Code {
	var web *googleapi.Error
	var network net.Error
	switch {
	case err == nil:
		return codes.OK
	case errors.As(err, &web):
		return codeOfHTTP(web)
	case errors.Is(err, context.DeadlineExceeded):
		return codes.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		return codes.Canceled
	}
	if s, ok := status.FromError(err); ok {
		return s.Code()
	}
	var syntax *json.SyntaxError
	if errors.As(err, &network) || errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return codes.Unavailable
	}
	return codes.Unknown
}

func codeOfHTTP(err *googleapi.Error) codes.Code {
	switch err.Code {
	case http.StatusBadRequest:
		return codes.InvalidArgument
	case http.StatusUnauthorized:
		return codes.Unauthenticated
	case http.StatusForbidden:
		for _, item := range err.Errors {
			if strings.HasSuffix(strings.ToLower(item.Reason), "ratelimitexceeded") {
				return codes.ResourceExhausted
			}
		}
		return codes.PermissionDenied
	case http.StatusNotFound:
		return codes.NotFound
	case http.StatusTooManyRequests:
		return codes.ResourceExhausted
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return codes.DeadlineExceeded
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable:
		return codes.Unavailable
	}
	return codes.Unknown
}

// retryable says whether the same request may be answered the next time.
func retryable(err error) bool {
	if reasonOf(err) == reasonAuthentication {
		return false // no token is to be had
	}
	switch codeOf(err) {
	case codes.ResourceExhausted, codes.Unavailable, codes.Internal, codes.Aborted, codes.DeadlineExceeded:
		return true
	}
	return false
}

// refused says whether the credentials are to blame, so that new ones may help.
func refused(err error) bool {
	reason := reasonOf(err)
	return err != nil && (reason == reasonAuthentication || reason == reasonPermission)
}

// retryAfter is the pause that an answer asks for; 0 for none.
func retryAfter(err error) time.Duration {
	var web *googleapi.Error
	if errors.As(err, &web) {
		seconds, parseErr := strconv.Atoi(web.Header.Get("Retry-After"))
		if parseErr == nil && seconds > 0 {
			return time.Duration(seconds) * time.Second
		}
		return 0
	}
	s, ok := status.FromError(err)
	if !ok {
		return 0
	}
	for _, detail := range s.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return max(info.GetRetryDelay().AsDuration(), 0)
		}
	}
	return 0
}

// several are failures that do not have one reason.
type several []error

// join puts failures together; nil for none.
func join(errs ...error) error {
	var all several
	for _, err := range errs {
		if err != nil {
			all = append(all, err)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

// Error names all.
func (s several) Error() string { return errors.Join(s...).Error() }

// Unwrap gives all.
func (s several) Unwrap() []error { return s }

// reasonsOf are the distinct reasons of a failure.
func reasonsOf(err error) map[string]bool {
	found := map[string]bool{}
	var all several
	switch {
	case err == nil:
	case errors.As(err, &all):
		for _, one := range all {
			maps.Copy(found, reasonsOf(one))
		}
	default:
		found[reasonOf(err)] = true
	}
	return found
}

// failure wraps an error with what was tried, such that collectors.ReasonOf finds its reason as well.
func failure(what, project string, err error) error {
	switch reasonOf(err) {
	case reasonPermission, reasonAuthentication:
		return fmt.Errorf("%s of project %s: %w (%w)", what, project, err, fs.ErrPermission)
	case reasonNotFound:
		return fmt.Errorf("%s of project %s: %w (%w)", what, project, err, fs.ErrNotExist)
	}
	return fmt.Errorf("%s of project %s: %w", what, project, err)
}
