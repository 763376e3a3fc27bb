package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxFile is far more than any configuration needs; a larger file is a mistake.
const maxFile = 4 << 20

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	File    string
	Line    int    // from 1; 0 where the key is not in the file
	Column  int    // from 1; 0 where the key is not in the file
	Message string // names the key, what is wrong and what to do
	Excerpt string // the lines around, with a pointer; empty where the message says enough
}

// String prints FILE:LINE:COLUMN: MESSAGE, and the excerpt below it.
func (p Problem) String() string {
	place := p.File
	if p.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	text := place + ": " + p.Message
	if p.Excerpt != "" {
		text += "\n" + p.Excerpt
	}
	return text
}

// Error is all that is wrong with a configuration.
type Error struct {
	Problems []Problem // never empty
}

// Error prints one problem a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, problem := range e.Problems {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// Line is the error on one line, without the excerpts: for a log.
func (e *Error) Line() string {
	texts := make([]string, len(e.Problems))
	for i, problem := range e.Problems {
		problem.Excerpt = ""
		texts[i] = strings.Join(strings.Fields(problem.String()), " ")
	}
	return strings.Join(texts, "; ")
}

// Load reads a configuration file. An error about its content is an *Error.
func Load(path string) (Config, error) {
	data, err := read(path)
	if err != nil {
		return Config{}, err
	}
	return Parse(data, path)
}

func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	if info.IsDir() || info.Size() > maxFile {
		return nil, fmt.Errorf("read configuration: %s is not a configuration file (a directory, or more than %d bytes)", path, maxFile)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return data, nil
}

// Parse reads a configuration; name stands for the file in errors, which are *Error. What the file leaves out keeps its
// default.
func Parse(data []byte, name string) (Config, error) {
	config := Default()
	var file *ast.File
	err := guarded(func() (err error) {
		file, err = parser.ParseBytes(data, 0)
		return err
	})
	if err != nil {
		return Config{}, syntaxError(name, err)
	}
	if len(file.Docs) > 1 {
		return Config{}, &Error{Problems: []Problem{{File: name, Message: "more than one YAML document; keep one and remove the --- lines"}}}
	}
	if blank(file) {
		return config, nil
	}
	if problems := structure(name, file); len(problems) > 0 {
		return Config{}, &Error{Problems: problems}
	}
	// What the walk leaves to the library: aliases, merged keys, tags.
	err = guarded(func() error { return yaml.UnmarshalWithOptions(data, &config, yaml.Strict()) })
	if err != nil {
		return Config{}, syntaxError(name, err)
	}
	for i := range config.Hosts {
		config.Hosts[i].complete()
	}
	if problems := config.validate(); len(problems) > 0 {
		return Config{}, located(name, file, problems)
	}
	return config, nil
}

// guarded turns a panic of the YAML library, which odd input can cause, into an error.
func guarded(read func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("this is not YAML that can be read; check the last change, most of all its tags, anchors and indentation")
		}
	}()
	return read()
}

// blank tells whether a file says nothing: the YAML library would make every value zero.
func blank(file *ast.File) bool {
	for _, document := range file.Docs {
		if document.Body != nil && document.Body.Type() != ast.NullType && document.Body.Type() != ast.CommentType {
			return false
		}
	}
	return true
}

func syntaxError(name string, err error) *Error {
	return &Error{Problems: []Problem{problemOf(name, err)}}
}

func (p *Problem) at(tok *token.Token) {
	if tok != nil && tok.Position != nil {
		p.Line, p.Column = tok.Position.Line, tok.Position.Column
	}
}

// located finds the place of each problem's key in the file, or of the closest key above it that is there.
func located(name string, file *ast.File, invalid []invalid) *Error {
	problems := make([]Problem, len(invalid))
	for i, v := range invalid {
		problems[i] = Problem{File: name, Message: cut(v.key+": "+v.message, longestMessage)}
		problems[i].at(find(file, v.key))
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return &Error{Problems: problems}
}

func find(file *ast.File, key string) *token.Token {
	for key != "" {
		if path, err := yaml.PathString("$." + key); err == nil {
			if node, err := path.FilterFile(file); err == nil && node != nil && node.GetToken() != nil {
				return node.GetToken()
			}
		}
		key = key[:max(strings.LastIndexAny(key, ".["), 0)]
	}
	return nil
}

// kindName says in words what a value is.
func kindName(t reflect.Type) string {
	if t == reflect.TypeFor[time.Duration]() {
		return "a time with a unit, as 15s"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return kindName(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "keys with values"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	}
	return "something else"
}
