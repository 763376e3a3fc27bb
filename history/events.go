package history

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
)

// The database says two things that matter in its log only.
const (
	// lostLateSamples begins the message that late samples were accepted and not written down.
	lostLateSamples = "Failed to log out of order samples"
	// repairing ends the message that a log was damaged and is being cut at the damage.
	repairing = "read error, attempting repair"
	// overlapping begins the warning that blocks cover the same time. A back-fill makes such blocks on purpose, and
	// compaction merges them; the message names every pair at every step.
	overlapping = "Overlapping blocks found"
	// startupState begins the error that what makes the next start fast was not written. On a full disk it comes with every
	// attempt to store, and that the disk is full is told by what stores; a start without it reads the log, and is right as well.
	startupState = "Failed to encode series state"
)

// eventHandler passes the database's log on, its many notices as debugging output, and watches it.
type eventHandler struct {
	slog.Handler
	lost, repairs *atomic.Uint64
}

func newEventHandler(next slog.Handler) *eventHandler {
	return &eventHandler{Handler: next, lost: new(atomic.Uint64), repairs: new(atomic.Uint64)}
}

func (h *eventHandler) logger() *slog.Logger { return slog.New(h) }

// lostLate counts the failures to write late samples down.
func (h *eventHandler) lostLate() uint64 { return h.lost.Load() }

// repaired tells whether a log was damaged when the database was opened.
func (h *eventHandler) repaired() bool { return h.repairs.Load() > 0 }

// Enabled implements slog.Handler. Warnings and errors always arrive, as they are watched.
func (h *eventHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || h.Handler.Enabled(ctx, demoted(level))
}

// Handle implements slog.Handler.
func (h *eventHandler) Handle(ctx context.Context, record slog.Record) error {
	switch {
	case strings.HasPrefix(record.Message, lostLateSamples):
		h.lost.Add(1)
	case strings.HasSuffix(record.Message, repairing):
		h.repairs.Add(1)
	}
	record.Level = demoted(record.Level)
	if strings.HasPrefix(record.Message, overlapping) || strings.HasPrefix(record.Message, startupState) {
		record.Level = slog.LevelDebug
	}
	if !h.Handler.Enabled(ctx, record.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, record)
}

func demoted(level slog.Level) slog.Level {
	if level == slog.LevelInfo {
		return slog.LevelDebug
	}
	return level
}

// WithAttrs implements slog.Handler.
func (h *eventHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &eventHandler{Handler: h.Handler.WithAttrs(attrs), lost: h.lost, repairs: h.repairs}
}

// WithGroup implements slog.Handler.
func (h *eventHandler) WithGroup(name string) slog.Handler {
	return &eventHandler{Handler: h.Handler.WithGroup(name), lost: h.lost, repairs: h.repairs}
}
