package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// health remembers what is wrong with the disk.
type health struct {
	mu          sync.Mutex
	appending   error // last append failed
	maintaining error // last maintenance failed
}

func (h *health) appendFailed(err error) { h.set(func() { h.appending = err }) }
func (h *health) appendWorked()          { h.set(func() { h.appending = nil }) }
func (h *health) maintained(err error)   { h.set(func() { h.maintaining = err }) }

func (h *health) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

// Degraded says why the history cannot store samples, those of now in particular, or cannot tidy its files; nil when all is
// well. Queries over what is stored go on meanwhile.
func (e *Embedded) Degraded() error {
	stuck := e.stuck()
	e.health.mu.Lock()
	defer e.health.mu.Unlock()
	return errors.Join(e.health.appending, stuck, e.health.maintaining)
}

const (
	// probeBytes is what must fit on the disk before a broken database is opened again.
	probeBytes = 1 << 20
	// retryPause is the least time between two attempts to open the database again.
	retryPause = time.Second
)

// fit gives a database that can take a batch, after opening it again where an earlier append failed. The caller holds
// the appending lock.
func (e *Embedded) fit() (*generation, error) {
	database := e.current.Load()
	if free, known := freeBytes(e.opts.Path); known && free < e.opts.MinFreeBytes {
		return nil, fmt.Errorf("disk has %d MiB left, less than the reserve of %d MiB", free>>20, e.opts.MinFreeBytes>>20)
	}
	if !database.broken.Load() {
		return database, nil
	}
	if since := time.Since(e.lastTry); since < retryPause {
		return nil, fmt.Errorf("last attempt to recover failed %s ago", since.Round(time.Millisecond))
	}
	e.lastTry = time.Now()
	if err := probe(e.opts.Path); err != nil {
		return nil, err
	}
	return e.reopen(database)
}

// probe writes a file as large as what opening the database may need, and deletes it.
func probe(path string) (err error) {
	name := filepath.Join(path, "probe.tmp")
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(name)) }()
	if _, err = file.Write(make([]byte, probeBytes)); err != nil {
		return err
	}
	return file.Sync()
}

// reopen replaces a broken database by one that is read from disk: the log is repaired before anything new is
// acknowledged, and no acknowledged sample is behind the broken spot. Queries wait meanwhile.
func (e *Embedded) reopen(old *generation) (*generation, error) {
	fresh, err := e.replace(old, func() error { return removeSnapshots(e.opts.Path) })
	if err == nil {
		e.opts.Logger.Info("history recovered from a failed write", "path", e.opts.Path)
	}
	return fresh, err
}

// replace closes a database, does something with its files, and opens it again.
func (e *Embedded) replace(old *generation, between func() error) (*generation, error) {
	var fresh *generation
	var err error
	closeErr := old.shut(func() {
		if err = between(); err == nil {
			fresh, err = openGeneration(e.opts)
		}
		if err != nil {
			// Nothing is open now: queries fail with the reason until an append gets through.
			fresh = &generation{failure: err}
			fresh.broken.Store(true)
		}
		e.current.Store(fresh)
	})
	if closeErr != nil {
		e.opts.Logger.Warn("history closed with an error before it was opened again", "path", e.opts.Path, "error", closeErr)
	}
	return fresh, err
}
