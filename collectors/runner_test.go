package collectors

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/nasight/nasight/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const host = "client1"

// runFor runs collectors for some time of a fake clock. The runner has returned when it does.
func runFor(t *testing.T, cfg RunnerConfig, duration time.Duration) (*Runner, *recorder) {
	t.Helper()
	output := &recorder{}
	cfg.Output = output
	if cfg.Roots == nil {
		cfg.Roots = []Root{{Host: host}}
	}
	runner, err := NewRunner(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	if err := runner.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return runner, output
}

func cores(_ context.Context, sink Sink) error {
	sink.Add(schema.CPUCores, 4, host)
	return nil
}

func TestRunnerKeepsAClockForEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := collect(func(ctx context.Context, _ Sink) error { <-ctx.Done(); return ctx.Err() })
		_, output := runFor(t, RunnerConfig{
			Entries: []Entry{
				entry("quick", 15*time.Second, collect(cores)),
				entry("slow", 15*time.Second, slow),
				entry("hourly", time.Hour, collect(cores)),
			},
			Intervals: map[string]time.Duration{"quick": 5 * time.Second},
		}, 61*time.Second+500*time.Millisecond)
		counts := map[string]int{}
		for _, name := range []string{"quick", "slow", "hourly"} {
			counts[name] = len(output.of(name))
		}
		if diff := cmp.Diff(map[string]int{"quick": 13, "slow": 4, "hourly": 1}, counts); diff != "" {
			t.Errorf("runs (-want +got):\n%s", diff)
		}
		for i, batch := range output.of("quick")[1:] {
			before := output.of("quick")[i]
			if step := batch.Time.Sub(before.Time); step != 5*time.Second || batch.Interval != 5*time.Second {
				t.Errorf("run %d came %s after the one before, with interval %s", i+1, step, batch.Interval)
			}
		}
	})
}

// What failed is repeated after a minute, two, four, at most the interval; what works keeps its interval from then on.
func TestRunnerRepeatsWhatFailed(t *testing.T) {
	for name, row := range map[string]struct {
		interval time.Duration
		failures int
		minutes  []float64 // of the runs after the first
	}{
		"refused at the start": {time.Hour, 3, []float64{1, 3, 7, 67, 127}},
		"refused for long":     {time.Hour, 8, []float64{1, 3, 7, 15, 31, 63, 123, 183}},
		"five minutes":         {5 * time.Minute, 4, []float64{1, 3, 7, 12, 17, 22}},
		"no data is no fault":  {time.Hour, 0, []float64{60, 120}},
		"a short interval":     {30 * time.Second, 3, []float64{0.5, 1, 1.5, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runs := 0
				c := collect(func(context.Context, Sink) error {
					if runs++; runs <= row.failures {
						return errors.New("permission denied")
					}
					return ErrNoData
				})
				last := row.minutes[len(row.minutes)-1]
				_, output := runFor(t, RunnerConfig{Entries: []Entry{entry("cloud", row.interval, c)}},
					time.Duration(last*float64(time.Minute))+10*time.Second)
				var minutes []float64
				batches := output.of("cloud")
				for _, batch := range batches[1:] {
					minutes = append(minutes, batch.Time.Sub(batches[0].Time).Minutes())
					if batch.Interval != row.interval {
						t.Errorf("a batch has the interval %s", batch.Interval)
					}
				}
				if diff := cmp.Diff(row.minutes, minutes); diff != "" {
					t.Errorf("minutes (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A second failure after a success begins with the shortest pause again.
func TestRunnerForgetsTheFailuresBeforeASuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		c := collect(func(context.Context, Sink) error {
			if runs++; runs != 3 {
				return errors.New("permission denied")
			}
			return nil
		})
		_, output := runFor(t, RunnerConfig{Entries: []Entry{entry("cloud", time.Hour, c)}}, 65*time.Minute)
		batches := output.of("cloud")
		if last := batches[len(batches)-1]; len(batches) != 5 || last.Time.Sub(batches[0].Time) != 64*time.Minute {
			t.Errorf("%d runs, the last after %s; want it a minute after the one at 63 minutes", len(batches), last.Time.Sub(batches[0].Time))
		}
	})
}

func TestRunnerAppendsTheHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		c := collect(func(_ context.Context, sink Sink) error {
			runs++
			sink.Skip("odd line", runs)
			time.Sleep(200 * time.Millisecond)
			if runs == 2 {
				return errors.New("odd")
			}
			return cores(t.Context(), sink)
		})
		runner, output := runFor(t, RunnerConfig{Entries: []Entry{entry("cpu", 10*time.Second, c)}}, 25*time.Second)
		batches := output.of("cpu")
		if len(batches) != 3 {
			t.Fatalf("got %d runs", len(batches))
		}
		first, failed, last := batches[0], batches[1], batches[2]
		for _, want := range []struct {
			batch  Batch
			family *schema.Family
			value  float64
			more   []string
		}{
			{first, schema.CollectorSuccess, 1, nil},
			{first, schema.CollectorDuration, 0.2, nil},
			{first, schema.CollectorErrors, 0, []string{"other"}},
			{first, schema.CollectorErrors, 0, []string{"timeout"}},
			{first, schema.CollectorSkipped, 1, []string{"odd line"}},
			{failed, schema.CollectorSuccess, 0, nil},
			{failed, schema.CollectorLastSuccess, float64(first.Time.UnixMilli()) / 1e3, nil},
			{failed, schema.CollectorErrors, 1, []string{"other"}},
			{failed, schema.CollectorSkipped, 3, []string{"odd line"}},
			{last, schema.CollectorSuccess, 1, nil},
			{last, schema.CollectorLastSuccess, float64(last.Time.UnixMilli()) / 1e3, nil},
			{last, schema.CollectorErrors, 1, []string{"other"}},
		} {
			labels := append([]string{host, "cpu"}, want.more...)
			if got, ok := value(want.batch, want.family, labels...); !ok || got != want.value {
				t.Errorf("%s%v: got %v (there: %v), want %v", want.family.Name, labels, got, ok, want.value)
			}
		}
		if _, ok := value(failed, schema.CPUCores, host); ok || !failed.Failed || last.Failed {
			t.Errorf("the failed run has the samples of the one before, or failed is wrong: %v, %v", failed.Failed, last.Failed)
		}
		want := []Status{{Host: host, Collector: "cpu", Ran: true}}
		if diff := cmp.Diff(want, runner.Status()); diff != "" {
			t.Errorf("status (-want +got):\n%s", diff)
		}
	})
}

func TestRunnerTakesNoDataForSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		none := collect(func(context.Context, Sink) error { return ErrNoData })
		runner, output := runFor(t, RunnerConfig{Entries: []Entry{entry("nfs", time.Minute, none)}}, 10*time.Second)
		batch := output.of("nfs")[0]
		if got, _ := value(batch, schema.CollectorSuccess, host, "nfs"); got != 1 || batch.Failed {
			t.Errorf("success is %v, failed is %v", got, batch.Failed)
		}
		if status := runner.Status()[0]; !status.Ran || !errors.Is(status.Err, ErrNoData) {
			t.Errorf("got status %+v", status)
		}
	})
}

func TestRunnerStartsNoCollectorThatStillHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		started := 0
		c := collect(func(_ context.Context, sink Sink) error {
			started++
			if started == 1 {
				<-release
				sink.Add(schema.CPUCores, 99, host) // late: goes nowhere
				return nil
			}
			return cores(t.Context(), sink)
		})
		time.AfterFunc(35*time.Second, func() { close(release) })
		_, output := runFor(t, RunnerConfig{Entries: []Entry{
			entry("hangs", 10*time.Second, c), entry("cpu", 10*time.Second, collect(cores)),
		}}, 58*time.Second)
		batches := output.of("hangs")
		// Runs at 0 (given up at 10), 20 and 30 find it hanging, the next ones find it back.
		last := batches[len(batches)-1]
		hung, _ := value(last, schema.CollectorErrors, host, "hangs", string(ReasonHung))
		late, _ := value(last, schema.CollectorErrors, host, "hangs", string(ReasonTimeout))
		if got, _ := value(last, schema.CPUCores, host); got != 4 || late != 1 || hung < 2 || started != len(batches)-int(hung) {
			t.Errorf("got %v cores, %v timeouts, %v hung runs, %d started of %d", got, late, hung, started, len(batches))
		}
		for _, batch := range batches {
			if got, _ := value(batch, schema.CPUCores, host); got == 99 {
				t.Error("a late value was published")
			}
		}
		if runs := len(output.of("cpu")); runs != 6 {
			t.Errorf("the other collector ran %d times in 58 s, want 6", runs)
		}
	})
}

func TestRunnerStopsAtOnceWithoutTellingOfTheRunItCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := collect(func(ctx context.Context, _ Sink) error { <-ctx.Done(); return ctx.Err() })
		begin := time.Now()
		runner, output := runFor(t, RunnerConfig{Entries: []Entry{entry("slow", time.Minute, c)}}, 5*time.Second)
		if took := time.Since(begin); took != 5*time.Second || len(output.batches) != 0 || runner.Status()[0].Ran {
			t.Errorf("stopped after %s with %d batches, status %+v", took, len(output.batches), runner.Status())
		}
	})
}

func TestRunnerGoesOnWhenAnOutputFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		output := &recorder{}
		runner, err := NewRunner(RunnerConfig{
			Roots: []Root{{Host: host}}, Entries: []Entry{entry("cpu", time.Second, collect(cores))},
			Output: Fanout{failing{}, output},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := runner.Run(ctx); err != nil || len(output.batches) != 3 {
			t.Errorf("got %d batches, error %v", len(output.batches), err)
		}
	})
}

type failing struct{}

func (failing) Publish(context.Context, Batch) error { return errors.New("disk full") }

func TestNewRunnerRefusesWhatMakesNoSense(t *testing.T) {
	good := entry("cpu", 15*time.Second, collect(cores))
	bad := entry("nfs", 15*time.Second, nil)
	bad.New = func(Root, Settings) (Collector, error) { return nil, errors.New("no such port") }
	roots := []Root{{Host: host}}
	for name, test := range map[string]struct {
		cfg  RunnerConfig
		text string
	}{
		"no output":       {RunnerConfig{Roots: roots, Entries: []Entry{good}}, "needs an output"},
		"no root":         {RunnerConfig{Output: &recorder{}, Entries: []Entry{good}}, "at least one root"},
		"two of one name": {RunnerConfig{Output: &recorder{}, Roots: append(roots, roots...), Entries: []Entry{good}}, host},
		"factory fails":   {RunnerConfig{Output: &recorder{}, Roots: roots, Entries: []Entry{bad}}, "no such port"},
		"too often":       {RunnerConfig{Output: &recorder{}, Roots: roots, Entries: []Entry{good}, Interval: time.Millisecond}, "1ms"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := NewRunner(test.cfg); err == nil || !strings.Contains(err.Error(), test.text) {
				t.Errorf("got error %v, want one with %q", err, test.text)
			}
		})
	}
}

func TestHealthBoundsTheReasons(t *testing.T) {
	h := newHealth(host, "nfs")
	for i := range 100 {
		h.note(noon, Result{Skipped: map[string]int{fmt.Sprint("odd ", i): 1}})
	}
	if len(h.skipped) > maxReasons+1 || h.skipped[otherReasons] != 100-maxReasons {
		t.Errorf("%d reasons, %d under %q", len(h.skipped), h.skipped[otherReasons], otherReasons)
	}
}
