package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// walker holds a file against the types that it is to fill, and collects every mistake. The YAML library ends at the
// first. What the walker does not follow (aliases, merged keys) it leaves to the library.
type walker struct {
	name     string // of the file
	problems []Problem
}

// structure finds the unknown keys and the values of the wrong type.
func structure(name string, file *ast.File) []Problem {
	w := &walker{name: name}
	for _, document := range file.Docs {
		w.value(document.Body, reflect.TypeFor[Config]())
	}
	return w.problems
}

func (w *walker) fail(tok *token.Token, format string, arguments ...any) {
	problem := Problem{File: w.name, Message: fmt.Sprintf(format, arguments...)}
	problem.at(tok)
	problem.show(tok)
	w.problems = append(w.problems, problem)
}

func (w *walker) value(node ast.Node, t reflect.Type) {
	if anchor, ok := node.(*ast.AnchorNode); ok {
		node = anchor.Value
	}
	switch node.(type) {
	case nil, *ast.NullNode, *ast.AliasNode, *ast.TagNode, *ast.CommentGroupNode:
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		w.fields(node, t)
	case reflect.Map:
		w.entries(node, t)
	case reflect.Slice:
		w.elements(node, t)
	default:
		w.scalar(node, t)
	}
}

// pairs are the keys of a mapping with their values; none where the node is no mapping.
func (w *walker) pairs(node ast.Node) []*ast.MappingValueNode {
	switch node := node.(type) {
	case *ast.MappingNode:
		return node.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{node}
	}
	w.fail(node.GetToken(), "expected keys with values, found %s", nodeName(node))
	return nil
}

func (w *walker) fields(node ast.Node, t reflect.Type) {
	for _, pair := range w.pairs(node) {
		if pair.Key.IsMergeKey() {
			continue
		}
		field, known := fieldOf(t, keyText(pair.Key))
		if !known {
			w.fail(pair.Key.GetToken(), "unknown field %q", cut(keyText(pair.Key), longestValue))
			continue
		}
		w.value(pair.Value, field.Type)
	}
}

func (w *walker) entries(node ast.Node, t reflect.Type) {
	for _, pair := range w.pairs(node) {
		if pair.Key.IsMergeKey() {
			continue
		}
		if t.Key() == reflect.TypeFor[uint16]() && !w.port(pair.Key) {
			continue
		}
		w.value(pair.Value, t.Elem())
	}
}

// port checks the only keys that are numbers: those of session.ports.
func (w *walker) port(key ast.MapKeyNode) bool {
	var port uint16
	err := guarded(func() error { return yaml.NodeToValue(key, &port) })
	if err != nil || port == 0 {
		w.fail(key.GetToken(), "%s is no port; write 1 to 65535", cut(keyText(key), longestValue))
		return false
	}
	return true
}

func (w *walker) elements(node ast.Node, t reflect.Type) {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		w.fail(node.GetToken(), "expected a list, found %s", nodeName(node))
		return
	}
	for _, element := range list.Values {
		w.value(element, t.Elem())
	}
}

// scalar lets the library read one value, so that both take the same.
func (w *walker) scalar(node ast.Node, t reflect.Type) {
	err := guarded(func() error { return yaml.NodeToValue(node, reflect.New(t).Interface(), yaml.Strict()) })
	if err == nil {
		return
	}
	problem := problemOf(w.name, err)
	if problem.Line == 0 {
		problem.at(node.GetToken())
		problem.show(node.GetToken())
	}
	w.problems = append(w.problems, problem)
}

func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		field := t.Field(i)
		if name, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); name == key {
			return field, true
		}
	}
	return reflect.StructField{}, false
}

func keyText(key ast.MapKeyNode) string {
	if text, ok := key.(*ast.StringNode); ok {
		return text.Value
	}
	return key.GetToken().Value
}

// nodeName says in words what a value in the file is.
func nodeName(node ast.Node) string {
	switch node.Type() {
	case ast.MappingType, ast.MappingValueType:
		return "keys with values"
	case ast.SequenceType:
		return "a list"
	case ast.BoolType:
		return "true or false"
	case ast.IntegerType:
		return "a whole number"
	case ast.FloatType:
		return "a number"
	case ast.StringType, ast.LiteralType:
		return "a text"
	}
	return "something else"
}

// problemOf turns the YAML library's error into ours: the same position and excerpt, words without Go types.
func problemOf(name string, err error) Problem {
	problem := Problem{File: name, Message: cut(err.Error(), longestMessage)}
	var positioned yaml.Error
	if errors.As(err, &positioned) {
		problem.Message = cut(positioned.GetMessage(), longestMessage)
		problem.at(positioned.GetToken())
		problem.show(positioned.GetToken())
	}
	var mismatch *yaml.TypeError
	if errors.As(err, &mismatch) {
		problem.Message = fmt.Sprintf("expected %s, found %s", kindName(mismatch.DstType), kindName(mismatch.SrcType))
	}
	var overflow *yaml.OverflowError
	if errors.As(err, &overflow) {
		problem.Message = fmt.Sprintf("%s is too large or too small here", cut(overflow.SrcNum, longestValue))
	}
	return problem
}
