package collectors

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/schema"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestOnceGivesSamplesTheTimeOfTheRun(t *testing.T) {
	labels := []string{"client1"}
	result := Once(t.Context(), collect(func(_ context.Context, sink Sink) error {
		sink.Add(schema.CPUCores, 4, labels...)
		labels[0] = "used again"
		sink.Skip("odd line", 2)
		sink.Skip("nothing", 0)
		return nil
	}), noon)
	want := []schema.Sample{{Family: schema.CPUCores, Labels: []string{"client1"}, Value: 4, Time: noon}}
	if diff := cmp.Diff(want, result.Samples); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"odd line": 2}, result.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	if !result.Success() {
		t.Errorf("no success: %v", result.Err)
	}
}

func TestOnceDropsWhatIsNoSample(t *testing.T) {
	busy := []string{"client1", "busy"}
	for name, test := range map[string]struct {
		family *schema.Family
		value  float64
		labels []string
		reason string
	}{
		"no family":         {nil, 1, nil, skipLabels},
		"label missing":     {schema.CPUSeconds, 1, busy[:1], skipLabels},
		"label too many":    {schema.CPUCores, 1, busy, skipLabels},
		"not a number":      {schema.CPUSeconds, math.NaN(), busy, skipNumber},
		"infinite":          {schema.CPUSeconds, math.Inf(-1), busy, skipNumber},
		"counter below 0":   {schema.CPUSeconds, -1, busy, skipNegative},
		"series twice":      {schema.CPUSeconds, 7, []string{"client1", "idle"}, skipDuplicate},
		"gauge below 0":     {schema.CPUCores, -1, busy[:1], ""},
		"same other family": {schema.CPUSeconds, 7, busy, ""},
	} {
		t.Run(name, func(t *testing.T) {
			result := Once(t.Context(), collect(func(_ context.Context, sink Sink) error {
				sink.Add(schema.CPUSeconds, 1, "client1", "idle")
				sink.Add(test.family, test.value, test.labels...)
				return nil
			}), noon)
			kept := 2
			if test.reason != "" {
				kept = 1
			}
			if len(result.Samples) != kept || result.Skipped[test.reason] != 2-kept {
				t.Errorf("got %d samples, skipped %v; want %d samples", len(result.Samples), result.Skipped, kept)
			}
		})
	}
}

func TestOnceTellsLabelsApartThatJoinAlike(t *testing.T) {
	result := Once(t.Context(), collect(func(_ context.Context, sink Sink) error {
		sink.Add(schema.CPUSeconds, 1, "ab", "c")
		sink.Add(schema.CPUSeconds, 1, "a", "bc")
		sink.Add(schema.CPUSeconds, 1, "abc", "")
		return nil
	}), noon)
	if len(result.Samples) != 3 {
		t.Errorf("got %d samples of 3, skipped %v", len(result.Samples), result.Skipped)
	}
}

func TestOnceRepairsTextThatIsNoUTF8(t *testing.T) {
	result := Once(t.Context(), collect(func(_ context.Context, sink Sink) error {
		sink.Add(schema.CPUCores, 1, "caf\xe9")
		return nil
	}), noon)
	if got := result.Samples[0].Labels[0]; got != "caf\uFFFD" || result.Skipped[skipEncoding] != 1 {
		t.Errorf("got label %q, skipped %v", got, result.Skipped)
	}
}

func TestOnceKeepsManyLabels(t *testing.T) {
	const many = 3*slabSize/2 + 1
	result := Once(t.Context(), collect(func(_ context.Context, sink Sink) error {
		for i := range many {
			sink.Add(schema.CPUSeconds, 1, fmt.Sprint("client", i), "busy")
		}
		return nil
	}), noon)
	for i, sample := range result.Samples {
		if want := fmt.Sprint("client", i); sample.Labels[0] != want {
			t.Fatalf("sample %d has label %q, want %q", i, sample.Labels[0], want)
		}
	}
	if len(result.Samples) != many {
		t.Errorf("got %d samples, want %d", len(result.Samples), many)
	}
}

func TestOnceTurnsFailuresIntoErrors(t *testing.T) {
	for name, test := range map[string]struct {
		collect collect
		reason  Reason
		success bool
		text    string
	}{
		"no data": {collect: func(context.Context, Sink) error { return fmt.Errorf("nfs: %w", ErrNoData) }, success: true, reason: ReasonOther, text: "no data"},
		"missing": {collect: func(context.Context, Sink) error { return fs.ErrNotExist }, reason: ReasonNotFound, text: "exist"},
		"denied":  {collect: func(context.Context, Sink) error { return fs.ErrPermission }, reason: ReasonPermission, text: "permission"},
		"panic": {
			collect: func(context.Context, Sink) error { panic("odd") }, reason: ReasonPanic, text: "run_test.go",
		},
		"other": {collect: func(context.Context, Sink) error { return errors.New("odd") }, reason: ReasonOther, text: "odd"},
	} {
		t.Run(name, func(t *testing.T) {
			result := Once(t.Context(), test.collect, noon)
			if result.Err == nil || !strings.Contains(result.Err.Error(), test.text) {
				t.Fatalf("got error %v, want one with %q", result.Err, test.text)
			}
			if result.Success() != test.success || ReasonOf(result.Err) != test.reason {
				t.Errorf("success %v, reason %s", result.Success(), ReasonOf(result.Err))
			}
		})
	}
}

func TestOnceLeavesACollectorThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		release := make(chan struct{})
		result := Once(ctx, collect(func(_ context.Context, sink Sink) error {
			sink.Add(schema.CPUCores, 1, "before")
			<-release
			sink.Add(schema.CPUCores, 2, "late")
			sink.Skip("late", 1)
			return nil
		}), noon)
		if ReasonOf(result.Err) != ReasonTimeout || result.Duration != 3*time.Second {
			t.Errorf("got error %v after %s", result.Err, result.Duration)
		}
		close(release)
		synctest.Wait()
		if len(result.Samples) != 1 || len(result.Skipped) != 0 {
			t.Errorf("got samples %v, skipped %v; want the one from before the deadline", result.Samples, result.Skipped)
		}
	})
}

func BenchmarkOnce(b *testing.B) {
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprint("192.0.2.", i)
	}
	c := collect(func(_ context.Context, sink Sink) error {
		for _, name := range names {
			for _, class := range []string{"read", "write", "commit", "attr", "dir", "other"} {
				sink.Add(schema.NFSOperations, 1, "client1", name, "/export", "nfs", "0:50", class)
			}
		}
		return nil
	})
	b.ReportAllocs()
	for b.Loop() {
		if result := Once(b.Context(), c, noon); len(result.Samples) != 6000 {
			b.Fatal(len(result.Samples))
		}
	}
}
