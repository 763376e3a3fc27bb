// Package dashtest walks over the queries of dashboards and runs them as Grafana would, against whatever speaks Prometheus's
// HTTP API: nasight itself, or a Prometheus that scrapes it.
package dashtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"github.com/nasight/nasight/dashboards"
)

// Query is one query of a dashboard as it stands there, with its variables.
type Query struct {
	Board  string        // uid of the dashboard
	Where  string        // section and panel with the query's letter, or what else asks
	Panel  string        // type of the panel; empty elsewhere
	Expr   string        // PromQL
	Legend string        // words of its lines, with labels in double braces
	Range  bool          // asked over time, else for one moment
	Least  time.Duration // shortest step; 0: the scrape interval
}

// Name is unique among all dashboards.
func (q Query) Name() string { return q.Board + ": " + q.Where }

// Variable is a choice above the panels that is made of a label's values.
type Variable struct {
	Name     string
	Selector string // of the series that have the label, with variables that come before
	Label    string
	All      string // what stands for all of its values; empty: there is one at a time
}

// Board is what of a dashboard asks for data.
type Board struct {
	UID       string
	Queries   []Query // of panels and annotations
	Variables []Variable
}

// document is what is read of a dashboard's JSON.
type document struct {
	UID        string
	Panels     []panel
	Templating struct {
		List []struct {
			Type, Name, AllValue string
			IncludeAll           bool
			Query                json.RawMessage
		}
	}
	Annotations struct {
		List []struct{ Name, Expr, Step string }
	}
}

type panel struct {
	Type, Title string
	Panels      []panel // of a row that is closed
	Targets     []struct {
		RefID, Expr, LegendFormat, Interval string
		Range                               bool
	}
}

// Walk reads a dashboard. Every query of every panel, in rows or not, is in the result, and every query of a variable and an
// annotation.
func Walk(data []byte) (*Board, error) {
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("read a dashboard: %w", err)
	}
	board := &Board{UID: d.UID}
	if err := board.panels("", d.Panels); err != nil {
		return nil, err
	}
	for _, a := range d.Annotations.List {
		q := Query{Board: d.UID, Where: "annotation " + a.Name, Expr: a.Expr, Range: true}
		if err := q.least(a.Step); err != nil {
			return nil, err
		}
		board.Queries = append(board.Queries, q)
	}
	for _, v := range d.Templating.List {
		if v.Type != "query" {
			continue
		}
		var query struct{ Query string }
		if err := json.Unmarshal(v.Query, &query); err != nil {
			return nil, fmt.Errorf("variable %s: %w", v.Name, err)
		}
		variable := Variable{Name: v.Name}
		if v.IncludeAll {
			variable.All = v.AllValue
		}
		if err := variable.parse(query.Query); err != nil {
			return nil, err
		}
		board.Variables = append(board.Variables, variable)
	}
	return board, nil
}

func (b *Board) panels(section string, list []panel) error {
	for _, p := range list {
		if p.Type == "row" {
			section = p.Title + " / "
			if err := b.panels(section, p.Panels); err != nil {
				return err
			}
			continue
		}
		for _, t := range p.Targets {
			q := Query{
				Board: b.UID, Where: section + p.Title + " " + t.RefID, Panel: p.Type, Expr: t.Expr, Legend: t.LegendFormat, Range: t.Range,
			}
			if err := q.least(t.Interval); err != nil {
				return err
			}
			b.Queries = append(b.Queries, q)
		}
	}
	return nil
}

func (q *Query) least(step string) error {
	if step == "" {
		return nil
	}
	d, err := time.ParseDuration(step)
	if err != nil {
		return fmt.Errorf("%s: step %q: %w", q.Name(), step, err)
	}
	q.Least = d
	return nil
}

var labelValues = regexp.MustCompile(`^label_values\((.*), *([a-zA-Z_]+)\)$`)

func (v *Variable) parse(query string) error {
	parts := labelValues.FindStringSubmatch(query)
	if parts == nil {
		return fmt.Errorf("variable %s: %q is not label_values(SELECTOR, LABEL)", v.Name, query)
	}
	v.Selector, v.Label = parts[1], parts[2]
	return nil
}

// Walked are the dashboards that the repository holds.
func Walked() ([]*Board, error) {
	files, err := dashboards.Files()
	if err != nil {
		return nil, err
	}
	boards := make([]*Board, 0, len(files))
	for _, file := range files {
		board, err := Walk(file.Data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name, err)
		}
		boards = append(boards, board)
	}
	return boards, nil
}
