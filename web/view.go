package web

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/diagnose"
	"github.com/nasight/nasight/fleet"
)

// view is the page's data as the template walks it.
type view struct {
	Page
	Hosts  int
	Mounts []mountRow
	Failed int // collectors whose last run failed
}

// mountRow is one line of the table of mounts.
type mountRow struct {
	*fleet.Mount
	Sessions fleet.Value
	State    string
	Binding  string   // the step of the ladder that binds the mount; empty where nothing does
	Findings []string // ids of the findings on the mount's path that are true now
}

// Drawing is the chart of a finding; nil for none.
func (v view) Drawing(id string) *drawing {
	if chart, ok := v.Charts[id]; ok {
		return chart.draw()
	}
	return nil
}

// Silence says why nobody is notified of a finding.
func (v view) Silence(reason string) string {
	switch reason {
	case detectors.QuietExplained:
		return "Nobody is notified of it: another finding names the cause."
	case detectors.QuietRationed:
		return "Nobody is notified of it: there were as many notifications of anomalies as there may be in a day."
	}
	return ""
}

func newView(page Page) view {
	v := view{Page: page}
	for _, collector := range page.Collectors {
		if collector.Ran && !collector.Success {
			v.Failed++
		}
	}
	if page.Fleet == nil {
		return v
	}
	v.Hosts = len(page.Fleet.Clients)
	for _, client := range page.Fleet.Clients {
		for _, endpoint := range client.Endpoints {
			for _, mount := range endpoint.Mounts {
				v.Mounts = append(v.Mounts, page.row(mount, endpoint, client))
			}
		}
	}
	slices.SortStableFunc(v.Mounts, func(a, b mountRow) int {
		return cmp.Or(strings.Compare(a.Host, b.Host), strings.Compare(a.Server, b.Server), strings.Compare(a.Export, b.Export))
	})
	return v
}

func (p Page) row(mount *fleet.Mount, endpoint *fleet.Endpoint, client *fleet.Client) mountRow {
	open := slices.DeleteFunc(slices.Clone(p.Findings), func(f detectors.Finding) bool { return f.State == detectors.Resolved })
	state, path := diagnose.Standing(mount, endpoint, client, open, p.Settings)
	row := mountRow{Mount: mount, Sessions: diagnose.SessionsOf(mount, endpoint), State: state, Binding: diagnose.StepFor(mount.Protocol, diagnose.BindingStep(path))}
	for _, finding := range path {
		row.Findings = append(row.Findings, finding.ID)
	}
	return row
}
