//go:build servers

package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const startLimit = 2 * time.Minute // from start to ready: the first round of every collector, the first evaluation

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

// start runs a program of the module that serves HTTP, in an empty directory, until the test ends. It returns the program's
// address once the program is ready. It is an error if the program does not end well when it is asked to.
func start(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	address := freeAddress(t)
	launch(t, filepath.Join(programs, name), append(arguments, "--web.listen-address="+address)...).
		await(t, startLimit, answers("http://"+address+"/-/ready"))
	return "http://" + address
}

// freeAddress is an address for a program that is about to start. Its port is none that the system hands out by itself
// (those begin at 32768 by default): between this look and the program's own listening some other connection could be given it.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(12_000)) //nolint:gosec // a port need not be a secret
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err == nil {
			_ = listener.Close()
			return address
		}
	}
	t.Fatal("none of 100 ports between 20000 and 31999 is free")
	return ""
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

func get(ctx context.Context, url string) (status int, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
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
	status, body, err := get(t.Context(), url+"/metrics")
	if err != nil || status != http.StatusOK {
		t.Fatalf("scrape: status %d, error %v\n%s", status, err, body)
	}
	return body
}

// installed finds a real server or tool.
func installed(t *testing.T, name string) (path string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%v: run \"make test-servers\", which builds it", err)
	}
	return path
}

// promtool runs the real promtool and returns what it printed.
func promtool(t *testing.T, input string, arguments ...string) (output string, err error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), installed(t, "promtool"), arguments...)
	command.Stdin = strings.NewReader(input)
	command.Env = append(os.Environ(), "NO_COLOR=1")
	combined, err := command.CombinedOutput()
	return strings.TrimSpace(string(combined)), err
}
