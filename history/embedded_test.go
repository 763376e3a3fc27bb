package history

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nasight/nasight/schema"
)

func TestReopenFindsEverything(t *testing.T) {
	dir := t.TempDir()
	first := openEmbedded(t, EmbeddedOptions{Path: dir})
	appendAll(t, first, line("h", "v", 0, 1, 7200, 2), line("h", "v", 3600, 3))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := openEmbedded(t, EmbeddedOptions{Path: dir})
	if got := ask(t, second, "sum_over_time(b_total[3h])", at(7200)); got["host=h,volume=v"] != 6 {
		t.Errorf("%v, want the late sample too", got)
	}
}

func TestSecondProcessIsToldWhy(t *testing.T) {
	dir := t.TempDir()
	openEmbedded(t, EmbeddedOptions{Path: dir})
	_, err := OpenEmbedded(context.Background(), EmbeddedOptions{Path: dir})
	if err == nil || !strings.Contains(err.Error(), "another process holds "+filepath.Join(dir, "lock")) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line that names the lock", err)
	}
}

func TestPathThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", file, filepath.Join(file, "below")} {
		_, err := OpenEmbedded(context.Background(), EmbeddedOptions{Path: path})
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: error %v", path, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := OpenEmbedded(ctx, EmbeddedOptions{Path: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestTooOldIsCounted(t *testing.T) {
	e := openEmbedded(t, EmbeddedOptions{Path: t.TempDir(), OutOfOrderWindow: time.Hour})
	appendAll(t, e, line("h", "v", 0, 1), line("h", "v", -1800, 2), line("h", "v", -7200, 3))
	if got := e.Stats(); got != (Written{Stored: 2, TooOld: 1}) {
		t.Errorf("stats %+v", got)
	}
	if err := e.Degraded(); err != nil {
		t.Errorf("degraded: %v", err)
	}
}

func TestLateSecondValueIsCounted(t *testing.T) {
	e := openEmbedded(t, EmbeddedOptions{Path: t.TempDir()})
	appendAll(t, e, line("h", "v", 0, 1, 15, 2), line("h", "v", 0, 9), line("h", "v", 0, 1), line("h", "v", 5, 7, 5, 8))
	if got := e.Stats(); got != (Written{Stored: 4, Duplicate: 2}) {
		t.Errorf("stats %+v", got)
	}
	if got := ask(t, e, "sum_over_time(b_total[1m])", at(15)); got["host=h,volume=v"] != 10 {
		t.Errorf("%v, want the first values", got)
	}
}

func TestLimitOnSeries(t *testing.T) {
	e := openEmbedded(t, EmbeddedOptions{Path: t.TempDir(), MaxSeries: 2})
	appendAll(t, e, line("h", "u", 0, 1), line("h", "v", 0, 1), line("h", "w", 0, 1), line("h", "u", 15, 1))
	if got := e.Stats(); got != (Written{Stored: 3, Refused: 1}) {
		t.Errorf("stats %+v", got)
	}
	if got := ask(t, e, "count(count_over_time(b_total[1m]))", at(15)); got[""] != 2 {
		t.Errorf("%v series, want 2", got)
	}
}

// TestRetentionAndMaintenance stores three days, keeps one, and looks for late samples in the blocks.
func TestRetentionAndMaintenance(t *testing.T) {
	dir := t.TempDir()
	e := openEmbedded(t, EmbeddedOptions{Path: dir, Retention: 24 * time.Hour})
	const hour = 3600
	for day := range 3 {
		var batch []schema.Sample
		for i := range 24 * 12 {
			batch = append(batch, line("h", "v", float64(day*24*hour+i*300), 1)...)
		}
		appendAll(t, e, batch)
		appendAll(t, e, line("h", "v", float64((day*24+22)*hour+1), 1)) // late
		if err := e.tidy(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	end := at(3 * 24 * hour)
	stored := ask(t, e, "count_over_time(b_total[3d])", end)["host=h,volume=v"]
	if lastDay := 24*12 + 1.0; stored < lastDay || stored > 2*lastDay {
		t.Errorf("%v samples after retention, want between one and two days of them", stored)
	}
	if late := ask(t, e, "count_over_time(b_total[2h])", end)["host=h,volume=v"]; late != 25-1 {
		t.Errorf("%v samples in the last two hours, want 24", late)
	}
	blocks, err := filepath.Glob(filepath.Join(dir, "01*", "meta.json"))
	if err != nil || len(blocks) == 0 {
		t.Errorf("blocks %v, error %v: maintenance wrote none", blocks, err)
	}
}

// TestMaintenanceWakes lets a back-fill, not the clock, start maintenance.
func TestMaintenanceWakes(t *testing.T) {
	dir := t.TempDir()
	e := openEmbedded(t, EmbeddedOptions{Path: dir})
	for i := range 12 {
		appendAll(t, e, line("h", "v", float64(i*3600), 1))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		blocks, err := filepath.Glob(filepath.Join(dir, "01*", "meta.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(blocks) > 0 {
			break
		}
		pause(ctx, t)
	}
	if got := ask(t, e, "count_over_time(b_total[1d])", at(12*3600)); got["host=h,volume=v"] != 12 {
		t.Errorf("%v, want 12 samples over blocks and memory", got)
	}
}

// pause waits a moment in a loop that polls until its context ends.
func pause(ctx context.Context, t *testing.T) {
	t.Helper()
	select {
	case <-ctx.Done():
		t.Fatal("gave up waiting")
	case <-time.After(10 * time.Millisecond):
	}
}

func TestReserveOfDiskSpace(t *testing.T) {
	if _, known := freeBytes(t.TempDir()); !known {
		t.Skip("free disk space is not known on this system")
	}
	e := openEmbedded(t, EmbeddedOptions{Path: t.TempDir()})
	appendAll(t, e, line("h", "v", 0, 1))
	e.opts.MinFreeBytes = 1 << 62
	err := e.Append(context.Background(), line("h", "v", 15, 2))
	if err == nil || !strings.Contains(err.Error(), e.opts.Path) || !strings.Contains(err.Error(), "reserve") {
		t.Errorf("error %v, want the path and the reserve", err)
	}
	if e.Degraded() == nil || e.tidy(context.Background()) != nil {
		t.Error("want degraded, and maintenance at rest")
	}
	if got := ask(t, e, "count_over_time(b_total[1m])", at(15)); got["host=h,volume=v"] != 1 {
		t.Errorf("%v: reads must go on, without the refused sample", got)
	}
	e.opts.MinFreeBytes = 1
	appendAll(t, e, line("h", "v", 15, 2))
	if err := e.Degraded(); err != nil {
		t.Errorf("still degraded: %v", err)
	}
}

// TestQueriesDuringRecovery opens the database again and again under running queries.
func TestQueriesDuringRecovery(t *testing.T) {
	e := openEmbedded(t, EmbeddedOptions{Path: t.TempDir()})
	appendAll(t, e, line("h", "v", 0, 1))
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for ctx.Err() == nil {
				points, err := e.Instant(context.Background(), "count_over_time(b_total[1h])", at(1000))
				if err != nil || len(points) != 1 {
					t.Errorf("points %v, error %v", points, err)
					return
				}
			}
		})
	}
	for i := range 5 {
		e.current.Load().broken.Store(true)
		e.lastTry = time.Time{}
		appendAll(t, e, line("h", "v", float64(15*(i+1)), 1))
	}
	cancel()
	group.Wait()
	if got := ask(t, e, "count_over_time(b_total[1h])", at(1000)); got["host=h,volume=v"] != 6 {
		t.Errorf("%v, want 6 samples", got)
	}
}

// TestRecoveryThatFails takes the directory's log away from under the database.
func TestRecoveryThatFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "history")
	e := openEmbedded(t, EmbeddedOptions{Path: dir})
	appendAll(t, e, line("h", "v", 0, 1))
	wal := filepath.Join(dir, "wal")
	if err := os.Rename(wal, wal+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(wal, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e.current.Load().broken.Store(true)
	for range 2 {
		e.lastTry = time.Time{}
		if err := e.Append(context.Background(), line("h", "v", 15, 2)); err == nil {
			t.Fatal("append into a history that cannot be opened: no error")
		}
	}
	if err := e.Append(context.Background(), line("h", "v", 15, 2)); err == nil || !strings.Contains(err.Error(), "last attempt") {
		t.Errorf("error %v, want a pause between attempts", err)
	}
	if _, err := e.Instant(context.Background(), "b_total", at(0)); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("query: %v, want why the history is not open", err)
	}
	if err := errors.Join(os.Remove(wal), os.Rename(wal+".away", wal)); err != nil {
		t.Fatal(err)
	}
	e.lastTry = time.Time{}
	appendAll(t, e, line("h", "v", 15, 2))
	if got := ask(t, e, "sum_over_time(b_total[1m])", at(15)); got["host=h,volume=v"] != 3 || e.Degraded() != nil {
		t.Errorf("%v, degraded %v: want both samples and health", got, e.Degraded())
	}
}

// TestDamagedLog gives the log of a killed process a torn end, as a power cut may leave it. The late samples before
// the damage must survive that opening and all later ones.
func TestDamagedLog(t *testing.T) {
	e := openEmbedded(t, EmbeddedOptions{Path: t.TempDir()})
	appendAll(t, e, line("h", "v", 0, 1, 600, 2), line("h", "v", 300, 3), line("h", "v", 301, 4))
	image := crashImage(t, e)
	segments, err := filepath.Glob(filepath.Join(image, "wal", "0*"))
	if err != nil || len(segments) == 0 {
		t.Fatalf("segments %v, error %v", segments, err)
	}
	log, err := os.OpenFile(segments[len(segments)-1], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.WriteString("\x02\x7f\xfftorn"); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	repaired := openEmbedded(t, EmbeddedOptions{Path: image})
	expectSum(t, repaired, 10)
	appendAll(t, repaired, line("h", "v", 302, 5))
	expectSum(t, openEmbedded(t, EmbeddedOptions{Path: crashImage(t, repaired)}), 15)
}

func expectSum(t *testing.T, s Reader, want float64) {
	t.Helper()
	if got := ask(t, s, "sum_over_time(b_total[1h])", at(600)); got["host=h,volume=v"] != want {
		t.Errorf("sum %v, want %v", got, want)
	}
}

// crashImage copies the files as a killed process would leave them.
func crashImage(t *testing.T, e *Embedded) string {
	t.Helper()
	e.tidying.Lock()
	defer e.tidying.Unlock()
	image := filepath.Join(t.TempDir(), "image")
	if err := os.CopyFS(image, os.DirFS(e.opts.Path)); err != nil {
		t.Fatal(err)
	}
	return image
}
