package bundle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/nasight/nasight/internal/memfs"
)

// Manifest is bundle.json.
type Manifest struct {
	Tool     string           `json:"tool"` // name and version of the writer
	Host     string           `json:"host"`
	Kernel   string           `json:"kernel"` // release
	Redacted bool             `json:"redacted"`
	Moments  []ManifestMoment `json:"moments"`
}

// ManifestMoment is the time of one moment.
type ManifestMoment struct {
	Name      string    `json:"name"`
	Time      time.Time `json:"time"`      // wall clock
	Monotonic float64   `json:"monotonic"` // seconds of a clock that never steps; 0 where there is none
}

const maxJSON = 1 << 20 // bytes of bundle.json, clock.json, errors.json

func parseManifest(data []byte) (Manifest, error) {
	var manifest Manifest
	if data == nil {
		return manifest, nil
	}
	if err := decode(manifestName, data, &manifest); err != nil {
		return manifest, err
	}
	if len(manifest.Moments) > maxMoments {
		return manifest, fmt.Errorf("%s names %d moments, at most %d are read", manifestName, len(manifest.Moments), maxMoments)
	}
	seen := map[string]bool{}
	for _, moment := range manifest.Moments {
		if seen[moment.Name] {
			return manifest, fmt.Errorf("%s names moment %.50q twice", manifestName, moment.Name)
		}
		seen[moment.Name] = true
	}
	return manifest, nil
}

func decode(name string, data []byte, into any) error {
	if len(data) > maxJSON {
		return fmt.Errorf("%s has %d bytes, at most %d are read", name, len(data), maxJSON)
	}
	// Windows PowerShell marks what it writes as UTF-8.
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\uFEFF")), into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// stamp is the time of a moment by two clocks.
type stamp struct {
	moment    string
	wall      time.Time
	monotonic time.Duration // 0 where it is not known
}

// stamp finds the time of a moment.
func (m Manifest) stamp(name string, moment *memfs.Node) (stamp, error) {
	for _, one := range m.Moments {
		if one.Name == name {
			wall := float64(one.Time.Unix()) + float64(one.Time.Nanosecond())/1e9
			return newStamp(name, wall, one.Monotonic)
		}
	}
	var clock struct {
		Clock struct {
			Start struct{ Realtime, Monotonic float64 }
		}
	}
	data, err := fs.ReadFile(memfs.FS{Root: moment}, clockName)
	if err != nil {
		return stamp{}, fmt.Errorf("moment %s has no time: %s does not name it and %s/%s is missing", name, manifestName, name, clockName)
	}
	if err := decode(name+"/"+clockName, data, &clock); err != nil {
		return stamp{}, err
	}
	return newStamp(name, clock.Clock.Start.Realtime, clock.Clock.Start.Monotonic)
}

// maxClock bounds the readings of a clock, in seconds: the year 2128, and half of what a Duration can hold.
const maxClock = 5e9

func newStamp(name string, wall, monotonic float64) (stamp, error) {
	if !(wall > 0 && wall < maxClock) || !(monotonic >= 0 && monotonic < maxClock) {
		return stamp{}, fmt.Errorf("moment %s has an impossible time (%g s since 1970, %g s monotonic)", name, wall, monotonic)
	}
	// Through microseconds: a float64 of seconds since 1970 is no finer.
	return stamp{
		moment:    name,
		wall:      time.UnixMicro(int64(wall * 1e6)).UTC(),
		monotonic: time.Duration(int64(monotonic*1e6)) * time.Microsecond,
	}, nil
}

// maxDrift is what two clocks may differ by between two moments of a busy host.
const maxDrift = 2 * time.Second

// order sorts the moments by time, gives each its true wall clock, drops repeated ones, and notes what it had to do.
// The monotonic clock counts if every moment has it, as times of different clocks cannot be compared.
func (b *Bundle) order(stamps []stamp) []stamp {
	since := func(start, s stamp) time.Duration { return s.monotonic - start.monotonic }
	if slices.ContainsFunc(stamps, func(s stamp) bool { return s.monotonic == 0 }) {
		b.note("Not every moment has the time of a monotonic clock; the wall clock is used, which may have stepped.")
		since = func(start, s stamp) time.Duration { return s.wall.Sub(start.wall) }
	}
	sorted := slices.Clone(stamps)
	slices.SortStableFunc(sorted, func(x, y stamp) int { return cmp.Compare(since(y, x), 0) })
	if !slices.Equal(stamps, sorted) {
		b.note("The moments were not in the order of their clocks and have been sorted.")
	}
	kept := []stamp{sorted[0]}
	before := sorted[0]
	for _, next := range sorted[1:] {
		passed := since(before, next)
		if passed <= 0 {
			b.note("Moment %s has the same time as moment %s and is left out.", next.moment, before.moment)
			continue
		}
		if step := next.wall.Sub(before.wall) - passed; step.Abs() > maxDrift {
			b.note("The wall clock stepped by %s before moment %s; the monotonic clock is used.", step.Round(time.Millisecond), next.moment)
		}
		before = next
		next.wall = kept[len(kept)-1].wall.Add(passed)
		kept = append(kept, next)
	}
	return kept
}
