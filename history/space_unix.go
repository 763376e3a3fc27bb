//go:build linux || darwin

package history

import (
	"errors"
	"syscall"
)

// freeBytes is the room that an ordinary user has on the disk of a directory.
func freeBytes(path string) (free uint64, known bool) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(path, &stat); err != nil {
		return 0, false
	}
	return stat.Bavail * uint64(stat.Bsize), true
}

// lockHeld tells a lock that somebody has from one that could not be made.
func lockHeld(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }
