// Package collectors turns sources (files of /proc and /sys, netlink) into samples of the schema's families. A
// collector reads one source of one host; it never talks to another collector and never touches a mounted file system.
package collectors

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/nasight/nasight/collectors/internal/winfs"
	"github.com/nasight/nasight/schema"
)

// Collector reads one source.
type Collector interface {
	// Collect reads the source once and puts what it found into the sink. It returns ErrNoData where the host does
	// not have the source at all, and an error that wraps the cause where it could not be read. What was put into
	// the sink before an error counts.
	Collect(ctx context.Context, sink Sink) error
}

// Sink takes what a collector found. A Sink is used by one run of one collector at a time.
type Sink interface {
	// Add puts one value of a family into the sink, with the values of the family's labels in their order.
	Add(family *schema.Family, value float64, labels ...string)
	// Skip counts odd input that cost itself and nothing else: a line, a file, a value.
	Skip(reason string, count int)
}

// TimedSink is a Sink that takes values of other times than that of the run: what a cloud tells of the minutes before.
// The sinks of this package are all TimedSinks.
type TimedSink interface {
	Sink
	// AddAt puts the value that a series had at a moment into the sink. Of several values of one series the newest is
	// the series' state; the others go to history alone.
	AddAt(family *schema.Family, value float64, at time.Time, labels ...string)
}

// ErrNoData says that the host does not have the source (no NFS mount, no sunrpc directory): no failure.
var ErrNoData = errors.New("no data")

// Reason is a short word for a failure, used as a label value.
type Reason string

// The reasons that an error is counted under.
const (
	ReasonNotFound   Reason = "not_found"
	ReasonPermission Reason = "permission"
	ReasonTimeout    Reason = "timeout"
	ReasonHung       Reason = "hung" // an earlier run or question has not returned, so that none was started
	ReasonPanic      Reason = "panic"
	ReasonOther      Reason = "other"
)

// ReasonOf finds the reason that an error is counted under.
func ReasonOf(err error) Reason {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ReasonNotFound
	case errors.Is(err, fs.ErrPermission):
		return ReasonPermission
	case errors.Is(err, context.DeadlineExceeded):
		return ReasonTimeout
	case errors.Is(err, errHung), errors.Is(err, winfs.ErrHung):
		return ReasonHung
	case errors.Is(err, errPanic):
		return ReasonPanic
	}
	return ReasonOther
}

var (
	errPanic = errors.New("panic")
	errHung  = errors.New("the run before has not returned")
)

// Root is where the sources of one host are read from: the live /proc and /sys, a container's view of the host's, or
// one moment of a recorded bundle.
type Root struct {
	Host    string // value of the host label
	Procfs  fs.FS  // mirror of /proc
	Sysfs   fs.FS  // mirror of /sys; has to support symbolic links
	Modules fs.FS  // mirror of /etc/modprobe.d, or nil
	Netlink fs.FS  // recorded socket-diagnosis replies, or nil to ask this machine's kernel
	Windows fs.FS  // recorded answers of a Windows host, one JSON or text file each; nil for a host that has none
}

// Live says whether the root is this machine's: only then may its kernel or its cloud be asked beside the files. What a
// recording says of itself is not asked of the machine that reads it.
func (r Root) Live() bool { return r.Netlink == nil }

// Entry is one row of the list of collectors.
type Entry struct {
	Name     string
	Default  bool          // on unless switched off
	Interval time.Duration // its source's own period
	Timeout  time.Duration // most time that one run may take, unless the operator sets one; 0 for the runner's default
	Help     string
	New      func(root Root, settings Settings) (Collector, error)
}

// Settings are what the operator may set for the collectors; the zero value is the default.
type Settings struct {
	Ports       map[uint16]string  // storage ports and their protocols; nil for 2049 nfs, 445 smb, 3260 iscsi
	SessionCap  int                // sessions with series of their own; 0 for 256
	NetworkCaps map[string]float64 // network cap in bytes per second by direction (receive, transmit); nil for none
	Memory      Memory             // keeps values over restarts; nil to keep them in the process only
}

// Memory keeps small values over restarts, such as the lowest round-trip time to a server.
type Memory interface {
	// Load returns the value stored under key.
	Load(key string) (float64, bool)
	// Store keeps the value under key.
	Store(key string, value float64)
}

// Read reads a file of a root and says which file it was if that fails.
func Read(fsys fs.FS, name string) ([]byte, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}
