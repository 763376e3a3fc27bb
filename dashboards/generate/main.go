// Command generate writes the dashboards, and the page that lists their panels, into the two directories that its
// arguments name.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: generate DASHBOARDS DOCS")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "write the dashboards:", err)
		os.Exit(1)
	}
}

func write(directory, docs string) error {
	for _, b := range boards() {
		data, err := json.MarshalIndent(b.build(), "", "  ")
		if err != nil {
			return fmt.Errorf("%s: %w", b.uid, err)
		}
		name := strings.TrimPrefix(b.uid, "nasight-") + ".json"
		if err := os.WriteFile(filepath.Join(directory, name), append(data, '\n'), 0o644); err != nil {
			return err
		}
	}
	return writeList(filepath.Join(docs, "dashboards.md"))
}
