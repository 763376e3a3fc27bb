package main

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"

	"github.com/nasight/nasight/schema"
)

// file is a dashboard as Grafana stores it. It has no id: the server that takes it in gives it one.
type file struct {
	ID *int64 `json:"id"`
	dashboard.Dashboard
}

// The schema of Grafana 11 and later reads this version as it stands.
const schemaVersion = 39

// source is the data source that is chosen above the panels.
func source() *common.DataSourceRef {
	return &common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}
}

func (b board) build() file {
	d := dashboard.Dashboard{ //nolint:staticcheck // Grafana 11 does not read the second version
		Uid: &b.uid, Title: &b.title, Description: &b.description, Tags: []string{"nasight"}, Timezone: new("browser"), Editable: new(true),
		GraphTooltip: new(dashboard.DashboardCursorSyncCrosshair), Time: &dashboard.DashboardDashboardTime{From: "now-6h", To: "now"},
		Refresh: new("1m"), SchemaVersion: schemaVersion, Links: b.links(),
		Templating:  dashboard.DashboardDashboardTemplating{List: b.choices()},
		Annotations: dashboard.AnnotationContainer{List: []dashboard.AnnotationQuery{b.annotation()}},
	}
	place := layout{}
	for _, section := range b.sections {
		d.Panels = append(d.Panels, dashboard.PanelOrRowPanel{RowPanel: place.header(section.title)})
		for _, p := range section.panels {
			built := p.build()
			built.Id, built.GridPos = new(place.next()), place.put(p.size())
			d.Panels = append(d.Panels, dashboard.PanelOrRowPanel{Panel: &built})
		}
	}
	return file{Dashboard: d}
}

// annotation marks on every chart of time when something began and ended to be found.
func (b board) annotation() dashboard.AnnotationQuery {
	const most = 50 // at each moment: more would hide the chart
	expr := top(most, maxBy("detector, variant, project, pool, volume, host, server", now(schema.FindingSeverity, b.findings))+" >= "+decimal(b.severity))
	return dashboard.AnnotationQuery{
		Name: "findings", Datasource: source(), Enable: true, IconColor: "orange", Expr: &expr, Step: new("60s"),
		TitleFormat: new("{{detector}}/{{variant}}"), TextFormat: new("{{project}} {{pool}} {{volume}} {{host}} {{server}}"), TagKeys: new("detector,variant"),
	}
}

// layout puts panels beside each other as long as there is room, then below.
type layout struct {
	x, y, height uint32
	id           uint32
}

const columnsOfGrid = 24

func (l *layout) next() uint32 {
	l.id++
	return l.id
}

func (l *layout) header(title string) *dashboard.RowPanel {
	return &dashboard.RowPanel{Type: "row", Title: &title, Id: l.next(), Panels: []dashboard.Panel{}, GridPos: l.put(columnsOfGrid, 1)}
}

func (l *layout) put(w, h uint32) *dashboard.GridPos {
	if l.x+w > columnsOfGrid {
		l.x, l.y, l.height = 0, l.y+l.height, 0
	}
	at := &dashboard.GridPos{X: l.x, Y: l.y, W: w, H: h}
	l.x, l.height = l.x+w, max(l.height, h)
	return at
}

func (p panel) size() (w, h uint32) {
	switch p.kind {
	case stat:
		return p.w, 4
	case table:
		return p.w, 10
	}
	return p.w, 8
}

func (p panel) build() dashboard.Panel {
	built := dashboard.Panel{
		Type: p.grafana(), Title: &p.title, Description: &p.description, Datasource: source(), Links: p.ways(),
		Options: p.options(), FieldConfig: p.fields(), Transformations: p.transformations(),
	}
	for i, q := range p.queries {
		built.Targets = append(built.Targets, p.target(q, refID(i)))
	}
	return built
}

// grafana is the panel's type as Grafana names it.
func (p panel) grafana() string {
	if p.kind == stack {
		return string(lines)
	}
	return string(p.kind)
}

func refID(i int) string { return string(rune('A' + i)) }

// target asks over time where time is shown, else for the present.
func (p panel) target(q query, id string) variants.Dataquery {
	t := prometheus.Dataquery{
		Datasource: source(), EditorMode: new(prometheus.QueryEditorModeCode), Expr: q.expr, RefId: &id, LegendFormat: &q.legend,
	}
	if step := slowest(q.expr); step > schema.HostGrain {
		t.Interval = new(prometheusDuration(step))
	}
	switch p.kind {
	case lines, stack:
		t.Range, t.Instant = new(true), new(false)
	case table:
		t.Format = new(prometheus.PromQueryFormatTable)
		fallthrough
	default:
		t.Range, t.Instant = new(false), new(true)
	}
	return t
}

var perStep = regexp.MustCompile(`(nasight_[a-z0-9_]+)(?:\{[^}]*\})?\[\$__rate_interval\]`)

// slowest is the longest grain of what a query reads step by step: with it as the least step, Grafana's rate interval holds
// four values of every family.
func slowest(expr string) time.Duration {
	longest := time.Duration(0)
	for _, use := range perStep.FindAllStringSubmatch(expr, -1) {
		i := slices.IndexFunc(schema.All(), func(f *schema.Family) bool { return f.Name == use[1] })
		if i >= 0 {
			longest = max(longest, schema.All()[i].Grain)
		}
	}
	return longest
}

func prometheusDuration(d time.Duration) string {
	if text, whole := strings.CutSuffix(d.String(), "m0s"); whole {
		return text + "m"
	}
	return d.String()
}
