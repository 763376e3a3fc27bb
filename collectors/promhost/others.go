package promhost

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/nasight/nasight/schema"
)

// readSMB reads the shares of a Windows client. The exporter names the server as the path does; an address it does not tell.
func readSMB(b *board, series []found, skip skipFunc) {
	for _, one := range series {
		server, share := one.labels["server"], one.labels["share"]
		if server == "" || share == "" || server == "_Total" {
			skip("odd_share", 1)
			continue
		}
		labels := []string{one.host, server, share, "smb", ""}
		if one.row.family == schema.SMBReadBytes {
			b.is(schema.SMBMountInfo, one, append(labels[:len(labels):len(labels)], server, "", "", "", "", "", "")...)
		}
		if one.row.class != "" {
			labels = append(labels, one.row.class)
		}
		b.largest(one.row.family, one, labels...)
	}
}

// readSystem says which hosts run Windows: those that its exporter tells of. The settings of their client it does not tell.
func readSystem(b *board, series []found) {
	for _, one := range series {
		if strings.HasPrefix(one.row.series, "windows_") {
			b.is(schema.SMBClientInfo, one, one.host, "unknown", "", "", "unknown", "unknown")
		}
	}
}

const maxInterfaces = 8

// virtual are interfaces that lead to no other machine by themselves.
var virtual = regexp.MustCompile(`(?i)^(lo|lo0|(veth|docker|br-|virbr|vnet|cali|cilium|flannel|cni|dummy|ifb|lxc|nodelocaldns|kube-|tunl|sit|gre).*)$|loopback|isatap|teredo|6to4|wan miniport`)

// readNetwork reads the interfaces that may lead to storage, those with most traffic where there are many: which one does
// the exporters do not tell.
func readNetwork(b *board, series []found, skip skipFunc) {
	nameOf := func(one found) string { return cmp.Or(one.labels["device"], one.labels["nic"]) }
	traffic := map[string]map[string]float64{}
	for _, one := range series {
		name := nameOf(one)
		if name == "" {
			skip("odd_interface", 1)
			continue
		}
		if virtual.MatchString(name) {
			continue
		}
		if traffic[one.host] == nil {
			traffic[one.host] = map[string]float64{}
		}
		if f := one.row.family; f == schema.NICReceived || f == schema.NICTransmitted {
			traffic[one.host][name] += one.newest()
		}
	}
	kept := map[string][]string{}
	for host, interfaces := range traffic {
		var beyond int
		if kept[host], beyond = busiest(interfaces); beyond > 0 {
			skip("interface_beyond_limit", beyond)
		}
	}
	for _, one := range series {
		name := nameOf(one)
		if !slices.Contains(kept[one.host], name) || one.row.family == schema.NICSpeed && one.newest() == 0 {
			continue
		}
		if one.row.family == schema.NICReceived {
			b.is(schema.NICInfo, one, one.host, name, "", "unknown")
		}
		b.largest(one.row.family, one, one.host, name)
	}
}

// busiest are the names with the most traffic.
func busiest(interfaces map[string]float64) (names []string, beyond int) {
	for name := range interfaces {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(interfaces[b], interfaces[a]), strings.Compare(a, b))
	})
	beyond = max(len(names)-maxInterfaces, 0)
	return names[:len(names)-beyond], beyond
}

// modes are what an exporter's mode of a processor counts as.
var modes = map[string][]string{
	"user": {"busy"}, "nice": {"busy"}, "system": {"busy"}, "irq": {"busy"}, "softirq": {"busy", "softirq"}, "steal": {"busy", "steal"},
	"idle": {"idle"}, "iowait": {"idle"},
	// Windows: the time of interrupts and of deferred procedure calls is part of the privileged time.
	"privileged": {"busy"}, "dpc": {"softirq"}, "interrupt": nil,
}

func readProcessor(b *board, series []found, skip skipFunc) {
	for _, one := range series {
		core := cmp.Or(one.labels["cpu"], one.labels["core"])
		mode := one.labels["mode"]
		counted, known := modes[mode]
		if !known || core == "" {
			skip("odd_processor", 1)
			continue
		}
		for _, as := range counted {
			b.add(schema.CPUSeconds, one, one.host, as)
			if as == "busy" || as == "softirq" {
				b.add(schema.CPUCoreSeconds, one, one.host, core, as)
			}
		}
		if mode == "idle" {
			present := one
			present.values = slices.Repeat([]float64{1}, len(one.values))
			b.add(schema.CPUCores, present, one.host)
		}
	}
}
