package otlp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The reasons that failed pushes are counted under.
const (
	reasonUnreachable = "unreachable"
	reasonTimeout     = "timeout"
	reasonTLS         = "tls"
	reasonCredentials = "credentials"
	reasonThrottled   = "throttled"
	reasonServer      = "server_error"
	reasonRefused     = "refused"
	reasonOther       = "other"
)

func reasons() []string {
	return []string{reasonUnreachable, reasonTimeout, reasonTLS, reasonCredentials, reasonThrottled, reasonServer, reasonRefused, reasonOther}
}

// longestPause bounds what is obeyed of a receiver that asks for a pause.
const longestPause = 5 * time.Minute

// failure is why a push failed.
type failure struct {
	reason string
	after  time.Duration // pause that the receiver asked for; 0 for none
	err    error
	advice string // which settings to look at
}

func (f *failure) Error() string { return f.reason + ": " + f.text() }

// text is the cause and what to do about it, in one line.
func (f *failure) text() string  { return oneLine(f.err.Error()) + "; " + f.advice }
func (f *failure) Unwrap() error { return f.err }

// again says whether the same may go well a little later. What the receiver does not want, it will not want then.
func (f *failure) again() bool { return f.reason != reasonRefused }

const longestError = 300 // bytes; a receiver may answer with a page

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > longestError {
		return strings.ToValidUTF8(text[:longestError], "") + "..."
	}
	return text
}

// failureOf makes out what an error of an exporter means. One that only tells of a partial success is none.
func failureOf(err error, said *answer) *failure {
	if err == nil || said.accepted {
		return nil
	}
	f := &failure{after: said.after, err: err}
	var unread *headersError
	rpc, isRPC := status.FromError(err)
	switch {
	case errors.As(err, &unread):
		f.reason = reasonCredentials
	case said.status != 0:
		f.reason = reasonOfStatus(said.status)
	case isRPC:
		f.reason, f.after = reasonOfRPC(rpc), pauseOf(rpc)
	default:
		f.reason = reasonOfNetwork(err)
	}
	f.advice = adviceOn(f.reason, said.status, err)
	return f
}

func reasonOfStatus(code int) string {
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return reasonCredentials
	case code == http.StatusTooManyRequests:
		return reasonThrottled
	case code == http.StatusRequestTimeout || code == http.StatusGatewayTimeout:
		return reasonTimeout
	case code >= http.StatusInternalServerError:
		return reasonServer
	}
	return reasonRefused
}

func reasonOfRPC(answer *status.Status) string {
	switch answer.Code() {
	case codes.Unauthenticated, codes.PermissionDenied:
		return reasonCredentials
	case codes.ResourceExhausted:
		return reasonThrottled
	case codes.DeadlineExceeded, codes.Canceled:
		return reasonTimeout
	case codes.Unavailable:
		if strings.Contains(answer.Message(), "authentication handshake failed") || strings.Contains(answer.Message(), "tls: ") { // gRPC keeps the cause as text alone
			return reasonTLS
		}
		if pauseOf(answer) > 0 {
			return reasonThrottled
		}
		return reasonUnreachable
	case codes.InvalidArgument, codes.Unimplemented, codes.NotFound, codes.FailedPrecondition, codes.OutOfRange:
		return reasonRefused
	case codes.Internal, codes.DataLoss, codes.Aborted, codes.Unknown:
		return reasonServer
	}
	return reasonOther
}

func pauseOf(answer *status.Status) time.Duration {
	for _, detail := range answer.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return min(max(info.GetRetryDelay().AsDuration(), 0), longestPause)
		}
	}
	return 0
}

func reasonOfNetwork(err error) string {
	var (
		certificate *tls.CertificateVerificationError
		alert       tls.AlertError
		record      tls.RecordHeaderError
		network     net.Error
		operation   *net.OpError
		unknown     *net.DNSError
	)
	switch {
	case errors.As(err, &certificate), errors.As(err, &alert), errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch), strings.Contains(err.Error(), "tls: "):
		return reasonTLS
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.As(err, &network) && network.Timeout():
		return reasonTimeout
	case errors.As(err, &operation), errors.As(err, &unknown), strings.Contains(err.Error(), "EOF"):
		return reasonUnreachable
	}
	return reasonOther
}
