package collectors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/schema"
)

// kept is a Backfiller that keeps what it is given, or fails.
type kept struct {
	batches []int
	err     error
}

func (k *kept) Backfill(_ context.Context, samples []schema.Sample) error {
	k.batches = append(k.batches, len(samples))
	return k.err
}

var errMinor = errors.New("refused")

// play runs a Past over steps, one for each filling, until the last one, and tells after which of them it was done.
func play(t *testing.T, steps []func(p *Past) (bool, error)) (done []int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	step := 0
	var past *Past
	past = NewPast(PastOptions{
		Fill: func(context.Context, Backfiller) (bool, error) {
			if step == len(steps) {
				cancel()
				return false, nil
			}
			step++
			return steps[step-1](past)
		},
		Minor: func(err error) bool { return err == nil || errors.Is(err, errMinor) }, Pause: time.Millisecond,
	})
	past.Wake()
	past.Wake() // one sign is enough
	if err := past.Run(ctx, &kept{}, func() {
		done = append(done, step)
		past.Wake()
	}); err != nil || step != len(steps) {
		t.Errorf("%d of %d steps, error %v", step, len(steps), err)
	}
	return done
}

// The end is told when all that is known to be missing was filled in, or all but what is minor; each time once.
func TestPastTellsItsEnd(t *testing.T) {
	fills := func(filled bool, err error, more bool) func(*Past) (bool, error) {
		return func(p *Past) (bool, error) {
			if more {
				p.Wake()
			}
			return filled, err
		}
	}
	fault := errors.New("disk full")
	for name, row := range map[string]struct {
		steps []func(*Past) (bool, error)
		want  []int
	}{
		"at once":                     {[]func(*Past) (bool, error){fills(true, nil, false)}, []int{1}},
		"not before the rest is in":   {[]func(*Past) (bool, error){fills(true, nil, true), fills(false, nil, false)}, []int{2}},
		"after a failure":             {[]func(*Past) (bool, error){fills(true, fault, false), fills(false, fault, false), fills(false, nil, false)}, []int{3}},
		"beside what is minor, once":  {[]func(*Past) (bool, error){fills(true, errMinor, false), fills(false, errMinor, false)}, []int{1}},
		"of each time":                {[]func(*Past) (bool, error){fills(true, nil, false), fills(true, nil, false)}, []int{1, 2}},
		"of nothing there is no news": {[]func(*Past) (bool, error){fills(false, nil, true), fills(false, nil, true)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := play(t, row.steps); !slices.Equal(got, row.want) {
				t.Errorf("told after %v, want %v", got, row.want)
			}
		})
	}
}

// Samples are stored when there are many of them, or none is left; what was stored is told, and nothing else.
func TestInChunks(t *testing.T) {
	into, told := &kept{}, 0
	chunks := &InChunks{Into: into}
	add := func(count int) error {
		return chunks.Add(t.Context(), make([]schema.Sample, count), func() { told++ })
	}
	for i, row := range []struct{ count, told int }{{600_000, 0}, {300_000, 0}, {200_000, 3}, {1, 3}} {
		if err := add(row.count); err != nil || told != row.told {
			t.Errorf("after %d: %d are told to be stored, error %v; want %d", i, told, err, row.told)
		}
	}
	if err := chunks.Flush(t.Context()); err != nil || told != 4 {
		t.Errorf("%d are told to be stored, error %v", told, err)
	}
	if err := errors.Join(add(0), chunks.Flush(t.Context()), chunks.Flush(t.Context())); err != nil || told != 5 {
		t.Errorf("a part of the past without samples: %d are told to be stored, error %v", told, err)
	}
	if want := []int{1_100_000, 1}; !slices.Equal(into.batches, want) {
		t.Errorf("stored %v, want %v", into.batches, want)
	}
	into.err = fmt.Errorf("no space")
	if err := errors.Join(add(1), chunks.Flush(t.Context())); !errors.Is(err, into.err) || told != 5 {
		t.Errorf("error %v, %d are told to be stored", err, told)
	}
	if into.err = nil; chunks.Flush(t.Context()) != nil || told != 5 {
		t.Error("what failed is told to be stored")
	}
}
