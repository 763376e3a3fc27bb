// Package promread reads history over Prometheus' query API: of a running nasight serve, or of any server that answers
// as Prometheus does.
package promread

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/internal/redirect"
)

// Reader implements history.Reader. It is safe for concurrent use.
type Reader struct {
	api  v1.API
	name string // the server's address, without a password
	idle func()
	heed func([]string)          // takes what the server warns of; nil for nobody
	told *atomic.Pointer[string] // the newest notice of an answer

	patience time.Duration // with the first answer; 0: that of the transport
	greeted  *atomic.Bool  // it has answered
}

var _ history.Reader = (*Reader)(nil)

// Options change how a server is read. The zero value of a field stands for its default.
type Options struct {
	Transport http.RoundTripper // default: one like http.DefaultTransport, of its own
	MaxBytes  int64             // of one answer; default 512 MiB
	Patience  time.Duration     // how long a server may take for a first, cheap answer before others are asked for; default: it is not asked for one
	Warned    func([]string)    // told what the server warns of, with an answer that may be one in part; default: it is left out
}

// New makes a reader of the server at an address such as http://localhost:9877 or https://user:password@example.com/path.
// It connects to nothing.
func New(address string, options Options) (*Reader, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, errors.New("the server's address is no URL: write http://HOST:PORT")
	}
	if options.Transport == nil {
		options.Transport = ownTransport()
	}
	if options.MaxBytes <= 0 {
		options.MaxBytes = 512 << 20
	}
	told := &atomic.Pointer[string]{}
	client := &http.Client{Transport: bounded{redirect.Refuse(options.Transport), options.MaxBytes, told}}
	connection, err := api.NewClient(api.Config{Address: address, Client: client})
	if err != nil {
		return nil, fmt.Errorf("read history of %s: %w", parsed.Redacted(), err)
	}
	return &Reader{
		api: v1.NewAPI(connection), name: parsed.Redacted(), idle: client.CloseIdleConnections, heed: options.Warned, told: told,
		patience: options.Patience, greeted: &atomic.Bool{},
	}, nil
}

// ownTransport waits for an answer longer than a server computes one (2 minutes), and not for ever.
func ownTransport() http.RoundTripper {
	if standard, ok := http.DefaultTransport.(*http.Transport); ok {
		own := standard.Clone()
		own.ResponseHeaderTimeout = 3 * time.Minute
		return own
	}
	return http.DefaultTransport
}

// NoticeHeader is the header in which a nasight that serves simulated data says so.
const NoticeHeader = "X-Nasight-Notice"

// Notice is what the server says of its data in the newest answer, such as that they are simulated. Empty where it says nothing.
func (r *Reader) Notice() string {
	if told := r.told.Load(); told != nil {
		return *told
	}
	return ""
}

// String is the server's address, without a password.
func (r *Reader) String() string { return r.name }

// Close lets go of connections that are kept for later.
func (r *Reader) Close() error {
	r.idle()
	return nil
}

// Instant evaluates an expression at one moment. A scalar is one point without labels.
func (r *Reader) Instant(ctx context.Context, query string, at time.Time) ([]history.Point, error) {
	if err := r.greet(ctx); err != nil {
		return nil, err
	}
	value, warnings, _, err := r.api.Query(ctx, query, at)
	if err != nil {
		return nil, r.failed(query, err)
	}
	r.warned(warnings)
	switch v := value.(type) {
	case model.Vector:
		return points(v), nil
	case *model.Scalar:
		return points(model.Vector{{Value: v.Value, Timestamp: v.Timestamp}}), nil
	default:
		return nil, r.failed(query, fmt.Errorf("result is a %s, want a vector or a scalar", kindOf(value)))
	}
}

func points(vector model.Vector) []history.Point {
	found := make([]history.Point, 0, len(vector))
	for _, sample := range vector {
		if sample.Histogram != nil || math.IsNaN(float64(sample.Value)) {
			continue
		}
		found = append(found, history.Point{Labels: labelsOf(sample.Metric), Value: float64(sample.Value), Time: sample.Timestamp.Time().UTC()})
	}
	return found
}

// Range evaluates an expression from start to end, both included, step by step. Steps without a value are left out.
func (r *Reader) Range(ctx context.Context, query string, start, end time.Time, step time.Duration) ([]history.Series, error) {
	if step <= 0 || end.Before(start) {
		return nil, r.failed(query, fmt.Errorf("range from %s to %s by %s: want a positive step and an end that is not before the start",
			start.UTC().Format(time.RFC3339), end.UTC().Format(time.RFC3339), step))
	}
	if err := r.greet(ctx); err != nil {
		return nil, err
	}
	value, warnings, _, err := r.api.QueryRange(ctx, query, v1.Range{Start: start, End: end, Step: step})
	if err != nil {
		return nil, r.failed(query, err)
	}
	r.warned(warnings)
	matrix, ok := value.(model.Matrix)
	if !ok {
		return nil, r.failed(query, fmt.Errorf("result is a %s, want a matrix", kindOf(value)))
	}
	found := make([]history.Series, 0, len(matrix))
	for _, line := range matrix {
		if series := seriesOf(line); len(series.Times) > 0 {
			found = append(found, series)
		}
	}
	return found, nil
}

func (r *Reader) warned(warnings []string) {
	if len(warnings) > 0 && r.heed != nil {
		r.heed(warnings)
	}
}

// Raw gives the samples themselves that a range selector, such as up[5m], covers now by the server's clock, at their own
// times. What the server warns of is an error: an answer in part is not to be told from a whole one.
func (r *Reader) Raw(ctx context.Context, selector string) ([]history.Series, error) {
	if err := r.greet(ctx); err != nil {
		return nil, err
	}
	value, warnings, _, err := r.api.Query(ctx, selector, time.Time{})
	if err != nil {
		return nil, r.failed(selector, err)
	}
	if len(warnings) > 0 {
		return nil, r.failed(selector, fmt.Errorf("answered in part: %.500s", strings.Join(warnings, "; ")))
	}
	matrix, ok := value.(model.Matrix)
	if !ok {
		return nil, r.failed(selector, fmt.Errorf("result is a %s, want a matrix", kindOf(value)))
	}
	found := make([]history.Series, 0, len(matrix))
	for _, line := range matrix {
		if series := seriesOf(line); len(series.Times) > 0 {
			found = append(found, series)
		}
	}
	return found, nil
}

func seriesOf(line *model.SampleStream) history.Series {
	series := history.Series{
		Labels: labelsOf(line.Metric), Times: make([]time.Time, 0, len(line.Values)), Values: make([]float64, 0, len(line.Values)),
	}
	for _, pair := range line.Values {
		if math.IsNaN(float64(pair.Value)) {
			continue
		}
		series.Times = append(series.Times, pair.Timestamp.Time().UTC())
		series.Values = append(series.Values, float64(pair.Value))
	}
	return series
}

func labelsOf(metric model.Metric) map[string]string {
	labels := make(map[string]string, len(metric))
	for name, value := range metric {
		labels[string(name)] = string(value)
	}
	return labels
}

// kindOf names a result's type. An answer without one gives no value at all.
func kindOf(value model.Value) string {
	if value == nil {
		return "missing value"
	}
	return value.Type().String()
}

// failed names the server, the query and what the server says of it, of both some lines at most. Where no server answers, or one
// that does not know such queries, the query is not why.
func (r *Reader) failed(query string, err error) error {
	if serverError := r.unfit(err); serverError != nil {
		return serverError
	}
	const most = 500
	return fmt.Errorf("ask %s for %.*q: %w", r.name, most, query, shortened{err})
}

// shortened is an error that says no more than some lines: VictoriaMetrics repeats a query of any length.
type shortened struct{ error }

// Error is the beginning of the message.
func (s shortened) Error() string { return fmt.Sprintf("%.600s", s.error.Error()) }

// Unwrap is the error itself.
func (s shortened) Unwrap() error { return s.error }

// bounded refuses an answer that is longer than a limit: a server that sends without end must not fill the memory.
type bounded struct {
	next http.RoundTripper
	most int64
	told *atomic.Pointer[string]
}

// RoundTrip sends a request whose answer can be read up to the limit.
func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	notice := response.Header.Get(NoticeHeader)
	b.told.Store(&notice)
	response.Body = &body{ReadCloser: response.Body, left: b.most}
	return response, nil
}

// CloseIdleConnections lets go of connections that are kept for later.
func (b bounded) CloseIdleConnections() {
	if closer, ok := b.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

type body struct {
	io.ReadCloser
	left int64
}

var errLong = errors.New("the answer is longer than what is read of one")

// Read counts down, and fails on the first byte beyond the limit.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errLong
	}
	return n, err
}
