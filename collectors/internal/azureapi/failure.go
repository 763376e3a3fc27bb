package azureapi

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
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
)

// The reasons that something could not be read for.
const (
	ReasonPermission     = "permission"
	ReasonAuthentication = "authentication"
	ReasonNotFound       = "not_found"
	ReasonUnregistered   = "not_registered"
	ReasonRateLimited    = "rate_limited"
	ReasonUnavailable    = "unavailable"
	ReasonTimeout        = "timeout"
	ReasonInvalid        = "invalid"
	ReasonIncomplete     = "incomplete"
	ReasonOther          = "other"
)

// statusMonitorThrottled is what Azure Monitor answers when its own store has too much to do.
const statusMonitorThrottled = 529

// ErrUntimed is of a sink that is not made for collectors of a cloud.
var ErrUntimed = errors.New("the sink takes no values of other times than the run's")

// MetricError is a metric that an answer, good as a whole, says it does not have.
type MetricError struct{ Metric, Code, Message string }

// Error names the metric.
func (e *MetricError) Error() string {
	return fmt.Sprintf("metric %s: %s: %.200s", e.Metric, e.Code, e.Message)
}

// pacedError is a request that was not sent because its turn comes after the deadline. It is no failure of the service;
// the SDK is not to try again.
type pacedError struct{}

// Error says so.
func (*pacedError) Error() string { return "the turn of the request comes after the deadline" }

// NonRetriable marks the error for the SDK.
func (*pacedError) NonRetriable() {}

// identityError is a credential that could not be made.
type identityError struct{ error }

// Unwrap gives the cause.
func (e *identityError) Unwrap() error { return e.error }

// Credentials says whether credentials, or the certificates of the configuration, could not be made at all.
func Credentials(err error) bool {
	var made *identityError
	return errors.As(err, &made)
}

// ReasonOf finds the reason of a failure.
func ReasonOf(err error) string {
	var answer *azcore.ResponseError
	var metric *MetricError
	var paced *pacedError
	switch {
	case noToken(err):
		return ReasonAuthentication
	case errors.As(err, &answer) && unregistered(answer):
		return ReasonUnregistered
	case errors.As(err, &answer):
		return reasonOfStatus(answer.StatusCode)
	case errors.As(err, &metric):
		if strings.Contains(strings.ToLower(metric.Code), "throttl") {
			return ReasonRateLimited
		}
		return ReasonIncomplete
	case errors.As(err, &paced):
		return ReasonRateLimited
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return ReasonTimeout
	}
	var network net.Error
	var syntax *json.SyntaxError
	if errors.As(err, &network) || errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ReasonUnavailable
	}
	return reasonOfBody(err)
}

// reasonOfBody finds the reason of an answer that cannot be read. The SDK keeps the text of the cause alone.
func reasonOfBody(err error) string {
	var wrong *json.UnmarshalTypeError
	switch text := fmt.Sprint(err); {
	case strings.Contains(text, "unexpected end of JSON input"):
		return ReasonUnavailable // cut off
	case errors.As(err, &wrong), strings.Contains(text, "unmarshalling type"):
		return ReasonInvalid
	}
	return ReasonOther
}

func reasonOfStatus(status int) string {
	switch status {
	case http.StatusBadRequest:
		return ReasonInvalid
	case http.StatusUnauthorized:
		return ReasonAuthentication
	case http.StatusForbidden:
		return ReasonPermission
	case http.StatusNotFound:
		return ReasonNotFound
	case http.StatusTooManyRequests, statusMonitorThrottled:
		return ReasonRateLimited
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return ReasonTimeout
	}
	if status >= http.StatusInternalServerError {
		return ReasonUnavailable
	}
	return ReasonOther
}

// noToken says whether a request was not sent because there is no token for it.
func noToken(err error) bool {
	var failed *azidentity.AuthenticationFailedError
	var required *azidentity.AuthenticationRequiredError
	var unavailable interface{ NonRetriable() }
	var paced *pacedError
	var made *identityError
	switch {
	case errors.As(err, &failed), errors.As(err, &required), errors.As(err, &made):
		return true
	case errors.As(err, &paced):
		return false
	}
	// The credential chain's error has no exported type; of what the SDK calls not worth a retry it is the one that is no
	// answer of a service.
	var answer *azcore.ResponseError
	return errors.As(err, &unavailable) && !errors.As(err, &answer)
}

// StatusOf is the HTTP status of an answer; 0 for none.
func StatusOf(err error) int {
	var answer *azcore.ResponseError
	if errors.As(err, &answer) {
		return answer.StatusCode
	}
	return 0
}

// Refused says whether the credentials are to blame, so that new ones may help.
func Refused(err error) bool {
	for reason := range ReasonsOf(err) {
		if reason == ReasonAuthentication || reason == ReasonPermission {
			return true
		}
	}
	return false
}

// TooMuch says whether an answer refuses the form of the question.
func TooMuch(err error) bool { return StatusOf(err) == http.StatusBadRequest }

// Unanswered is why metrics are missing from an answer, each by its name, but for those that the service does not take at all.
func Unanswered(failed map[string]error) error {
	var errs []error
	for _, metric := range slices.Sorted(maps.Keys(failed)) {
		if err := failed[metric]; !TooMuch(err) {
			errs = append(errs, err)
		}
	}
	return Join(errs...)
}

// several are failures that do not have one reason.
type several []error

// Join puts failures together; nil for none.
func Join(errs ...error) error {
	var all several
	for _, err := range errs {
		if err != nil {
			all = append(all, err)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// Error names three at most: one bad hour of a large subscription is no page of text.
func (s several) Error() string {
	const most = 3
	texts := make([]string, 0, most+1)
	for i, err := range s {
		if i == most {
			texts = append(texts, fmt.Sprintf("and %d more", len(s)-most))
			break
		}
		texts = append(texts, err.Error())
	}
	return strings.Join(texts, "; ")
}

// Unwrap gives all.
func (s several) Unwrap() []error { return s }

// ReasonsOf are the distinct reasons of a failure.
func ReasonsOf(err error) map[string]bool {
	found := map[string]bool{}
	all, ok := err.(several) //nolint:errorlint // what wraps several has been taken apart by its maker
	switch {
	case err == nil:
	case ok:
		for _, one := range all {
			maps.Copy(found, ReasonsOf(one))
		}
	default:
		found[ReasonOf(err)] = true
	}
	return found
}

// Failure wraps an error with what was tried, such that collectors.ReasonOf finds its reason as well.
func Failure(what, subscription string, err error) error {
	reasons := ReasonsOf(err)
	switch {
	case reasons[ReasonPermission], reasons[ReasonAuthentication]:
		return fmt.Errorf("%s of subscription %s: %w (%w)", what, subscription, err, fs.ErrPermission)
	case reasons[ReasonNotFound]:
		return fmt.Errorf("%s of subscription %s: %w (%w)", what, subscription, err, fs.ErrNotExist)
	case reasons[ReasonUnregistered]:
		return fmt.Errorf("%s of subscription %s: %w; %s", what, subscription, err, registerProvider(err, subscription))
	}
	return fmt.Errorf("%s of subscription %s: %w", what, subscription, err)
}

// Paced says whether a request was not sent because its turn comes after the deadline.
func Paced(err error) bool {
	var waiting *pacedError
	return errors.As(err, &waiting)
}
