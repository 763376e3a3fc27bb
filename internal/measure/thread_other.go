//go:build !linux

package measure

import (
	"errors"
	"time"
)

// Thread fails: only Linux tells the processor time of one thread.
func Thread() (time.Duration, error) {
	return 0, errors.New("ask for the processor time of this thread: only Linux tells it")
}
