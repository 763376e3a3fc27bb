//go:build servers

package servers

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/internal/compose"
)

const repository = "../.."

// stack is what docker-compose.yml describes, as processes on this machine's loopback instead of containers. Commands, health
// checks and mounted files are those of the file; only addresses and paths are others, as there is one network and one file
// system here.
type stack struct {
	services  map[string]compose.Service
	addresses map[string]string // SERVICE:PORT to where it is here
	directory string
}

// programOf names the program of each service's image. Grafana has none that could be had here.
var programOf = map[string]string{
	"nasight": "nasight", "prometheus": "prometheus", "alertmanager": "alertmanager", "victoriametrics": "victoria-metrics", "otelcol": "otelcol",
}

// composed reads docker-compose.yml with values for its variables.
func composed(t *testing.T, values map[string]string) *stack {
	t.Helper()
	file, err := compose.Load(filepath.Join(repository, "docker-compose.yml"), values)
	if err != nil {
		t.Fatal(err)
	}
	return &stack{file.Services, map[string]string{}, t.TempDir()}
}

// another is the same stack where one service is a second one, with an address and volumes of its own; the others are shared.
func (s *stack) another(t *testing.T, service string) *stack {
	t.Helper()
	second := &stack{s.services, maps.Clone(s.addresses), t.TempDir()}
	maps.DeleteFunc(second.addresses, func(address, _ string) bool { return strings.HasPrefix(address, service+":") })
	return second
}

// address is where a service's port is.
func (s *stack) address(t *testing.T, service, port string) string {
	t.Helper()
	key := service + ":" + port
	if s.addresses[key] == "" {
		s.addresses[key] = freeAddress(t)
	}
	return s.addresses[key]
}

func (s *stack) url(t *testing.T, service, port string) string {
	return "http://" + s.address(t, service, port)
}

var (
	hostPort = regexp.MustCompile(`\b(?:[a-z]+|0\.0\.0\.0|127\.0\.0\.1):\d+\b`)
	keyed    = regexp.MustCompile(`\bhost: 0\.0\.0\.0, port: (\d+)`)
)

// here translates the addresses in a service's text: NAME:PORT is another's, 0.0.0.0:PORT and 127.0.0.1:PORT are its own.
func (s *stack) here(t *testing.T, service, text string) string {
	t.Helper()
	text = keyed.ReplaceAllStringFunc(text, func(found string) string {
		host, port, _ := strings.Cut(s.address(t, service, keyed.FindStringSubmatch(found)[1]), ":")
		return "host: " + host + ", port: " + port
	})
	return hostPort.ReplaceAllStringFunc(text, func(found string) string {
		host, port, _ := strings.Cut(found, ":")
		if _, other := s.services[host]; other {
			return s.address(t, host, port)
		}
		if host == "0.0.0.0" || host == "127.0.0.1" {
			return s.address(t, service, port)
		}
		return found
	})
}

// mounted puts what the service mounts below the stack's directory, with its addresses and paths translated, and returns the
// translation of paths.
func (s *stack) mounted(t *testing.T, service string) *strings.Replacer {
	t.Helper()
	mounts, err := s.services[service].Mounts()
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(mounts, func(a, b compose.Mount) int { return len(b.Target) - len(a.Target) }) // /etc/a/a.yml before /a
	var pairs []string
	for _, mount := range mounts {
		pairs = append(pairs, mount.Target, filepath.Join(s.directory, service, mount.Target))
	}
	paths := strings.NewReplacer(pairs...)
	for _, mount := range mounts {
		to := filepath.Join(s.directory, service, mount.Target)
		source := filepath.Join(repository, mount.Source)
		if info, err := os.Stat(source); !mount.Bind() || err == nil && info.IsDir() {
			if err := os.MkdirAll(to, 0o750); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(s.here(t, service, paths.Replace(string(text)))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// run starts a service's program, or another one in its place, and returns what waits until its own health check succeeds.
func (s *stack) run(t *testing.T, service string, instead ...string) (await func(limit time.Duration)) {
	t.Helper()
	paths := s.mounted(t, service)
	translate := func(words []string) []string {
		translated := make([]string, len(words))
		for i, word := range words {
			translated[i] = s.here(t, service, paths.Replace(word))
		}
		return translated
	}
	program := s.program(t, append(instead, programOf[service])[0])
	started := launch(t, program, translate(s.services[service].Command)...)
	check := s.services[service].Healthcheck.Test[1:]
	probe := s.probe(t, check[0], translate(check[1:]))
	return func(limit time.Duration) {
		t.Helper()
		started.await(t, limit, probe)
	}
}

// program finds a program of the module or a real one.
func (s *stack) program(t *testing.T, name string) string {
	t.Helper()
	if name == "nasight" {
		return filepath.Join(programs, name)
	}
	return installed(t, name)
}

// probe runs a health check. wget, which images of Alpine have, is asked for by this process instead.
func (s *stack) probe(t *testing.T, name string, arguments []string) func(context.Context) error {
	t.Helper()
	name = strings.TrimSuffix(filepath.Base(name), "-contrib")
	if name == "wget" {
		return answers(arguments[len(arguments)-1])
	}
	program := s.program(t, name)
	return func(ctx context.Context) error {
		if output, err := exec.CommandContext(ctx, program, arguments...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s %q: %w: %s", name, arguments, err, output)
		}
		return nil
	}
}
