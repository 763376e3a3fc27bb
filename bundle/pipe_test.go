//go:build unix

package bundle

import (
	"bytes"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in an unpacked bundle is refused and not opened, which would wait for its other end.
func TestOpenRefusesPipe(t *testing.T) {
	dir := unpackFrom(t, bytes.NewReader(pack(t, small("t0", 1000, 1)...)))
	if err := syscall.Mkfifo(filepath.Join(dir, "t0", "proc", "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, "t0/proc/pipe", "neither file")
}
