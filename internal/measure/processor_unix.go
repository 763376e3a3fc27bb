//go:build unix

package measure

import (
	"fmt"
	"syscall"
	"time"
)

// Processor is the time that all threads of this process have spent on the processor, in the program and in the kernel.
// An error says that the kernel does not tell.
func Processor() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("ask for the processor time of this process: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
