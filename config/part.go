package config

import (
	"slices"
	"strings"

	"github.com/nasight/nasight/internal/strictyaml"
)

// LoadSections reads a configuration file that may have these sections alone, for a command that has its own way with all
// others. An error about its content is an *Error.
func LoadSections(path string, sections ...string) (Config, error) {
	data, err := read(path)
	if err != nil {
		return Config{}, err
	}
	cfg, body, err := parseBody(data, path)
	if err != nil {
		return Config{}, err
	}
	if body == nil {
		return cfg, nil
	}
	var problems []Problem
	for _, key := range strictyaml.Keys(body) {
		if !slices.Contains(sections, key.Key) {
			key.Message = "is not taken here; leave it out, and keep " + strings.Join(sections, ", ")
			problems = append(problems, problemOf(path, key))
		}
	}
	if len(problems) > 0 {
		return Config{}, &Error{Problems: problems}
	}
	return cfg, nil
}
