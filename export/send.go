package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/prometheus/client_golang/exp/api/remote"

	"github.com/nasight/nasight/schema"
)

const (
	mostRefusals = 50               // requests refused on the search for the bad samples of one; then the rest of it is given up
	tellRefused  = 10 * time.Minute // from one line in the log of rejected samples to the next
)

// sendNext sends what is next: samples that are owed, or the queue's. It returns false when there are none or the context
// ended; what was under way is back then. The requests themselves run under a context of their own.
func (p *Pusher) sendNext(ctx, requests context.Context) bool {
	if owed, ok := p.queue.takeOwed(); ok {
		return p.sendOwed(ctx, requests, owed)
	}
	samples := p.queue.take(maxPerRequest)
	if len(samples) == 0 {
		return false
	}
	if !p.send(ctx, requests, samples) {
		p.queue.putBack(samples)
		return false
	}
	p.queue.done()
	p.rememberSometimes()
	return true
}

// send sends samples until they are accepted or rejected, and returns false when the context ended before.
func (p *Pusher) send(ctx, requests context.Context, samples []schema.Sample) bool {
	_, err := p.deliver(samples, mostRefusals, func(part []schema.Sample) (remote.WriteResponseStats, error) {
		return p.retry(ctx, requests, part)
	})
	return err == nil
}

// Write sends samples now and waits for the answers; each request is tried once. It returns how many the receiver rejected.
// After an error the same samples may be sent again, of which some may have been stored. It neither queues nor needs Run.
// WholeRequests says that the samples of a refused request are not tried in halves.
func (p *Pusher) Write(ctx context.Context, samples []schema.Sample, wholeRequests bool) (rejected int, err error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	refusals := mostRefusals
	if wholeRequests {
		refusals = 0
	}
	for chunk := range slices.Chunk(samples, maxPerRequest) {
		lost, err := p.deliver(chunk, refusals, func(part []schema.Sample) (remote.WriteResponseStats, error) {
			return p.attempt(ctx, part)
		})
		rejected += lost
		if err != nil {
			return rejected, fmt.Errorf("remote write to %s: %w", redacted(p.cfg.URL), err)
		}
	}
	return rejected, nil
}

// deliver makes the requests for one batch. A request that is refused as a whole is tried again in halves: one bad sample must
// not cost its neighbours. An error says that it is not decided what becomes of the samples.
func (p *Pusher) deliver(samples []schema.Sample, refusals int, try func([]schema.Sample) (remote.WriteResponseStats, error)) (rejected int, err error) {
	for waiting := [][]schema.Sample{samples}; len(waiting) > 0; {
		part := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		stats, err := try(part)
		if err != nil && !unwanted(p.status.last()) {
			return rejected, err
		}
		accepted := len(part)
		if err != nil || p.cfg.Protocol == ProtocolV2 {
			accepted = min(max(stats.Samples, 0), len(part))
		}
		if err != nil && accepted == 0 && len(part) > 1 && refusals > 0 && p.divisible() {
			refusals--
			half := len(part) / 2
			waiting = append(waiting, part[half:], part[:half])
			continue
		}
		rejected += len(part) - accepted
		p.settle(accepted, len(part)-accepted, err)
	}
	return rejected, nil
}

// errUnconfirmed is why samples count as rejected that a receiver answered without an error.
var errUnconfirmed = errors.New("its answer confirms fewer samples than were sent and gives no reason; its own log may")

// log names the receiver in every line, by the name that metrics have and by its address.
func (p *Pusher) log() *slog.Logger {
	return p.cfg.Logger.With("receiver", p.cfg.Name, "url", redacted(p.cfg.URL))
}

// settle counts what became of samples.
func (p *Pusher) settle(accepted, lost int, err error) {
	p.sent.Add(int64(accepted))
	p.rejected.Add(int64(lost))
	if now := time.Now(); lost > 0 && now.Sub(p.refusedAt) > tellRefused {
		p.refusedAt = now
		if err == nil {
			err = errUnconfirmed
		}
		p.log().Warn("the receiver rejected samples", "samples", lost, "err", err)
	}
}

// retry makes requests until one is answered for good. That it has to is logged once, and once more when it is over.
func (p *Pusher) retry(ctx, requests context.Context, samples []schema.Sample) (remote.WriteResponseStats, error) {
	stats, err := backoff.Retry(ctx, func() (remote.WriteResponseStats, error) { return p.attempt(requests, samples) }, p.patience(func(err error, delay time.Duration) {
		p.retries.Add(1)
		p.failure.Store(&err)
		if !p.failing {
			p.failing = true
			p.log().Warn("remote write failed, will try again until it works", "in", delay, "err", err)
		}
	})...)
	if ctx.Err() == nil {
		p.failure.Store(nil)
	}
	if ctx.Err() == nil && p.failing {
		p.failing = false
		p.log().Info("remote write is answered again")
	}
	return stats, err
}

func (p *Pusher) attempt(ctx context.Context, samples []schema.Sample) (remote.WriteResponseStats, error) {
	writer, ok := p.encoders.Get().(*encoder)
	if !ok {
		writer = &encoder{}
	}
	defer p.encoders.Put(writer)
	kind, message := writer.encode(p.cfg.Protocol, samples)
	p.status.reset()
	stats, err := p.api.Write(ctx, kind, message)
	return stats, p.classify(err)
}

// patience are the delays between attempts: ever longer ones, without an end.
func (p *Pusher) patience(failed backoff.Notify) []backoff.RetryOption {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = p.cfg.FirstRetry, longestRetry
	return []backoff.RetryOption{backoff.WithBackOff(wait), backoff.WithMaxElapsedTime(0), backoff.WithNotify(failed)}
}

// unwanted are the answers that speak of the samples and not of the way to the receiver: others would get no other answer.
func unwanted(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusUnsupportedMediaType:
		return false
	}
	return status >= 400 && status < 500
}

// divisible tells whether half of a refused request may be taken.
func (p *Pusher) divisible() bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}, p.status.last())
}

// classify decides whether a request is worth another attempt. It is where credentials, the address or the protocol are
// wrong, as those can be put right while the samples wait; other 4xx answers say that the samples themselves are unwanted.
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
	switch status := p.status.last(); {
	case unwanted(status):
		return backoff.Permanent(err)
	case status/100 == 2 && p.cfg.Protocol == ProtocolV2:
		return fmt.Errorf("the receiver answered %d and did not confirm any sample of remote write 2.0; one that knows 1.0 alone, as VictoriaMetrics, "+
			"needs the protocol %q: %w", status, ProtocolV1, err)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Errorf("the credentials are not accepted, look at basic_auth, bearer_token_file and headers of this receiver: %w", err)
	case status == http.StatusNotFound:
		return fmt.Errorf("there is no remote-write receiver at this address (Prometheus has one with --web.enable-remote-write-receiver): %w", err)
	}
	return err
}
