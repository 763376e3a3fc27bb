package cli

import (
	"os"
	"testing"
)

func TestHostName(t *testing.T) {
	own, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{"": own, "client-1": "client-1"} {
		if got, err := (HostFlags{Host: flag}).HostName(); err != nil || got != want {
			t.Errorf("--host=%q names %q, %v, want %q", flag, got, err, want)
		}
	}
}
