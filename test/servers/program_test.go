//go:build servers

package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	startLimit = 2 * time.Minute  // from start to ready: the first round of every collector, the first evaluation
	stopLimit  = 20 * time.Second // from SIGTERM to the end: history is written out
)

// programs is where TestMain builds the programs of the module.
var programs string

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (code int, err error) {
	if programs, err = os.MkdirTemp("", "nasight-servers-"); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(programs)) }()
	command := exec.CommandContext(context.Background(), "go", "build", "-o", programs, "github.com/nasight/nasight/cmd/...")
	if output, err := command.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build the programs: %w\n%s", err, output)
	}
	return m.Run(), nil
}

// start runs a program that serves HTTP, in an empty directory, until the test ends. It returns the program's address
// once the program is ready. It is an error if the program does not end well when it is asked to.
func start(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	program := filepath.Join(programs, name)
	address := freeAddress(t)
	var output bytes.Buffer
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	command := exec.CommandContext(ctx, program, append(arguments, "--web.listen-address="+address)...)
	command.Dir = t.TempDir()
	command.Stdout, command.Stderr = &output, &output
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopLimit
	if err := command.Start(); err != nil {
		stop()
		t.Fatalf("start %s: %v", program, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// Its error says no more than the state, which is read below.
		_ = command.Wait()
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		if !command.ProcessState.Success() {
			t.Errorf("%s ended with %s", name, command.ProcessState)
		}
		if t.Failed() {
			t.Logf("output of %s:\n%s", name, output.Bytes())
		}
	})
	waitReady(t, "http://"+address, ended)
	return "http://" + address
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func waitReady(t *testing.T, url string, ended <-chan struct{}) {
	t.Helper()
	last := ""
	eventually(t, startLimit, func() bool {
		select {
		case <-ended:
			t.Fatal("the program ended before it was ready")
		default:
		}
		status, body, err := get(t, url+"/-/ready")
		if err != nil {
			last = err.Error()
			return false
		}
		last = body
		return status == http.StatusOK
	}, func() string { return "not ready: " + last })
}

// eventually asks again and again until the answer is yes; after the limit the test fails with the reason.
func eventually(t *testing.T, limit time.Duration, done func() bool, reason func() string) {
	t.Helper()
	deadline := time.After(limit)
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for !done() {
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("after %s: %s", limit, reason())
		}
	}
}

func get(t *testing.T, url string) (status int, body string, err error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, string(data), err
}

// scrape reads the exposition.
func scrape(t *testing.T, url string) string {
	t.Helper()
	status, body, err := get(t, url+"/metrics")
	if err != nil || status != http.StatusOK {
		t.Fatalf("scrape: status %d, error %v\n%s", status, err, body)
	}
	return body
}

// promtool runs the real promtool and returns what it printed.
func promtool(t *testing.T, input string, arguments ...string) (output string, err error) {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatalf("%v: run \"make test-servers\", which builds it", err)
	}
	command := exec.CommandContext(t.Context(), path, arguments...)
	command.Stdin = strings.NewReader(input)
	command.Env = append(os.Environ(), "NO_COLOR=1")
	combined, err := command.CombinedOutput()
	return strings.TrimSpace(string(combined)), err
}
