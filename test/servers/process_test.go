//go:build servers

package servers

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const stopLimit = 20 * time.Second // from SIGTERM to the end: history is written out

// process is a program that runs until the test ends, or until it is stopped.
type process struct {
	name   string
	ended  <-chan struct{}
	stop   func() // asks it to end and waits until it has
	output *output
}

// output is what a program has printed so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String is all of it.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// launch starts a program in an empty directory. At the end of the test, if not before, it is asked to end, and it is an error
// if it does not end well; what it printed is shown if the test failed. It may not be ready yet.
func launch(t *testing.T, program string, arguments ...string) process {
	t.Helper()
	name, printed := filepath.Base(program), &output{}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir = t.TempDir()
	command.Stdout, command.Stderr = printed, printed
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopLimit
	if err := command.Start(); err != nil {
		cancel()
		t.Fatalf("start %s: %v", program, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// Its error says no more than the state, which is read below.
		_ = command.Wait()
	}()
	stop := sync.OnceFunc(func() {
		cancel()
		<-ended
		if !command.ProcessState.Success() {
			t.Errorf("%s ended with %s", name, command.ProcessState)
		}
	})
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Logf("output of %s:\n%s", name, printed)
		}
	})
	return process{name, ended, stop, printed}
}

// await asks the process whether it is ready until it is.
func (p process) await(t *testing.T, limit time.Duration, ready func(context.Context) error) {
	t.Helper()
	var last error
	eventually(t, limit, func() bool {
		select {
		case <-p.ended:
			t.Fatalf("%s ended before it was ready", p.name)
		default:
		}
		last = ready(t.Context())
		return last == nil
	}, func() string { return fmt.Sprintf("%s is not ready: %v", p.name, last) })
}

// answers asks an address, which says by status 200 that the process behind it is ready.
func answers(url string) func(context.Context) error {
	return func(ctx context.Context) error {
		status, body, err := get(ctx, url)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%s: status %d: %s", url, status, body)
		}
		return err
	}
}

// server is a program at an address of its own that can be stopped and started again, with what it has stored.
type server struct {
	process
	url     string
	program string
	ready   string // path that answers 200
	flags   []string
}

// run starts it, and waits until it is ready.
func (s *server) run(t *testing.T) {
	t.Helper()
	s.process = launch(t, s.program, s.flags...)
	s.await(t, startLimit, answers(s.url+s.ready))
}

// runServer starts a program. Its flags have a place for the address, and one for a directory.
func runServer(t *testing.T, program, ready string, flags ...string) *server {
	t.Helper()
	address := freeAddress(t)
	s := &server{url: "http://" + address, program: program, ready: ready}
	places := strings.NewReplacer("ADDRESS", address, "DIRECTORY", t.TempDir())
	for _, flag := range flags {
		s.flags = append(s.flags, places.Replace(flag))
	}
	s.run(t)
	return s
}
