package azure

import (
	"fmt"
	"strings"
)

// named is one column that a query makes.
type named struct {
	name  string
	value expression
}

// list reads NAME = EXPRESSION, …; a column may stand for itself.
func (x *expressions) list() (all []named, err error) {
	for {
		name, err := x.some()
		if err != nil {
			return nil, err
		}
		one := named{name: name}
		if x.peek() == "=" {
			_, _ = x.next()
			one.value, err = x.value()
		} else {
			one.value, err = (&expressions{name, x.columns}).value()
		}
		if err != nil {
			return nil, err
		}
		all = append(all, one)
		switch next := x.peek(); next {
		case ",":
			_, _ = x.next()
		case "":
			return all, x.end()
		default:
			return nil, fmt.Errorf("%q after %q cannot be read", next, name)
		}
	}
}

// extend adds columns that follow from others.
func (q *logQuery) extend(text string) error {
	x := &expressions{text, q.columns}
	added, err := x.list()
	if err != nil {
		return err
	}
	for _, one := range added {
		q.columns = append(q.columns[:len(q.columns):len(q.columns)], column{one.name, "dynamic"})
	}
	columns := q.columns
	q.steps = append(q.steps, func(t *table) {
		for i, row := range t.Rows {
			values := row[: len(row)-1 : len(row)-1]
			for _, one := range added {
				values = append(values, one.value(row))
			}
			t.Rows[i] = append(values, row[len(row)-1])
		}
		t.Columns = columns
	})
	return nil
}

// aggregate is one column of a summary: of what, of which rows, and how they come together.
type aggregate struct {
	name, function string
	value, which   expression // nil where the function has none
}

// aggregates reads NAME = FUNCTION(EXPRESSION), … up to the word by.
func (x *expressions) aggregates() (all []aggregate, err error) {
	for {
		one := aggregate{}
		if one.name, err = x.some(); err != nil {
			return nil, err
		}
		if err := x.expect("="); err != nil {
			return nil, fmt.Errorf("%s without a name of its own is not part of the emulator", one.name)
		}
		if one.function, err = x.next(); err != nil {
			return nil, err
		}
		arguments, err := x.arguments()
		if err != nil {
			return nil, err
		}
		shape, known := map[string]string{"count": "", "countif": "w", "sum": "v", "sumif": "vw", "max": "v", "dcount": "v", "dcountif": "vw"}[one.function]
		if !known || len(shape) != len(arguments) {
			return nil, fmt.Errorf("%s with %d arguments is not part of the emulator", one.function, len(arguments))
		}
		for i, what := range shape {
			if what == 'v' {
				one.value = arguments[i]
			} else {
				one.which = arguments[i]
			}
		}
		all = append(all, one)
		if x.peek() != "," {
			return all, x.expect("by")
		}
		_, _ = x.next()
	}
}

// group is the rows that a summary makes one of.
type group struct {
	keys   []any
	values []float64
	seen   []map[string]bool
}

// summarize makes one row of all that agree in some columns. A row of the table stands for as many operations as its weight says.
func (q *logQuery) summarize(text string) error {
	x := &expressions{text, q.columns}
	aggregates, err := x.aggregates()
	if err != nil {
		return err
	}
	by, err := x.list()
	if err != nil {
		return err
	}
	columns := make([]column, 0, len(by)+len(aggregates))
	for _, one := range by {
		columns = append(columns, column{one.name, "string"})
	}
	for _, one := range aggregates {
		columns = append(columns, column{one.name, "real"})
	}
	q.columns = columns
	q.steps = append(q.steps, func(t *table) {
		t.Rows, t.Columns = summary(t.Rows, by, aggregates), columns
	})
	return nil
}

func summary(rows [][]any, by []named, aggregates []aggregate) [][]any {
	groups, order := map[string]*group{}, []*group{}
	for _, row := range rows {
		keys := make([]any, len(by))
		for i, one := range by {
			keys[i] = one.value(row)
		}
		id := fmt.Sprintf("%q", keys)
		g := groups[id]
		if g == nil {
			g = &group{keys, make([]float64, len(aggregates)), make([]map[string]bool, len(aggregates))}
			groups[id], order = g, append(order, g)
		}
		for i, one := range aggregates {
			g.add(i, one, row)
		}
	}
	out := make([][]any, len(order))
	for i, g := range order {
		out[i] = g.keys
		for j, one := range aggregates {
			value := g.values[j]
			if strings.HasPrefix(one.function, "dcount") {
				value = float64(len(g.seen[j]))
			}
			out[i] = append(out[i], value)
		}
		out[i] = append(out[i], 1.0)
	}
	return out
}

func (g *group) add(i int, one aggregate, row []any) {
	if one.which != nil && one.which(row) != true {
		return
	}
	weight := numberOf(row[len(row)-1])
	switch one.function {
	case "count", "countif":
		g.values[i] += weight
	case "sum", "sumif":
		g.values[i] += weight * numberOf(one.value(row))
	case "max":
		g.values[i] = max(g.values[i], numberOf(one.value(row)))
	default:
		if g.seen[i] == nil {
			g.seen[i] = map[string]bool{}
		}
		g.seen[i][fmt.Sprint(one.value(row))] = true
	}
}
