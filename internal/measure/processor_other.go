//go:build !unix

package measure

import (
	"errors"
	"time"
)

// Processor is not told here.
func Processor() (time.Duration, error) {
	return 0, errors.New("the processor time of this process is not told by this system")
}
