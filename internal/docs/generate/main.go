// Command generate writes the metric reference to the file that its only argument names.
package main

import (
	"fmt"
	"os"

	"github.com/nasight/nasight/internal/docs"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], []byte(docs.Page()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "write the metric reference:", err)
		os.Exit(1)
	}
}
