package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/nasight/nasight/alerts"
)

// A table is made of one query for each of its numbers: merged by the labels that they share, named, and put in order.

// merged is how Grafana names the column of a query after merging.
func (p panel) merged(i int) string {
	if len(p.queries) == 1 {
		return "Value"
	}
	return "Value #" + refID(i)
}

func (p panel) transformations() []dashboard.DataTransformerConfig {
	if p.kind != table {
		return nil
	}
	order, names := map[string]int{}, map[string]string{}
	shown := func(field, title string) {
		order[field] = len(order)
		names[field] = title
	}
	for _, column := range p.columns {
		shown(column.label, column.title)
	}
	for i, q := range p.queries {
		shown(p.merged(i), q.legend)
	}
	hidden := map[string]bool{"Time": true}
	for _, label := range p.hidden() {
		hidden[label] = true
	}
	return []dashboard.DataTransformerConfig{
		{Id: "merge", Options: map[string]any{}},
		{Id: "organize", Options: map[string]any{"excludeByName": hidden, "indexByName": order, "renameByName": names}},
	}
}

// hidden are the labels of resources that the table does not show.
func (p panel) hidden() []string {
	var hidden []string
	for _, label := range []string{"cloud", "service", "project", "location", "pool", "volume", "host", "server", "export", "protocol", "detector", "variant"} {
		if !p.has(label) {
			hidden = append(hidden, label)
		}
	}
	return hidden
}

func (p panel) has(label string) bool {
	for _, column := range p.columns {
		if column.label == label {
			return true
		}
	}
	return false
}

// overrides give the columns their units and links.
func (p panel) overrides() []dashboard.DashboardFieldConfigSourceOverrides {
	overrides := []dashboard.DashboardFieldConfigSourceOverrides{}
	if p.kind != table {
		return overrides
	}
	add := func(title string, properties ...dashboard.DynamicConfigValue) {
		if len(properties) > 0 {
			overrides = append(overrides, dashboard.DashboardFieldConfigSourceOverrides{
				Matcher: dashboard.MatcherConfig{Id: "byName", Options: title}, Properties: properties,
			})
		}
	}
	for _, column := range p.columns {
		add(column.title, p.column(column)...)
	}
	for i, q := range p.queries {
		if q.unit != "" && q.unit != p.unit {
			add(q.legend, dashboard.DynamicConfigValue{Id: "unit", Value: q.unit})
		}
		if i == 0 && len(p.steps) > 0 {
			add(q.legend, dashboard.DynamicConfigValue{Id: "custom.cellOptions", Value: map[string]any{"type": "color-text"}})
		}
	}
	return overrides
}

func (p panel) column(c column) (properties []dashboard.DynamicConfigValue) {
	if c.names != nil {
		options := map[string]any{}
		for value, name := range c.names {
			options[value] = map[string]any{"text": name}
		}
		properties = append(properties, dashboard.DynamicConfigValue{Id: "mappings", Value: []any{map[string]any{"type": "value", "options": options}}})
	}
	link := func(title, url string) {
		properties = append(properties, dashboard.DynamicConfigValue{Id: "links", Value: []any{map[string]any{"title": title, "url": url}}})
	}
	switch {
	case c.runbook:
		link("Runbook", alerts.Runbooks+"/${__value.text}.md")
	case c.board != "":
		link("Open", p.way(c))
	}
	return properties
}

// way leads from a row to the dashboard of its resource.
func (p panel) way(c column) string {
	url := "/d/" + c.board + "?${datasource:queryparam}&${__url_time_range}&var-" + c.label + "=${__value.raw:percentencode}"
	above := map[string][]string{"volume": {"project", "pool"}, "pool": {"project"}}
	for _, label := range above[c.label] {
		if p.has(label) {
			url += "&var-" + label + "=${__data.fields." + label + ":percentencode}"
		}
	}
	return url
}
