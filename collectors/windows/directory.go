package windows

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// DirectoryConfig says where Windows hosts put their recordings.
type DirectoryConfig struct {
	Path     string        // holds a directory, or a file, for each host
	Interval time.Duration // how often each host is expected to record
}

// readEvery is shorter than the interval of the recordings, so that each is seen, however the two clocks drift: a file is
// replaced by the next one. One that is read again gives the same samples at the same time.
func (c DirectoryConfig) readEvery() time.Duration { return max(c.Interval/4, time.Second) }

// staleAfter is how many intervals a recording is current for.
const staleAfter = 4

const mostHosts = 1000 // of one directory

// DirectoryName is the name of the collector that reads a directory of recordings.
const DirectoryName = "windows_directory"

// Directory makes the collector of a directory of recordings. A directory in it is one host: of its moments the newest
// counts, or the files in it if it has none. A file in it is one host, too, named by the computer that it says it comes
// from or else by its own name. Samples carry the time of the host's newest file. A host whose newest file is older
// than four intervals has a sample of its age and no other: what was true then may not be true now.
func Directory(cfg DirectoryConfig) collectors.Entry {
	return collectors.Entry{
		Name: DirectoryName, Default: true, Interval: cfg.readEvery(),
		Help: "SMB clients of Windows hosts, from the files that they record into a directory.",
		New: func(collectors.Root, collectors.Settings) (collectors.Collector, error) {
			return &directory{cfg: cfg, now: time.Now}, nil
		},
	}
}

type directory struct {
	cfg DirectoryConfig
	now func() time.Time
}

// Collect reads all hosts. One that cannot be read costs itself; the errors tell which.
func (d *directory) Collect(ctx context.Context, sink collectors.Sink) error {
	root, err := os.OpenRoot(d.cfg.Path)
	if err != nil {
		return fmt.Errorf("open directory of Windows recordings: %w", err)
	}
	defer func() { _ = root.Close() }()
	files := disk{root}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return fmt.Errorf("list directory of Windows recordings: %w", err)
	}
	var problems []error
	seen := map[string]bool{}
	for _, entry := range entries {
		if len(seen) == mostHosts {
			sink.Skip("too_many_hosts", 1)
			break
		}
		recording, ok := open(files, entry)
		if !ok {
			continue
		}
		if !isHost(recording.host) {
			sink.Skip("odd_host", 1)
			continue
		}
		key := strings.ToLower(recording.host)
		if seen[key] {
			sink.Skip("host_twice", 1)
			continue
		}
		seen[key] = true
		if err := d.collect(ctx, recording, sink); err != nil && !errors.Is(err, collectors.ErrNoData) {
			problems = append(problems, fmt.Errorf("recording of %s: %w", recording.host, err))
		}
	}
	if len(seen) == 0 {
		return collectors.ErrNoData
	}
	return errors.Join(problems...)
}

func (d *directory) collect(ctx context.Context, one recording, sink collectors.Sink) error {
	age := max(0, d.now().Sub(one.newest))
	sink.Add(schema.WindowsRecordingAge, age.Seconds(), one.host)
	if age > staleAfter*d.cfg.Interval {
		return nil
	}
	return New(collectors.Root{Host: one.host, Windows: one.files}).Collect(ctx, at{sink, one.newest})
}

// at is a sink whose values are of another time.
type at struct {
	collectors.Sink
	time time.Time
}

// Add puts the value into the sink with its time, where the sink keeps times.
func (a at) Add(family *schema.Family, value float64, labels ...string) {
	if timed, ok := a.Sink.(collectors.TimedSink); ok {
		timed.AddAt(family, value, a.time, labels...)
		return
	}
	a.Sink.Add(family, value, labels...)
}

// recording is what one host has in the directory.
type recording struct {
	host   string
	files  fs.FS
	newest time.Time
}

// open finds the recording of a directory or file, and whether it is one.
func open(root fs.FS, entry fs.DirEntry) (recording, bool) {
	name := entry.Name()
	switch {
	case strings.HasPrefix(name, "."):
		return recording{}, false
	case entry.IsDir():
		found, err := fs.Sub(root, name)
		if err != nil {
			return recording{}, false
		}
		one := recording{host: manifestHost(found), files: newestMoment(found)}
		if one.host == "" {
			one.host = name
		}
		one.newest = newestFile(one.files)
		return one, !one.newest.IsZero()
	case !entry.Type().IsRegular() || !Readable(name):
		return recording{}, false
	}
	one := recording{files: single{root, name}}
	one.newest = newestFile(one.files)
	if one.host = ComputerName(one.files); one.host == "" {
		one.host = strings.TrimSuffix(name, path.Ext(name))
	}
	return one, !one.newest.IsZero()
}

// isHost tells whether a name can be a label: a file, a manifest and an answer may say anything.
func isHost(name string) bool { return isName(name) && utf8.ValidString(name) }

// manifestHost is the host that bundle.json names.
func manifestHost(files fs.FS) string {
	data, err := fs.ReadFile(files, "bundle.json")
	if err != nil {
		return ""
	}
	var manifest struct{ Host string }
	if json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\uFEFF")), &manifest) != nil {
		return ""
	}
	if !isHost(manifest.Host) {
		return ""
	}
	return manifest.Host
}

// newestMoment is the directory of answers with the highest moment, else windows/, else the directory itself.
func newestMoment(files fs.FS) fs.FS {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return files
	}
	best, inside := -1, "."
	for _, entry := range entries {
		number, err := strconv.ParseUint(strings.TrimPrefix(entry.Name(), "t"), 10, 8)
		switch {
		case !entry.IsDir():
		case entry.Name() == "windows" && best < 0:
			inside = "windows"
		case err == nil && entry.Name()[0] == 't' && int(number) > best:
			best, inside = int(number), path.Join(entry.Name(), "windows")
		}
	}
	found, err := fs.Sub(files, inside)
	if err != nil {
		return files
	}
	return found
}

// newestFile is the time of the newest answer; zero where there is none.
func newestFile(files fs.FS) (newest time.Time) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return newest
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() && Readable(entry.Name()) && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return newest
}

// single is a directory of one file of another.
type single struct {
	fs.FS
	name string
}

// ReadFile reads as the directory does.
func (s single) ReadFile(name string) ([]byte, error) { return fs.ReadFile(s.FS, name) }

// ReadDir lists the file.
func (s single) ReadDir(string) ([]fs.DirEntry, error) {
	info, err := fs.Stat(s.FS, s.name)
	if err != nil {
		return nil, err
	}
	return []fs.DirEntry{fs.FileInfoToDirEntry(info)}, nil
}
