package demo

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/nasight/nasight/history"
)

const (
	temporaryName = "nasight-demo-"
	// lockName is the file that a demo holds locked while it runs; the kernel frees it when the process dies.
	lockName = ".lock"
	settled  = time.Minute // a younger one may be about to be locked
)

// temporary makes a directory below parent, and first clears those that killed demos have left there. The returned function
// removes it.
func temporary(parent string, log *slog.Logger) (directory string, remove func() error, err error) {
	clearLeftovers(parent, log)
	directory, err = os.MkdirTemp(parent, temporaryName)
	if err != nil {
		return "", nil, fmt.Errorf("make a directory for the simulated hosts: %w", err)
	}
	release, err := history.Lock(filepath.Join(directory, lockName))
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(directory))
	}
	return directory, func() error { return errors.Join(release(), os.RemoveAll(directory)) }, nil
}

// clearLeftovers removes the directories of demos whose process is gone. What cannot be removed, as another user's, stays.
func clearLeftovers(parent string, log *slog.Logger) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return // making one there says why
	}
	for _, entry := range entries {
		path := filepath.Join(parent, entry.Name())
		if matched, err := filepath.Match(temporaryName+"*", entry.Name()); err != nil || !matched || !entry.IsDir() || !abandoned(path) {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			log.Debug("what a killed demo left cannot be removed", "path", path, "err", err)
			continue
		}
		log.Info("what a killed demo left is removed", "path", path)
	}
}

// abandoned tells whether nobody holds the lock of a demo's directory any more. One without a lock is no demo's.
func abandoned(directory string) bool {
	file := filepath.Join(directory, lockName)
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || time.Since(info.ModTime()) < settled {
		return false
	}
	release, err := history.Lock(file)
	return err == nil && release() == nil
}
