package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/nasight/nasight/dashboards"
)

// dashboardsCommands write what a Grafana of one's own needs.
type dashboardsCommands struct {
	Export dashboardsExportCommand `cmd:"" help:"Write the Grafana dashboards."`
}

type dashboardsExportCommand struct {
	Datasource *string `placeholder:"NAME" help:"Name or uid of the Prometheus data source that is chosen at first; without it, Grafana's default."`
	Page       string  `placeholder:"URL" help:"Where nasight's own page is, for the links to it; without it, http://127.0.0.1:9877."`
	Out        string  `required:"" placeholder:"DIR" help:"Directory to write the files to."`
}

// Help shows examples below the flags.
func (dashboardsExportCommand) Help() string {
	return `Examples:
  nasight dashboards export --out=/var/lib/grafana/dashboards/nasight
  nasight dashboards export --datasource=Prometheus --page=https://nasight.example.com --out=dashboards

The data source can be changed above the panels of each dashboard. Files in the directory that are not nasight's dashboards
are left as they are.`
}

// Run writes the dashboards and tells which.
func (c *dashboardsExportCommand) Run(_ context.Context, to streams) error {
	page := strings.TrimRight(c.Page, "/")
	if address, err := url.Parse(page); page != "" && (err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https") {
		return usageError("--page=%s: not the URL of a page, such as https://nasight.example.com", c.Page)
	}
	options := dashboards.Options{Page: page}
	if c.Datasource != nil {
		options.Source = *c.Datasource
		if strings.TrimSpace(options.Source) == "" || strings.ContainsAny(options.Source, "${}\n") {
			return usageError("--datasource=%q: not the name of a data source; leave the flag out for Grafana's default", options.Source)
		}
	}
	files, err := dashboards.For(options)
	if err != nil {
		return err
	}
	if err := dashboards.Write(c.Out, files); err != nil {
		return collectError("--out=%s: %w; name a directory that this user can write to", c.Out, err)
	}
	for _, file := range files {
		fmt.Fprintln(to.out, file.Name)
	}
	return nil
}
