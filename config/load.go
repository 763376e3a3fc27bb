package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/nasight/nasight/internal/strictyaml"
)

// maxFile is far more than any configuration needs; a larger file is a mistake.
const maxFile = 4 << 20

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	File    string
	Line    int    // from 1; 0 where the key is not in the file
	Column  int    // from 1; 0 where the key is not in the file
	Message string // one line that names the key, what is wrong and what to do
}

// String prints FILE:LINE:COLUMN: MESSAGE.
func (p Problem) String() string {
	place := p.File
	if p.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	return place + ": " + p.Message
}

// Error is all that is wrong with a configuration.
type Error struct {
	Problems []Problem // never empty
}

// Error prints one problem a line.
func (e *Error) Error() string { return e.join("\n") }

// Line is the error on one line: for a log.
func (e *Error) Line() string { return e.join("; ") }

func (e *Error) join(separator string) string {
	texts := make([]string, len(e.Problems))
	for i, problem := range e.Problems {
		texts[i] = strings.Join(strings.Fields(problem.String()), " ")
	}
	return strings.Join(texts, separator)
}

// Load reads a configuration file. An error about its content is an *Error.
func Load(path string) (Config, error) {
	data, err := read(path)
	if err != nil {
		return Config{}, err
	}
	return Parse(data, path)
}

// absentError is a configuration file that is not there.
type absentError string

// Error says so.
func (e absentError) Error() string {
	return string(e) + ": there is no such configuration file; write the path of one that is there"
}

// Is makes it fs.ErrNotExist.
func (e absentError) Is(target error) bool { return target == fs.ErrNotExist }

// SetsNothing tells whether a file that Load reads is empty, or has comments alone: every key has its default then.
func SetsNothing(path string) bool {
	data, err := read(path)
	if err != nil {
		return false
	}
	file, fault := strictyaml.Read(data)
	return fault == nil && blank(file)
}

// read reads a file whole. What is no file has no size that could be asked for: a device may go on for ever.
func read(path string) ([]byte, error) {
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, absentError(path)
	case err != nil:
		return nil, fmt.Errorf("%s: the configuration file cannot be read; let the user that nasight runs as read it: %w", path, err)
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory and no configuration file; write the path of a file, such as %s", path, filepath.Join(path, "nasight.yml"))
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: the configuration file cannot be read to its end: %w", path, err)
	case len(data) > maxFile:
		return nil, fmt.Errorf("%s: has more than %d MiB and is no configuration file; write the path of one", path, maxFile>>20)
	}
	return data, nil
}

// Parse reads a configuration; name stands for the file in errors, which are *Error. What the file leaves out keeps its
// default.
func Parse(data []byte, name string) (Config, error) {
	config, _, err := parseBody(data, name)
	return config, err
}

// parseBody is Parse, with what the file has at its first level; nil where it says nothing.
func parseBody(data []byte, name string) (Config, ast.Node, error) {
	config := Default()
	file, fault := strictyaml.Read(data)
	if fault != nil {
		return Config{}, nil, &Error{Problems: []Problem{problemOf(name, *fault)}}
	}
	if blank(file) {
		return config, nil, nil
	}
	if problems := structure(name, file); len(problems) > 0 {
		return Config{}, nil, &Error{Problems: problems}
	}
	if fault := strictyaml.Fill(file.Docs[0].Body, &config, durations()); fault != nil {
		return Config{}, nil, &Error{Problems: []Problem{problemOf(name, *fault)}}
	}
	for i := range config.Hosts {
		config.Hosts[i].complete()
	}
	if problems := config.validate(); len(problems) > 0 {
		return Config{}, nil, located(name, file, problems)
	}
	return config, file.Docs[0].Body, nil
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
