// Package smb collects what the Linux SMB client (cifs) says of its shares, sessions and channels. It reads files of
// /proc alone and makes no file-system call on a mount point, so a server that does not answer cannot hold it up.
package smb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/nasight/nasight/collectors"
)

// Entry is the collector's row in the list of collectors.
func Entry() collectors.Entry {
	return collectors.Entry{
		Name:     "smb",
		Default:  true,
		Interval: 15 * time.Second,
		Help:     "SMB shares, their operations by class, sessions and channels of this Linux host.",
		New: func(root collectors.Root, _ collectors.Settings) (collectors.Collector, error) {
			return New(root), nil
		},
	}
}

// Collector reads the SMB client of one host. All that it keeps between two runs is what connections that went had
// counted.
type Collector struct {
	root   collectors.Root
	ledger ledger
}

// New makes a collector that reads below root.
func New(root collectors.Root) *Collector { return &Collector{root: root} }

// The files that are read, below /proc.
const (
	debugPath  = "fs/cifs/DebugData"
	statsPath  = "fs/cifs/Stats"
	filesPath  = "fs/cifs/open_files"
	mountsPath = "self/mountinfo"
)

// Collect reads the files once. It returns collectors.ErrNoData on a host without the cifs module or without a share,
// and puts what it could read into the sink before it returns any other error.
func (c *Collector) Collect(ctx context.Context, sink collectors.Sink) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("read %s: %w", debugPath, err)
	}
	r := reader{procfs: c.root.Procfs}
	debug, stats := r.read(debugPath), r.read(statsPath)
	files, mounts := r.read(filesPath), r.read(mountsPath)
	if r.err == nil && debug == nil && stats == nil {
		return collectors.ErrNoData
	}
	in := parse(debug, stats, files, sink.Skip)
	in.mounts = ParseMountinfo(mounts, sink.Skip)
	i := newInventory(in)
	i.attribute(sink.Skip)
	if len(i.shares) == 0 && len(i.endpoints) == 0 {
		if r.err == nil {
			return collectors.ErrNoData
		}
		return r.err
	}
	c.emit(i, sink)
	return r.err
}

func parse(debug, stats, files []byte, skip Skip) input {
	var in input
	if debug != nil {
		in.debug = ParseDebugData(debug, skip)
	}
	if stats != nil {
		in.stats = ParseStats(stats, skip)
	}
	if files != nil {
		open := ParseOpenFiles(files, skip)
		in.files = &open
	}
	return in
}

func (c *Collector) emit(i *inventory, sink collectors.Sink) {
	c.ledger.next()
	e := emitter{sink: sink, host: c.root.Host, ledger: &c.ledger}
	for _, s := range i.shares {
		if s.abandoned() {
			continue
		}
		e.share(s, i.files)
	}
	for _, at := range i.endpoints {
		e.endpoint(at, i.debug != nil && i.debug.ListsInterfaces)
	}
	if i.stats != nil {
		e.client(i.stats)
	}
}

// reader reads files and keeps what went wrong.
type reader struct {
	procfs fs.FS
	err    error
}

// read returns nil for a file that this kernel does not have, or that could not be read.
func (r *reader) read(name string) []byte {
	data, err := collectors.Read(r.procfs, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		r.err = errors.Join(r.err, err)
		return nil
	}
	if data == nil {
		data = []byte{}
	}
	return data
}
