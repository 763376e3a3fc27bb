// Package bundle reads and writes recordings of a host: what the collectors read, at a few moments, so that the host
// can be examined elsewhere. A bundle is a tar.gz or a directory of moments t0, t1, … Each mirrors the files of /proc
// and /sys that were read and holds the raw socket-diagnosis replies. bundle.json names the moments and their times;
// without it every moment's clock.json gives the time. A moment's errors.json lists what could not be read. A moment
// without the replies may hold what ss printed instead, as netlink/ss.txt, cmd/ss_tinmO.txt or cmd/ss_tin.txt.
//
// A moment of a Windows host has the directory windows/ in the place of /proc and /sys: what Windows answered, one JSON or
// text file for each question. A directory of such files alone is a bundle of one moment, that of its newest file.
package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/windows"
	"github.com/nasight/nasight/internal/memfs"
)

// Moment is what was read at one time.
type Moment struct {
	Name string
	Time time.Time // true spacing: the first moment's wall clock plus the monotonic time passed since
	Root collectors.Root
}

// Bundle is an opened recording, its moments in the order of time. It is in memory: the file is not needed any more.
type Bundle struct {
	Host    string
	Kernel  string // release; empty where it is not known
	Moments []Moment
	Notes   []string // what is odd about it, one sentence each
}

// Open reads a bundle. Whatever makes it unusable is an error of one line that names the bundle and the member. A file
// that could not be read when the bundle was made gives an error when it is read from it.
func Open(path string) (*Bundle, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	read := openArchive
	if info.IsDir() {
		read = openUnpacked
	}
	found, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("bundle %s: %w", path, err)
	}
	b, err := assemble(found)
	if err != nil {
		return nil, fmt.Errorf("bundle %s: %w", path, err)
	}
	return b, nil
}

func assemble(found *contents) (*Bundle, error) {
	b := &Bundle{}
	manifest, err := parseManifest(found.manifest)
	if err != nil {
		return nil, err
	}
	names, err := b.usable(found, manifest)
	if err != nil {
		return nil, err
	}
	stamps := make([]stamp, len(names))
	for i, name := range names {
		if stamps[i], err = manifest.stamp(name, found.moments[name]); err != nil {
			return nil, err
		}
		if err := found.restoreErrors(name); err != nil {
			b.note("What could not be read at moment %s is not known: %s.", name, err)
		}
	}
	b.useSocketTexts(found, names)
	for _, at := range b.order(stamps) {
		b.Moments = append(b.Moments, Moment{Name: at.moment, Time: at.wall, Root: rootOf(found.moments[at.moment])})
	}
	b.identify(manifest)
	return b, nil
}

func (b *Bundle) note(format string, args ...any) {
	b.Notes = append(b.Notes, fmt.Sprintf(format, args...))
}

// usable lists the moments that can be examined, in the order of their names, and notes which cannot.
func (b *Bundle) usable(found *contents, manifest Manifest) ([]string, error) {
	if len(found.moments) == 0 {
		return nil, errors.New("holds no moment (t0, t1, …): " + giveBundle)
	}
	b.noteMissing(found, manifest)
	var names []string
	for _, name := range slices.SortedFunc(maps.Keys(found.moments), compareMoments) {
		if !found.holds(name, "proc") && !found.holds(name, windowsDir) {
			b.note("Moment %s holds no /proc and is left out.", name)
			continue
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, errors.New("no moment holds files of /proc: " + giveBundle)
	}
	return names, nil
}

// noteMissing notes the moments that bundle.json names, or that the others' numbers tell of, and that are not there.
func (b *Bundle) noteMissing(found *contents, manifest Manifest) {
	missing := map[string]bool{}
	for _, moment := range manifest.Moments {
		missing[moment.Name] = true
	}
	last := slices.MaxFunc(slices.Collect(maps.Keys(found.moments)), compareMoments)
	for i := range number(last) {
		missing["t"+strconv.Itoa(i)] = true
	}
	for name := range found.moments {
		delete(missing, name)
		delete(missing, "t"+strconv.Itoa(number(name)))
	}
	if len(missing) > 0 {
		b.note("Moments are missing from the bundle: %.200q.", slices.SortedFunc(maps.Keys(missing), compareMoments))
	}
}

func number(moment string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(moment, "t"))
	if err != nil {
		return 0
	}
	return n
}

func compareMoments(a, b string) int {
	if isMoment(a) && isMoment(b) && number(a) != number(b) {
		return number(a) - number(b)
	}
	return strings.Compare(a, b)
}

// identify names the host and its kernel, by the manifest or else by what the first moment holds.
func (b *Bundle) identify(manifest Manifest) {
	first := b.Moments[0].Root.Procfs
	b.Host, b.Kernel = tidy(manifest.Host), tidy(manifest.Kernel)
	if b.Host == "" {
		b.Host = tidy(firstLine(first, "sys/kernel/hostname"))
	}
	if answers := b.Moments[0].Root.Windows; b.Host == "" && answers != nil {
		b.Host = tidy(windows.ComputerName(answers))
	}
	if b.Host == "" {
		b.Host = "recorded"
	}
	if b.Kernel == "" {
		b.Kernel = kernelOf(first)
	}
	for i := range b.Moments {
		b.Moments[i].Root.Host = b.Host
	}
}

// tidy makes a text from a bundle fit to be shown on a terminal and used as a label.
func tidy(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if len(text) > 255 {
		text = strings.ToValidUTF8(text[:255], "")
	}
	return strings.TrimSpace(text)
}

func rootOf(moment *memfs.Node) collectors.Root {
	sub := func(dir string) fs.FS { return memfs.FS{Root: moment, Base: dir} }
	root := collectors.Root{Procfs: sub("proc"), Sysfs: sub("sys"), Netlink: sub("netlink"), Modules: sub("etc/modprobe.d")}
	if moment.Children[windowsDir] != nil {
		root.Windows = sub(windowsDir)
	}
	return root
}

func firstLine(fsys fs.FS, name string) string {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
	return line
}

// kernelOf is the release in /proc/version: its third word.
func kernelOf(procfs fs.FS) string {
	words := strings.Fields(firstLine(procfs, "version"))
	if len(words) < 3 {
		return ""
	}
	return tidy(words[2])
}
