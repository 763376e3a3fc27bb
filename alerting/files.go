package alerting

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// BuiltIn is what the file of the built-in rules is called where files are listed.
const BuiltIn = "built in"

const mostFile = 4 << 20 // a larger file of rules is a mistake

// source is one file of rules.
type source struct {
	name string
	text []byte
}

// sources reads the files that the patterns match, each once and in the order of their names, or gives the built-in rules.
func (s Settings) sources() ([]source, error) {
	if len(s.Files) == 0 {
		if len(s.BuiltIn) == 0 {
			return nil, nil
		}
		return []source{{BuiltIn, s.BuiltIn}}, nil
	}
	var names []string
	var errs []error
	for _, pattern := range s.Files {
		matched, err := matches(pattern)
		names, errs = append(names, matched...), append(errs, err)
	}
	slices.Sort(names)
	var found []source
	for _, name := range slices.Compact(names) {
		text, err := read(name)
		found, errs = append(found, source{name, text}), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return found, nil
}

// matches are the files of a pattern, one at least: without its files nobody would be told, and nobody would notice.
func matches(pattern string) ([]string, error) {
	if !strings.ContainsAny(pattern, `*?[\`) {
		return []string{filepath.Clean(pattern)}, nil
	}
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("alerting.rule_files: %q is no pattern; write one such as /etc/nasight/rules/*.yml", pattern)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("alerting.rule_files: no file matches %s; correct the pattern, or write a file with nasight rules export", pattern)
	}
	return found, nil
}

func read(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file; correct alerting.rule_files, or write it with nasight rules export --out=%s", name, name)
	case err != nil:
		return nil, fmt.Errorf("read rules: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: this is no file of rules but a directory or a device; correct alerting.rule_files", name)
	case info.Size() > mostFile:
		return nil, fmt.Errorf("%s: more than %d bytes; split the rules into several files", name, mostFile)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	return text, nil
}
