// Command generate writes the rules of the default interval to the file that its only argument names.
package main

import (
	"fmt"
	"os"

	"github.com/nasight/nasight/alerts"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "write the alerts:", err)
		os.Exit(1)
	}
}

func write(file string) error {
	rules, err := alerts.YAML(alerts.Defaults())
	if err != nil {
		return err
	}
	return os.WriteFile(file, rules, 0o644)
}
