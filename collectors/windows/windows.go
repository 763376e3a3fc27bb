// Package windows collects what a Windows host tells of its SMB client: shares, channels, settings, receive-side scaling
// and the counters of "SMB Client Shares", and of its processors and network interfaces what bears on them. It reads
// answers of Windows as files, one question each: a live host answers when the file is read, a recording holds what it
// answered. Both have the same properties, so everything here runs and is tested on any system.
package windows

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/windows/psout"
)

// Entry is the collector's row in the list of collectors.
func Entry() collectors.Entry {
	return collectors.Entry{
		Name:     "windows",
		Default:  true,
		Interval: 15 * time.Second,
		Help:     "SMB shares, channels, client settings, processors and interfaces of this Windows host.",
		New: func(root collectors.Root, _ collectors.Settings) (collectors.Collector, error) {
			return New(root), nil
		},
	}
}

// Collector reads the SMB client of one Windows host. It keeps nothing between two runs.
type Collector struct{ root collectors.Root }

// New makes a collector that reads root.Windows.
func New(root collectors.Root) *Collector { return &Collector{root: root} }

const (
	maxFiles = 256      // of one host
	maxFile  = 32 << 20 // bytes
)

// Collect reads every answer once. It returns collectors.ErrNoData for a host that is no Windows host or whose files say
// nothing, and puts what it could read into the sink before it returns any other error.
func (c *Collector) Collect(ctx context.Context, sink collectors.Sink) error {
	if c.root.Windows == nil {
		return collectors.ErrNoData
	}
	found, err := read(ctx, c.root.Windows, sink.Skip)
	if found.empty() {
		if err != nil {
			return err
		}
		return collectors.ErrNoData
	}
	emitter{sink: sink, host: c.root.Host}.all(found)
	return err
}

// read reads the files of a host. One that cannot be read costs itself; the errors tell which.
func read(ctx context.Context, files fs.FS, skip func(reason string, count int)) (*answers, error) {
	found := newAnswers(skip)
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return found, fmt.Errorf("list the answers of a Windows host: %w", err)
	}
	var problems []error
	for i, entry := range entries {
		if err := ctx.Err(); err != nil {
			return found, errors.Join(append(problems, err)...)
		}
		if !entry.Type().IsRegular() || !Readable(entry.Name()) {
			continue
		}
		if i >= maxFiles {
			skip("too_many_files", len(entries)-i)
			break
		}
		data, err := collectors.Read(files, entry.Name())
		switch {
		case errors.Is(err, fs.ErrNotExist): // went since it was listed, or this Windows cannot be asked for it
		case errors.Is(err, errLarge):
			skip("large_file", 1)
		case err != nil:
			problems = append(problems, err)
		case len(data) > maxFile:
			skip("large_file", 1)
		default:
			found.file(entry.Name(), data)
		}
	}
	found.resolve()
	return found, errors.Join(problems...)
}

// Readable tells by its name whether a file may hold an answer.
func Readable(name string) bool {
	ending := strings.ToLower(path.Ext(name))
	return (ending == ".json" || ending == ".txt") && !slices.Contains([]string{"bundle.json", "clock.json", "errors.json"}, name)
}

// ComputerName is the host that the answers say they come from, empty where they do not tell.
func ComputerName(files fs.FS) string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return ""
	}
	for _, entry := range entries[:min(len(entries), maxFiles)] {
		if !entry.Type().IsRegular() || !Readable(entry.Name()) {
			continue
		}
		data, err := fs.ReadFile(files, entry.Name())
		if err != nil || len(data) > maxFile {
			continue
		}
		records, _ := psout.Parse(data)
		for _, record := range records {
			for _, property := range []string{"PSComputerName", "CSName"} {
				if name := record.Text(property); isHost(name) {
					return name
				}
			}
		}
	}
	return ""
}
