package collectors

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/nasight/nasight/schema"
)

type watchKey struct{}

// Who watches is told of every run with its result, and the run has the context that the watcher gave.
func TestWatchIsToldOfEveryRun(t *testing.T) {
	type seen struct {
		host, collector string
		samples         int
	}
	var mu sync.Mutex
	var runs []seen
	ran := make(chan struct{}, 1)
	watch := func(ctx context.Context, host, collector string) (context.Context, func(Result)) {
		return context.WithValue(ctx, watchKey{}, collector), func(result Result) {
			mu.Lock()
			defer mu.Unlock()
			runs = append(runs, seen{host, collector, len(result.Samples)})
			select {
			case ran <- struct{}{}:
			default:
			}
		}
	}
	entry := Entry{Name: "watched", Interval: time.Hour, New: func(Root, Settings) (Collector, error) {
		return watched{t}, nil
	}}
	runner, err := NewRunner(RunnerConfig{Roots: []Root{{Host: "client1"}}, Entries: []Entry{entry}, Output: Fanout{}, Watch: watch})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		if err := runner.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	<-ran
	cancel()
	done.Wait()
	if len(runs) != 1 || runs[0] != (seen{"client1", "watched", 1}) {
		t.Errorf("told of %v", runs)
	}
}

// watched gives one sample and looks whose context it has.
type watched struct{ t *testing.T }

func (w watched) Collect(ctx context.Context, sink Sink) error {
	if ctx.Value(watchKey{}) != "watched" {
		w.t.Errorf("the run has %v", ctx.Value(watchKey{}))
	}
	sink.Add(schema.CPUCores, 2, "client1")
	return nil
}
