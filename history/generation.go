package history

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/util/compression"
)

// errReplaced says that a database was closed while somebody was about to use it.
var errReplaced = errors.New("history is being reopened")

// generation is one opening of the database. A failed write leaves the database of this module unfit for further
// appends: series that are in memory and not in the log, half a record in the log. Then it is opened again, which
// reads the truth from disk.
type generation struct {
	db *tsdb.DB // nil where the files could not be opened again

	use     sync.RWMutex // held for reading by all who use db, so that it is closed under nobody's feet
	closed  bool
	failure error // why db is nil

	broken   atomic.Bool // a write failed: no further append goes here
	poisoned bool        // a panic left locks behind, so that it cannot be closed; guarded by Embedded.appending
	events   *eventHandler

	// newest is the newest moment of each series that was written through this opening: the database takes the same sample
	// a second time without a word. Guarded by Embedded.appending.
	newest map[storage.SeriesRef]int64
}

// newer tells whether a sample that the database took in its order is none that it had. The first of a series is taken for new.
func (g *generation) newer(ref storage.SeriesRef, at int64) bool {
	if before, known := g.newest[ref]; known && at <= before {
		return false
	}
	if uint64(len(g.newest)) > 2*g.db.Head().NumSeries()+1000 { // most are series that have ended
		clear(g.newest)
	}
	g.newest[ref] = at
	return true
}

// openGeneration opens the database. Where it had to repair the log it has not read the late samples, and would then
// forget them; so it is opened once more.
func openGeneration(opts EmbeddedOptions) (*generation, error) {
	g, err := openOnce(opts)
	if err != nil || !g.events.repaired() {
		return g, err
	}
	if err := errors.Join(g.db.Close(), removeSnapshots(opts.Path)); err != nil {
		return nil, fmt.Errorf("open history in %s again after a repair: %w", opts.Path, err)
	}
	return openOnce(opts)
}

func openOnce(opts EmbeddedOptions) (*generation, error) {
	events := newEventHandler(opts.Logger.Handler())
	db, err := tsdb.Open(opts.Path, events.logger(), nil, databaseOptions(opts), nil)
	if err != nil {
		return nil, fmt.Errorf("open history in %s: %w; check the disk, or move the directory away to start afresh", opts.Path, err)
	}
	db.DisableCompactions()
	return &generation{db: db, events: events, newest: map[storage.SeriesRef]int64{}}, nil
}

func databaseOptions(opts EmbeddedOptions) *tsdb.Options {
	set := tsdb.DefaultOptions()
	set.RetentionDuration = opts.Retention.Milliseconds()
	set.MaxBytes = opts.MaxBytes
	set.MaxBlockDuration = max(set.MinBlockDuration, set.RetentionDuration/10)
	set.OutOfOrderTimeWindow = opts.OutOfOrderWindow.Milliseconds()
	set.WALCompression = compression.Snappy
	set.EnableMemorySnapshotOnShutdown = true
	// A series whose samples were all late is forgotten once they are in a block, and its number with it, while the log of late
	// samples still has them under that number. This keeps the last number that was given: without it the next start gives
	// it again, and the one after that reads the old samples as those of the new series.
	set.EnableFastStartup = true
	set.NoLockfile = true // ours spans all generations
	// The module's own background work ends the process when the disk is full. It never runs; maintain does its work.
	set.BlockReloadInterval = time.Duration(math.MaxInt64)
	return set
}

// acquire keeps the database open until release is called.
func (g *generation) acquire() (release func(), err error) {
	g.use.RLock()
	switch {
	case g.closed:
		err = errReplaced
	case g.db == nil:
		err = g.failure
	default:
		return sync.OnceFunc(g.use.RUnlock), nil
	}
	g.use.RUnlock()
	return nil, err
}

func (g *generation) querier(from, to int64) (storage.Querier, error) {
	release, err := g.acquire()
	if err != nil {
		return nil, err
	}
	querier, err := g.db.Querier(from, to)
	if err != nil {
		release()
		return nil, err
	}
	return &heldQuerier{Querier: querier, release: release}, nil
}

// heldQuerier lets go of the database when it is closed.
type heldQuerier struct {
	storage.Querier
	release func()
}

func (q *heldQuerier) Close() error {
	defer q.release()
	return q.Querier.Close()
}

// shut waits for all users, closes the database and lets the users that have come meanwhile go on after the next step. A
// poisoned database is left as it is: its locks are never freed, and what it has acknowledged is on disk.
func (g *generation) shut(next func()) error {
	if g.db == nil || g.poisoned {
		next()
		return nil
	}
	g.use.Lock()
	defer g.use.Unlock()
	err := guard("close", g.db.Close)
	g.closed = true
	next()
	return err
}

// guard turns a panic of the module into an error: it panics when it cannot write a chunk, for want of a better way.
func guard(what string, do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%s: %w: %v", what, errPanic, cause)
		}
	}()
	return do()
}

var errPanic = errors.New("database gave up")

// removeSnapshots deletes the snapshots of memory, so that the log is read and repaired as a whole.
func removeSnapshots(path string) error {
	snapshots, err := filepath.Glob(filepath.Join(path, "chunk_snapshot.*"))
	if err != nil {
		return err
	}
	for _, snapshot := range snapshots {
		err = errors.Join(err, os.RemoveAll(snapshot))
	}
	return err
}
