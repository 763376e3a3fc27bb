// Package promapi speaks Prometheus' HTTP protocols over a history: the query API, so that Grafana, promtool and
// every client of Prometheus can read nasight, and the remote-write receiver, through which agents store samples.
package promapi

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/nasight/nasight/history"
)

// Options bounds the query API. The zero value of a field stands for its default.
type Options struct {
	MaxConcurrency int           // queries that run at once; default 2
	MaxWaiting     int           // further ones that wait, beyond which clients are asked to come again; default 100: a Grafana dashboard asks for all panels at once
	MaxWait        time.Duration // for one's turn, after which the same; default 10 seconds
	Timeout        time.Duration // of a request, waiting included; a client may ask for less; default 30 seconds
	MaxPoints      int           // points of one answer; default 2 million, about 60 MB of JSON
	Rules          Rules         // what alerts and rules tell of; default: none
	Logger         *slog.Logger  // default: nothing is logged
}

// maxFormBytes bounds a request's parameters, the query among them.
const maxFormBytes = 256 << 10

func (o Options) withDefaults() Options {
	if o.MaxConcurrency <= 0 {
		o.MaxConcurrency = 2
	}
	if o.MaxWaiting <= 0 {
		o.MaxWaiting = 100
	}
	if o.MaxWait <= 0 {
		o.MaxWait = 10 * time.Second
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.MaxPoints <= 0 {
		o.MaxPoints = 2_000_000
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

type api struct {
	history history.Querier
	opts    Options
	slots   chan struct{} // of the requests that run
	places  chan struct{} // of those and the ones that wait
}

// NewHandler answers below /api/v1/: query, query_range, query_exemplars, format_query, labels, label/NAME/values, series,
// metadata, rules, alerts and status/buildinfo. Every answer but a bad path is JSON in the form that Prometheus gives it.
func NewHandler(h history.Querier, opts Options) http.Handler {
	a := &api{history: h, opts: opts.withDefaults()}
	a.slots = make(chan struct{}, a.opts.MaxConcurrency)
	a.places = make(chan struct{}, a.opts.MaxConcurrency+a.opts.MaxWaiting)
	mux := http.NewServeMux()
	for path, answer := range map[string]answerFunc{
		"/api/v1/query":               a.query,
		"/api/v1/query_range":         a.queryRange,
		"/api/v1/labels":              a.labelNames,
		"/api/v1/label/{name}/values": a.labelValues,
		"/api/v1/series":              a.series,
		"/api/v1/metadata":            metadata,
		"/api/v1/rules":               a.rules,
		"/api/v1/alerts":              a.alerts,
		"/api/v1/query_exemplars":     exemplars,
		"/api/v1/format_query":        formatQuery,
		"/api/v1/status/buildinfo":    buildInfo,
	} {
		handler := a.serve(answer)
		mux.Handle("GET "+path, handler)
		mux.Handle("POST "+path, handler)
	}
	return mux
}

// NewMetadataHandler answers /api/v1/metadata alone, from the schema: for a history that another server answers for, which knows
// less of nasight's families.
func NewMetadataHandler() http.Handler {
	a := &api{opts: Options{}.withDefaults()}
	a.slots = make(chan struct{}, a.opts.MaxConcurrency)
	a.places = make(chan struct{}, a.opts.MaxConcurrency+a.opts.MaxWaiting)
	return a.serve(metadata)
}
