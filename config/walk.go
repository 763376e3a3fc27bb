package config

import (
	"reflect"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/nasight/nasight/internal/strictyaml"
)

// structure finds the unknown keys and the values of the wrong type, all of them: the YAML library ends at the first.
func structure(name string, file *ast.File) []Problem {
	var problems []Problem
	for _, document := range file.Docs {
		for _, fault := range strictyaml.Faults(document.Body, reflect.TypeFor[Config](), ParseDuration) {
			problems = append(problems, problemOf(name, fault))
		}
	}
	return problems
}

// durations reads times without a type of their own as those that have one: the library does not know days.
func durations() yaml.DecodeOption {
	return yaml.CustomUnmarshaler(func(into *time.Duration, data []byte) error {
		var text string
		if err := yaml.Unmarshal(data, &text); err != nil {
			return err
		}
		value, err := ParseDuration(text)
		*into = value
		return err
	})
}

func problemOf(name string, fault strictyaml.Fault) Problem {
	return Problem{File: name, Line: fault.Line, Column: fault.Column, Message: cut(fault.String(), longestMessage)}
}
