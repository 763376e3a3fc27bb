// Package nic collects the counters and limits of the network interfaces that lead to storage servers.
package nic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

const (
	deviceFile = "net/dev"
	loopback   = "lo"

	// maxInterfaces bounds the interfaces with series; a host of containers may have hundreds.
	maxInterfaces = 8
)

// Entry describes the collector for the list of collectors.
func Entry() collectors.Entry {
	return collectors.Entry{
		Name: "nic", Default: true, Interval: schema.HostGrain,
		Help: "network interfaces that lead to storage servers: traffic, drops, speed, queues",
		New: func(root collectors.Root, settings collectors.Settings) (collectors.Collector, error) {
			return New(root, settings)
		},
	}
}

// Collector collects the interfaces of one host.
type Collector struct {
	root collectors.Root
	caps map[string]float64
}

// New makes the collector of one host. It fails if a network cap makes no sense.
func New(root collectors.Root, settings collectors.Settings) (*Collector, error) {
	for direction, limit := range settings.NetworkCaps {
		if direction != directionReceive && direction != directionTransmit {
			return nil, fmt.Errorf("network cap of direction %q: it is %s or %s", direction, directionReceive, directionTransmit)
		}
		if !(limit > 0) || math.IsInf(limit, 0) {
			return nil, fmt.Errorf("network cap %v of direction %s: it has to be above 0 bytes per second", limit, direction)
		}
	}
	return &Collector{root: root, caps: settings.NetworkCaps}, nil
}

// choice is an interface that gets series.
type choice struct {
	device device
	link   link
	routes string // value of the label routes_storage
}

// Collect implements collectors.Collector. Interfaces that do not lead to a storage server have no series, and a host
// without storage servers has none at all. Where the way to a server cannot be found out, every interface that may be
// it is shown with routes_storage "unknown".
func (c *Collector) Collect(_ context.Context, sink collectors.Sink) error {
	data, err := collectors.Read(c.root.Procfs, deviceFile)
	if err != nil {
		return err
	}
	addresses, errServers := servers(c.root, sink)
	if len(addresses) == 0 && errServers == nil {
		return collectors.ErrNoData
	}
	found, errRoutes := find(c.root, sink, addresses)
	found.unknown = found.unknown || errServers != nil
	devices, odd := parseDevices(data)
	if odd > 0 {
		sink.Skip("odd_interface", odd)
	}
	chosen := c.choose(devices, found)
	for _, one := range chosen[:min(len(chosen), maxInterfaces)] {
		c.add(sink, one)
	}
	if beyond := len(chosen) - maxInterfaces; beyond > 0 {
		sink.Skip("interface_beyond_limit", beyond)
	}
	if err := errors.Join(errServers, errRoutes); err != nil || len(chosen) > 0 {
		return err
	}
	return collectors.ErrNoData
}

// choose lists the interfaces that lead to storage, then those that may: hardware before virtual ones, which are
// often many.
func (c *Collector) choose(devices []device, found leads) []choice {
	var chosen []choice
	for _, d := range devices {
		leading := found.names[d.name]
		if !leading && (!found.unknown || d.name == loopback) {
			continue
		}
		one := choice{device: d, link: readLink(c.root.Sysfs, d.name), routes: "true"}
		if !leading {
			one.routes = "unknown"
		}
		if leading || one.link.up || d.traffic() {
			chosen = append(chosen, one)
		}
	}
	slices.SortFunc(chosen, func(a, b choice) int {
		return cmp.Or(a.rank()-b.rank(), strings.Compare(a.device.name, b.device.name))
	})
	return chosen
}

// rank orders choices, the most telling ones first.
func (c choice) rank() int {
	switch {
	case c.routes == "true":
		return 0
	case c.link.driver != "":
		return 1
	}
	return 2
}

// add adds the series of one interface.
func (c *Collector) add(sink collectors.Sink, one choice) {
	host, name := c.root.Host, strings.ToValidUTF8(one.device.name, "\uFFFD")
	sink.Add(schema.NICInfo, 1, host, name, one.link.driver, one.routes)
	for _, row := range []struct {
		family *schema.Family
		count  counter
	}{
		{schema.NICReceived, one.device.received},
		{schema.NICTransmitted, one.device.transmitted},
		{schema.NICReceiveDrops, one.device.receiveDrops},
		{schema.NICTransmitDrops, one.device.transmitDrops},
	} {
		if row.count.known {
			sink.Add(row.family, row.count.value, host, name)
		}
	}
	if one.link.speed > 0 {
		sink.Add(schema.NICSpeed, one.link.speed, host, name)
	}
	c.addDirections(sink, one.link, host, name)
}

// addDirections adds what is told by direction: the network cap and the hardware queues.
func (c *Collector) addDirections(sink collectors.Sink, found link, host, name string) {
	for direction, queues := range map[string]int{directionReceive: found.receive, directionTransmit: found.transmit} {
		if limit, ok := capOf(c.caps, direction, found); ok {
			sink.Add(schema.NICCap, limit, host, name, direction)
		}
		if queues > 0 {
			sink.Add(schema.NICQueues, float64(queues), host, name, direction)
		}
	}
}
