package history

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// A series that had late samples alone is forgotten in memory once these are in a block, while the log of late samples still
// names it by number. A series that begins after the next start must not get that number: the start after it would read the
// old samples as its own.
func TestNumbersOfForgottenSeriesAreNotGivenAgain(t *testing.T) {
	t.Parallel()
	const hour = 3600.0
	opts := EmbeddedOptions{Path: t.TempDir(), Retention: 60 * 24 * time.Hour, OutOfOrderWindow: 6 * time.Hour}
	start := func() *Embedded {
		e, err := OpenEmbedded(context.Background(), opts)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	stop := func(e *Embedded) {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	e := start()
	for second := -5 * hour; second <= 0; second += 300 {
		appendAll(t, e, line("h", "steady", second, 1))
	}
	for i := range 20 {
		appendAll(t, e, line("h", fmt.Sprintf("late-%d", i), -3.5*hour, 1e12, -3.4*hour, 1e12))
	}
	for range 3 {
		if err := e.tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	stop(e)
	for round := range 3 {
		e = start()
		for i := range 30 {
			appendAll(t, e, line("h", fmt.Sprintf("new-%d-%d", round, i), 60*float64(round+1), 1))
		}
		stop(e)
	}
	e = openEmbedded(t, opts)
	for series, most := range ask(t, e, `max_over_time(b_total{volume=~"new.*|steady"}[1d])`, at(hour)) {
		if most != 1 {
			t.Errorf("%s has a sample of %g", series, most)
		}
	}
}
