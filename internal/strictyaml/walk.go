package strictyaml

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Faults holds what is written against the type that it is to fill, and collects every mistake in the order of the file. The YAML
// library ends at the first, names no key, and reads numbers generously: 1.5 as the whole number 1, 017 as 15. The duration function
// reads values of time.Duration; nil for the library's own way.
func Faults(body ast.Node, into reflect.Type, duration func(string) (time.Duration, error)) []Fault {
	w := &walker{root: into, duration: duration, anchors: map[string]ast.Node{}, seen: map[visit]bool{}}
	if w.duration == nil {
		w.duration = time.ParseDuration
	}
	if body == nil {
		return nil
	}
	ast.Walk(w, body)
	w.value("", body, into)
	slices.SortStableFunc(w.faults, func(a, b Fault) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return w.faults
}

type walker struct {
	root     reflect.Type
	duration func(string) (time.Duration, error)
	anchors  map[string]ast.Node // by name
	seen     map[visit]bool      // what aliases stand for: once for each type, however many there are
	faults   []Fault
}

type visit struct {
	node ast.Node
	t    reflect.Type
}

// Visit notes anchors; it implements ast.Visitor.
func (w *walker) Visit(node ast.Node) ast.Visitor {
	if anchor, ok := node.(*ast.AnchorNode); ok && anchor.Name != nil {
		w.anchors[anchor.Name.GetToken().Value] = anchor.Value
	}
	return w
}

func (w *walker) fail(key string, tok *token.Token, format string, arguments ...any) {
	fault := Fault{Key: key, Message: fmt.Sprintf(format, arguments...)}
	fault.at(tok)
	w.faults = append(w.faults, fault)
}

// value checks one value. What is empty, or stands for what cannot be found, is left to the library.
func (w *walker) value(key string, node ast.Node, t reflect.Type) {
	_, alias := node.(*ast.AliasNode)
	node = w.plain(node)
	if node == nil || alias && w.isSeen(node, t) {
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Duration]():
		w.span(key, node)
	case readsItself(t):
		w.own(key, node, t)
	case t.Kind() == reflect.Struct:
		w.fields(key, node, t)
	case t.Kind() == reflect.Map:
		w.entries(key, node, t)
	case t.Kind() == reflect.Slice:
		w.elements(key, node, t)
	default:
		if message := misread(node, t); message != "" {
			w.fail(key, node.GetToken(), "%s", message)
		}
	}
}

// plain is what an anchor names or an alias stands for; nil where there is no value to look at.
func (w *walker) plain(node ast.Node) ast.Node {
	for range mostBrackets { // aliases of aliases
		switch n := node.(type) {
		case nil, *ast.NullNode, *ast.CommentGroupNode:
			return nil
		case *ast.AnchorNode:
			node = n.Value
		case *ast.AliasNode:
			node = w.anchors[n.Value.GetToken().Value]
		default:
			return node
		}
	}
	return nil
}

// isSeen tells whether a value was held against the type already, which aliases can bring about ever so often.
func (w *walker) isSeen(node ast.Node, t reflect.Type) bool {
	at := visit{node, t}
	if w.seen[at] {
		return true
	}
	w.seen[at] = true
	return false
}

// pairs are the keys of a mapping with their values.
func (w *walker) pairs(key string, node ast.Node) []*ast.MappingValueNode {
	var all []*ast.MappingValueNode
	switch node := node.(type) {
	case *ast.MappingNode:
		all = node.Values
	case *ast.MappingValueNode:
		all = []*ast.MappingValueNode{node}
	default:
		w.fail(key, node.GetToken(), "expected keys with values, found %s", nodeName(node))
	}
	return all
}

// pair goes into a pair, or into what a merge key merges in.
func (w *walker) pair(key string, pair *ast.MappingValueNode, t reflect.Type, each func(*ast.MappingValueNode)) {
	if !pair.Key.IsMergeKey() {
		each(pair)
		return
	}
	merged := []ast.Node{pair.Value}
	if list, ok := w.plain(pair.Value).(*ast.SequenceNode); ok {
		merged = list.Values
	}
	for _, node := range merged {
		w.value(key, node, t)
	}
}

func (w *walker) fields(key string, node ast.Node, t reflect.Type) {
	for _, one := range w.pairs(key, node) {
		w.pair(key, one, t, func(pair *ast.MappingValueNode) {
			name := keyText(pair.Key)
			path := join(key, name)
			field, known := fieldOf(t, name)
			if !known {
				w.fail(path, pair.Key.GetToken(), "no such setting; %s", advice(w.root, t, name))
				return
			}
			w.value(path, pair.Value, field)
		})
	}
}

func (w *walker) entries(key string, node ast.Node, t reflect.Type) {
	for _, one := range w.pairs(key, node) {
		w.pair(key, one, t, func(pair *ast.MappingValueNode) {
			path := join(key, keyText(pair.Key))
			if t.Key().Kind() == reflect.Uint16 && !isPort(keyText(pair.Key)) {
				w.fail(path, pair.Key.GetToken(), "%s is no port; write 1 to 65535", cut(keyText(pair.Key)))
				return
			}
			w.value(path, pair.Value, t.Elem())
		})
	}
}

func (w *walker) elements(key string, node ast.Node, t reflect.Type) {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		w.fail(key, node.GetToken(), "expected a list, found %s", nodeName(node))
		return
	}
	for i, element := range list.Values {
		w.value(fmt.Sprintf("%s[%d]", key, i), element, t.Elem())
	}
}

// span checks a length of time.
func (w *walker) span(key string, node ast.Node) {
	text, ok := ScalarText(node)
	if !ok {
		w.fail(key, node.GetToken(), "expected a time with a unit, as 15s, found %s", nodeName(node))
		return
	}
	if _, err := w.duration(text); err != nil {
		w.fail(key, node.GetToken(), "%v", err)
	}
}

// readsItself tells whether a type has a reader of its own.
func readsItself(t reflect.Type) bool {
	return slices.ContainsFunc([]reflect.Type{
		reflect.TypeFor[yaml.NodeUnmarshaler](), reflect.TypeFor[yaml.InterfaceUnmarshaler](), reflect.TypeFor[yaml.BytesUnmarshaler](),
		reflect.TypeFor[encoding.TextUnmarshaler](),
	}, reflect.PointerTo(t).Implements)
}

// own lets a type that reads itself say what is wrong.
func (w *walker) own(key string, node ast.Node, t reflect.Type) {
	err := guarded(func() error { return yaml.NodeToValue(node, reflect.New(t).Interface(), yaml.Strict()) })
	if err == nil {
		return
	}
	tok, message := node.GetToken(), err.Error()
	var at yaml.Error
	if errors.As(err, &at) {
		message = at.GetMessage()
		if at.GetToken() != nil {
			tok = at.GetToken()
		}
	}
	message, _, _ = strings.Cut(message, "\n")
	w.fail(key, tok, "%s", message)
}

// fieldOf finds the type of the field that a key fills, also in structures that are written as a part of this one.
func fieldOf(t reflect.Type, key string) (reflect.Type, bool) {
	for name, field := range fieldsOf(t) {
		if name == key {
			return field, true
		}
	}
	return nil, false
}

// fieldsOf are the keys of a structure in their order, with their types.
func fieldsOf(t reflect.Type) func(func(string, reflect.Type) bool) {
	return func(yield func(string, reflect.Type) bool) {
		for i := range t.NumField() {
			field := t.Field(i)
			name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
			switch {
			case !field.IsExported() && !field.Anonymous, name == "-":
				continue
			case options == "inline":
				for name, inner := range fieldsOf(field.Type) {
					if !yield(name, inner) {
						return
					}
				}
				continue
			case name == "":
				name = strings.ToLower(field.Name)
			}
			if !yield(name, field.Type) {
				return
			}
		}
	}
}

func keyText(key ast.MapKeyNode) string {
	if text, ok := key.(*ast.StringNode); ok {
		return text.Value
	}
	return key.GetToken().Value
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}
