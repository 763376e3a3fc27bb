package history

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
)

func TestMemoryIsBounded(t *testing.T) {
	m := NewMemory(MemoryOptions{MaxSamples: 3})
	appendAll(t, m, line("h", "v", 0, 1, 15, 2))
	if err := m.Append(context.Background(), line("h", "v", 30, 3, 45, 4)); !errors.Is(err, ErrFull) {
		t.Fatalf("error %v, want ErrFull", err)
	}
	if got := ask(t, m, "count_over_time(b_total[5m])", at(60)); got["host=h,volume=v"] != 2 {
		t.Errorf("%v, want nothing of the refused batch", got)
	}
	appendAll(t, m, line("h", "v", 30, 3))
	if got := m.Stats(); got != (Written{Stored: 3}) {
		t.Errorf("stats %+v", got)
	}
}

func TestMemoryTakesAnyAge(t *testing.T) {
	m := NewMemory(MemoryOptions{})
	const year = 365 * 86400
	appendAll(t, m, line("h", "v", 0, 1), line("h", "v", -year, 2), line("h", "v", -year/2, 3))
	if got := ask(t, m, "sum_over_time(b_total[2y])", at(0)); got["host=h,volume=v"] != 6 {
		t.Errorf("%v, want all samples", got)
	}
}

// TestMemoryReadersKeepTheirView appends, in order and out of it, while queries run.
func TestMemoryReadersKeepTheirView(t *testing.T) {
	m := NewMemory(MemoryOptions{})
	appendAll(t, m, line("h", "v", 0, 1))
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 200 {
				seconds := float64(1 + worker + 4*((i*37)%200)) // a permutation: no moment twice
				if err := m.Append(context.Background(), line("h", "v", seconds, 1)); err != nil {
					t.Error(err)
				}
				points, err := m.Instant(context.Background(), "count_over_time(b_total[1h])", at(1000))
				if err != nil || len(points) != 1 || points[0].Value < float64(i+2) {
					t.Errorf("points %v, error %v after %d appends", points, err, i+1)
					return
				}
			}
		})
	}
	group.Wait()
	if got := ask(t, m, "sum_over_time(b_total[1h])", at(1000)); got["host=h,volume=v"] != 801 {
		t.Errorf("%v, want 801 samples", got)
	}
}

func BenchmarkAppend(b *testing.B) {
	for name, open := range stores {
		b.Run(name, func(b *testing.B) {
			s := open(b)
			defer s.Close()
			batch := line("h", "v", make([]float64, 2*10_000)...)
			for i := range batch {
				batch[i].Labels = []string{"host", fmt.Sprint("v", i)}
			}
			b.ReportAllocs()
			for round := 0; b.Loop(); round++ {
				for i := range batch {
					batch[i].Time, batch[i].Value = at(float64(15*round)), float64(round)
				}
				appendAll(b, s, batch)
			}
			b.ReportMetric(float64(len(batch)*b.N)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}

func BenchmarkInstant(b *testing.B) {
	for name, open := range stores {
		b.Run(name, func(b *testing.B) {
			s := open(b)
			defer s.Close()
			for round := range 20 {
				batch := line("h", "v", make([]float64, 2*10_000)...)
				for i := range batch {
					batch[i].Labels = []string{"host", fmt.Sprint("v", i)}
					batch[i].Time, batch[i].Value = at(float64(15*round)), float64(round*i)
				}
				appendAll(b, s, batch)
			}
			b.ReportAllocs()
			for b.Loop() {
				points, err := s.Instant(context.Background(), "avg_over_time(b_total[5m])", at(15*19))
				if err != nil || len(points) != 10_000 {
					b.Fatalf("%d points, error %v", len(points), err)
				}
			}
		})
	}
}
