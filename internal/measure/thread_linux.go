package measure

import (
	"fmt"
	"syscall"
	"time"
)

const rusageThread = 1 // RUSAGE_THREAD of getrusage(2), which package syscall does not name

// Thread is the time that the calling thread has spent on the processor. Whoever takes a difference keeps the goroutine on
// its thread (runtime.LockOSThread). What the garbage collector does in other threads is not in it.
func Thread() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &usage); err != nil {
		return 0, fmt.Errorf("ask for the processor time of this thread: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
