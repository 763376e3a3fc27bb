package strictyaml

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/nasight/nasight/internal/numerals"
)

var plainPort = regexp.MustCompile(`^[1-9][0-9]*$`)

// misread tells what is wrong with a value for a type, and what to write; empty where it is read as what it says. To the library 0x10
// is 16, 017 is 15, 1_000 is 1000, "5" in quotes is 5, and 1.5 is the whole number 1: whoever wrote one of these may have meant
// something else.
func misread(node ast.Node, t reflect.Type) string {
	if _, tagged := node.(*ast.TagNode); tagged {
		if t.Kind() == reflect.String || kindName(t) == "" {
			return "" // !!str is what it says
		}
		return fmt.Sprintf("%s is a tag, which is not taken here; write %s without one", cut(node.GetToken().Value), kindName(t))
	}
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		if node.Type() != ast.BoolType {
			return expected(node, t)
		}
	case kind == reflect.String:
		return misreadText(node, t)
	case kind >= reflect.Int && kind <= reflect.Uint64:
		return misreadWhole(node, t)
	case kind == reflect.Float64 || kind == reflect.Float32:
		return misreadReal(node, t)
	}
	return ""
}

func expected(node ast.Node, t reflect.Type) string {
	return fmt.Sprintf("expected %s, found %s", kindName(t), nodeName(node))
}

// misreadText refuses what is a number or a truth value to YAML, where turning it back into text would change it.
func misreadText(node ast.Node, t reflect.Type) string {
	var read string
	switch n := node.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return ""
	case *ast.IntegerNode:
		read = fmt.Sprint(n.Value)
	case *ast.FloatNode:
		read = fmt.Sprint(n.Value)
	case *ast.BoolNode:
		read = strconv.FormatBool(n.Value)
	case *ast.InfinityNode, *ast.NanNode:
	default:
		return expected(node, t)
	}
	if written := node.GetToken().Value; read != written {
		return fmt.Sprintf("%s without quotes is a number or a truth value to YAML, not this text; write \"%[1]s\", in quotes", cut(written))
	}
	return ""
}

func misreadWhole(node ast.Node, t reflect.Type) string {
	text, message := numeral(node, t)
	if message != "" {
		return message
	}
	if numerals.IsWhole(text) {
		return beyond(strings.TrimPrefix(text, "+"), t)
	}
	value, err := strconv.ParseFloat(text, 64)
	if whole, ok := node.(*ast.IntegerNode); ok {
		return notPlain(text, fmt.Sprint(whole.Value))
	}
	switch low, high := math.Floor(value), math.Ceil(value); {
	case err != nil && !numerals.IsReal(text), math.IsNaN(value), math.IsInf(value, 0) && !numerals.IsReal(text):
		return fmt.Sprintf("%s is no whole number; write one in digits, such as 10", quoted(node, text))
	case math.Abs(value) > 1<<53:
		return fmt.Sprintf("%s is too large or too small here; write a whole number in digits, such as 10", cut(text))
	case low != high:
		return fmt.Sprintf("%s is no whole number; write %d or %d", cut(text), int64(low), int64(high))
	default:
		return fmt.Sprintf("%s is not written as a whole number; write %d", cut(text), int64(low))
	}
}

func misreadReal(node ast.Node, t reflect.Type) string {
	text, message := numeral(node, t)
	if message != "" {
		return message
	}
	value, err := strconv.ParseFloat(text, 64)
	switch {
	case numerals.IsReal(text) && err != nil:
		return cut(text) + " is too large or too small here; write a number such as 0.5"
	case numerals.IsReal(text) && value == value:
		return ""
	}
	if whole, ok := node.(*ast.IntegerNode); ok {
		return notPlain(text, fmt.Sprint(whole.Value))
	}
	return fmt.Sprintf("%s is no number to reckon with; write one in digits, such as 0.5", quoted(node, text))
}

// numeral is the text of what may be a number, or why it is none.
func numeral(node ast.Node, t reflect.Type) (text, message string) {
	switch node.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
	default:
		return "", expected(node, t)
	}
	text = strings.TrimSpace(node.GetToken().Value)
	if inQuotes(node) && numerals.IsReal(text) {
		return "", fmt.Sprintf("%q is a text, as it is in quotes; write %s", cut(text), cut(text))
	}
	return text, ""
}

func notPlain(text, value string) string {
	return fmt.Sprintf("%s is read as %s; write %[2]s, or what is meant, in plain digits without 0x, leading zeros and _", cut(text), value)
}

// beyond tells of a whole number that the type cannot hold.
func beyond(digits string, t reflect.Type) string {
	var err error
	negative := strings.HasPrefix(digits, "-")
	if t.Kind() >= reflect.Uint {
		_, err = strconv.ParseUint(digits, 10, t.Bits())
	} else {
		_, err = strconv.ParseInt(digits, 10, t.Bits())
	}
	switch {
	case err == nil:
		return ""
	case negative && t.Kind() >= reflect.Uint:
		return cut(digits) + " is negative; write 0 or more"
	}
	return cut(digits) + " is too large or too small here; write fewer digits"
}

func inQuotes(node ast.Node) bool {
	kind := node.GetToken().Type
	return kind == token.DoubleQuoteType || kind == token.SingleQuoteType
}

// quoted is what is written, in quotes where it is a text.
func quoted(node ast.Node, text string) string {
	if _, ok := node.(*ast.StringNode); ok {
		return strconv.Quote(cut(text))
	}
	return cut(text)
}

// isPort tells whether a key is a port of TCP. It may be in quotes, as JSON has its keys.
func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0 && plainPort.MatchString(text)
}

// ScalarText is what a value says whose type reads texts and numbers alike, as it is written; false for what is neither.
func ScalarText(node ast.Node) (string, bool) {
	switch node := node.(type) {
	case *ast.StringNode:
		return node.Value, true
	case *ast.IntegerNode, *ast.FloatNode:
		return node.GetToken().Value, true
	}
	return "", false
}
