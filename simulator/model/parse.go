package model

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxFile bounds a description; ten thousand volumes take a few MiB.
const maxFile = 64 << 20

// ReadFile reads a description from a file. An error is one line that names the file, the line and what is wrong.
func ReadFile(path string) (*Fleet, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read fleet description: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("read fleet description: %s is no file of at most %d bytes", path, maxFile)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read fleet description: %w", err)
	}
	return Parse(path, data)
}

// Parse reads a description; name stands for the file in errors. Unknown keys, keys written twice and values out of
// range are errors of one line.
func Parse(name string, data []byte) (*Fleet, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: more than %d bytes", name, maxFile)
	}
	fleet := &Fleet{}
	if err := guarded(func() error { return yaml.UnmarshalWithOptions(data, fleet, yaml.Strict()) }); err != nil {
		return nil, positioned(name, err)
	}
	err := fleet.Complete()
	var bad *invalid
	if errors.As(err, &bad) {
		return nil, fmt.Errorf("%s:%d: %w", name, lineOf(data, bad.key), bad)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return fleet, nil
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

// lineOf is the line of a key, or of the closest key above it that the description has.
func lineOf(data []byte, key string) int {
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
