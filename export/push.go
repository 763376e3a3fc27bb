package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/prometheus/client_golang/exp/api/remote"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// PusherConfig says where samples are pushed to and with which credentials. Files are read again when they change.
type PusherConfig struct {
	URL             string // of the receiver's write endpoint, such as https://nasight.example.com/api/v1/write
	Protocol        string // ProtocolV2, also if empty, or ProtocolV1
	User            string // basic auth, together with PasswordFile
	PasswordFile    string
	BearerTokenFile string
	CAFile          string        // certificate authorities of the receiver; "" for the system's
	Timeout         time.Duration // of one request; 0 for 10 s
	MaxPending      int           // samples that may wait; 0 for 200,000
	Flush           time.Duration // most time to send what is left when the pusher stops; 0 for 5 s
	FirstRetry      time.Duration // delay of the first retry, then ever longer up to 30 s; 0 for 1 s
	Logger          *slog.Logger  // nil for none
}

// The protocols of remote write. Most receivers take 2.0; VictoriaMetrics takes 1.0 alone.
const (
	ProtocolV2 = "2.0"
	ProtocolV1 = "1.0"
)

const (
	defaultPushTimeout = 10 * time.Second
	defaultMaxPending  = 200_000
	defaultFlush       = 5 * time.Second
	defaultFirstRetry  = time.Second
	longestRetry       = 30 * time.Second
	longestRetryAfter  = 5 * time.Minute // a longer Retry-After is not obeyed
	maxPerRequest      = 5000            // samples
)

// Pusher pushes every sample once, with its own time, to a remote-write receiver. Publish queues; Run sends. While the
// receiver is away samples wait, and the oldest are dropped first when too many do. It is safe for concurrent use.
type Pusher struct {
	cfg    PusherConfig
	api    *remote.API
	client *http.Client
	status *statusRecorder
	queue  *queue

	sent, rejected, atShutdown, retries atomic.Int64
}

// NewPusher makes a Pusher. It does not connect.
func NewPusher(cfg PusherConfig) (*Pusher, error) {
	cfg = cfg.withDefaults()
	if cfg.Protocol != ProtocolV1 && cfg.Protocol != ProtocolV2 {
		return nil, fmt.Errorf("remote write: no protocol %q; there are %s and %s", cfg.Protocol, ProtocolV2, ProtocolV1)
	}
	client, status, err := newClient(cfg)
	if err != nil {
		return nil, fmt.Errorf("remote write to %s: %w", redacted(cfg.URL), err)
	}
	api, err := remote.NewAPI(cfg.URL,
		remote.WithAPIPath(""), remote.WithAPIHTTPClient(client),
		// One attempt each: Run has its own retries, which tell what they do and stop when told.
		remote.WithAPIBackoff(remote.BackoffConfig{MaxRetries: -1}))
	if err != nil {
		return nil, fmt.Errorf("remote write: %w", err)
	}
	return &Pusher{cfg: cfg, api: api, client: client, status: status, queue: newQueue(cfg.MaxPending)}, nil
}

func (c PusherConfig) withDefaults() PusherConfig {
	set := func(value *time.Duration, otherwise time.Duration) {
		if *value <= 0 {
			*value = otherwise
		}
	}
	set(&c.Timeout, defaultPushTimeout)
	set(&c.Flush, defaultFlush)
	set(&c.FirstRetry, defaultFirstRetry)
	if c.MaxPending <= 0 {
		c.MaxPending = defaultMaxPending
	}
	if c.Protocol == "" {
		c.Protocol = ProtocolV2
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// Publish implements collectors.Output: it queues the batch's samples and never waits.
func (p *Pusher) Publish(_ context.Context, batch collectors.Batch) error {
	if len(batch.Past) > 0 {
		p.queue.add(batch.Past)
	}
	p.queue.add(batch.Samples)
	return nil
}

// Run sends until the context ends, then what is left as far as the flush time allows, and returns nil.
func (p *Pusher) Run(ctx context.Context) error {
	defer p.client.CloseIdleConnections()
	requests, cancel := linger(ctx, p.cfg.Flush)
	defer cancel()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-p.queue.filled:
			for p.sendNext(ctx, requests) {
			}
		}
	}
	for p.sendNext(requests, requests) {
	}
	if left := p.queue.drain(); left > 0 {
		p.atShutdown.Add(int64(left))
		p.cfg.Logger.Warn("samples were not sent before the end", "samples", left, "url", redacted(p.cfg.URL))
	}
	return nil
}

// linger returns a context that ends some time after its parent: a request that is cut off halfway would be sent again
// although the receiver may have taken it.
func linger(parent context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		timer := time.AfterFunc(after, cancel)
		context.AfterFunc(ctx, func() { timer.Stop() })
	})
	return ctx, func() { stop(); cancel() }
}

// sendNext sends the samples at the head of the queue until they are accepted or rejected. It returns false when there
// are none or the context ended; what was under way is back in the queue then. The requests themselves run under a
// context of their own.
func (p *Pusher) sendNext(ctx, requests context.Context) bool {
	samples := p.queue.take(maxPerRequest)
	if len(samples) == 0 {
		return false
	}
	stats, err := p.retry(ctx, requests, samples)
	if err != nil && ctx.Err() != nil {
		p.queue.putBack(samples)
		return false
	}
	p.queue.done()
	accepted := len(samples)
	if err != nil || p.cfg.Protocol == ProtocolV2 {
		accepted = min(max(stats.Samples, 0), len(samples))
	}
	p.sent.Add(int64(accepted))
	if lost := len(samples) - accepted; lost > 0 {
		p.rejected.Add(int64(lost))
		p.cfg.Logger.Warn("the receiver rejected samples", "samples", lost, "url", redacted(p.cfg.URL), "err", err)
	}
	return true
}

func (p *Pusher) retry(ctx, requests context.Context, samples []schema.Sample) (remote.WriteResponseStats, error) {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = p.cfg.FirstRetry, longestRetry
	kind, message := p.encode(samples)
	attempt := func() (remote.WriteResponseStats, error) {
		p.status.reset()
		stats, err := p.api.Write(requests, kind, message)
		return stats, p.classify(err)
	}
	return backoff.Retry(ctx, attempt, backoff.WithBackOff(wait), backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, delay time.Duration) {
			p.retries.Add(1)
			p.cfg.Logger.Warn("remote write failed, will try again", "url", redacted(p.cfg.URL), "in", delay, "err", err)
		}))
}

// classify decides whether a request is worth another attempt. Refused credentials are, as those can be replaced
// while the samples wait; other 4xx answers say that the samples themselves are unwanted.
func (p *Pusher) classify(err error) error {
	if err == nil {
		return nil
	}
	var again interface{ RetryAfter() time.Duration }
	if errors.As(err, &again) {
		if after := min(again.RetryAfter(), longestRetryAfter); after > 0 {
			return fmt.Errorf("%w: %w", err, &backoff.RetryAfterError{Duration: after})
		}
		return err
	}
	switch p.status.last() {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout:
		return err
	}
	return backoff.Permanent(err)
}
