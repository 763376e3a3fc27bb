package model

import (
	"errors"
	"fmt"
	"os"

	"github.com/nasight/nasight/internal/strictyaml"
)

// maxFile bounds a description; ten thousand volumes take a few MiB.
const maxFile = 64 << 20

// ReadFile reads a description from a file. An error is one line that names the file, the line and what is wrong.
func ReadFile(path string) (*Fleet, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read fleet description: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("read fleet description: %s is no file of at most %d bytes", path, maxFile)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read fleet description: %w", err)
	}
	return Parse(path, data)
}

// Parse reads a description; name stands for the file in errors. Unknown keys, keys written twice and values out of
// range are errors of one line.
func Parse(name string, data []byte) (*Fleet, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: more than %d bytes", name, maxFile)
	}
	fleet := &Fleet{}
	if err := strictyaml.Unmarshal(name, data, fleet); err != nil {
		return nil, err
	}
	err := fleet.Complete()
	var bad *invalid
	if errors.As(err, &bad) {
		return nil, fmt.Errorf("%s:%d: %w", name, strictyaml.LineOf(data, bad.key), bad)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return fleet, nil
}
