package strictyaml

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// longestValue is how many characters of what is written are shown.
const longestValue = 100

// cut shortens a text and says that it did.
func cut(text string) string {
	if len(text) <= longestValue {
		return text
	}
	letters := []rune(text)
	if len(letters) <= longestValue {
		return text
	}
	return string(letters[:longestValue]) + "..."
}

// advice is what may have been meant by a key that a structure does not have: one that is nearly the same, the only one of that name
// elsewhere in the file, or any.
func advice(root, t reflect.Type, key string) string {
	var known, longer []string
	nearest, least := "", len(key)/3+1 // a third of the letters may be wrong
	for name := range fieldsOf(t) {
		known = append(known, name)
		if far := distance(key, name); far < least {
			nearest, least = name, far
		}
		if len(key) >= shortestPart && strings.Contains(name, key) {
			longer = append(longer, name)
		}
	}
	meant := elsewhere(root, "", key)
	switch {
	case nearest != "":
		meant = []string{nearest}
	case len(longer) > 0:
		meant = longer
	}
	if len(meant) == 1 {
		return fmt.Sprintf("did you mean %s?", meant[0])
	}
	return "there are " + strings.Join(known, ", ")
}

// shortestPart is how many letters a part of a key has at least that it can be made out by.
const shortestPart = 3

// elsewhere are the paths of all keys of a name.
func elsewhere(t reflect.Type, prefix, key string) (places []string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return elsewhere(t.Elem(), prefix, key)
	case reflect.Struct:
		for name, field := range fieldsOf(t) {
			path := join(prefix, name)
			if name == key {
				places = append(places, path)
			}
			places = append(places, elsewhere(field, path, key)...)
		}
	}
	return places
}

// mostCompared is how long keys are at most that are compared letter by letter.
const mostCompared = 64

// distance is how many letters have to be added, left out, changed or swapped with the next one to make one text of the other.
func distance(a, b string) int {
	if len(a) > mostCompared || len(b) > mostCompared {
		return mostCompared
	}
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			changed := row[j]
			if a[i] != b[j] {
				changed++
			}
			next[j+1] = min(changed, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

// kindName says in words what a value of a type is; empty for what is not one value.
func kindName(t reflect.Type) string {
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.String:
		return "a text"
	case kind >= reflect.Int && kind <= reflect.Uint64:
		return "a whole number"
	case kind == reflect.Float64 || kind == reflect.Float32:
		return "a number"
	}
	return ""
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
	case ast.FloatType, ast.InfinityType, ast.NanType:
		return "a number"
	case ast.StringType, ast.LiteralType:
		return "a text"
	case ast.TagType:
		return "a tag"
	}
	return "something else"
}
