package history

import (
	"fmt"

	"github.com/prometheus/prometheus/tsdb/fileutil"
)

// Lock locks a file, which is made if it is missing, until the returned function is called or the process dies. It does not wait:
// an error says that somebody has it, or that the file cannot be made.
func Lock(file string) (release func() error, err error) {
	lock, _, err := fileutil.Flock(file)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", file, err)
	}
	return lock.Release, nil
}
