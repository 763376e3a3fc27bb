package bundle

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"path"
	"slices"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/tcp"
	"github.com/nasight/nasight/internal/memfs"
)

// Capture says what is recorded.
type Capture struct {
	Root     collectors.Root    // without Netlink and Dump no sessions are recorded
	Entries  []collectors.Entry // the collectors whose reading is recorded
	Settings collectors.Settings
	Dump     func(ctx context.Context) (map[string][]byte, error) // socket-diagnosis replies by file name, used instead of Root.Netlink; nil for none
	Tool     string                                               // name and version of this program
	Moments  int                                                  // 1 to 100
	Interval time.Duration                                        // from the start of one moment to the start of the next
	Redact   bool                                                 // replace what names the site; leave out what is not known to be free of it
	Progress func(moment int)                                     // told of every moment taken; may be nil
}

// deadline of one collector's run, and of the dump.
const deadline = 10 * time.Second

// Write takes the moments and writes the bundle as a tar.gz. What could not be read is missing from the bundle and
// listed in each moment's errors.json, so that an examination elsewhere can tell "absent" from "unreadable". An error,
// the context's among them, leaves an unfinished archive in w.
func (c Capture) Write(ctx context.Context, w io.Writer) error {
	if c.Moments < 1 || c.Moments > maxMoments {
		return fmt.Errorf("capture %d moments: 1 to %d can be taken", c.Moments, maxMoments)
	}
	out := newWriter(w)
	mask := newMask(c.Redact)
	manifest := Manifest{Tool: c.Tool, Host: mask.host(c.Root.Host), Redacted: c.Redact}
	start := time.Now()
	for i := range c.Moments {
		err := wait(ctx, time.Until(start.Add(time.Duration(i)*c.Interval)))
		now := time.Now()
		var members []member
		if err == nil {
			var kernel string
			members, kernel = c.moment(ctx, mask)
			manifest.Kernel = cmp.Or(kernel, manifest.Kernel)
			err = ctx.Err() // what was read after the end is not a moment
		}
		if err != nil {
			return fmt.Errorf("capture moment %d of %d: %w", i+1, c.Moments, err)
		}
		name := fmt.Sprintf("t%d", i)
		manifest.Moments = append(manifest.Moments, ManifestMoment{Name: name, Time: now, Monotonic: 1 + now.Sub(start).Seconds()})
		for _, m := range members {
			m.name = path.Join(name, m.name)
			if err := out.add(m, now); err != nil {
				return err
			}
		}
		if c.Progress != nil {
			c.Progress(i + 1)
		}
	}
	return out.finish(manifest, start)
}

// moment lets every collector read once through recorders and returns what they read, masked, and the kernel.
func (c Capture) moment(ctx context.Context, mask *mask) ([]member, string) {
	failed := map[string]error{}
	recorders := c.recorders(ctx, failed)
	procfs := recorders["proc"]
	root := collectors.Root{Host: c.Root.Host, Procfs: procfs, Sysfs: recorders["sys"], Netlink: recorders["netlink"]}
	if modules := recorders["etc/modprobe.d"]; modules != nil {
		root.Modules = modules
	}
	if answers := recorders[windowsDir]; answers != nil {
		root.Windows = answers
	}
	for _, entry := range c.Entries {
		if err := read(ctx, entry, root, c.Settings); err != nil && !errors.Is(err, collectors.ErrNoData) {
			failed["collector "+entry.Name] = err
		}
	}
	// They say what machine it was; what a system lacks of them is no failure.
	for _, file := range []string{"version", "uptime", "loadavg", "sys/kernel/hostname", "sys/kernel/osrelease", "fs/cifs/mount_params"} {
		_, _ = procfs.ReadFile(file)
	}
	var members []member
	for _, dir := range slices.Sorted(maps.Keys(recorders)) {
		members = append(members, recorders[dir].members(dir)...)
		maps.Copy(failed, recorders[dir].failures(dir))
	}
	members = append(mask.members(members), errorsFile(mask.failures(failed), c.Redact)...)
	return members, kernelOf(procfs)
}

// recorders are the sources by their directory in the bundle. The replies of socket diagnosis are kept whether or not
// a collector reads them, without the parts that no collector reads: the kernel adds keys of TCP signatures to them.
func (c Capture) recorders(ctx context.Context, failed map[string]error) map[string]*recorder {
	recorders := map[string]*recorder{"proc": newFlatRecorder(c.Root.Procfs), "sys": newRecorder(c.Root.Sysfs)}
	if c.Root.Modules != nil {
		recorders["etc/modprobe.d"] = newRecorder(c.Root.Modules)
	}
	if c.Root.Windows != nil {
		recorders[windowsDir] = newFlatRecorder(c.Root.Windows)
	}
	replies := memfs.FS{Root: memfs.NewDirectory()}
	netlink := newRecorder(replies)
	recorders["netlink"] = netlink
	if c.Dump == nil {
		if c.Root.Netlink != nil {
			netlink.source = c.Root.Netlink
		}
		return recorders
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	found, err := c.Dump(ctx)
	if err != nil {
		failed["netlink"] = err
	}
	for name, reply := range found {
		reply = tcp.Rewrite(reply, func(same netip.Addr) netip.Addr { return same })
		replies.Root.Children[name] = memfs.NewFile(reply)
		netlink.keep(name, reply)
	}
	return recorders
}

// read runs one collector for what it reads; what it finds is not used.
func read(ctx context.Context, entry collectors.Entry, root collectors.Root, settings collectors.Settings) error {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	collector, err := entry.New(root, settings)
	if err != nil {
		return err
	}
	return collectors.Once(ctx, collector, time.Now()).Err
}

func errorsFile(failed map[string]error, brief bool) []member {
	if len(failed) == 0 {
		return nil
	}
	texts := make(map[string]string, len(failed))
	for name, err := range failed {
		texts[name] = explain(err, brief)
	}
	data, err := json.MarshalIndent(texts, "", "  ")
	if err != nil {
		return nil // cannot happen: a map of strings
	}
	return []member{{name: errorsName, data: append(data, '\n')}}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return ctx.Err()
}
