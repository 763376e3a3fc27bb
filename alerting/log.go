package alerting

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
)

// quiet passes the managers' log on: their many notices as debugging output, and with them that alerts were not sent, which
// the notifier says of every batch and teller once.
type quiet struct{ slog.Handler }

const notSent = "Error sending alerts"

// Enabled implements slog.Handler.
func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return q.Handler.Enabled(ctx, lowered(level))
}

// Handle implements slog.Handler.
func (q quiet) Handle(ctx context.Context, record slog.Record) error {
	record.Level = lowered(record.Level)
	if record.Message == notSent {
		record.Level = slog.LevelDebug
	}
	if !q.Handler.Enabled(ctx, record.Level) {
		return nil
	}
	return q.Handler.Handle(ctx, record)
}

func lowered(level slog.Level) slog.Level {
	if level == slog.LevelInfo {
		return slog.LevelDebug
	}
	return level
}

// WithAttrs implements slog.Handler.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }

// teller says once that an Alertmanager takes no alerts, and once that it takes them again.
type teller struct {
	log *slog.Logger

	mu      sync.Mutex
	failing map[string]bool // by address
}

func newTeller(log *slog.Logger) *teller { return &teller{log: log, failing: map[string]bool{}} }

// note takes how a request went.
func (t *teller) note(request *http.Request, response *http.Response, err error) {
	address := request.URL.Redacted()
	failed := err != nil || response.StatusCode/100 != 2
	t.mu.Lock()
	before := t.failing[address]
	t.failing[address] = failed
	t.mu.Unlock()
	switch {
	case failed && !before && err != nil:
		t.log.Warn("an Alertmanager cannot be told of alerts; what still fires is sent again", "url", address, "err", err)
	case failed && !before && (response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden):
		t.log.Warn("an Alertmanager does not accept the credentials, look at basic_auth and bearer_token_file of this one; what still fires is sent again",
			"url", address, "status", response.StatusCode)
	case failed && !before:
		t.log.Warn("an Alertmanager does not take alerts; what still fires is sent again", "url", address, "status", response.StatusCode)
	case !failed && before:
		t.log.Info("an Alertmanager takes alerts again", "url", address)
	}
}
