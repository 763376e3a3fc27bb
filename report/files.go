package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// WriteFiles writes the report to a directory, which is made where it is missing, in each of the formats. It returns the files'
// paths. A file is there whole or not at all, and where one cannot be written none is: all are made before the first takes its name.
func (w *Weekly) WriteFiles(directory string, formats []string) (paths []string, err error) {
	if err := os.MkdirAll(directory, 0o750); err != nil {
		return nil, fmt.Errorf("make the directory of reports: %w", err)
	}
	var made []string // beside the files whose place they take
	defer func() {
		for _, name := range made {
			if removed := os.Remove(name); removed != nil && !errors.Is(removed, os.ErrNotExist) {
				err = errors.Join(err, removed)
			}
		}
	}()
	for _, format := range formats {
		path := filepath.Join(directory, w.FileName(format))
		if err := placeFor(path); err != nil {
			return nil, err
		}
		var text bytes.Buffer
		if err := w.Write(&text, format); err != nil {
			return nil, err
		}
		name, err := writeBeside(path, text.Bytes())
		if name != "" {
			made = append(made, name)
		}
		if err != nil {
			return nil, fmt.Errorf("write report %s: %w", path, err)
		}
		paths = append(paths, path)
	}
	for i, path := range paths {
		if err := os.Rename(made[i], path); err != nil {
			return nil, fmt.Errorf("write report %s: %w", path, err)
		}
	}
	return paths, nil
}

// InTheWayError says that the place of a report is taken by what is no file.
type InTheWayError struct{ Path, Kind string }

// Error is one line.
func (e *InTheWayError) Error() string {
	return e.Path + " is " + e.Kind + " and no file: nothing was written; move it away, or write to another directory"
}

// placeFor tells whether a file can have its name: nothing has it, or a file that is replaced.
func placeFor(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("write report: %w", err)
	case info.IsDir():
		return &InTheWayError{path, "a directory"}
	case !info.Mode().IsRegular():
		return &InTheWayError{path, "a device or a pipe"}
	}
	return nil
}

// writeBeside writes a file in the directory of another, whose place it can take. It returns its name where it is there.
func writeBeside(path string, text []byte) (string, error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Chmod(file.Name(), 0o640) //nolint:gosec // a report is passed on
	}
	return file.Name(), err
}
