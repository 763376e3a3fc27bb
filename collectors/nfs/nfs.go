// Package nfs collects what the Linux NFS client says of its mounts and connections. It reads files of /proc and /sys
// alone and makes no file-system call on a mount point, so a server that does not answer cannot hold it up.
package nfs

import (
	"bytes"
	"cmp"
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
		Name:     "nfs",
		Default:  true,
		Interval: 15 * time.Second,
		Help:     "NFS mounts, their operations by class, RPC transports and slot settings of this Linux host.",
		New: func(root collectors.Root, _ collectors.Settings) (collectors.Collector, error) {
			return New(root), nil
		},
	}
}

// Collector reads the NFS client of one host. All that it keeps between two runs is the mounts' read-ahead.
type Collector struct {
	root  collectors.Root
	ahead readAheads
}

// New makes a collector that reads below root.
func New(root collectors.Root) *Collector {
	return &Collector{root: root, ahead: readAheads{sysfs: root.Sysfs}}
}

// Collect reads mountstats, mountinfo, the sunrpc directory and the settings once. It returns collectors.ErrNoData on a
// host without an NFS mount, and puts what it could read into the sink before it returns any other error.
func (c *Collector) Collect(ctx context.Context, sink collectors.Sink) error {
	inventory, err := c.readInventory(sink.Skip)
	if err != nil {
		return err
	}
	if len(inventory.superblocks) == 0 {
		return collectors.ErrNoData
	}
	e := emitter{sink: sink, host: c.root.Host}
	mountsErr := c.emitMounts(ctx, e, inventory.superblocks)
	for _, key := range inventory.groups.order {
		e.group(key, inventory.groups.byKey[key])
	}
	endpointsErr := c.emitEndpoints(ctx, e, inventory.endpoints())
	return errors.Join(mountsErr, endpointsErr, c.emitSettings(e))
}

// readInventory reads mountstats before mountinfo, as close to each other as can be.
func (c *Collector) readInventory(skip Skip) (*inventory, error) {
	stats, err := collectors.Read(c.root.Procfs, "self/mountstats")
	if err != nil {
		return nil, err
	}
	// Every mount namespace has a root file system: a file without a single device is not what the kernel wrote.
	if !bytes.Contains(stats, []byte("device ")) {
		return nil, fmt.Errorf("self/mountstats of %d bytes lists no file system", len(stats))
	}
	info, err := collectors.Read(c.root.Procfs, "self/mountinfo")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return newInventory(ParseMountstats(stats, skip), ParseMountinfo(info, skip), skip), nil
}

// emitMounts returns the first problem only: thousands of mounts are likely to have the same one.
func (c *Collector) emitMounts(ctx context.Context, e emitter, superblocks []*superblock) (problem error) {
	c.ahead.next()
	for _, block := range superblocks {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read mounts: %w", err)
		}
		ahead := Absent
		if block.isNumbered {
			var err error
			ahead, err = c.ahead.of(block.device, e.sink.Skip)
			problem = cmp.Or(problem, err)
		}
		e.mount(block, ahead)
	}
	return problem
}

func (c *Collector) emitEndpoints(ctx context.Context, e emitter, endpoints []*endpoint) error {
	if err := readEndpoints(ctx, c.root.Sysfs, endpoints, e.sink.Skip); err != nil {
		return err
	}
	for _, endpoint := range endpoints {
		e.endpoint(endpoint)
	}
	return nil
}

func (c *Collector) emitSettings(e emitter) error {
	slotTable, slotTableErr := readSetting(c.root.Procfs, slotTablePath, e.sink.Skip)
	running, runningErr := readSessionSlots(c.root.Sysfs, e.sink.Skip)
	configured, configuredErr := readConfiguredSlots(c.root.Modules, e.sink.Skip)
	e.settings(slotTable, running, configured)
	return errors.Join(slotTableErr, runningErr, configuredErr)
}
