package nfs

import (
	"cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/kernel"
	"github.com/nasight/nasight/schema"
)

const (
	protocol = "nfs" // of the identity labels

	maxOptionsBytes = 512 // of the options label
	milliseconds    = 1000
)

// emitter puts the parsed numbers into the sink as samples. Label slices are shared between samples and never changed.
type emitter struct {
	sink collectors.Sink
	host string
}

// number adds a value, or nothing if it is absent.
func (e emitter) number(family *schema.Family, value Number, labels []string) {
	if value.Known() {
		e.sink.Add(family, float64(value), labels...)
	}
}

// total adds a sum divided by the number of parts in the family's unit, or nothing if nothing was summed.
func (e emitter) total(family *schema.Family, total sum, parts float64, labels []string) {
	if total.Known {
		e.sink.Add(family, total.Value/parts, labels...)
	}
}

func (e emitter) mount(block *superblock, readAhead Number) {
	_, export := splitSource(block.source)
	labels := []string{e.host, block.server(), kernel.LabelText(export), protocol, block.device}
	e.sink.Add(schema.NFSMountInfo, 1, append(labels[:len(labels):len(labels)], facts(block)...)...)
	e.number(schema.NFSMountAge, block.age, labels)
	e.number(schema.NFSReadBytes, block.readBytes, labels)
	e.number(schema.NFSWriteBytes, block.written, labels)
	e.number(schema.NFSReadAhead, readAhead, labels)
	e.load(&block.load, labels)
}

// facts are the info family's labels beyond the mount's identity.
func facts(block *superblock) []string {
	name, _ := splitSource(block.source)
	option := func(name string) string {
		value, _ := block.options.Get(name)
		return kernel.LabelText(value)
	}
	return []string{
		kernel.LabelText(name), kernel.LabelText(block.options.Version()), cmp.Or(option("proto"), kernel.LabelText(block.protocol)),
		kernel.MountPoints(block.mountPoints), option("sec"), option("nconnect"),
		kernel.LabelText(block.options.bounded(maxOptionsBytes)),
	}
}

func (e emitter) load(l *load, labels []string) {
	for kind := range classes {
		c := &l.classes[kind]
		own := append(labels[:len(labels):len(labels)], kind.String())
		e.total(schema.NFSOperations, c.operations, 1, own)
		e.total(schema.NFSRTT, c.rtt, milliseconds, own)
		e.total(schema.NFSExecute, c.execute, milliseconds, own)
	}
	data, metadata := l.errors()
	e.total(schema.NFSErrors, data, 1, append(labels[:len(labels):len(labels)], "data"))
	e.total(schema.NFSErrors, metadata, 1, append(labels[:len(labels):len(labels)], "metadata"))
	e.total(schema.NFSRetransmissions, l.retransmissions, 1, labels)
	e.total(schema.NFSTimeouts, l.timeouts, 1, labels)
}

func (e emitter) group(key groupKey, g *group) {
	if len(g.transports) == 0 {
		return
	}
	labels := []string{e.host, key.server, protocol, key.version}
	e.sink.Add(schema.NFSTransports, float64(len(g.transports)), labels...)
	e.total(schema.NFSSends, g.total(Sends), 1, labels)
	e.total(schema.NFSReceives, g.total(Receives), 1, labels)
	e.total(schema.NFSBacklog, g.total(BacklogSum), 1, labels)
	e.total(schema.NFSConnects, g.total(Connects), 1, labels)
	e.total(schema.NFSMaxSlots, g.largest(MaxSlots), 1, labels)
}

func (e emitter) endpoint(at *endpoint) {
	if !at.seen() {
		return
	}
	labels := []string{e.host, at.server, protocol}
	e.total(schema.NFSPending, at.pending, 1, labels)
	e.total(schema.NFSBacklogNow, at.backlog, 1, labels)
	e.number(schema.NFSSlotLimit, at.slotLimit, labels)
	e.sink.Add(schema.NFSConnected, float64(at.connected), labels...)
	e.sink.Add(schema.NFSDisconnected, float64(at.disconnected), labels...)
}

func (e emitter) settings(slotTable, running, configured Number) {
	labels := []string{e.host}
	e.number(schema.NFSSlotTable, slotTable, labels)
	e.number(schema.NFSSessionSlots, running, labels)
	e.number(schema.NFSSessionSlotsConfigured, configured, labels)
}
