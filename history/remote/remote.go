// Package remote is history in a server that answers PromQL over HTTP and takes remote write: Prometheus, VictoriaMetrics,
// Thanos, Mimir.
package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/promread"
	"github.com/nasight/nasight/schema"
)

// Options say where the server is.
type Options struct {
	URL    string              // below which /api/v1/query is
	Params map[string]string   // sent with every query, such as nocache: 1
	Write  export.PusherConfig // of its receiver; its credentials and headers are those of queries, too
	Logger *slog.Logger        // nil for none
}

// History implements history.History, and takes any series. It is safe for concurrent use.
//
// A write is durable when the server says so. What the server refuses for good (older than it takes, a second value for a
// stored moment) is counted; servers differ in what that is.
type History struct {
	opts      Options
	transport http.RoundTripper
	reader    *promread.Reader
	writer    *export.Pusher

	closed   atomic.Bool
	failure  atomic.Pointer[error] // of the last query or write that the server is to blame for; nil, or a nil error, for none
	warnings atomic.Uint64

	mu       sync.Mutex
	written  history.Written
	warnedAt time.Time
	pastTold bool
}

var (
	_ history.History      = (*History)(nil)
	_ history.SeriesWriter = (*History)(nil)
	_ history.Backfiller   = (*History)(nil)
)

const tellWarnings = 10 * time.Minute // from one line in the log of the server's warnings to the next

// Open makes a history of the server. It connects to nothing.
func Open(opts Options) (*History, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	h := &History{opts: opts}
	var err error
	if h.writer, err = export.NewPusher(opts.Write); err != nil {
		return nil, fmt.Errorf("history in %s: %w", opts.URL, err)
	}
	if h.transport, err = export.NewTransport(opts.Write); err != nil {
		return nil, fmt.Errorf("history in %s: %w", opts.URL, err)
	}
	h.transport = parametrised{h.transport, opts.Params}
	if h.reader, err = promread.New(opts.URL, promread.Options{Transport: h.transport, Warned: h.warned}); err != nil {
		return nil, fmt.Errorf("history in %s: %w", opts.URL, err)
	}
	return h, nil
}

// parametrised adds parameters to every request.
type parametrised struct {
	next   http.RoundTripper
	params map[string]string
}

// RoundTrip implements http.RoundTripper.
func (p parametrised) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(p.params) > 0 {
		r = r.Clone(r.Context())
		query := r.URL.Query()
		for name, value := range p.params {
			query.Set(name, value)
		}
		r.URL.RawQuery = query.Encode()
	}
	return p.next.RoundTrip(r)
}

// CloseIdleConnections lets http.Client reach the transport beneath.
func (p parametrised) CloseIdleConnections() {
	if next, ok := p.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

// Transport sends a request to the server as queries are: with the parameters, headers and credentials of the options.
func (h *History) Transport() http.RoundTripper { return h.transport }

// Instant implements history.Reader.
func (h *History) Instant(ctx context.Context, query string, at time.Time) ([]history.Point, error) {
	if h.closed.Load() {
		return nil, history.ErrClosed
	}
	limited, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	points, err := h.reader.Instant(limited, query, at)
	h.note(ctx, err)
	return points, err
}

// queryTimeout is how long one query may take, as on files.
const queryTimeout = 2 * time.Minute

// mostSteps is how many steps servers answer for at once.
const mostSteps = 10_000

// Range implements history.Reader. More steps than a server answers for at once are asked for in parts.
func (h *History) Range(ctx context.Context, query string, start, end time.Time, step time.Duration) ([]history.Series, error) {
	if h.closed.Load() {
		return nil, history.ErrClosed
	}
	if step <= 0 || end.Sub(start)/step < mostSteps {
		return h.part(ctx, query, start, end, step)
	}
	var all joined
	for from := start; !from.After(end); from = from.Add(mostSteps * step) {
		to := from.Add((mostSteps - 1) * step)
		if to.After(end) {
			to = end
		}
		part, err := h.part(ctx, query, from, to, step)
		if err != nil {
			return nil, err
		}
		all.add(part)
	}
	return all.series, nil
}

// part asks for as many steps as a server answers for.
func (h *History) part(ctx context.Context, query string, start, end time.Time, step time.Duration) ([]history.Series, error) {
	limited, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	series, err := h.reader.Range(limited, query, start, end, step)
	h.note(ctx, err)
	return series, err
}

// Append implements history.Writer.
func (h *History) Append(ctx context.Context, samples []schema.Sample) error {
	_, err := h.append(ctx, samples, false)
	return err
}

// AppendSeries implements history.SeriesWriter.
func (h *History) AppendSeries(ctx context.Context, samples []history.SeriesSample) (history.Written, error) {
	return h.append(ctx, history.Samples(samples), false)
}

// Backfill sends samples of any age. Whether the server takes them is its own choice: Prometheus does within its window for
// samples out of order, VictoriaMetrics within its retention. What it refuses is counted, and said once in the log.
func (h *History) Backfill(ctx context.Context, samples []schema.Sample) error {
	written, err := h.append(ctx, samples, true)
	if written.TooOld > 0 {
		h.mu.Lock()
		told := h.pastTold
		h.pastTold = true
		h.mu.Unlock()
		if !told {
			h.opts.Logger.Warn("the remote history refuses samples of the past: rules that look over days begin with the present; allow older samples there (Prometheus: storage.tsdb.out_of_order_time_window)",
				"url", h.reader.String(), "refused", written.TooOld, "of", len(samples))
		}
	}
	return err
}

func (h *History) append(ctx context.Context, samples []schema.Sample, past bool) (history.Written, error) {
	if h.closed.Load() {
		return history.Written{}, history.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return history.Written{}, fmt.Errorf("append %d samples: %w", len(samples), err)
	}
	kept, written := admit(samples)
	rejected, err := h.writer.Write(ctx, kept, past)
	h.note(ctx, err)
	if err != nil {
		return history.Written{}, fmt.Errorf("append %d samples: %w", len(samples), err)
	}
	written.Stored = uint64(len(kept) - rejected)
	if past {
		written.TooOld = uint64(rejected)
	} else {
		written.Refused = uint64(rejected)
	}
	h.mu.Lock()
	h.written.Add(written)
	h.mu.Unlock()
	return written, nil
}

// admit leaves out what can never be stored, and counts it, as the other histories do.
func admit(samples []schema.Sample) ([]schema.Sample, history.Written) {
	var written history.Written
	kept := make([]schema.Sample, 0, len(samples))
	for _, sample := range samples {
		switch {
		case sample.Family == nil || sample.Family.Name == "" || len(sample.Labels) != len(sample.Family.Labels):
			written.Malformed++
		case !finite(sample.Value):
			written.NotFinite++
		default:
			kept = append(kept, sample)
		}
	}
	return kept, written
}

// endOfSeries is the bits of the NaN by which a sender says that a series has ended.
const endOfSeries = 0x7ff0000000000002

func finite(value float64) bool {
	return math.Float64bits(value) == endOfSeries || !math.IsNaN(value) && !math.IsInf(value, 0)
}

// Stats counts what became of the samples so far. What the server refused for reasons of its own counts as refused.
func (h *History) Stats() history.Written {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.written
}

// Warnings are the answers that the server warned of, so far.
func (h *History) Warnings() uint64 { return h.warnings.Load() }

// Degraded says what was wrong with the last query or write, if it was the server or the way to it.
func (h *History) Degraded() error {
	if failure := h.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}

// String is the server's address.
func (h *History) String() string { return h.reader.String() }

// Close lets go of connections.
func (h *History) Close() error {
	if h.closed.Swap(true) {
		return nil
	}
	h.writer.Close()
	return h.reader.Close()
}

func (h *History) note(ctx context.Context, err error) {
	if ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		h.failure.Store(&err)
	}
}

// warned counts what the server warns of, and tells it now and then: an answer in part may be behind it.
func (h *History) warned(warnings []string) {
	h.warnings.Add(1)
	h.mu.Lock()
	now := time.Now()
	tell := now.Sub(h.warnedAt) > tellWarnings
	if tell {
		h.warnedAt = now
	}
	h.mu.Unlock()
	if tell {
		h.opts.Logger.Warn("the remote history warns of an answer, which may be one in part", "url", h.reader.String(), "warning", fmt.Sprintf("%.300s", strings.Join(warnings, "; ")))
	}
}
