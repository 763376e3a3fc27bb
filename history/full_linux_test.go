package history

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestRealFullDisk fills a small file system and makes room again, without a restart.
func TestRealFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("mounting a small file system needs more rights (%v); TestFullDiskLosesNothing does without", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	e := openEmbedded(t, EmbeddedOptions{Path: filepath.Join(disk, "history")})
	appendAll(t, e, batch(0), batch(1))
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fill(t, ballast)
	moment := 2
	var err error
	for ; err == nil && moment < 1000; moment++ {
		err = e.Append(context.Background(), batch(moment))
	}
	if !errors.Is(err, syscall.ENOSPC) || e.Degraded() == nil {
		t.Fatalf("error %v, degraded %v: want no space left", err, e.Degraded())
	}
	if got := ask(t, e, "count(count_over_time(b_total[1h]))", at(15)); got[""] < perBatch {
		t.Errorf("%v: reads must go on", got)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for e.Append(ctx, batch(moment)) != nil {
		pause(ctx, t)
	}
	if err := e.Degraded(); err != nil {
		t.Errorf("degraded after recovery: %v", err)
	}
	if got := ask(t, e, `min(count_over_time(b_total{host="h"}[1h]))`, at(float64(15*moment))); got[""] < float64(moment-1) {
		t.Errorf("%v samples of a series, want at least %d", got, moment-1)
	}
}

// fill writes until the disk is full, and leaves half a megabyte.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for err == nil {
		_, err = file.Write(make([]byte, 64<<10))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	written, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Truncate(written - 512<<10); err != nil {
		t.Fatal(err)
	}
}
