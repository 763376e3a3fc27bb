package history

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/schema"
)

const (
	hour = 3600.0
	year = 365 * 24 * hour
)

// clockAt is a clock that stands still.
func clockAt(seconds float64) func() time.Time { return func() time.Time { return at(seconds) } }

func TestSampleAheadOfTheClockIsRefused(t *testing.T) {
	var log strings.Builder
	e := openEmbedded(t, EmbeddedOptions{
		Path: t.TempDir(), Now: clockAt(0), Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	appendAll(t, e, line("wrong", "v", 7*hour, 1, 10*year, 1, 600, 1), line("wrong", "v", 8*hour, 1), line("right", "v", 0, 1, 601, 2))
	if err := e.Backfill(t.Context(), append(line("right", "v", -100*hour, 5), line("wrong", "v", 7*hour, 5)...)); err != nil {
		t.Fatal(err)
	}
	if got := e.Stats(); got != (Written{Stored: 3, TooNew: 5}) {
		t.Errorf("stats %+v", got)
	}
	if got := ask(t, e, "b_total", at(0)); len(got) != 1 || got["__name__=b_total,host=right,volume=v"] != 1 {
		t.Errorf("%v, want the sample of the host whose clock is right", got)
	}
	if err := e.Degraded(); err != nil {
		t.Errorf("degraded: %v", err)
	}
	if log := log.String(); strings.Count(log, "not stored") != 2 || strings.Count(log, "host=wrong") != 1 || strings.Count(log, "host=right") != 1 {
		t.Errorf("want one line of each host:\n%s", log)
	}
}

// A history that was written while this machine's clock was wrong says so until time has caught up.
func TestHistoryAheadOfTheClockSaysSo(t *testing.T) {
	for name, ahead := range map[string]float64{"seven hours": 7 * hour, "ten years": 10 * year} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			before := openEmbedded(t, EmbeddedOptions{Path: dir})
			appendAll(t, before, line("h", "v", ahead, 1))
			if err := before.Close(); err != nil {
				t.Fatal(err)
			}
			var log strings.Builder
			now := 0.0
			e := openEmbedded(t, EmbeddedOptions{
				Path: dir, Now: func() time.Time { return at(now) }, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			})
			appendAll(t, e, line("g", "v", 0, 1))
			if got := e.Stats(); got.TooOld != 1 {
				t.Errorf("stats %+v", got)
			}
			want := "the newest sample in " + dir + " is of " + at(ahead).UTC().Format(time.RFC3339) + ", ahead of the clock"
			if err := e.Degraded(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(log.String(), want) {
				t.Errorf("degraded: %v; log:\n%s", err, log.String())
			}
			now = ahead - 5*hour // within the window
			appendAll(t, e, line("g", "v", now, 1))
			if err, got := e.Degraded(), e.Stats(); err != nil || got != (Written{Stored: 1, TooOld: 1}) {
				t.Errorf("degraded: %v, stats %+v", err, got)
			}
		})
	}
}

// What ended in blocks is looked at as well.
func TestBlocksAheadOfTheClock(t *testing.T) {
	dir := t.TempDir()
	before := openEmbedded(t, EmbeddedOptions{Path: dir})
	var all []schema.Sample
	for i := range 40 {
		all = append(all, line("h", "v", float64(i)*hour, 1)...)
	}
	appendAll(t, before, all)
	if err := before.tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	e := openEmbedded(t, EmbeddedOptions{Path: dir, Now: clockAt(0)})
	if err := e.Degraded(); err == nil {
		t.Error("not degraded")
	}
}
