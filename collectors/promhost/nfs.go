package promhost

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/collectors/nfs"
	"github.com/nasight/nasight/schema"
)

const nfsProtocol = "nfs"

// mountLabels are those of a mount as the collector of a host's own files gives them where it has no device numbers. The
// exporter tells mounts of one export apart by the transport's protocol alone. ok is false without an export or a server.
func mountLabels(one found) (labels []string, ok bool) {
	export := one.labels["export"]
	name, path := nfs.SplitSource(export)
	server := cmp.Or(one.labels["mountaddr"], name)
	device := export + "@" + one.labels[schema.Protocol]
	return []string{one.host, server, path, nfsProtocol, device}, server != "" && path != ""
}

// eachMount calls a function with the series of mounts that have a name.
func eachMount(series []found, skip skipFunc, do func(one found, labels []string)) {
	for _, one := range series {
		if labels, ok := mountLabels(one); ok {
			do(one, labels)
		} else {
			skip("odd_export", 1)
		}
	}
}

func readNFSMounts(b *board, series []found, skip skipFunc) {
	points := map[string][]string{} // mount points by mount, of the newest scrape that names them
	newest := map[string]time.Time{}
	eachMount(series, skip, func(one found, labels []string) {
		if one.row.family != nil {
			b.largest(one.row.family, one, labels...)
			return
		}
		key, last := strings.Join(labels, "\xff"), one.last()
		if last.After(newest[key]) {
			newest[key], points[key] = last, nil
		}
		if last.Equal(newest[key]) {
			points[key] = append(points[key], mountPointEscapes.Replace(one.labels["mountpoint"]))
		}
	})
	eachMount(series, func(string, int) {}, func(one found, labels []string) {
		if one.row.family != schema.NFSMountAge {
			return
		}
		mounted := slices.Compact(slices.Sorted(slices.Values(points[strings.Join(labels, "\xff")])))
		name, _ := nfs.SplitSource(one.labels["export"])
		b.is(schema.NFSMountInfo, one, append(labels, name, "", one.labels[schema.Protocol], strings.Join(mounted, " "), "", "", "")...)
	})
}

// mountPointEscapes are the kernel's, so that blanks can separate mount points.
var mountPointEscapes = strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`)

func readNFSOperations(b *board, series []found, skip skipFunc) {
	sent := map[string]*resends{}
	eachMount(series, skip, func(one found, labels []string) {
		operation := one.labels["operation"]
		switch one.row.series {
		case timeoutsSeries:
			b.add(schema.NFSTimeouts, one, labels...)
			return
		case requestsSeries, transmissionsSeries:
			key := strings.Join(append(labels, operation), "\xff")
			if sent[key] == nil {
				sent[key] = &resends{labels: labels}
			}
			sent[key].note(one)
		}
		if class, ok := nfs.Class(operation); ok && one.row.family != nil && operation != "" {
			b.add(one.row.family, one, append(labels[:len(labels):len(labels)], class)...)
		}
	})
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		if one := sent[key]; one.requests.row != nil && one.transmissions.row != nil { // else they are not told of this operation
			b.add(schema.NFSRetransmissions, one.beyondFirst(), one.labels...)
		}
	}
}

// resends are the requests and the transmissions of one operation of one mount.
type resends struct {
	labels                  []string
	requests, transmissions found
}

func (r *resends) note(one found) {
	if one.row.series == requestsSeries {
		r.requests = one
	} else {
		r.transmissions = one
	}
}

// beyondFirst is how often the operation was sent beyond the first time, at the moments that have both numbers. One that
// failed before it was sent makes fewer transmissions than requests; that is none.
func (r *resends) beyondFirst() found {
	requests := map[int64]float64{}
	for i, at := range r.requests.times {
		requests[at.UnixMilli()] = r.requests.values[i]
	}
	var out found
	for i, at := range r.transmissions.times {
		if first, ok := requests[at.UnixMilli()]; ok {
			out.times = append(out.times, at)
			out.values = append(out.values, max(r.transmissions.values[i]-first, 0))
		}
	}
	return out
}

// transportKey tells one transport to a server from another. The exporter repeats the transports under every mount that
// shares them, in the same order, and tells neither ports nor NFS versions: those of two versions look as one.
type transportKey struct {
	host, server, protocol, place string
}

// readNFSTransports counts every transport once, with the larger of the values that the mounts show: the later one.
func readNFSTransports(b *board, series []found, skip skipFunc) {
	each := newBoard()
	keys := map[string]transportKey{}
	eachMount(series, skip, func(one found, labels []string) {
		key := transportKey{one.host, labels[1], one.labels[schema.Protocol], one.labels["transport"]}
		name, _ := each.line(one.row.family, []string{key.host, key.server, key.protocol, key.place})
		keys[name] = key
		each.largest(one.row.family, one, key.host, key.server, key.protocol, key.place)
	})
	for _, name := range slices.Sorted(maps.Keys(each.lines)) {
		l, key := each.lines[name], keys[name]
		one := l.series()
		labels := []string{key.host, key.server, nfsProtocol, ""}
		if l.family == schema.NFSMaxSlots {
			b.largest(l.family, one, labels...)
		} else {
			b.add(l.family, one, labels...)
		}
		if l.family == schema.NFSSends {
			for i := range one.values {
				one.values[i] = 1
			}
			b.add(schema.NFSTransports, one, labels...)
		}
	}
}

// series is a line as what it was put together from.
func (l *line) series() (one found) {
	for _, at := range slices.Sorted(maps.Keys(l.points)) {
		one.times = append(one.times, time.UnixMilli(at))
		one.values = append(one.values, l.points[at])
	}
	return one
}
