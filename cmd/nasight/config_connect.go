package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nasight/nasight/collectors/azurefiles"
	"github.com/nasight/nasight/collectors/azurenetapp"
	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/gcnv"
	"github.com/nasight/nasight/config"
)

// cloudTrial tries the way to one cloud that the configuration names.
type cloudTrial struct {
	name string
	try  func(ctx context.Context) (*connect.Section, error)
}

// cloudTrials are those of the clouds that the configuration names, in the order in which they are printed.
func cloudTrials(cfg *config.Config) []cloudTrial {
	var trials []cloudTrial
	if cfg.GCNV.Enabled() {
		trials = append(trials, cloudTrial{"Google Cloud NetApp Volumes", func(ctx context.Context) (*connect.Section, error) {
			return gcnv.Connect(ctx, cfg.GCNV, gcnvPrices(cfg), gcnv.Options{Agent: agentName()})
		}})
	}
	if cfg.AzureFiles.Enabled() {
		trials = append(trials, cloudTrial{"Azure Files", func(ctx context.Context) (*connect.Section, error) {
			return azurefiles.Connect(ctx, cfg.AzureFiles, azurefiles.Options{Agent: agentName()})
		}})
	}
	if cfg.AzureNetApp.Enabled() {
		trials = append(trials, cloudTrial{"Azure NetApp Files", func(ctx context.Context) (*connect.Section, error) {
			return azurenetapp.Connect(ctx, cfg.AzureNetApp, azurenetapp.Options{Agent: agentName()})
		}})
	}
	return trials
}

// connect tries the clouds and prints what came of it.
func (c *configCheckCommand) connect(ctx context.Context, cfg *config.Config, trials []cloudTrial, to streams) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	report := &connect.Report{File: c.File, Notes: cfg.Warnings()}
	for _, trial := range trials {
		if isTerminal(to.err) {
			fmt.Fprintf(to.err, "\rtrying %s, at most %s", trial.name, c.Timeout)
		}
		section, err := trial.try(ctx)
		if isTerminal(to.err) {
			fmt.Fprint(to.err, "\r\x1b[K")
		}
		if err != nil {
			return usageError("%s: %w", c.File, err)
		}
		report.Clouds = append(report.Clouds, section)
	}
	if err := c.printReport(report, to); err != nil {
		return err
	}
	if failed, tried := report.Tally(); failed > 0 {
		return collectError("%s: %d of %d checks failed", c.File, failed, tried)
	}
	return nil
}

func (c *configCheckCommand) printReport(report *connect.Report, to streams) error {
	if c.Format == "json" {
		return report.WriteJSON(to.out)
	}
	fmt.Fprintln(to.out)
	return report.Text(to.out)
}

// gcnvPrices are the configured prices that are about Google Cloud NetApp Volumes.
func gcnvPrices(cfg *config.Config) []gcnv.Price {
	var prices []gcnv.Price
	for _, row := range cfg.Detection.Prices {
		if strings.EqualFold(row.Cloud, gcnv.Cloud) && strings.EqualFold(row.Service, gcnv.Service) {
			prices = append(prices, gcnv.Price{
				Level: row.Level, Item: row.Item, Region: row.Region, USD: row.USD, Unit: row.Unit, Date: row.Date, Source: row.Source,
			})
		}
	}
	return prices
}

// The bounds of --timeout.
const (
	shortestTrial = time.Second
	longestTrial  = time.Hour
)
