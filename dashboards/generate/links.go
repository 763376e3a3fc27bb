package main

import (
	"slices"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/nasight/nasight/alerts"
)

// page is where nasight's own page is unless it is said above the panels.
const page = "http://127.0.0.1:9877"

// links are those of the whole dashboard: to the others, to nasight's page, to the runbooks.
func (b board) links() []dashboard.DashboardLink {
	return []dashboard.DashboardLink{
		{
			Title: "nasight", Type: dashboard.DashboardLinkTypeDashboards, Icon: "external link", Tooltip: "The other dashboards of nasight",
			Tags: []string{"nasight"}, AsDropdown: true, IncludeVars: true, KeepTime: true, Url: new(""),
		},
		{Title: "Page", Type: dashboard.DashboardLinkTypeLink, Icon: "info", Tooltip: "nasight's own page: mounts with their ladder, findings with evidence and commands", Tags: []string{}, TargetBlank: true, Url: new("${nasight}/")},
		{Title: "Runbooks", Type: dashboard.DashboardLinkTypeLink, Icon: "doc", Tooltip: "What each finding means and what to do", Tags: []string{}, TargetBlank: true, Url: new(alerts.Runbooks)},
	}
}

// ways are a panel's links.
func (p panel) ways() (links []dashboard.DashboardLink) {
	for _, alert := range p.runbooks {
		links = append(links, dashboard.DashboardLink{
			Title: "Runbook " + alert, Type: dashboard.DashboardLinkTypeLink, Tags: []string{}, TargetBlank: true, Url: new(alerts.Runbooks + "/" + alert + ".md"),
		})
	}
	all := boards()
	for _, uid := range p.links {
		i := slices.IndexFunc(all, func(b board) bool { return b.uid == uid })
		links = append(links, dashboard.DashboardLink{
			Title: all[i].title, Type: dashboard.DashboardLinkTypeLink, Tags: []string{}, Url: new("/d/" + uid + "?${__all_variables}&${__url_time_range}"),
		})
	}
	return links
}

// choices are the variables: the data source, the board's own, and where nasight's page is.
func (b board) choices() []dashboard.VariableModel {
	list := []dashboard.VariableModel{{
		Type: dashboard.VariableTypeDatasource, Name: "datasource", Label: new("data source"), Query: text("prometheus"),
		Description: new("A Prometheus that scrapes nasight, or nasight itself."), Multi: new(false), IncludeAll: new(false),
		Refresh: new(dashboard.VariableRefreshOnDashboardLoad), Regex: new(""), Options: []dashboard.VariableOption{},
	}}
	for _, v := range b.variables {
		list = append(list, v.build())
	}
	return append(list, dashboard.VariableModel{
		Type: dashboard.VariableTypeTextbox, Name: "nasight", Label: new("nasight's page"), Query: text(page), Description: new("Where the link to nasight's own page leads."),
		Current: option(page, page), Options: []dashboard.VariableOption{},
	})
}

func text(s string) *dashboard.StringOrMap { return &dashboard.StringOrMap{String: &s} }

func option(shown, value string) *dashboard.VariableOption {
	return &dashboard.VariableOption{
		Selected: new(true), Text: dashboard.StringOrArrayOfString{String: &shown}, Value: dashboard.StringOrArrayOfString{String: &value},
	}
}

func (v variable) build() dashboard.VariableModel {
	query := v.query()
	built := dashboard.VariableModel{
		Type: dashboard.VariableTypeQuery, Name: v.label, Label: &v.title, Description: &v.description, Datasource: source(),
		Query: &dashboard.StringOrMap{Map: map[string]any{"query": query, "refId": "variable"}}, Definition: &query,
		Refresh: new(dashboard.VariableRefreshOnTimeRangeChanged), Sort: new(dashboard.VariableSortAlphabeticalAsc), Regex: new(""),
		Multi: new(!v.single), IncludeAll: new(!v.single), Options: []dashboard.VariableOption{},
	}
	if !v.single { // without a value for all, Grafana would write out thousands of names
		built.AllValue = new(".*")
		built.Current = &dashboard.VariableOption{
			Selected: new(true), Text: dashboard.StringOrArrayOfString{ArrayOfString: []string{"All"}}, Value: dashboard.StringOrArrayOfString{ArrayOfString: []string{"$__all"}},
		}
	}
	return built
}

// query asks for the values of the label: by the families that every resource of the kind always has.
func (v variable) query() string {
	if len(v.from) == 1 {
		return "label_values(" + v.from[0].Name + "{" + v.matchers + "}, " + v.label + ")"
	}
	families := make([]string, 0, len(v.from))
	for _, family := range v.from {
		families = append(families, family.Name)
	}
	return "label_values({" + strings.Trim(`__name__=~"`+strings.Join(families, "|")+`",`+v.matchers, ",") + "}, " + v.label + ")"
}
