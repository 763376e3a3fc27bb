package gcnv

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/internal/measure"
)

// shown is a source whose samples are put out on /metrics and go nowhere else.
type shown struct {
	source *Source
	store  *export.Store
	clock  *clock
	ran    map[string]time.Time // when each tier was run last
}

func newShown(source *Source, at *clock) *shown {
	return &shown{source, &export.Store{}, at, map[string]time.Time{}}
}

// cycle runs the tiers that are due at a moment.
func (s *shown) cycle(ctx context.Context, at time.Time) error {
	s.clock.set(at)
	for _, entry := range s.source.Entries() {
		if at.Sub(s.ran[entry.Name]) < entry.Interval {
			continue
		}
		s.ran[entry.Name] = at
		c, err := entry.New(collectors.Root{}, collectors.Settings{})
		if err != nil {
			return err
		}
		result := collectors.Once(ctx, c, at)
		if result.Err != nil {
			return fmt.Errorf("%s: %w", entry.Name, result.Err)
		}
		err = s.store.Publish(ctx, collectors.Batch{
			Host: "server1", Collector: entry.Name, Time: at, Samples: result.Samples, Past: result.Past, Interval: entry.Interval,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *shown) handler() http.Handler { return export.Handler(export.HandlerConfig{Store: s.store}) }

// childConfig in the environment makes a copy of this test binary a process that reads the cloud, serves what it read on
// /metrics, and does nothing else: its memory is the reader's alone. The value is the configuration as JSON.
const childConfig = "NASIGHT_TEST_GCNV_CHILD"

// runChild tells the address that it serves on its first line of output and ends with its input.
func runChild(text string) int {
	if err := serveChild(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func serveChild(text string) error {
	var config Config
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		return err
	}
	at := &clock{}
	source, err := New(config, Options{Clock: at.Now})
	if err != nil {
		return err
	}
	defer source.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // ends with the process
	if err != nil {
		return err
	}
	server := &http.Server{Handler: childHandler(newShown(source, at)), ReadHeaderTimeout: time.Minute}
	fmt.Println(listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// childHandler serves /metrics; /cycle?at=TIME, which reads the cloud as at that time; /memory?of=NAME.
func childHandler(s *shown) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", s.handler())
	mux.HandleFunc("/cycle", func(w http.ResponseWriter, r *http.Request) {
		at, err := time.Parse(time.RFC3339, r.FormValue("at"))
		if err == nil {
			err = s.cycle(r.Context(), at)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("/memory", func(w http.ResponseWriter, r *http.Request) {
		bytes, err := measure.Memory(r.FormValue("of"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, bytes)
	})
	return mux
}
