// Package tcp collects the TCP sessions between this host and storage servers, as the kernel's socket diagnosis
// describes them: live over netlink, from a recorded reply, or from what the ss tool printed of it.
package tcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

const defaultCap = 256

// DefaultPorts are the storage ports and their protocols where the operator names none.
func DefaultPorts() map[uint16]string {
	return map[uint16]string{2049: "nfs", 445: "smb", 3260: "iscsi"}
}

// Entry describes the collector for the list of collectors.
func Entry() collectors.Entry {
	return collectors.Entry{
		Name: "tcp", Default: true, Interval: schema.HostGrain,
		Help: "TCP sessions to storage ports, from the kernel's socket diagnosis",
		New: func(root collectors.Root, settings collectors.Settings) (collectors.Collector, error) {
			return New(root, settings)
		},
	}
}

// dumper fetches the reply to a request for the sessions of one family.
type dumper func(ctx context.Context, family Family, ports []uint16) ([]byte, error)

// Collector collects the sessions of one host. It remembers what earlier runs saw, so that sums over the sessions of
// a server go on rising when a session ends. It is not safe for concurrent use.
type Collector struct {
	host  string
	ports map[uint16]string
	limit int // sessions with series of their own
	dump  dumper
	texts fs.FS // where a recording may hold the text of ss; nil for none

	sums   sums
	lowest lowest
}

// New makes the collector of one host. It fails if the settings make no sense.
func New(root collectors.Root, settings collectors.Settings) (*Collector, error) {
	c := &Collector{host: root.Host, ports: settings.Ports, limit: settings.SessionCap, dump: Dump}
	if len(c.ports) == 0 {
		c.ports = DefaultPorts()
	}
	if c.limit == 0 {
		c.limit = defaultCap
	}
	if c.limit < 0 {
		return nil, fmt.Errorf("session cap %d is negative", c.limit)
	}
	for port, protocol := range c.ports {
		if port == 0 || protocol == "" {
			return nil, fmt.Errorf("storage port %d with protocol %q: both are needed", port, protocol)
		}
	}
	if root.Netlink != nil {
		c.dump, c.texts = recorded(root.Netlink), root.Netlink
	}
	c.lowest = newLowest(root.Host, settings.Memory)
	return c, nil
}

// recorded serves the replies of a bundle. A bundle without IPv6 sessions may lack their file.
func recorded(netlink fs.FS) dumper {
	return func(_ context.Context, family Family, _ []uint16) ([]byte, error) {
		reply, err := collectors.Read(netlink, family.File())
		if family == IPv6 && errors.Is(err, fs.ErrNotExist) {
			return appendDone(nil, 0, 0), nil
		}
		return reply, err
	}
}

// Collect implements collectors.Collector. If a reply is missing or breaks off, the sessions that were found still
// get their series, but nothing is said of what the sessions of a server add up to.
func (c *Collector) Collect(ctx context.Context, sink collectors.Sink) error {
	sessions, err := c.read(ctx, sink)
	if len(sessions) == 0 {
		if err != nil {
			return err
		}
		return collectors.ErrNoData
	}
	endpoints, doubles := group(sessions)
	if doubles > 0 {
		sink.Skip("duplicate_session", doubles)
	}
	left := c.addSessions(sink, endpoints)
	if err != nil {
		return err
	}
	sink.Add(schema.SessionsExcess, float64(left), c.host)
	c.addEndpoints(sink, endpoints)
	return nil
}

// read finds the sessions of both families.
func (c *Collector) read(ctx context.Context, sink collectors.Sink) (sessions []session, err error) {
	if c.hasOnlyText() {
		sessions, err = c.readText(sink)
	} else {
		sessions, err = c.readReplies(ctx, sink)
	}
	for i := range sessions {
		sessions[i].protocol = c.ports[sessions[i].remote.Port()]
	}
	return sessions, err
}

// hasOnlyText tells whether a recording holds what ss printed and lacks the reply, which is more exact.
func (c *Collector) hasOnlyText() bool {
	if c.texts == nil {
		return false
	}
	if _, err := fs.Stat(c.texts, IPv4.File()); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, err := fs.Stat(c.texts, TextFile)
	return err == nil
}

func (c *Collector) readText(sink collectors.Sink) ([]session, error) {
	text, err := collectors.Read(c.texts, TextFile)
	if err != nil {
		return nil, err
	}
	sessions, odd, err := parseText(text, c.wanted)
	if odd > 0 {
		sink.Skip("odd_ss_text", odd)
	}
	if err != nil {
		return nil, fmt.Errorf("read TCP sessions from %s: %w", TextFile, err)
	}
	return sessions, nil
}

func (c *Collector) readReplies(ctx context.Context, sink collectors.Sink) ([]session, error) {
	var sessions []session
	var errs []error
	ports := slices.Sorted(maps.Keys(c.ports))
	for _, family := range []Family{IPv4, IPv6} {
		reply, err := c.dump(ctx, family, ports)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		found, odd, err := parse(reply, c.wanted)
		if err != nil {
			errs = append(errs, fmt.Errorf("read TCP sessions of %s: %w", family, err))
		}
		if odd > 0 {
			sink.Skip("odd_netlink_message", odd)
		}
		sessions = append(sessions, found...)
	}
	return sessions, errors.Join(errs...)
}

func (c *Collector) wanted(port uint16) bool {
	_, ok := c.ports[port]
	return ok
}
