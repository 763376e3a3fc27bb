package export

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// PusherConfig says where samples are pushed to and with which credentials. Files are read again when they change.
type PusherConfig struct {
	Name            string // value of the label receiver, and of the key in Memory; "" for the URL's host
	URL             string // of the receiver's write endpoint, such as https://nasight.example.com/api/v1/write
	Protocol        string // ProtocolV2, also if empty, or ProtocolV1
	User            string // basic auth, together with PasswordFile
	PasswordFile    string
	BearerTokenFile string
	Headers         map[string]string // sent with every request, such as X-Scope-OrgID
	CAFile          string            // certificate authorities of the receiver; "" for the system's
	Timeout         time.Duration     // of one request; 0 for 10 s
	MaxPending      int               // samples that may wait; 0 for 200,000
	Flush           time.Duration     // most time to send what is left when the pusher stops; 0 for 5 s
	Gather          time.Duration     // how long samples wait for others to go with them in one request; 0 for not at all
	FirstRetry      time.Duration     // delay of the first retry, then ever longer up to 30 s; 0 for 1 s
	UserAgent       string            // "nasight" if empty
	Logger          *slog.Logger      // nil for none

	// Wrap goes around what sends the requests; nil for nothing.
	Wrap func(http.RoundTripper) http.RoundTripper

	// Past gives back the samples that the queue had no room for, once the receiver is there again. Without one the
	// oldest are dropped.
	Past     Past
	MaxBytes int               // of the samples that may wait, with Past alone; 0 for 32 MiB
	Memory   collectors.Memory // keeps over a restart what has not been sent, with Past alone; nil to give that up
}

// Past reads stored samples back, as the histories do.
type Past interface {
	// Raw reads from one moment to another, both included. Each call of what it returns gives the next samples, at least
	// so many if there are, and none at the end.
	Raw(prefix string, from, to time.Time, atLeast int) func(context.Context) ([]schema.Sample, error)
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
	defaultMaxBytes    = 32 << 20
)

// Pusher pushes every sample, with its own time, to a remote-write receiver. Publish and Push queue; Run sends. While the
// receiver is away samples wait. When too many do, the oldest are dropped first, or, with a Past, further ones are left out and
// read back later: then every sample arrives at least once. A sample comes twice, with the same time and value, where a
// request's answer was lost, where a minute was partly queued and partly owed, and after a crash.
type Pusher struct {
	cfg    PusherConfig
	api    *remote.API
	client *http.Client
	status *statusRecorder
	queue  *queue

	writing  sync.Mutex // one Write at a time
	encoders sync.Pool  // of Run and of Write

	// Of Run alone.
	failing    bool      // the last request failed, which was logged
	refusedAt  time.Time // when a rejection was logged last
	remembered time.Time // when the position was stored last

	sent, rejected, atShutdown, retries atomic.Int64

	failure atomic.Pointer[error] // of the last request of Run
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
	return &Pusher{cfg: cfg, api: api, client: client, status: status, queue: newQueue(cfg.MaxPending, cfg.MaxBytes)}, nil
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
	switch {
	case c.Past == nil:
		c.MaxBytes = 0
	case c.MaxBytes <= 0:
		c.MaxBytes = defaultMaxBytes
	}
	if c.Name == "" {
		c.Name = ReceiverName(c.URL)
	}
	if c.UserAgent == "" {
		c.UserAgent = "nasight"
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
		p.queue.add(batch.Past, false)
	}
	p.queue.add(batch.Samples, false)
	return nil
}

// Push queues samples and never waits. Stored says that the Past has them already.
func (p *Pusher) Push(samples []schema.Sample, stored bool) {
	if len(samples) > 0 {
		p.queue.add(samples, stored)
	}
}

// Counts are the samples that the receiver accepted and rejected so far, and those that were dropped for want of room.
func (p *Pusher) Counts() (accepted, rejected, dropped int64) {
	_, overflow := p.queue.counts()
	return p.sent.Load(), p.rejected.Load(), int64(overflow)
}

// Pending are the samples that wait, those under way among them.
func (p *Pusher) Pending() int {
	pending, _ := p.queue.counts()
	return pending
}

// Failure is why the last request of Run has to be tried again; nil where it was answered.
func (p *Pusher) Failure() error {
	if failure := p.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}

// Close lets go of connections that are kept for later. Run does at its end.
func (p *Pusher) Close() { p.client.CloseIdleConnections() }

// Name is the value of the label receiver.
func (p *Pusher) Name() string { return p.cfg.Name }

// ReceiverName is what a receiver is called that was given no name: the host of its URL.
func ReceiverName(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Host
}

// Run sends until the context ends, then what is left as far as the flush time allows, and returns nil.
func (p *Pusher) Run(ctx context.Context) error {
	defer p.client.CloseIdleConnections()
	p.resume()
	requests, cancel := linger(ctx, p.cfg.Flush)
	defer cancel()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-p.queue.filled:
			p.gather(ctx)
			for p.sendNext(ctx, requests) {
			}
		}
	}
	for p.sendNext(requests, requests) {
	}
	left := p.queue.drain()
	if p.keeps() {
		p.remember(time.Now(), 0)
	} else if left > 0 {
		p.atShutdown.Add(int64(left))
		p.log().Warn("samples were not sent before the end", "samples", left)
	}
	return nil
}

// gather waits for samples that fill a request: collectors end one after the other, and a request costs more than what is in it.
func (p *Pusher) gather(ctx context.Context) {
	timer := time.NewTimer(p.cfg.Gather)
	defer timer.Stop()
	for p.cfg.Gather > 0 && p.queue.waiting() < maxPerRequest {
		select {
		case <-p.queue.ample: // once for all of them: to be woken for each batch costs more than to send it
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
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
