package promapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/util/annotations"

	"github.com/nasight/nasight/history"
)

// answerFunc computes what one request asks for. The form is parsed and the context has a deadline.
type answerFunc func(r *http.Request) (answer, error)

type answer struct {
	data  any
	notes annotations.Annotations
	close func() // lets go of the data once it is written; may be nil
}

// response is the envelope of every answer, as Prometheus documents it.
type response struct {
	Status    string   `json:"status"`
	Data      any      `json:"data,omitempty"`
	ErrorType string   `json:"errorType,omitempty"`
	Error     string   `json:"error,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
	Infos     []string `json:"infos,omitempty"`
}

// maxNotes bounds the warnings and the infos of an answer, as Prometheus does.
const maxNotes = 10

// serve parses the form, waits for a slot, and writes what the answer function returns.
func (a *api) serve(compute answerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
		if len(r.URL.RawQuery) > maxFormBytes {
			a.fail(w, badData("parameters exceed %d bytes", maxFormBytes))
			return
		}
		if err := r.ParseForm(); err != nil {
			a.fail(w, badData("error parsing form values: %w", err))
			return
		}
		timeout, err := a.timeout(r.Form)
		if err != nil {
			a.fail(w, err)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		leave, err := a.enter(ctx)
		if err != nil {
			a.fail(w, err)
			return
		}
		defer leave()
		a.write(w, r.WithContext(ctx), compute)
	})
}

var errBusy = &failure{kind: "unavailable", err: errors.New("too many queries at once: come again later")}

// enter waits for a slot, which leave gives back. A crowd is sent away rather than kept.
func (a *api) enter(ctx context.Context) (leave func(), err error) {
	select {
	case a.places <- struct{}{}:
	default:
		return nil, errBusy
	}
	timer := time.NewTimer(a.opts.MaxWait)
	defer timer.Stop()
	select {
	case a.slots <- struct{}{}:
		return func() { <-a.slots; <-a.places }, nil
	case <-timer.C:
		err = errBusy
	case <-ctx.Done():
		err = fmt.Errorf("waiting for %d other queries: %w", a.opts.MaxConcurrency, ctx.Err())
	}
	<-a.places
	return nil, err
}

func (a *api) write(w http.ResponseWriter, r *http.Request, compute answerFunc) {
	found, err := compute(r)
	if found.close != nil {
		defer found.close()
	}
	if err != nil {
		a.fail(w, err)
		return
	}
	warnings, infos := found.notes.AsStrings(r.Form.Get("query"), maxNotes, maxNotes)
	a.send(w, http.StatusOK, response{Status: "success", Data: found.data, Warnings: warnings, Infos: infos})
}

func (a *api) send(w http.ResponseWriter, status int, body response) {
	text, err := json.Marshal(body)
	if err != nil {
		a.opts.Logger.Error("query API cannot encode its answer", "error", err)
		http.Error(w, "cannot encode the answer", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if _, err := w.Write(text); err != nil {
		a.opts.Logger.Debug("query API: client went away", "error", err)
	}
}

// failure is an error with the type that Prometheus' protocol gives it.
type failure struct {
	kind string
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func badData(format string, args ...any) error {
	return &failure{kind: "bad_data", err: fmt.Errorf(format, args...)}
}

func badParameter(name string, err error) error {
	return badData("invalid parameter %q: %w", name, err)
}

func (a *api) fail(w http.ResponseWriter, err error) {
	kind := kindOf(err)
	if kind == "unavailable" {
		w.Header().Set("Retry-After", retrySeconds())
	}
	a.send(w, statusOf(kind), response{Status: "error", ErrorType: kind, Error: err.Error()})
}

// kindOf finds the type of an error; what the engine does not explain is an error of the evaluation.
func kindOf(err error) string {
	var marked *failure
	var cancelled promql.ErrQueryCanceled
	var timeout promql.ErrQueryTimeout
	var storage promql.ErrStorage
	switch {
	case errors.As(err, &marked):
		return marked.kind
	case errors.As(err, &timeout), errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.As(err, &cancelled), errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, history.ErrClosed):
		return "unavailable"
	case errors.As(err, &storage):
		return "internal"
	default:
		return "execution"
	}
}

func statusOf(kind string) int {
	switch kind {
	case "bad_data":
		return http.StatusBadRequest
	case "execution":
		return http.StatusUnprocessableEntity
	case "timeout", "unavailable":
		return http.StatusServiceUnavailable
	case "canceled":
		return 499 // nobody is there to read it
	default:
		return http.StatusInternalServerError
	}
}
