package promread

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
)

// ServerError says that the server itself is the matter, whatever it is asked: it does not answer, or not as Prometheus does.
type ServerError struct {
	Server  string // its address, without a password
	Problem string
	cause   error
}

// Error is one line.
func (e *ServerError) Error() string { return "ask " + e.Server + ": " + e.Problem }

// Unwrap is what happened.
func (e *ServerError) Unwrap() error { return e.cause }

// greet asks for something that costs nothing, once, so that a server that never answers is known soon: what is asked later may
// take minutes.
func (r *Reader) greet(ctx context.Context) error {
	if r.patience <= 0 || r.greeted.Load() {
		return nil
	}
	soon, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	const cheap = "vector(1)"
	_, _, _, err := r.api.Query(soon, cheap, time.Time{})
	switch {
	case err == nil:
		r.greeted.Store(true)
		return nil
	case ctx.Err() == nil && soon.Err() != nil:
		return &ServerError{r.name, fmt.Sprintf("it does not answer: nothing came within %s", r.patience), err}
	}
	return r.failed(cheap, err)
}

// unfit tells what is the matter with the server; nil where the matter is what it was asked.
func (r *Reader) unfit(err error) error {
	if silent := (*url.Error)(nil); errors.As(err, &silent) {
		return &ServerError{r.name, silent.Err.Error(), silent.Err}
	}
	answer := (*v1.Error)(nil)
	if !errors.As(err, &answer) {
		return nil
	}
	const other = "what answers there is neither nasight serve nor a Prometheus"
	switch says := fmt.Sprintf("%.100s", answer.Msg); {
	case answer.Type == v1.ErrClient && (strings.HasSuffix(says, "401") || strings.HasSuffix(says, "403")):
		return &ServerError{r.name, "it refuses to answer without a user and a password, or with these (" + says + ")", err}
	case answer.Type == v1.ErrClient:
		return &ServerError{r.name, other + " (" + says + ")", err}
	case answer.Type == v1.ErrBadResponse && strings.HasPrefix(says, "invalid character"):
		return &ServerError{r.name, other + ": its answer is no JSON", err}
	}
	return nil
}
