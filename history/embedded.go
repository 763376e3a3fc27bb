package history

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/fileutil"
)

// EmbeddedOptions describes the embedded history. Path is needed; the zero value of any other field stands for its
// default.
type EmbeddedOptions struct {
	Path             string        // directory on a local disk, made if it is missing
	Retention        time.Duration // default 30 days; whole blocks are deleted, so that up to a tenth more stays
	MaxBytes         int64         // the oldest blocks go beyond this size; default no limit; the WAL is not counted
	OutOfOrderWindow time.Duration // how much older than the newest sample a late one may be; default 6 hours
	MaxSeries        uint64        // series held in memory at once; samples of further ones are counted; default 1 million
	MinFreeBytes     uint64        // appends stop when the disk has less room; default 256 MiB
	Lookback         time.Duration // see QueryOptions
	Query            QueryOptions
	Logger           *slog.Logger // default: nothing is logged

	// Now is the clock that samples are held against: those more than 10 minutes ahead of it are refused. Nil, as for simulated
	// time, takes samples of any time.
	Now func() time.Time
}

func (o EmbeddedOptions) withDefaults() EmbeddedOptions {
	o.Retention = orDefault(o.Retention, 30*24*time.Hour)
	o.OutOfOrderWindow = orDefault(o.OutOfOrderWindow, 6*time.Hour)
	o.MaxSeries = orDefault(o.MaxSeries, 1_000_000)
	o.MinFreeBytes = orDefault(o.MinFreeBytes, 256<<20)
	o.Query.Lookback = orDefault(o.Lookback, o.Query.Lookback)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Embedded is a history in files: the Prometheus TSDB, opened in this process. It is safe for concurrent use.
//
// An append is acknowledged when its write-ahead log has it, handed over to the operating system and not synced to the
// disk: killing the process (kill -9, out of memory) loses nothing, a power cut may lose the last moments.
type Embedded struct {
	*engine
	opts  EmbeddedOptions
	tally tally
	lock  fileutil.Releaser

	appending sync.Mutex // one batch at a time: nothing may be acknowledged behind a batch that was torn
	lastTry   time.Time  // last attempt to recover; guarded by appending
	tidying   sync.Mutex // one round of maintenance at a time
	health    health
	ahead     ahead

	current atomic.Pointer[generation]
	closed  atomic.Bool
	wake    chan struct{} // maintenance is due now
	stop    context.CancelFunc
	done    chan struct{}
}

// OpenEmbedded opens the history in a directory, makes it if it is missing, and replays what a killed process left in
// the write-ahead log. One process at a time can have it open.
func OpenEmbedded(ctx context.Context, opts EmbeddedOptions) (*Embedded, error) {
	opts = opts.withDefaults()
	if opts.Path == "" {
		return nil, errors.New("open history: no directory given")
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open history in %s: %w", opts.Path, err)
	}
	if err := os.MkdirAll(opts.Path, 0o750); err != nil {
		return nil, fmt.Errorf("open history in %s: %w; give a directory that this user can write to", opts.Path, err)
	}
	lock, err := lockDirectory(opts.Path)
	if err != nil {
		return nil, err
	}
	e := &Embedded{opts: opts, lock: lock, wake: make(chan struct{}, 1), done: make(chan struct{})}
	e.engine = newEngine(opts.Query, storage.QueryableFunc(e.querier))
	first, err := openGeneration(opts)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	e.current.Store(first)
	e.warnOfAhead()
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop = stop
	go e.maintain(background)
	return e, nil
}

// ErrInUse says that another process has the history open.
var ErrInUse = errors.New("another process holds")

// lockDirectory takes the same lock file as Prometheus itself does; the kernel frees it when a process dies.
func lockDirectory(path string) (fileutil.Releaser, error) {
	file := filepath.Join(path, "lock")
	lock, _, err := fileutil.Flock(file)
	if err == nil {
		return lock, nil
	}
	if lockHeld(err) {
		return nil, fmt.Errorf("open history in %s: %w %s; stop it or choose another directory", path, ErrInUse, file)
	}
	return nil, fmt.Errorf("open history in %s: lock %s: %w; give a directory that this user can write to", path, file, err)
}

// Stats counts what became of all samples so far.
func (e *Embedded) Stats() Written { return e.tally.read() }

// Close writes a snapshot of what is in memory, so that the next start is fast, and waits for queries that run.
func (e *Embedded) Close() error {
	if !e.closed.CompareAndSwap(false, true) {
		return nil
	}
	e.stop()
	<-e.done
	e.appending.Lock()
	defer e.appending.Unlock()
	err := e.current.Load().shut(func() {})
	if releaseErr := e.lock.Release(); releaseErr != nil {
		err = errors.Join(err, releaseErr)
	}
	if err != nil {
		return fmt.Errorf("close history in %s: %w", e.opts.Path, err)
	}
	return nil
}

// querier opens a view of the samples from one moment to another, both included. Its Close lets go of the database.
func (e *Embedded) querier(from, to int64) (storage.Querier, error) {
	for !e.closed.Load() {
		database := e.current.Load()
		querier, err := database.querier(from, to)
		if errors.Is(err, errReplaced) && e.current.Load() != database {
			continue
		}
		return querier, err
	}
	return nil, ErrClosed
}
