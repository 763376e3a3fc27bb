package history

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/schema"
)

// TestHistoriesAgree appends random batches to both histories, with late, doubled and contradicting samples, and asks
// both the same.
func TestHistoriesAgree(t *testing.T) {
	queries := []string{
		"avg_over_time(b_total[10m])", "rate(b_total[10m])", "increase(b_total[3600001ms])", "count_over_time(b_total[1h])",
		"sum by (volume) (last_over_time(b_total[30m]))", "b_total", "resets(b_total[1h])", "changes(b_total[1h])",
		"max_over_time(b_total[5m] offset 7m)", "quantile_over_time(0.5, b_total[1h])",
	}
	rapid.Check(t, func(t *rapid.T) {
		memory := NewMemory(MemoryOptions{})
		defer memory.Close()
		embedded, remove := openTemporary(t)
		defer remove()
		batches := rapid.SliceOfN(rapid.SliceOfN(drawSample, 1, 30), 1, 5).Draw(t, "batches")
		for _, batch := range batches {
			appendAll(t, memory, batch)
			appendAll(t, embedded, batch)
		}
		for _, query := range queries {
			when := at(float64(rapid.IntRange(0, 3600).Draw(t, "at")))
			agree(t, query, instant(t, memory, query, when), instant(t, embedded, query, when))
			agree(t, query, ranged(t, memory, query), ranged(t, embedded, query))
		}
		if a, b := memory.Stats().Duplicate, embedded.Stats().Duplicate; a < b {
			t.Errorf("embedded counts %d contradictions, memory %d", b, a)
		}
	})
}

// drawSample makes samples on a coarse grid of one hour, so that moments meet.
var drawSample = rapid.Custom(func(t *rapid.T) schema.Sample {
	return line(
		rapid.SampledFrom([]string{"g", "h"}).Draw(t, "host"),
		rapid.SampledFrom([]string{"", "v", "w"}).Draw(t, "volume"),
		float64(15*rapid.IntRange(0, 240).Draw(t, "grid")),
		float64(rapid.IntRange(0, 50).Draw(t, "value")),
	)[0]
})

func openTemporary(t *rapid.T) (*Embedded, func()) {
	dir, err := os.MkdirTemp("", "history")
	if err != nil {
		t.Fatal(err)
	}
	e, err := OpenEmbedded(context.Background(), EmbeddedOptions{Path: dir, MinFreeBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	return e, func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
	}
}

func agree(t *rapid.T, query string, memory, embedded []string) {
	t.Helper()
	if diff := gocmp.Diff(memory, embedded, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-memory +embedded):\n%s", query, diff)
	}
}

func instant(t *rapid.T, s Reader, query string, when time.Time) []string {
	points, err := s.Instant(context.Background(), query, when)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, point := range points {
		lines = append(lines, fmt.Sprintf("%s %.9g", key(point.Labels), point.Value))
	}
	slices.Sort(lines)
	return lines
}

func ranged(t *rapid.T, s Reader, query string) []string {
	series, err := s.Range(context.Background(), query, at(0), at(3600), 200*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, one := range series {
		var text strings.Builder
		for i, value := range one.Values {
			fmt.Fprintf(&text, " %d:%.9g", one.Times[i].Unix(), value)
		}
		lines = append(lines, key(one.Labels)+text.String())
	}
	slices.Sort(lines)
	return lines
}
