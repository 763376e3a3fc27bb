// Command generate puts the tables of the repository's corpora into docs/evaluation.md.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/nasight/nasight/evaluate"
	"github.com/nasight/nasight/simulator/stage"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: generate PAGE SCENARIOS CAPTURES")
		os.Exit(2)
	}
	if err := generate(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(ctx context.Context, page, scenarios, captures string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	all, err := evaluate.ReadScenarios(scenarios)
	if err != nil {
		return err
	}
	var report evaluate.Report
	if report.Simulated, err = evaluate.Play(ctx, all, stage.Open, evaluate.Options{}); err != nil {
		return err
	}
	if report.Real, err = evaluate.Recordings(ctx, captures, evaluate.Options{}); err != nil {
		return err
	}
	written, err := report.Page(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	if err := os.WriteFile(page, []byte(written), 0o644); err != nil { //nolint:gosec // documentation is for everybody
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
