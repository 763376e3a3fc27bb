// Package iscsi collects what the Linux iSCSI initiator says of its sessions, and what the block layer counts of the disks
// beneath them. It reads files of /proc and /sys alone and touches neither a disk nor a file system on one, so a target
// that does not answer cannot hold it up.
package iscsi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// Entry is the collector's row in the list of collectors.
func Entry() collectors.Entry {
	return collectors.Entry{
		Name: "iscsi", Default: true, Interval: schema.HostGrain,
		Help: "iSCSI sessions by target and portal, and the load of the disks beneath them, of this Linux host.",
		New: func(root collectors.Root, _ collectors.Settings) (collectors.Collector, error) {
			return New(root), nil
		},
	}
}

// Collector reads the iSCSI sessions of one host. It keeps sums that go on rising while disks come and go, and the
// address of every session while its connection is down. It is not safe for concurrent use.
type Collector struct {
	root    collectors.Root
	portals map[string]portal // by session, as last seen
	sums    sums
}

// New makes a collector that reads below root.
func New(root collectors.Root) *Collector { return &Collector{root: root} }

// Collect reads sessions, disks and their statistics once. It returns collectors.ErrNoData on a host without a session,
// and puts what it could read into the sink before it returns any other error.
func (c *Collector) Collect(ctx context.Context, sink collectors.Sink) error {
	sessions, problem := readSessions(c.root.Sysfs, sink.Skip)
	if len(sessions) == 0 && problem == nil {
		return collectors.ErrNoData
	}
	sessions = c.locate(sessions, sink.Skip)
	layers := newLayers(c.root.Sysfs)
	for i := range sessions {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read iSCSI sessions: %w", err)
		}
		sessions[i].disks = readDisks(c.root.Sysfs, sessions[i].directory, sink.Skip)
	}
	countStrays(c.root.Sysfs, sessions, sink.Skip)

	// The statistics are read last and at once, so that they belong to one moment.
	statistics, statisticsErr := readStatistics(c.root.Procfs, sink.Skip)
	mounts, mountsErr := readMounts(c.root.Procfs, sink.Skip)
	e := emitter{sink: sink, host: c.root.Host}
	targets := group(sessions)
	if statisticsErr == nil {
		c.sums.update(targets, statistics, sink.Skip)
	}
	for _, t := range targets {
		e.sessions(t)
		if mountsErr == nil {
			e.info(t, readFacts(c.root.Sysfs, t, layers), mounts)
		}
		if statisticsErr == nil {
			e.load(t, &c.sums, statistics)
		}
	}
	return errors.Join(problem, statisticsErr, mountsErr)
}

// locate gives every session its portal. A session that never had one is counted and costs itself.
func (c *Collector) locate(sessions []session, skip skipFunc) []session {
	portals := make(map[string]portal, len(sessions))
	located := sessions[:0]
	for _, s := range sessions {
		before := c.portals[s.name]
		if s.portal.inUse == "" {
			s.portal.inUse = before.inUse
		}
		if s.portal.configured == "" {
			s.portal.configured = before.configured
		}
		if s.portal.server() == "" {
			skip("session_without_portal", 1)
			continue
		}
		portals[s.name] = s.portal
		located = append(located, s)
	}
	c.portals = portals
	return located
}

type skipFunc = func(reason string, count int)

// isGone tells of an error that it is about what was there a moment ago.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
