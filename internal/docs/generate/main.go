// Command generate writes the pages that are made from rows and types: the metric reference and how a fleet is described.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/nasight/nasight/internal/docs"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: generate DOCS MODEL")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(directory, model string) error {
	fleet, err := docs.Fleet(os.DirFS(model))
	if err != nil {
		return err
	}
	for name, page := range map[string]string{"metrics.md": docs.Page(), "fleet.md": fleet} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(page), 0o644); err != nil { //nolint:gosec // documentation is for everybody
			return fmt.Errorf("write a page of the documentation: %w", err)
		}
	}
	return nil
}
