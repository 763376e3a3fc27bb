// Package strictyaml reads descriptions in YAML whose every mistake is one line that names the file and the line.
package strictyaml

import (
	"errors"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Unmarshal reads a whole file. Unknown keys, keys written twice and numbers that would be read as others are errors of one line;
// name stands for the file.
func Unmarshal(name string, data []byte, into any) error {
	file, err := Parse(name, data)
	if err != nil {
		return err
	}
	for _, document := range file.Docs {
		if document.Body != nil && document.Body.Type() != ast.CommentType {
			return Decode(name, document.Body, into)
		}
	}
	return nil
}

// Decode reads a part of a file in the same way. Lines are those of the file that the part was read from.
func Decode(name string, part ast.Node, into any) error {
	for _, fault := range Faults(part, reflect.TypeOf(into), nil) {
		return fault.in(name)
	}
	if fault := Fill(part, into); fault != nil {
		return fault.in(name)
	}
	return nil
}

// Fill is Decode without Faults, for who has asked for them and found none. What remains is what the walk does not see.
func Fill(part ast.Node, into any, options ...yaml.DecodeOption) *Fault {
	err := guarded(func() error { return yaml.NodeToValue(part, into, append(options, yaml.Strict())...) })
	if err != nil {
		return faultOf(err)
	}
	return nil
}

// Keys are those of the first level of a file, as faults that have no message yet.
func Keys(body ast.Node) (keys []Fault) {
	for _, pair := range (&walker{}).pairs("", body) {
		key := Fault{Key: keyText(pair.Key)}
		key.at(pair.Key.GetToken())
		keys = append(keys, key)
	}
	return keys
}

// Loose reads of a part what into has a place for, and ignores the rest. It returns false where that cannot be read.
func Loose(part ast.Node, into any) bool {
	return guarded(func() error { return yaml.NodeToValue(part, into) }) == nil
}

// Parse reads a file as it is written.
func Parse(name string, data []byte) (*ast.File, error) {
	file, fault := Read(data)
	if fault != nil {
		return nil, fault.in(name)
	}
	return file, nil
}

// Read is Parse for who prints the fault in a way of its own.
func Read(data []byte) (file *ast.File, fault *Fault) {
	if fault := check(data); fault != nil {
		return nil, fault
	}
	err := guarded(func() (err error) {
		file, err = parser.ParseBytes(data, 0)
		return err
	})
	if err != nil {
		return nil, faultOf(err)
	}
	return file, nil
}

// guarded turns a panic of the YAML library, which odd input can cause, into an error.
func guarded(read func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("this is not YAML that can be read: look at its tags and anchors as well")
		}
	}()
	return read()
}

// faultOf is the YAML library's error as a fault of one line.
func faultOf(err error) *Fault {
	fault := &Fault{Message: err.Error()}
	var at yaml.Error
	if errors.As(err, &at) {
		fault.Message = at.GetMessage()
		fault.at(at.GetToken())
	}
	fault.Message, _, _ = strings.Cut(fault.Message, "\n")
	switch {
	case strings.Contains(fault.Message, "already defined"):
		fault.Message += "; keep one of them"
	case strings.Contains(fault.Message, "'\t'"):
		fault.Message = "a tab stands where YAML takes spaces alone; indent with spaces"
	default:
		fault.Message += "; look at the indentation, colons, quotes and brackets here"
	}
	return fault
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
