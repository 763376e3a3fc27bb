package history

import (
	"context"
	"testing"
	"time"

	"github.com/nasight/nasight/schema"
)

// past makes hourly samples of one series, each of value 1, over days that end before the base.
func past(volume string, from, to int) []schema.Sample {
	var samples []schema.Sample
	for hour := from; hour < to; hour++ {
		samples = append(samples, line("h", volume, float64(-3600*hour), 1)...)
	}
	return samples
}

// TestBackfill fills six weeks behind a living history, twice, and across a restart.
func TestBackfill(t *testing.T) {
	const week = 7 * 24
	for _, name := range []string{"memory", "embedded"} {
		t.Run(name, func(t *testing.T) {
			var s interface {
				store
				Backfiller
			} = NewMemory(MemoryOptions{})
			dir := t.TempDir()
			opts := EmbeddedOptions{Path: dir, Retention: 60 * 24 * time.Hour}
			if name == "embedded" {
				s = openEmbedded(t, opts)
			}
			appendAll(t, s, line("h", "v", -60, 1, 0, 1), line("h", "v", -1800, 1))
			for range 2 {
				if err := s.Backfill(context.Background(), past("v", 1, 6*week)); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Backfill(context.Background(), past("w", 0, 6*week)); err != nil {
				t.Fatal(err)
			}
			appendAll(t, s, line("h", "v", 60, 1), line("h", "v", -30, 1))
			want := values{"host=h,volume=v": 6*week - 1 + 5, "host=h,volume=w": 6 * week}
			expect := func(s Reader) {
				t.Helper()
				got := ask(t, s, "sum_over_time(b_total[50d])", at(60))
				for series, sum := range want {
					if got[series] != sum {
						t.Errorf("%s: sum %v, want %v", series, got[series], sum)
					}
				}
			}
			expect(s)
			if s.Stats().Lost() != 0 {
				t.Errorf("stats %+v: want nothing lost", s.Stats())
			}
			if e, ok := s.(*Embedded); ok {
				expect(openEmbedded(t, EmbeddedOptions{Path: crashImage(t, e), Retention: opts.Retention}))
				if err := e.tidy(context.Background()); err != nil {
					t.Fatal(err)
				}
				expect(e)
			}
		})
	}
}

func TestBackfillBeyondRetention(t *testing.T) {
	e := openEmbedded(t, EmbeddedOptions{Path: t.TempDir(), Retention: 48 * time.Hour})
	appendAll(t, e, line("h", "v", 0, 1))
	if err := e.Backfill(context.Background(), past("v", 1, 100)); err != nil {
		t.Fatal(err)
	}
	if got := e.Stats(); got != (Written{Stored: 1 + 48, TooOld: 99 - 48}) {
		t.Errorf("stats %+v", got)
	}
	if got := ask(t, e, "count_over_time(b_total[40h])", at(0))["host=h,volume=v"]; got != 40 {
		t.Errorf("%v samples of the last 40 hours, want 40", got)
	}
}

func TestBackfillIntoNothing(t *testing.T) {
	e := openEmbedded(t, EmbeddedOptions{Path: t.TempDir()})
	if err := e.Backfill(context.Background(), append(past("v", 0, 200), past("w", 0, 300)...)); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, e, "sum(count_over_time(b_total[20d]))", at(0))[""]; got != 500 {
		t.Errorf("%v samples, want 500", got)
	}
}
