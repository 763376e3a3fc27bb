package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/internal/memfs"
)

// An errors.json maps what failed, a path or a collector, to a reason of the collectors package and what was said,
// such as "/proc/1/mountstats": "permission: open 1/mountstats: permission denied". What was absent is not listed.

// explain renders a failure for errors.json; brief leaves out what may name a site.
func explain(err error, brief bool) string {
	reason := string(collectors.ReasonOf(err))
	if brief {
		return reason
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return reason + ": " + text
}

// restoreErrors makes the files that could not be read fail again with the same kind of error: a file that may not be
// read is a finding, one that is not there may just mean that nothing is mounted. The error is the first problem met.
func (c *contents) restoreErrors(moment string) error {
	data, err := fs.ReadFile(memfs.FS{Root: c.moments[moment]}, errorsName)
	if err != nil {
		return nil //nolint:nilerr // most moments have none
	}
	var failed map[string]string
	if err := decode(moment+"/"+errorsName, data, &failed); err != nil {
		return err
	}
	tree := memfs.FS{Root: c.moments[moment]}
	var problem error
	for _, file := range slices.Sorted(maps.Keys(failed)) {
		inner, isFile := strings.CutPrefix(file, "/")
		if _, err := memberName(inner); !isFile || err != nil || !wanted(path.Join(moment, inner)) {
			continue
		}
		inner = path.Clean(inner)
		if _, err := tree.Lstat(inner); err == nil {
			continue
		}
		unreadable := memfs.NewFile(nil)
		unreadable.Err = recordedError(failed[file])
		if err := c.put(moment, inner, unreadable); err != nil && problem == nil {
			problem = fmt.Errorf("%s/%s: %w", moment, errorsName, err)
		}
	}
	return problem
}

func recordedError(text string) error {
	reason, _, _ := strings.Cut(text, ":")
	if collectors.Reason(reason) == collectors.ReasonPermission {
		return fmt.Errorf("when it was recorded: %w", fs.ErrPermission)
	}
	return errors.New("when it was recorded: " + tidy(text))
}
