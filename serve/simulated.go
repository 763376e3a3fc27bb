package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// simulatedMark is a file in the directory of a history of simulated data.
const simulatedMark = "SIMULATED"

// Simulated tells whether a directory holds a history of simulated data.
func Simulated(directory string) bool {
	_, err := os.Stat(filepath.Join(directory, simulatedMark))
	return err == nil
}

// Claim keeps simulated and measured data apart: a directory that holds a history of the one kind is refused to the other. A
// directory of neither is marked where what comes is simulated. The error is a *ConfigError where the directory is to blame.
func Claim(directory string, simulated bool) error {
	mark := filepath.Join(directory, simulatedMark)
	marked := Simulated(directory)
	switch {
	case marked == simulated:
		return nil // a directory that cannot be looked into is none to open either, which says it better
	case marked:
		return &ConfigError{fmt.Errorf("history.path: %s holds simulated data of nasight demo; name another directory", directory)}
	}
	entries, err := os.ReadDir(directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look whether history %s is empty: %w", directory, err)
	}
	if len(entries) > 0 {
		return &ConfigError{fmt.Errorf("history.path: %s holds %q and no history of nasight demo; name an empty directory", directory, entries[0].Name())}
	}
	if err := os.MkdirAll(directory, 0o750); err != nil {
		return fmt.Errorf("make history %s: %w", directory, err)
	}
	if err := os.WriteFile(mark, []byte("The history beside this file is of nasight demo.\n"), 0o640); err != nil { //nolint:gosec // as the history's own files
		return fmt.Errorf("mark history %s as simulated: %w", directory, err)
	}
	return nil
}
