package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nasight/nasight/collectors"
)

// WriteFiles writes the report to a directory, which is made where it is missing, in each of the formats. It returns the files'
// paths. A file is there whole or not at all.
func (w *Weekly) WriteFiles(directory string, formats []string) ([]string, error) {
	if err := os.MkdirAll(directory, 0o750); err != nil {
		return nil, fmt.Errorf("make the directory of reports: %w", err)
	}
	var written []string
	for _, format := range formats {
		var text bytes.Buffer
		if err := w.Write(&text, format); err != nil {
			return written, err
		}
		path := filepath.Join(directory, w.FileName(format))
		if err := collectors.ReplaceFile(path, text.Bytes()); err != nil {
			return written, fmt.Errorf("write report %s: %w", path, err)
		}
		if err := os.Chmod(path, 0o640); err != nil { //nolint:gosec // a report is passed on
			return written, fmt.Errorf("let the group read report %s: %w", path, err)
		}
		written = append(written, path)
	}
	return written, nil
}
