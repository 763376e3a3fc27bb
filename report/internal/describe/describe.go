// Package describe makes the JSON schema of a report from its types, and what it says of each field from their comments.
package describe

import (
	"encoding"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/report"
)

const module = "github.com/nasight/nasight/"

// Node is a part of a schema.
type Node struct {
	Schema      string           `json:"$schema,omitempty"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Ref         string           `json:"$ref,omitempty"`
	Type        any              `json:"type,omitempty"` // a name, or several
	Format      string           `json:"format,omitempty"`
	Const       string           `json:"const,omitempty"`
	Items       *Node            `json:"items,omitempty"`
	Properties  map[string]*Node `json:"properties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	Additional  any              `json:"additionalProperties,omitempty"` // false, or of what kind
	AnyOf       []*Node          `json:"anyOf,omitempty"`
	Defs        map[string]*Node `json:"$defs,omitempty"`
}

// Schema is that of the weekly report. Root is the directory of the module, whose sources are read for the comments.
func Schema(root string) (*Node, error) {
	d := &describer{root: root, comments: map[string]map[string]string{}, defs: map[string]*Node{}}
	weekly, err := d.object(reflect.TypeFor[report.Weekly]())
	if err != nil {
		return nil, err
	}
	weekly.Schema, weekly.Title, weekly.Defs = "https://json-schema.org/draft/2020-12/schema", "The weekly report of nasight", d.defs
	weekly.Properties["format"].Const = report.Format
	return weekly, nil
}

// Text is a schema as it is stored.
func (n *Node) Text() ([]byte, error) {
	text, err := json.MarshalIndent(n, "", "  ")
	return append(text, '\n'), err
}

type describer struct {
	root     string
	comments map[string]map[string]string // of each package: of types, and of fields as TYPE.FIELD
	defs     map[string]*Node
}

// object describes a structure by its fields.
func (d *describer) object(t reflect.Type) (*Node, error) {
	comments, err := d.commentsOf(t)
	if err != nil {
		return nil, err
	}
	node := &Node{Type: "object", Description: comments[t.Name()], Properties: map[string]*Node{}, Additional: false}
	return node, d.fields(t, node)
}

func (d *describer) fields(t reflect.Type, node *Node) error {
	comments, err := d.commentsOf(t)
	if err != nil {
		return err
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			if err := d.fields(field.Type, node); err != nil {
				return err
			}
			continue
		case !field.IsExported() || name == "-":
			continue
		case name == "":
			return fmt.Errorf("field %s of %s has no name in JSON", field.Name, t)
		}
		about, err := d.of(field.Type)
		if err != nil {
			return err
		}
		if comment := comments[t.Name()+"."+field.Name]; comment != "" {
			about.Description = comment
		}
		node.Properties[name] = about
		if options != "omitempty" {
			node.Required = append(node.Required, name)
		}
	}
	return nil
}

// of describes a type.
func (d *describer) of(t reflect.Type) (*Node, error) {
	switch {
	case t.Kind() == reflect.Pointer: // before what a pointer has of the methods of its type: it may be nil
		to, err := d.of(t.Elem())
		return &Node{AnyOf: []*Node{to, {Type: "null"}}}, err
	case t == reflect.TypeFor[fleet.Value]():
		return &Node{Type: []string{"number", "null"}}, nil
	case t == reflect.TypeFor[time.Time]():
		return &Node{Type: "string", Format: "date-time"}, nil
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return &Node{Type: "string"}, nil
	}
	switch t.Kind() {
	case reflect.String:
		return &Node{Type: "string"}, nil
	case reflect.Bool:
		return &Node{Type: "boolean"}, nil
	case reflect.Int:
		return &Node{Type: "integer"}, nil
	case reflect.Float64:
		return &Node{Type: "number"}, nil
	case reflect.Slice:
		items, err := d.of(t.Elem())
		return &Node{Type: "array", Items: items}, err
	case reflect.Struct:
		return d.reference(t)
	}
	return nil, fmt.Errorf("no schema is known for %s", t)
}

// reference describes a structure once.
func (d *describer) reference(t reflect.Type) (*Node, error) {
	name := filepath.Base(t.PkgPath()) + "." + t.Name()
	if d.defs[name] == nil {
		d.defs[name] = &Node{} // it may hold itself
		object, err := d.object(t)
		if err != nil {
			return nil, err
		}
		d.defs[name] = object
	}
	return &Node{Ref: "#/$defs/" + name}, nil
}

// commentsOf reads the comments of a type's package.
func (d *describer) commentsOf(t reflect.Type) (map[string]string, error) {
	directory := filepath.Join(d.root, strings.TrimPrefix(t.PkgPath(), module))
	if known := d.comments[directory]; known != nil {
		return known, nil
	}
	files, err := filepath.Glob(filepath.Join(directory, "*.go"))
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("read the comments of %s: %w", name, err)
		}
		collect(file, found)
	}
	d.comments[directory] = found
	return found, nil
}

func collect(file *ast.File, found map[string]string) {
	for _, declared := range file.Decls {
		general, is := declared.(*ast.GenDecl)
		if !is {
			continue
		}
		for _, spec := range general.Specs {
			named, is := spec.(*ast.TypeSpec)
			if !is {
				continue
			}
			found[named.Name.Name] = plain(general.Doc)
			structure, is := named.Type.(*ast.StructType)
			if !is {
				continue
			}
			for _, field := range structure.Fields.List {
				for _, name := range field.Names {
					found[named.Name.Name+"."+name.Name] = plain(field.Comment)
				}
			}
		}
	}
}

func plain(comment *ast.CommentGroup) string {
	return strings.Join(strings.Fields(comment.Text()), " ")
}
