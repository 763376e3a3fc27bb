package bundle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/windows"
	"github.com/nasight/nasight/internal/memfs"
)

// windowsDir is what a moment of a Windows host has in the place of proc and sys.
const windowsDir = "windows"

// holds tells whether a moment has something in a directory.
func (c *contents) holds(moment, directory string) bool {
	dir := c.moments[moment].Children[directory]
	return dir != nil && len(dir.Children) > 0
}

// addAnswers takes the files of a Windows host that lie in a directory without moments, itself or below windows/. They
// are one moment: that of the newest file, unless the manifest names it.
func (c *contents) addAnswers(root *os.Root) error {
	var newest time.Time
	for _, dir := range []string{".", windowsDir} {
		entries, err := fs.ReadDir(root.FS(), dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, entry := range entries {
			info, err := entry.Info()
			if err != nil || !info.Mode().IsRegular() || !windows.Readable(entry.Name()) {
				continue
			}
			data, err := c.read(root, path.Join(dir, entry.Name()))
			if err != nil {
				return err
			}
			if err := c.put("t0", path.Join(windowsDir, entry.Name()), memfs.NewFile(data)); err != nil {
				return err
			}
			if info.ModTime().After(newest) {
				newest = info.ModTime()
			}
		}
	}
	if !c.recognised() {
		clear(c.moments)
		return nil
	}
	return c.nameMoment(newest)
}

// recognised tells whether the files that were taken for a Windows host's say anything of one: a directory of other JSON
// or text is no recording.
func (c *contents) recognised() bool {
	moment := c.moments["t0"]
	if moment == nil {
		return false
	}
	result := collectors.Once(context.Background(), windows.New(rootOf(moment)), time.Time{})
	return !errors.Is(result.Err, collectors.ErrNoData) // a host without a mount has told something, and has no samples
}

// nameMoment gives the only moment a time.
func (c *contents) nameMoment(at time.Time) error {
	manifest, err := parseManifest(c.manifest)
	if err != nil || len(manifest.Moments) > 0 {
		return err
	}
	// A clock without steps needs two moments; any reading above zero is one.
	manifest.Moments = []ManifestMoment{{Name: "t0", Time: at, Monotonic: 1}}
	if c.manifest, err = json.Marshal(manifest); err != nil {
		return fmt.Errorf("encode %s: %w", manifestName, err)
	}
	return nil
}
