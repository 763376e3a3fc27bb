//go:build unix

package history

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nasight/nasight/schema"
)

// The parts that a copy of this test binary plays in its own process, so that it can be killed and limited.
const (
	roleCrash = "crash" // appends until it is killed
	roleFull  = "full"  // appends to a full disk, which then gets room again, until it is killed
	rolePanic = "panic" // late samples fill a chunk while the disk is full
)

func runChild(role, path string) int {
	e, err := OpenEmbedded(context.Background(), EmbeddedOptions{Path: path, MinFreeBytes: 1})
	if err != nil {
		return fail("open: %v", err)
	}
	switch role {
	case roleCrash:
		return appendUntilKilled(e, 0)
	case roleFull:
		return fillDisk(e)
	case rolePanic:
		return fillDiskLate(e)
	}
	return fail("unknown part %q", role)
}

func fail(format string, args ...any) int {
	fmt.Printf("fail "+format+"\n", args...)
	return 1
}

// perBatch series with values that do not compress make records that span pages of the log (32 KiB).
const perBatch = 5000

// batch is one moment of many series, with a late sample every other time.
func batch(moment int) []schema.Sample {
	samples := make([]schema.Sample, 0, perBatch+1)
	for i := range perBatch {
		value := float64(moment) + math.Mod(math.Sqrt(float64(i)+float64(moment)), 1)
		samples = append(samples, line("h", fmt.Sprint("v", i), float64(moment*15), value)...)
	}
	if moment%2 == 1 {
		samples = append(samples, line("late", "v", float64(-moment), 1)...)
	}
	return samples
}

// appendUntilKilled reports each batch that was acknowledged.
func appendUntilKilled(e *Embedded, from int) int {
	for moment := from; ; moment++ {
		if err := e.Append(context.Background(), batch(moment)); err != nil {
			return fail("append: %v", err)
		}
		fmt.Println("ok", moment)
	}
}

// limitFiles bounds the size of every file that this process writes: writes beyond fail as on a full disk.
func limitFiles(size uint64) error {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = min(size, limit.Max)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}

const noLimit = 1 << 40

func fillDisk(e *Embedded) int {
	if err := limitFiles(600_000); err != nil {
		return fail("limit: %v", err)
	}
	moment := 0
	var err error
	for ; err == nil; moment++ {
		if err = e.Append(context.Background(), batch(moment)); err == nil {
			fmt.Println("ok", moment)
		}
		if moment == 1000 {
			return fail("the disk never got full")
		}
	}
	if code := expectDegraded(e, err); code != 0 {
		return code
	}
	if err := limitFiles(noLimit); err != nil {
		return fail("limit: %v", err)
	}
	return recoverAndGoOn(e, moment)
}

// expectDegraded checks what a full disk must look like: an error that names it, reads that go on, no recovery.
func expectDegraded(e *Embedded, err error) int {
	if !strings.Contains(err.Error(), e.opts.Path) || !strings.Contains(err.Error(), "file too large") || e.Degraded() == nil {
		return fail("error %v, degraded %v: want the path and the cause", err, e.Degraded())
	}
	points, err := e.Instant(context.Background(), "count(count_over_time(b_total[1h]))", at(15))
	if err != nil || len(points) != 1 || points[0].Value < 1 {
		return fail("read: points %v, error %v", points, err)
	}
	if e.Append(context.Background(), line("h", "v0", 14, 1)) == nil {
		return fail("an append got through to a full disk")
	}
	fmt.Println("degraded")
	return 0
}

func recoverAndGoOn(e *Embedded, moment int) int {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		err := e.Append(ctx, batch(moment))
		if err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return fail("no recovery: %v", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
	if err := e.Degraded(); err != nil {
		return fail("degraded after recovery: %v", err)
	}
	fmt.Println("ok", moment)
	return appendUntilKilled(e, moment+1)
}

// fillDiskLate leaves room for the log, not for the chunk of late samples that the database writes when it is full,
// and panics if it cannot.
func fillDiskLate(e *Embedded) int {
	if err := e.Append(context.Background(), batch(0)); err != nil {
		return fail("append: %v", err)
	}
	fmt.Println("ok 0")
	if err := limitFiles(130_000); err != nil {
		return fail("limit: %v", err)
	}
	var err error
	for i := 0; err == nil; i++ {
		if i == 200 {
			return fail("no write failed")
		}
		err = e.Append(context.Background(), line("h", "v0", float64(-1-i), 1))
	}
	if !strings.Contains(err.Error(), errPanic.Error()) {
		return fail("error %v, want the database to give up", err)
	}
	if err := limitFiles(noLimit); err != nil {
		return fail("limit: %v", err)
	}
	return recoverAndGoOn(e, 1)
}

// play starts a child, hands over its lines until enough batches are acknowledged after the start or after a recovery,
// and kills it. It returns the acknowledged moments.
func play(t *testing.T, role, dir string, enough int) []int {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], dir)
	child.Env = append(os.Environ(), childRole+"="+role)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var acknowledged []int
	degraded := role == roleCrash || role == rolePanic
	for lines := bufio.NewScanner(out); lines.Scan(); {
		text := lines.Text()
		var moment int
		switch {
		case text == "degraded":
			degraded, enough = true, enough+len(acknowledged)
		case strings.HasPrefix(text, "fail"):
			t.Error(text)
		default:
			if _, err := fmt.Sscanf(text, "ok %d", &moment); err != nil {
				t.Errorf("line %q: %v", text, err)
			}
			acknowledged = append(acknowledged, moment)
		}
		if degraded && len(acknowledged) >= enough {
			if err := child.Process.Signal(syscall.SIGKILL); err != nil {
				t.Error(err)
			}
			degraded = false // once; the rest of the pipe is read to its end
		}
	}
	if err := child.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("child ended with %v, want it killed", err)
	}
	if len(acknowledged) < enough {
		t.Fatalf("%d acknowledged batches, want %d", len(acknowledged), enough)
	}
	return acknowledged
}

// TestKillLosesNothing kills a process that appends, twice over the same directory.
func TestKillLosesNothing(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		expectAll(t, dir, play(t, roleCrash, dir, 10))
	}
}

func TestFullDiskLosesNothing(t *testing.T) {
	dir := t.TempDir()
	expectAll(t, dir, play(t, roleFull, dir, 8))
}

func TestPanicOfTheDatabaseLosesNothing(t *testing.T) {
	dir := t.TempDir()
	expectAll(t, dir, play(t, rolePanic, dir, 6))
}

// expectAll looks for every acknowledged sample.
func expectAll(t *testing.T, dir string, acknowledged []int) {
	t.Helper()
	e, err := OpenEmbedded(context.Background(), EmbeddedOptions{Path: dir, MinFreeBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, moment := range acknowledged {
		when := at(float64(moment * 15))
		got := ask(t, e, fmt.Sprintf(`count(floor(last_over_time(b_total{host="h"}[1s])) == %d)`, moment), when)
		if got[""] != perBatch {
			t.Errorf("acknowledged moment %d: %v of %d samples", moment, got, perBatch)
		}
		if moment%2 == 1 {
			late := ask(t, e, `last_over_time(b_total{host="late"}[1s])`, at(float64(-moment)))
			if len(late) != 1 {
				t.Errorf("acknowledged late sample of moment %d is lost", moment)
			}
		}
	}
}
