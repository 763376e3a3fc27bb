// Package strictyaml reads descriptions in YAML whose every mistake is one line that names the file and the line.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Unmarshal reads a whole file. Unknown keys and keys written twice are errors of one line; name stands for the file.
func Unmarshal(name string, data []byte, into any) error {
	if err := check(name, data); err != nil {
		return err
	}
	if err := guarded(func() error { return yaml.UnmarshalWithOptions(data, into, yaml.Strict()) }); err != nil {
		return positioned(name, err)
	}
	return nil
}

// Decode reads a part of a file in the same way. Lines are those of the file that the part was read from.
func Decode(name string, part ast.Node, into any) error {
	if err := guarded(func() error { return yaml.NodeToValue(part, into, yaml.Strict()) }); err != nil {
		return positioned(name, err)
	}
	return nil
}

// Loose reads of a part what into has a place for, and ignores the rest. It returns false where that cannot be read.
func Loose(part ast.Node, into any) bool {
	return guarded(func() error { return yaml.NodeToValue(part, into) }) == nil
}

// Parse reads a file as it is written.
func Parse(name string, data []byte) (file *ast.File, err error) {
	if err := check(name, data); err != nil {
		return nil, err
	}
	err = guarded(func() error {
		file, err = parser.ParseBytes(data, 0)
		return err
	})
	if err != nil {
		return nil, positioned(name, err)
	}
	return file, nil
}

// mostBrackets is how deep flow lists and mappings may lie in each other: the YAML library's time grows with the square of it.
const mostBrackets = 200

// check refuses what the YAML library would take without a word, or take very long for: a byte order mark, which becomes part of
// the first key; a second document, which would be left out; thousands of brackets in each other.
func check(name string, data []byte) error {
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		return fmt.Errorf("%s:1: begins with a byte order mark; write it without one", name)
	}
	depth, line, begun := 0, 0, false
	for text := range bytes.Lines(data) {
		line++
		content := bytes.TrimSpace(text)
		switch {
		case bytes.HasPrefix(text, []byte("---")) && (len(content) == 3 || text[3] == ' ') && begun:
			return fmt.Errorf("%s:%d: a second document begins; one file describes one thing", name, line)
		case len(content) > 0 && content[0] != '#' && !bytes.Equal(content, []byte("---")):
			begun = true
		}
		for _, c := range text {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth--
			}
			if depth > mostBrackets {
				return fmt.Errorf("%s:%d: more than %d brackets lie in each other", name, line, mostBrackets)
			}
		}
	}
	return nil
}

// guarded turns a panic of the YAML library, which odd input can cause, into an error.
func guarded(read func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("this is not YAML that can be read")
		}
	}()
	return read()
}

// positioned is the YAML library's error as one line.
func positioned(name string, err error) error {
	var at yaml.Error
	if !errors.As(err, &at) {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return fmt.Errorf("%s: %s", name, first)
	}
	line := 0
	if token := at.GetToken(); token != nil && token.Position != nil {
		line = token.Position.Line
	}
	message, _, _ := strings.Cut(at.GetMessage(), "\n")
	return fmt.Errorf("%s:%d: %s", name, line, message)
}

// LineOf is the line of a key, or of the closest key above it that the file has; key is such as hosts[0].name.
func LineOf(data []byte, key string) int {
	line := 1
	_ = guarded(func() error {
		file, err := parser.ParseBytes(data, 0)
		if err != nil {
			return err
		}
		for key != "" {
			if node := find(file, key); node != nil {
				line = node.GetToken().Position.Line
				return nil
			}
			key = key[:max(strings.LastIndexAny(key, ".["), 0)]
		}
		return nil
	})
	return line
}

func find(file *ast.File, key string) ast.Node {
	path, err := yaml.PathString("$." + key)
	if err != nil {
		return nil
	}
	node, err := path.FilterFile(file)
	if err != nil || node == nil || node.GetToken() == nil || node.GetToken().Position == nil {
		return nil
	}
	return node
}
