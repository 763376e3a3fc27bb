package dashboards_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// TestMain closes the history that the first test to need it has filled.
func TestMain(m *testing.M) {
	code := m.Run()
	if err := shared.close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// stored is the fixture that all tests read and none writes to.
type stored struct {
	once      sync.Once
	directory string
	fixture   *fixture
	err       error
}

var shared stored

func filled(t *testing.T) *fixture {
	t.Helper()
	if raceDetector {
		t.Skip("minutes of the race detector for what goes on in one goroutine; it runs in make test")
	}
	shared.once.Do(func() {
		//nolint:usetesting // it outlives the test that makes it
		if shared.directory, shared.err = os.MkdirTemp("", "nasight-dashboards-"); shared.err == nil {
			shared.fixture, shared.err = fill(context.Background(), shared.directory)
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.fixture
}

func (s *stored) close() (err error) {
	if s.fixture != nil {
		err = s.fixture.Close()
	}
	if s.directory == "" {
		return err
	}
	return errors.Join(err, os.RemoveAll(s.directory))
}
