package schema_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// source is what the package's own files say.
type source struct {
	families []string // name of each Family literal, in no order
	labels   []string // values of the exported constants without a type
}

func parsePackage(t *testing.T) source {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var found source
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.CompositeLit:
				found.addFamily(t, node)
			case *ast.GenDecl:
				found.addConstants(t, node)
			}
			return true
		})
	}
	return found
}

func (s *source) addFamily(t *testing.T, literal *ast.CompositeLit) {
	t.Helper()
	if kind, ok := literal.Type.(*ast.Ident); !ok || kind.Name != "Family" {
		return
	}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			t.Fatal("a Family literal without field names")
		}
		if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Name" {
			s.families = append(s.families, text(t, pair.Value))
			return
		}
	}
	t.Fatal("a Family literal without a name")
}

func (s *source) addConstants(t *testing.T, declaration *ast.GenDecl) {
	t.Helper()
	if declaration.Tok != token.CONST {
		return
	}
	for _, spec := range declaration.Specs {
		constant, ok := spec.(*ast.ValueSpec)
		if !ok || constant.Type != nil || !constant.Names[0].IsExported() {
			continue
		}
		for _, value := range constant.Values {
			if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				s.labels = append(s.labels, text(t, literal))
			}
		}
	}
}

// text is the value of a string literal. Names are written out, so that a search for one finds its row.
func text(t *testing.T, expression ast.Expr) string {
	t.Helper()
	literal, ok := expression.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		t.Fatalf("a name that is not a string literal: %T", expression)
	}
	value, err := strconv.Unquote(literal.Value)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
