package azurenetapp

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// emitInventory puts the configuration of a subscription into the sink, each thing at the time when it was read. What is
// older than some renewals is not shown any more. The caller holds the lock.
func (s *Source) emitInventory(sink collectors.TimedSink, sub *subscription, oldest time.Time) {
	for _, t := range sub.sorted() {
		labels := []string{Cloud, Service, sub.id, t.pool.location, t.name}
		if !t.pool.at.Before(oldest) && s.wantsPool(sub, t) {
			t.emitPool(sink, labels)
		}
		for _, name := range slices.Sorted(maps.Keys(t.volumes)) {
			if v := t.volumes[name].volume; !v.at.Before(oldest) {
				v.emit(sink, t.pool, append(labels[:5:5], name))
			}
		}
	}
}

func (t *target) emitPool(sink collectors.TimedSink, labels []string) {
	p := t.pool
	sink.AddAt(schema.PoolInfo, 1, p.at, append(labels[:5:5],
		p.level, p.qos, "", "default", "", strconv.FormatBool(p.custom), strconv.FormatBool(p.cool), p.state, "")...)
	sink.AddAt(schema.PoolResourceInfo, 1, p.at, append(labels[:5:5], p.group)...)
	allocated, count := t.allocated()
	for family, value := range map[*schema.Family]*float64{
		schema.PoolCapacity: p.size, schema.PoolTotalThroughput: p.total, schema.PoolAvailableThroughput: p.available(),
		schema.PoolAllocated: allocated, schema.PoolVolumes: count,
	} {
		if value != nil {
			sink.AddAt(family, *value, p.at, labels...)
		}
	}
}

// allocated is the size that the pool's volumes have together, and how many there are; nil where it is not known.
func (t *target) allocated() (bytes, count *float64) {
	sum, n := 0.0, float64(len(t.volumes))
	for _, v := range t.volumes {
		if v.volume.quota == nil {
			return nil, &n
		}
		sum += *v.volume.quota
	}
	return &sum, &n
}

func (v *volume) emit(sink collectors.TimedSink, p *pool, labels []string) {
	sink.AddAt(schema.VolumeInfo, 1, v.at, append(labels[:6:6],
		v.level, p.qos, strings.Join(v.protocols, ","), v.state, strconv.FormatBool(v.large), strconv.FormatBool(len(v.addresses()) > 1), v.zone, v.kind)...)
	if v.assigned != nil {
		sink.AddAt(schema.VolumeAssignedThroughput, *v.assigned, v.at, labels...)
	}
	for _, e := range v.endpoints {
		sink.AddAt(schema.VolumeEndpointInfo, 1, v.at, append(labels[:6:6], e[0], e[1], e[2])...)
	}
}

// addresses are the servers under which a volume is mounted by one protocol.
func (v *volume) addresses() map[string]bool {
	found := map[string]bool{}
	for _, e := range v.endpoints {
		if e[2] == v.endpoints[0][2] && e[2] != "smb" {
			found[e[0]] = true
		}
	}
	return found
}
