package azure

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// expression is a part of a log query that has a value for each row.
type expression func(row []any) any

// tokens of Kusto's language, as far as the emulator reads it: verbatim and plain texts, times, numbers, words, signs.
var tokenPattern = regexp.MustCompile(`^\s*(@"[^"]*"|"(?:[^"\\]|\\.)*"|\d+[smhd]\b|\d+(?:\.\d+)?|\w+|==|!=|[(),+=])`)

// expressions reads from a text; columns are those that it may name.
type expressions struct {
	rest    string
	columns []column
}

// next takes the next token; empty at the end.
func (x *expressions) next() (string, error) {
	found := tokenPattern.FindStringSubmatch(x.rest)
	if found == nil {
		if rest := strings.TrimSpace(x.rest); rest != "" {
			return "", fmt.Errorf("%q cannot be read", rest)
		}
		return "", nil
	}
	x.rest = x.rest[len(found[0]):]
	return found[1], nil
}

// some takes the next token, of which there has to be one.
func (x *expressions) some() (string, error) {
	token, err := x.next()
	if err == nil && token == "" {
		err = errors.New("the query ends where a name or a value is expected")
	}
	return token, err
}

func (x *expressions) peek() string {
	found := tokenPattern.FindStringSubmatch(x.rest)
	if found == nil {
		return ""
	}
	return found[1]
}

func (x *expressions) expect(token string) error {
	got, err := x.next()
	if err == nil && got != token {
		err = fmt.Errorf("%q where %q is expected", got, token)
	}
	return err
}

// end says what is left that cannot be read.
func (x *expressions) end() error {
	_, err := x.next()
	return err
}

// value reads sums and comparisons of them.
func (x *expressions) value() (expression, error) {
	left, err := x.sum()
	if err != nil {
		return nil, err
	}
	switch operator := x.peek(); operator {
	case "==", "!=":
		_, _ = x.next()
		right, err := x.sum()
		if err != nil {
			return nil, err
		}
		return func(row []any) any { return (fmt.Sprint(left(row)) == fmt.Sprint(right(row))) == (operator == "==") }, nil
	case "in":
		_, _ = x.next()
		list, err := x.arguments()
		if err != nil {
			return nil, err
		}
		return func(row []any) any {
			value := fmt.Sprint(left(row))
			return slices.ContainsFunc(list, func(one expression) bool { return fmt.Sprint(one(row)) == value })
		}, nil
	}
	return left, nil
}

func (x *expressions) sum() (expression, error) {
	left, err := x.primary()
	for err == nil && x.peek() == "+" {
		_, _ = x.next()
		before := left
		var right expression
		if right, err = x.primary(); err == nil {
			left = func(row []any) any { return numberOf(before(row)) + numberOf(right(row)) }
		}
	}
	return left, err
}

func (x *expressions) primary() (expression, error) {
	token, err := x.some()
	if err != nil {
		return nil, err
	}
	constant := func(value any) (expression, error) { return func([]any) any { return value }, nil }
	switch {
	case strings.HasPrefix(token, "@"):
		return constant(token[2 : len(token)-1])
	case strings.HasPrefix(token, `"`):
		text, err := strconv.Unquote(token)
		if err != nil {
			return nil, fmt.Errorf("text %s cannot be read", token)
		}
		return constant(text)
	case token[0] >= '0' && token[0] <= '9':
		if span, ok := spanOf(token); ok {
			return constant(span)
		}
		number, err := strconv.ParseFloat(token, 64)
		if err != nil {
			return nil, fmt.Errorf("number %s cannot be read", token)
		}
		return constant(number)
	case x.peek() == "(":
		return x.call(token)
	}
	at := columnAt(x.columns, token)
	if at < 0 {
		return nil, fmt.Errorf("failed to resolve column named %q", token)
	}
	return func(row []any) any { return row[at] }, nil
}

// spanOf reads a time such as 15m.
func spanOf(token string) (time.Duration, bool) {
	unit, ok := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[token[len(token)-1]]
	n, err := strconv.Atoi(token[:len(token)-1])
	return time.Duration(n) * unit, ok && err == nil && n > 0 && time.Duration(n) <= maxLog/unit
}

func (x *expressions) arguments() (list []expression, err error) {
	if err := x.expect("("); err != nil {
		return nil, err
	}
	for x.peek() != ")" {
		if len(list) > 0 {
			if err := x.expect(","); err != nil {
				return nil, err
			}
		}
		one, err := x.value()
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, x.expect(")")
}

// call reads one of the functions of a row.
func (x *expressions) call(name string) (expression, error) {
	arguments, err := x.arguments()
	if err != nil {
		return nil, err
	}
	count, known := map[string]int{"tolower": 1, "tostring": 1, "bin": 2, "extract": 3}[name]
	if !known || len(arguments) != count {
		return nil, fmt.Errorf("%s with %d arguments is not part of the emulator", name, len(arguments))
	}
	switch name {
	case "tolower":
		return func(row []any) any { return strings.ToLower(fmt.Sprint(arguments[0](row))) }, nil
	case "tostring":
		return func(row []any) any { return fmt.Sprint(arguments[0](row)) }, nil
	case "bin":
		return func(row []any) any { return binned(arguments[0](row), arguments[1](row)) }, nil
	}
	pattern, err := regexp.Compile(fmt.Sprint(arguments[0](nil)))
	if err != nil {
		return nil, fmt.Errorf("extract: %w", err)
	}
	return func(row []any) any {
		found, group := pattern.FindStringSubmatch(fmt.Sprint(arguments[2](row))), int(numberOf(arguments[1](row)))
		if found == nil || group < 0 || group >= len(found) {
			return ""
		}
		return found[group]
	}, nil
}

// binned cuts a time to a multiple of a span.
func binned(value, span any) any {
	at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(value))
	width, ok := span.(time.Duration)
	if err != nil || !ok {
		return nil
	}
	return at.Truncate(width).UTC().Format(time.RFC3339Nano)
}

func numberOf(value any) float64 {
	switch value := value.(type) {
	case float64:
		return value
	case int64:
		return float64(value)
	case int:
		return float64(value)
	}
	return 0
}
