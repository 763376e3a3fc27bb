package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/parser"
)

// LoadSections reads a configuration file that may have these sections alone, for a command that has its own way with all
// others. An error about its content is an *Error.
func LoadSections(path string, sections ...string) (Config, error) {
	data, err := read(path)
	if err != nil {
		return Config{}, err
	}
	cfg, err := Parse(data, path)
	if err != nil {
		return Config{}, err
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return Config{}, syntaxError(path, err)
	}
	w := &walker{name: path}
	if !blank(file) {
		for _, pair := range w.pairs(file.Docs[0].Body) {
			if key := keyText(pair.Key); !slices.Contains(sections, key) {
				w.fail(pair.Key.GetToken(), "%s: is not taken here; leave it out, and keep %s", cut(key, longestValue), strings.Join(sections, ", "))
			}
		}
	}
	if len(w.problems) > 0 {
		return Config{}, &Error{Problems: w.problems}
	}
	return cfg, nil
}
