package export

import (
	"context"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/nasight/nasight/schema"
)

const (
	readAtOnce = 20_000           // samples read back before they are sent: less than 10 MB
	rememberIn = 10 * time.Second // least time from one storing of the position to the next
	// lateness is how much older than what was sent before it a sample may be that a crash keeps from being sent: what
	// clouds tell is up to ten minutes old when it comes. So much more than needed is sent again after a crash.
	lateness = 15 * time.Minute
)

// sendOwed reads a span back and sends it. It returns false when the context ended; the whole span is owed again then.
func (p *Pusher) sendOwed(ctx, requests context.Context, owed span) bool {
	next := p.cfg.Past.Raw(collected, owed.from, owed.to, readAtOnce)
	for {
		samples, err := p.read(ctx, next)
		if err != nil { // the context ended
			p.queue.owe(owed)
			return false
		}
		if len(samples) == 0 {
			p.queue.paid()
			p.rememberSometimes()
			return true
		}
		for chunk := range slices.Chunk(samples, maxPerRequest) {
			if !p.send(ctx, requests, chunk) {
				p.queue.owe(owed)
				return false
			}
		}
	}
}

// read reads until it works: a history that cannot be read now can be later.
func (p *Pusher) read(ctx context.Context, next func(context.Context) ([]schema.Sample, error)) ([]schema.Sample, error) {
	told := false
	return backoff.Retry(ctx, func() ([]schema.Sample, error) { return next(ctx) }, p.patience(func(err error, _ time.Duration) {
		if !told {
			told = true
			p.log().Warn("samples that have to be sent cannot be read from history, will try again", "err", err)
		}
	})...)
}

// keeps tells whether what is not sent is sent after the next start.
func (p *Pusher) keeps() bool { return p.cfg.Past != nil && p.cfg.Memory != nil }

func (p *Pusher) positionKey() string { return "remote_write/" + p.cfg.Name + "/sent_until" }

// resume owes what an earlier Pusher of the same name has not sent. The first one begins with now: what was before is not
// sent.
func (p *Pusher) resume() {
	if !p.keeps() {
		return
	}
	now := time.Now()
	milliseconds, known := p.cfg.Memory.Load(p.positionKey())
	if from := time.UnixMilli(int64(milliseconds)); known && from.Before(now) {
		p.queue.owe(span{from, now})
	}
	p.remember(now, lateness)
}

func (p *Pusher) rememberSometimes() {
	if now := time.Now(); p.keeps() && now.Sub(p.remembered) >= rememberIn {
		p.remembered = now
		p.remember(now, lateness)
	}
}

// remember stores the position: every sample before it was sent, but for late ones, which the margin is for.
func (p *Pusher) remember(now time.Time, margin time.Duration) {
	position := now
	if oldest := p.queue.oldest(); !oldest.IsZero() && oldest.Before(position) {
		position = oldest
	}
	p.cfg.Memory.Store(p.positionKey(), float64(position.Add(-margin).UnixMilli()))
}

// behind is the age of the oldest sample that has not been sent; 0 if all have been.
func (p *Pusher) behind(now time.Time) time.Duration {
	oldest := p.queue.oldest()
	if oldest.IsZero() {
		return 0
	}
	return max(now.Sub(oldest), 0)
}

// collected begins the names of what is sent: what rules record beside it stays in history.
const collected = "nasight_"
