// Package vmpush pushes what /metrics shows to VictoriaMetrics, in the text format that its
// /api/v1/import/prometheus takes. It is apart from export, so that the agent does not hold VictoriaMetrics' library.
package vmpush

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/klauspost/compress/gzip"
	"github.com/prometheus/client_golang/prometheus"
)

// Config says what is pushed and where to.
type Config struct {
	Name               string            // value of the label receiver
	URL                string            // of /api/v1/import/prometheus
	Interval           time.Duration     // 0 for 15 s
	ExtraLabels        map[string]string // added to every series
	Headers            map[string]string // sent with every push
	AuthorizationFile  string            // holds the value of the header Authorization; read for every push; "" for none
	DisableCompression bool
	Source             prometheus.Gatherer // what is pushed
	UserAgent          string              // "nasight" if empty
	Logger             *slog.Logger        // nil for none
}

const (
	defaultInterval = 15 * time.Second
	longestError    = 300 // bytes of an answer that the log shows
	maxSecret       = 64 << 10
)

// Pusher pushes a snapshot every interval. A push that fails is not repeated: the next one has newer values of the same series.
type Pusher struct {
	cfg    Config
	set    *metrics.Set
	client *http.Client

	// Of one push at a time.
	text   text
	zipped *gzip.Writer
	size   int // bytes of the last body

	succeeded, failed, lastSuccess atomic.Int64 // lastSuccess in milliseconds since 1970
	failing                        bool         // of Run alone
}

// New makes a Pusher. It does not connect.
func New(cfg Config) (*Pusher, error) {
	if cfg.Interval <= 0 {
		cfg.Interval = defaultInterval
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = "nasight"
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	address, err := url.Parse(cfg.URL)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, errors.New("push to VictoriaMetrics: this is no http or https URL")
	}
	zipped, err := newZipped()
	if err != nil {
		return nil, err
	}
	p := &Pusher{cfg: cfg, set: metrics.NewSet(), client: newClient(), text: newText(pairs(cfg.ExtraLabels)), zipped: zipped}
	if _, err := p.secret(); err != nil {
		return nil, fmt.Errorf("push to VictoriaMetrics at %s: %w", address.Redacted(), err)
	}
	p.set.RegisterMetricsWriter(p.write)
	return p, nil
}

// Name is the value of the label receiver.
func (p *Pusher) Name() string { return p.cfg.Name }

// Counts are the pushes so far, and when the last one was accepted, which is the zero time before the first.
func (p *Pusher) Counts() (succeeded, failed int64, last time.Time) {
	if at := p.lastSuccess.Load(); at > 0 {
		last = time.UnixMilli(at)
	}
	return p.succeeded.Load(), p.failed.Load(), last
}

// Run pushes until the context ends and returns nil then. What is wrong is logged once when it begins and once when it ends.
func (p *Pusher) Run(ctx context.Context) error {
	defer p.client.CloseIdleConnections()
	clock := time.NewTicker(p.cfg.Interval)
	defer clock.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-clock.C:
			_ = p.Push(ctx) // counted and logged
		}
	}
}

// Push makes one push, within the interval, and not at the same time as Run. The failure is counted and logged.
func (p *Pusher) Push(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, p.cfg.Interval)
	defer cancel()
	err := p.push(limited)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		p.succeeded.Add(1)
		p.lastSuccess.Store(time.Now().UnixMilli())
	} else {
		p.failed.Add(1)
	}
	switch failedBefore := p.failing; {
	case err != nil && !failedBefore:
		p.cfg.Logger.Warn("push to VictoriaMetrics failed; the next ones have newer values", "receiver", p.cfg.Name, "err", short(err))
	case err == nil && failedBefore:
		p.cfg.Logger.Info("pushes to VictoriaMetrics work again", "receiver", p.cfg.Name)
	}
	p.failing = err != nil
	return err
}

// short is an error with no more of an answer in it than is of use.
func short(err error) string {
	text := err.Error()
	if len(text) > longestError {
		return strings.ToValidUTF8(text[:longestError], "") + "…"
	}
	return text
}

// secret is the value of the header Authorization; empty without a file that holds it.
func (p *Pusher) secret() (string, error) {
	if p.cfg.AuthorizationFile == "" {
		return "", nil
	}
	secret, err := os.ReadFile(p.cfg.AuthorizationFile)
	if err != nil {
		return "", fmt.Errorf("authorization file: %w", err)
	}
	secret = bytes.TrimSpace(secret)
	if len(secret) == 0 || len(secret) > maxSecret || bytes.ContainsAny(secret, "\r\n\x00") {
		return "", fmt.Errorf("authorization file %s: want one line, as Bearer TOKEN", p.cfg.AuthorizationFile)
	}
	return string(secret), nil
}
