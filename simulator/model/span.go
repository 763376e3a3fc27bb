package model

import (
	"fmt"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Span is a length of time as the description writes it: 15m, 48h, -6h.
type Span time.Duration

// String prints the span as Go does: 1h30m0s.
func (s Span) String() string { return time.Duration(s).String() }

// UnmarshalYAML reads a span, and points at it where it is wrong.
func (s *Span) UnmarshalYAML(node ast.Node) error {
	value, err := time.ParseDuration(node.GetToken().Value)
	if err != nil {
		message := fmt.Sprintf("%q is no length of time, such as 15m or 48h", node.GetToken().Value)
		return &yaml.SyntaxError{Message: message, Token: node.GetToken()}
	}
	*s = Span(value)
	return nil
}
