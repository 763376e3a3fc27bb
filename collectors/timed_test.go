package collectors

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/schema"
)

// Of several values of a series the newest is its state, whatever the order they come in; the others are past. A second
// value of one moment is odd.
func TestValuesOfOtherTimes(t *testing.T) {
	result := Once(t.Context(), collect(func(_ context.Context, sink Sink) error {
		timed := sink.(TimedSink)
		timed.AddAt(schema.CPUCores, 2, noon.Add(-2*time.Minute), "client1")
		timed.AddAt(schema.CPUCores, 4, noon, "client1")
		timed.AddAt(schema.CPUCores, 3, noon.Add(-time.Minute), "client1")
		timed.AddAt(schema.CPUCores, 9, noon, "client1")
		timed.AddAt(schema.CPUCores, 8, noon.Add(-time.Hour), "client2")
		return nil
	}), noon)
	sample := func(host string, value float64, before time.Duration) schema.Sample {
		return schema.Sample{Family: schema.CPUCores, Labels: []string{host}, Value: value, Time: noon.Add(-before)}
	}
	if diff := cmp.Diff([]schema.Sample{sample("client1", 4, 0), sample("client2", 8, time.Hour)}, result.Samples); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]schema.Sample{sample("client1", 2, 2*time.Minute), sample("client1", 3, time.Minute)}, result.Past); diff != "" {
		t.Errorf("past (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{skipDuplicate: 1}, result.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

// A collector that needs longer than others says so in its entry; the past goes with the batch.
func TestRunnerGivesAnEntryItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := collect(func(ctx context.Context, sink Sink) error {
			select {
			case <-time.After(time.Minute):
			case <-ctx.Done():
				return ctx.Err()
			}
			for _, before := range []time.Duration{0, time.Minute} {
				sink.(TimedSink).AddAt(schema.CPUCores, 1, noon.Add(-before), "client1")
			}
			return nil
		})
		batches := make(chan Batch, 1)
		runner, err := NewRunner(RunnerConfig{
			Roots: []Root{{Host: "client1"}}, Output: publish(func(b Batch) { batches <- b }),
			Entries: []Entry{{
				Name: "slow", Interval: time.Hour, Timeout: 2 * time.Minute,
				New: func(Root, Settings) (Collector, error) { return slow, nil },
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- runner.Run(ctx) }()
		if batch := <-batches; batch.Failed || len(batch.Past) != 1 {
			t.Errorf("failed %t, %d in the past", batch.Failed, len(batch.Past))
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// publish is an Output.
type publish func(Batch)

func (p publish) Publish(_ context.Context, b Batch) error {
	p(b)
	return nil
}
