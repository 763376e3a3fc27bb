package dashboards_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nasight/nasight/alerts"
	"github.com/nasight/nasight/dashboards"
)

// object is a part of a dashboard's JSON. Everything is read by the names in the file, so that what a Go type would leave out
// is seen too.
type object = map[string]any

func objects(value any) (list []object) {
	for _, one := range asList(value) {
		if o, ok := one.(object); ok {
			list = append(list, o)
		}
	}
	return list
}

func asList(value any) []any { list, _ := value.([]any); return list }

func in(value any, keys ...string) any {
	for _, key := range keys {
		o, _ := value.(object)
		value = o[key]
	}
	return value
}

func words(value any, keys ...string) string { text, _ := in(value, keys...).(string); return text }

func number(value any, keys ...string) int { n, _ := in(value, keys...).(float64); return int(n) }

// examined are the dashboards and the faults of them.
type examined struct {
	name   string
	whole  object
	faults []string
}

func (e *examined) fault(format string, args ...any) {
	e.faults = append(e.faults, e.name+": "+fmt.Sprintf(format, args...))
}

func parse(t *testing.T, file dashboards.File) *examined {
	t.Helper()
	e := &examined{name: file.Name}
	if err := json.Unmarshal(file.Data, &e.whole); err != nil {
		t.Fatalf("%s: %v", file.Name, err)
	}
	return e
}

// examine looks for what Grafana's own reading lets pass and shows wrong.
func (e *examined) examine(known references) []string {
	e.head()
	e.variables()
	e.panels()
	e.annotations()
	e.links(known)
	e.units("", e.whole)
	return e.faults
}

func (e *examined) head() {
	if id, there := e.whole["id"]; !there || id != nil {
		e.fault("id %v: another server's", id)
	}
	if _, there := e.whole["__inputs"]; there {
		e.fault("__inputs: what is provisioned cannot be asked for them")
	}
	if !regexp.MustCompile(`^nasight-[a-z]+$`).MatchString(words(e.whole, "uid")) || words(e.whole, "title") == "" || words(e.whole, "description") == "" {
		e.fault("uid %q, title %q or description %q", words(e.whole, "uid"), words(e.whole, "title"), words(e.whole, "description"))
	}
}

const chosenSource = "${datasource}"

func (e *examined) source(where string, of object) {
	if words(of, "datasource", "uid") != chosenSource || words(of, "datasource", "type") != "prometheus" {
		e.fault("%s: data source %v, not the chosen one", where, of["datasource"])
	}
}

func (e *examined) variables() {
	names := map[string]bool{}
	for i, v := range objects(in(e.whole, "templating", "list")) {
		name := words(v, "name")
		if names[name] || words(v, "label") == "" || words(v, "description") == "" {
			e.fault("variable %s: is there twice, or lacks a label or description", name)
		}
		names[name] = true
		switch kind := words(v, "type"); {
		case i == 0 && (name != "datasource" || kind != "datasource" || words(v, "query") != "prometheus"):
			e.fault("the first variable is not the data source")
		case kind == "query":
			e.source("variable "+name, v)
			if in(v, "includeAll") == true && words(v, "allValue") != ".*" {
				e.fault("variable %s: all of its values would be written out", name)
			}
		case kind != "datasource" && kind != "textbox":
			e.fault("variable %s: type %q", name, kind)
		}
	}
	text := fmt.Sprint(e.whole)
	for name := range names {
		if !regexp.MustCompile(`\$\{?` + name + `\b`).MatchString(text) {
			e.fault("variable %s is not used", name)
		}
	}
	for _, use := range regexp.MustCompile(`\$\{?([a-z_]+)`).FindAllStringSubmatch(text, -1) {
		if !names[use[1]] && !strings.HasPrefix(use[1], "__") {
			e.fault("no variable $%s", use[1])
		}
	}
}

// types are the panels that are used, all of them Grafana's own.
func types() []string { return []string{"row", "stat", "timeseries", "bargauge", "table"} }

// targetKeys are what a query of a Prometheus data source has.
func targetKeys() []string {
	return []string{"datasource", "editorMode", "expr", "format", "instant", "range", "interval", "legendFormat", "refId"}
}

func (e *examined) panels() {
	titles, ids := map[string]bool{}, map[int]bool{}
	section := ""
	for _, p := range objects(e.whole["panels"]) {
		title, kind := words(p, "title"), words(p, "type")
		if !slices.Contains(types(), kind) {
			e.fault("panel %s: type %q", title, kind)
		}
		if id := number(p, "id"); id <= 0 || ids[id] {
			e.fault("panel %s: id %d", title, id)
		}
		ids[number(p, "id")] = true
		if kind == "row" {
			section = title
			continue
		}
		if title == "" || words(p, "description") == "" || titles[section+title] || !strings.HasSuffix(strings.TrimSpace(words(p, "description")), ".") {
			e.fault("panel %q: has no title of its own, or no description", title)
		}
		titles[section+title] = true
		e.source("panel "+title, p)
		e.targets(title, p)
	}
	e.grid()
}

func (e *examined) targets(title string, p object) {
	letters := map[string]bool{}
	targets := objects(p["targets"])
	if len(targets) == 0 {
		e.fault("panel %s asks nothing", title)
	}
	for _, t := range targets {
		for key := range t {
			if !slices.Contains(targetKeys(), key) {
				e.fault("panel %s: a query has %q", title, key)
			}
		}
		e.source("panel "+title, t)
		if letter := words(t, "refId"); letter == "" || letters[letter] {
			e.fault("panel %s: query %q is there twice", title, letter)
		}
		letters[words(t, "refId")] = true
		over := words(p, "type") == "timeseries"
		if in(t, "range") != over || in(t, "instant") == over {
			e.fault("panel %s: asks over time %v, for a moment %v", title, t["range"], t["instant"])
		}
		if expr := words(t, "expr"); !over && strings.Contains(expr, "$__rate_interval") {
			e.fault("panel %s: one moment has no steps: %s", title, expr)
		}
	}
}

func (e *examined) grid() {
	taken := map[[2]int]string{}
	for _, p := range objects(e.whole["panels"]) {
		title := words(p, "title")
		x, y, w, h := number(p, "gridPos", "x"), number(p, "gridPos", "y"), number(p, "gridPos", "w"), number(p, "gridPos", "h")
		if x < 0 || y < 0 || w <= 0 || h <= 0 || x+w > 24 {
			e.fault("panel %s: at %d,%d, %d wide and %d high", title, x, y, w, h)
			continue
		}
		for column := x; column < x+w; column++ {
			for line := y; line < y+h; line++ {
				if other, ok := taken[[2]int{column, line}]; ok {
					e.fault("panels %s and %s lie on each other", title, other)
				}
				taken[[2]int{column, line}] = title
			}
		}
	}
}

func (e *examined) annotations() {
	list := objects(in(e.whole, "annotations", "list"))
	if len(list) == 0 {
		e.fault("no annotations")
	}
	for _, a := range list {
		e.source("annotation "+words(a, "name"), a)
		if words(a, "expr") == "" || words(a, "titleFormat") == "" || in(a, "enable") != true {
			e.fault("annotation %s has no expression or title, or is off", words(a, "name"))
		}
	}
}

// unitIDs are Grafana's ids of the units that are used.
func unitIDs() []string {
	return []string{"binBps", "bytes", "ops", "s", "percentunit", "currencyUSD", "short"}
}

// units looks at every unit wherever it stands: of panels, and of columns of tables.
func (e *examined) units(where string, value any) {
	switch v := value.(type) {
	case object:
		unit, there := v["unit"]
		if words(v, "id") == "unit" {
			unit, there = v["value"], true
		}
		if text, _ := unit.(string); there && !slices.Contains(unitIDs(), text) {
			e.fault("%s: unit %v", where, unit)
		}
		for key, one := range v {
			e.units(where+"."+key, one)
		}
	case []any:
		for _, one := range v {
			e.units(where, one)
		}
	}
}

// references are what links may lead to.
type references struct {
	boards   []string // uids
	runbooks []string // names of alerts
}

func known(t *testing.T) references {
	t.Helper()
	var r references
	pages, err := filepath.Glob("../docs/runbooks/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("runbooks: %d, %v", len(pages), err)
	}
	for _, page := range pages {
		r.runbooks = append(r.runbooks, strings.TrimSuffix(filepath.Base(page), ".md"))
	}
	files, err := dashboards.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		r.boards = append(r.boards, words(parse(t, file).whole, "uid"))
	}
	return r
}

// links follows every address in the dashboard, wherever it stands, and the names that make addresses of runbooks.
func (e *examined) links(known references) {
	e.follow(known, e.whole)
	if len(objects(e.whole["links"])) < 3 {
		e.fault("has no links to the other dashboards, nasight's page and the runbooks")
	}
}

func (e *examined) follow(known references, value any) {
	switch v := value.(type) {
	case object:
		if url, ok := v["url"].(string); ok && url != "" {
			e.address(known, url)
		}
		if words(v, "id") == "mappings" {
			e.mappings(known, v["value"])
		}
		for _, one := range v {
			e.follow(known, one)
		}
	case []any:
		for _, one := range v {
			e.follow(known, one)
		}
	}
}

func (e *examined) address(known references, url string) {
	if uid, found := strings.CutPrefix(url, "/d/"); found {
		if uid, _, _ = strings.Cut(uid, "?"); !slices.Contains(known.boards, uid) {
			e.fault("link to %s: no such dashboard", url)
		}
		return
	}
	rest, found := strings.CutPrefix(url, alerts.Runbooks)
	name := strings.TrimSuffix(strings.TrimPrefix(rest, "/"), ".md")
	switch {
	case found && (rest == "" || name == "${__value.text}" || slices.Contains(known.runbooks, name)), url == "${nasight}/":
	default:
		e.fault("link to %s: leads to no dashboard, no runbook and not to nasight's page", url)
	}
}

// mappings make a finding's name that of its runbook, which the link then leads to.
func (e *examined) mappings(known references, value any) {
	for _, mapping := range objects(value) {
		options, _ := mapping["options"].(object)
		for _, finding := range alerts.Findings() {
			if name := words(options, finding.String(), "text"); !slices.Contains(known.runbooks, name) {
				e.fault("%s: no runbook %q", finding.Name, name)
			}
		}
	}
}

func TestDashboardsAreInOrder(t *testing.T) {
	files, err := dashboards.Files()
	if err != nil || len(files) != 7 {
		t.Fatalf("%d dashboards, %v", len(files), err)
	}
	uids, references := map[string]bool{}, known(t)
	for _, file := range files {
		e := parse(t, file)
		for _, fault := range e.examine(references) {
			t.Error(fault)
		}
		if uid := words(e.whole, "uid"); uids[uid] {
			t.Errorf("%s: another dashboard has the uid %s", file.Name, uid)
		}
		uids[words(e.whole, "uid")] = true
	}
}

// Guards the test above: each fault is found.
func TestFaultsAreFound(t *testing.T) {
	file, err := os.ReadFile("fleet.json")
	if err != nil {
		t.Fatal(err)
	}
	first := func(o object) object { return objects(o["panels"])[1] }
	for name, spoil := range map[string]func(object){
		"id":                func(o object) { o["id"] = 3.0 },
		"inputs":            func(o object) { o["__inputs"] = []any{} },
		"uid":               func(o object) { o["uid"] = "" },
		"panel's type":      func(o object) { first(o)["type"] = "graph" },
		"width":             func(o object) { first(o)["gridPos"] = object{"x": 0.0, "y": 1.0, "w": 99.0, "h": 4.0} },
		"overlap":           func(o object) { first(o)["gridPos"] = objects(o["panels"])[2]["gridPos"] },
		"unit":              func(o object) { in(first(o), "fieldConfig", "defaults").(object)["unit"] = "furlongs" },
		"title":             func(o object) { first(o)["title"] = "" },
		"description":       func(o object) { first(o)["description"] = "" },
		"data source":       func(o object) { first(o)["datasource"] = object{"type": "prometheus", "uid": "abc"} },
		"no data source":    func(o object) { delete(objects(first(o)["targets"])[0], "datasource") },
		"key of a query":    func(o object) { objects(first(o)["targets"])[0]["exprs"] = "1" },
		"variable":          func(o object) { objects(first(o)["targets"])[0]["expr"] = "up{job=\"$job\"}" },
		"link":              func(o object) { objects(o["links"])[0]["url"] = "/d/nowhere" },
		"runbook":           func(o object) { objects(o["links"])[0]["url"] = alerts.Runbooks + "/Nothing.md" },
		"annotation":        func(o object) { objects(in(o, "annotations", "list"))[0]["expr"] = "" },
		"steps at a moment": func(o object) { objects(first(o)["targets"])[0]["expr"] = "rate(x[$__rate_interval])" },
		"all written out":   func(o object) { delete(objects(in(o, "templating", "list"))[1], "allValue") },
	} {
		e := parse(t, dashboards.File{Name: name, Data: file})
		spoil(e.whole)
		if len(e.examine(known(t))) == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}
