// Package example makes the weekly report of a fixed fortnight of the fleet of nasight demo. It is what docs/examples shows.
package example

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/demo"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/report"
	"github.com/nasight/nasight/report/internal/fortnight"
)

// Week is the one that is reported, by which the fortnight ends.
func Week() report.Week { return report.Week{Year: 2026, Number: 48} }

// live is how long hosts are read and everything is judged each minute: the rule that takes longest needs 21 of them.
const live = 32 * time.Minute

// Weekly plays the fortnight and makes the report, by the prices of a configuration. The directory is for its history.
func Weekly(ctx context.Context, directory string, cfg config.Config) (_ *report.Weekly, err error) {
	fleet, err := demo.Fleet()
	if err != nil {
		return nil, err
	}
	if err := fleet.Complete(); err != nil {
		return nil, fmt.Errorf("the fleet of nasight demo: %w", err)
	}
	terms := judge.Configured(cfg)
	terms.Cloud = true
	kept, err := fortnight.Play(ctx, fortnight.Options{Directory: directory, Fleet: fleet, End: Week().To(), Live: live, Terms: terms})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	return report.Build(ctx, kept, report.Options{
		Week: Week(), Terms: terms, Now: Week().To().Add(time.Hour), History: "the simulated fortnight of an example", Simulated: demo.Notice,
	})
}
