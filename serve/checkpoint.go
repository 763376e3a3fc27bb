package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nasight/nasight/collectors"
)

const (
	checkpointName    = "findings.json"
	checkpointVersion = 1
	maxCheckpoint     = 64 << 20
)

// checkpoint is what an evaluation leaves for the next start: where every finding stands in its life cycle, and up to
// which moment history has been judged.
type checkpoint struct {
	Version     int             `json:"version"`
	EvaluatedAt time.Time       `json:"evaluated_at"`
	State       json.RawMessage `json:"state"`
}

// readCheckpoint reads the checkpoint of a data directory; a missing one is no error and has no time.
func readCheckpoint(directory string) (checkpoint, error) {
	var read checkpoint
	name := filepath.Join(directory, checkpointName)
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return read, nil
	}
	if err != nil {
		return read, fmt.Errorf("read checkpoint: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxCheckpoint {
		return read, fmt.Errorf("read checkpoint: %s is no regular file of at most %d bytes", name, maxCheckpoint)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return read, fmt.Errorf("read checkpoint: %w", err)
	}
	if err := json.Unmarshal(data, &read); err != nil {
		return checkpoint{}, fmt.Errorf("read checkpoint %s: %w", name, err)
	}
	if read.Version != checkpointVersion || read.EvaluatedAt.IsZero() || len(read.State) == 0 {
		return checkpoint{}, fmt.Errorf("read checkpoint %s: version %d, evaluated at %s: not what this program writes",
			name, read.Version, read.EvaluatedAt)
	}
	return read, nil
}

// setAside renames a checkpoint that cannot be used, so that the next one does not overwrite what may be wanted.
func setAside(directory string) (string, error) {
	name := filepath.Join(directory, checkpointName)
	aside := name + ".bad"
	if err := os.Rename(name, aside); err != nil {
		return "", fmt.Errorf("set checkpoint aside: %w", err)
	}
	return aside, nil
}

// write replaces the checkpoint of a data directory as a whole, so that a crash leaves the old one or the new one.
func (c checkpoint) write(directory string) error {
	c.Version = checkpointVersion
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	if err := collectors.ReplaceFile(filepath.Join(directory, checkpointName), data); err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	return nil
}
