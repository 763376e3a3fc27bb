package collectors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	maxMemoryKeys  = 10_000
	maxMemoryBytes = 4 << 20
	memoryVersion  = 1
)

// FileMemory is a Memory that is kept in a file. It is safe for concurrent use.
type FileMemory struct {
	path   string
	saving sync.Mutex // held while the file is written, which may take long

	mu     sync.Mutex
	values map[string]float64
	dirty  bool
}

// memoryFile is the file's content: JSON.
type memoryFile struct {
	Version int                `json:"version"`
	Values  map[string]float64 `json:"values"`
}

// OpenFileMemory reads the memory of a file; one that does not exist is an empty memory. With an error that is not nil
// the memory is usable as well, and empty: what the file holds is replaced by the next Save.
func OpenFileMemory(path string) (*FileMemory, error) {
	m := &FileMemory{path: path, values: make(map[string]float64)}
	values, err := readMemory(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, fmt.Errorf("state file %s: %w", path, err)
	}
	for key, value := range values {
		m.Store(key, value)
	}
	m.dirty = false
	return m, nil
}

func readMemory(path string) (map[string]float64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxMemoryBytes {
		return nil, fmt.Errorf("is no regular file of at most %d bytes", maxMemoryBytes)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file memoryFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	if file.Version != memoryVersion {
		return nil, fmt.Errorf("has version %d, this program writes %d", file.Version, memoryVersion)
	}
	return file.Values, nil
}

// Load implements Memory.
func (m *FileMemory) Load(key string) (float64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.values[key]
	return value, ok
}

// Store implements Memory. Values that are no finite number are not kept, nor are new keys beyond 10,000.
func (m *FileMemory) Store(key string, value float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before, known := m.values[key]
	if math.IsNaN(value) || math.IsInf(value, 0) || known && before == value || !known && len(m.values) >= maxMemoryKeys {
		return
	}
	m.values[key], m.dirty = value, true
}

// Save writes the memory to its file if it changed. The file is replaced as a whole, so that a crash leaves the old
// one or the new one. A slow disk keeps neither Load nor Store waiting.
func (m *FileMemory) Save() error {
	m.saving.Lock()
	defer m.saving.Unlock()
	values := m.changed()
	if values == nil {
		return nil
	}
	data, err := json.MarshalIndent(memoryFile{Version: memoryVersion, Values: values}, "", " ")
	if err == nil {
		err = ReplaceFile(m.path, data)
	}
	if err != nil {
		m.mu.Lock()
		m.dirty = true
		m.mu.Unlock()
		return fmt.Errorf("save state file %s: %w", m.path, err)
	}
	return nil
}

// changed returns a copy of the values, or nil if they are as they were when it was last called.
func (m *FileMemory) changed() map[string]float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.dirty {
		return nil
	}
	m.dirty = false
	return maps.Clone(m.values)
}

// Run saves the memory every interval, and once more when the context ends. Failures go to report, each time.
func (m *FileMemory) Run(ctx context.Context, interval time.Duration, report func(error)) {
	clock := time.NewTicker(interval)
	defer clock.Stop()
	for running := true; running; {
		select {
		case <-clock.C:
		case <-ctx.Done():
			running = false
		}
		if err := m.Save(); err != nil {
			report(err)
		}
	}
}

// ReplaceFile writes a file beside the old one, makes sure that it is on disk and gives it the old one's name.
func ReplaceFile(path string, data []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
