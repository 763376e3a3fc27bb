package alerting

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/prometheus/prometheus/model/rulefmt"
)

// places finds the lines of mistakes in a file of rules. The library knows those of some.
type places struct {
	name string
	text string
	file *ast.File // nil where it is no YAML
}

func newPlaces(from source) (p places) {
	defer func() {
		if recover() != nil { // the YAML library panics on some odd input
			p.file = nil
		}
	}()
	p.name, p.text = from.name, string(from.text)
	if file, err := parser.ParseBytes(from.text, 0); err == nil {
		p.file = file
	}
	return p
}

var (
	position = regexp.MustCompile(`^(\d+:\d+): (?:\d+:\d+: )?`)
	yamlLine = regexp.MustCompile(`line (\d+): `)
	goType   = regexp.MustCompile(` (?:in|into) (?:type )?(?:rulefmt|model)\.\w+`)
)

// of says one mistake of the library, or several that it says in one, as FILE:LINE: WHAT.
func (p places) of(mistake error) []error {
	var inRule *rulefmt.Error
	if errors.As(mistake, &inRule) {
		return []error{p.inRule(inRule)}
	}
	var found []error
	for line := range strings.Lines(mistake.Error()) {
		line = strings.TrimSpace(goType.ReplaceAllString(line, ""))
		switch at := yamlLine.FindStringSubmatch(line); {
		case at != nil:
			found = append(found, fmt.Errorf("%s:%s: %s", p.name, at[1], line[strings.Index(line, at[0])+len(at[0]):]))
		case strings.HasPrefix(line, nowhere):
			found = append(found, p.quoted(strings.TrimPrefix(line, nowhere), strings.LastIndex))
		case position.MatchString(line):
			found = append(found, fmt.Errorf("%s:%s", p.name, line))
		case !strings.HasSuffix(line, "unmarshal errors:"):
			found = append(found, p.quoted(line, strings.Index))
		}
	}
	return found
}

// nowhere is how the library says that it does not know the line.
const nowhere = "0:0: "

var quoted = regexp.MustCompile(`"([^"]+)"[^"]*$`)

// quoted points at where the file has what a mistake quotes last.
func (p places) quoted(mistake string, in func(text, part string) int) error {
	if what := quoted.FindStringSubmatch(mistake); what != nil {
		if at := in(p.text, what[1]); at >= 0 {
			return fmt.Errorf("%s:%d: %s", p.name, 1+strings.Count(p.text[:at], "\n"), mistake)
		}
	}
	return fmt.Errorf("%s: %s", p.name, mistake)
}

func (p places) inRule(mistake *rulefmt.Error) error {
	what := oneLine(mistake.Err.Unwrap())
	text := fmt.Sprintf("rule %q of group %q: %s", mistake.RuleName, mistake.Group, what)
	if at := position.FindStringSubmatch(mistake.Error()); at != nil && !strings.HasPrefix(at[0], nowhere) {
		return fmt.Errorf("%s:%s: %s", p.name, at[1], text)
	}
	return p.rule(p.groupNamed(mistake.Group), mistake.Rule-1, "%s", text)
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// groupNamed is the number of a group; the first where it is not found.
func (p places) groupNamed(name string) int {
	for i := 0; p.file != nil; i++ {
		node := p.find(fmt.Sprintf("$.groups[%d].name", i))
		if node == nil {
			break
		}
		if text, ok := node.(*ast.StringNode); ok && text.Value == name {
			return i
		}
	}
	return 0
}

func (p places) group(i int, format string, arguments ...any) error {
	return p.at(fmt.Sprintf("$.groups[%d].name", i), format, arguments...)
}

// rule points at the name of a rule, whatever kind it is of.
func (p places) rule(i, j int, format string, arguments ...any) error {
	path := fmt.Sprintf("$.groups[%d].rules[%d]", i, j)
	for _, key := range []string{".alert", ".record", ".expr"} {
		if p.find(path+key) != nil {
			return p.at(path+key, format, arguments...)
		}
	}
	return p.at(path, format, arguments...)
}

func (p places) at(path, format string, arguments ...any) error {
	where := p.name
	if node := p.find(path); node != nil && node.GetToken() != nil && node.GetToken().Position != nil {
		where = fmt.Sprintf("%s:%d:%d", p.name, node.GetToken().Position.Line, node.GetToken().Position.Column)
	}
	return fmt.Errorf("%s: %s", where, fmt.Sprintf(format, arguments...))
}

func (p places) find(text string) ast.Node {
	if p.file == nil {
		return nil
	}
	path, err := yaml.PathString(text)
	if err != nil {
		return nil
	}
	node, err := path.FilterFile(p.file)
	if err != nil {
		return nil
	}
	return node
}
