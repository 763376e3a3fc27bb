package main

import (
	"fmt"
	"strings"

	"github.com/nasight/nasight/alerts"
	"github.com/nasight/nasight/schema"
)

// Columns and panels that several dashboards have.

func resourceColumns(labels ...string) []column {
	boards := map[string]string{"pool": uidPools, "volume": uidVolume, "host": uidNFS}
	var columns []column
	for _, label := range labels {
		columns = append(columns, column{label: label, title: label, board: boards[label]})
	}
	return columns
}

// runbookNames are the runbooks of the findings, as the column that joins detector and variant has them.
func runbookNames() map[string]string {
	names := map[string]string{}
	for _, finding := range alerts.Findings() {
		names[finding.String()] = finding.Alert()
	}
	return names
}

// mostFindings are listed at most, the most severe first.
const mostFindings = 200

// findingsTable lists what fires, with the way to what to do about it, and those of a finding's numbers that there are.
func findingsTable(matchers, description string, numbers ...*schema.Family) panel {
	labels := strings.Join(schema.FindingActive.Labels, ", ")
	worst := top(mostFindings, now(schema.FindingSeverity, matchers))
	listed := func(f *schema.Family) string { return named(among(now(f, matchers), labels, worst)) }
	p := panel{
		kind: table, title: "Findings", w: 24, unit: number, description: description,
		columns: append([]column{{label: "finding", title: "finding", names: runbookNames(), runbook: true}},
			resourceColumns("project", "location", "pool", "volume", "host", "server", "export")...),
		queries: []query{
			{named(worst), "severity", number},
			{listed(schema.FindingConfidence), "confidence", ratio},
		},
		steps: severe(), none: "nothing",
	}
	for _, number := range numbers {
		q := query{listed(number), "gain", bytesRate}
		if number == schema.FindingWaste {
			q = query{listed(number), "waste a month", usd}
		}
		p.queries = append(p.queries, q)
	}
	return p
}

// named joins detector and variant to the name that a finding has everywhere.
func named(expr string) string {
	return fmt.Sprintf(`label_join(%s, "finding", "/", "detector", "variant")`, expr)
}

// findingCount is how many fire at a severity.
func findingCount(title, matchers string, severity int, color string) panel {
	return panel{
		kind: stat, title: title, w: 4, unit: number, steps: []step{{1, color}},
		description: fmt.Sprintf("Findings of this severity that fire now, hints included. A resource may have several, of which one blocks the others. Severity %d.", severity),
		queries:     []query{{expr: orNone(fmt.Sprintf("count(%s == %d)", now(schema.FindingSeverity, matchers), severity)), legend: title}},
	}
}

// Variables.

func chooseProject(families ...*schema.Family) variable {
	return variable{label: "project", title: "project", from: families, description: "Projects of Google Cloud and subscriptions of Azure."}
}

func choosePool(families ...*schema.Family) variable {
	return variable{label: "pool", title: "pool or account", from: families, matchers: `project=~"$project"`, description: "Storage pools, and storage accounts of Azure Files."}
}

func chooseHost(families ...*schema.Family) variable {
	return variable{label: "host", title: "host", from: families, description: "Clients that nasight reads, or whose agents write to it."}
}

func chooseServer(families ...*schema.Family) variable {
	return variable{label: "server", title: "server", from: families, matchers: inHosts, description: "Server addresses as the clients see them."}
}
