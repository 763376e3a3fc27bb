package serve

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Simulated and measured data never come into one history.
func TestClaim(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	measured, demo := filepath.Join(base, "real"), filepath.Join(base, "demo")
	if err := os.Mkdir(measured, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(measured, "memory.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		directory string
		simulated bool
		says      string // empty: it may be used
	}{
		{filepath.Join(base, "new"), false, ""},
		{measured, false, ""},
		{measured, true, `holds "memory.json" and no history of nasight demo`},
		{demo, true, ""},
		{demo, true, ""},
		{demo, false, "holds simulated data"},
	} {
		err := Claim(row.directory, row.simulated)
		var blamed *ConfigError
		switch {
		case row.says == "" && err != nil, row.says != "" && (!errors.As(err, &blamed) || !strings.Contains(err.Error(), row.says)):
			t.Errorf("%s, simulated %v: %v, want %q", filepath.Base(row.directory), row.simulated, err, row.says)
		}
	}
	cfg := testConfig(t)
	cfg.History.Path = demo
	if _, err := New(t.Context(), Options{Config: cfg, Build: testBuild}); err == nil || !strings.Contains(err.Error(), "simulated data") {
		t.Errorf("serve on the history of a demo: %v", err)
	}
}
