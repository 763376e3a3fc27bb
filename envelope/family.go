package envelope

import (
	"fmt"
	"slices"
)

// The protocols a volume is mounted with.
const (
	NFSv3  = "nfsv3"
	NFSv41 = "nfsv4.1"
	SMB    = "smb"
	ISCSI  = "iscsi"
)

// The service levels of Google Cloud NetApp Volumes. Flex with custom performance buys throughput and IOPS apart from
// capacity.
const (
	Standard          = "standard"
	Premium           = "premium"
	Extreme           = "extreme"
	FlexFile          = "flex_file"
	FlexFileCustom    = "flex_file_custom"
	FlexUnifiedCustom = "flex_unified_custom"
)

// level is what the vendor publishes of a service level beside the benchmarks (service level and quota pages).
type level struct {
	name     string
	rate     float64 // KiB/s per GiB; 0 where throughput is bought apart from capacity
	of       string  // whose capacity: the volume's or the pool's
	flex     bool
	maxIOPS  float64 // of a pool, op/s; 0 is no published one
	maxMiBps float64 // of a pool
	large    bool    // large-capacity volumes with several addresses exist, and the table's maximum is about them
}

func levels() []level {
	return []level{
		{name: Standard, rate: 16, of: "volume"},
		{name: Premium, rate: 64, of: "volume", large: true},
		{name: Extreme, rate: 128, of: "volume", large: true},
		{name: FlexFile, rate: 16, of: "pool", flex: true},
		{name: FlexFileCustom, flex: true, maxIOPS: 160_000, maxMiBps: 5_120},
		{name: FlexUnifiedCustom, flex: true, maxIOPS: 160_000, maxMiBps: 5_120},
	}
}

func levelNamed(name string) level {
	all := levels()
	if i := slices.IndexFunc(all, func(l level) bool { return l.name == name }); i >= 0 {
		return all[i]
	}
	return level{name: name}
}

// Protocols are the names a query may use.
func Protocols() []string { return []string{NFSv3, NFSv41, SMB, ISCSI} }

// Levels are the names of service levels a query may use.
func Levels() []string {
	var names []string
	for _, l := range levels() {
		names = append(names, l.name)
	}
	return names
}

// stand is a step away from what was asked: what stands in for it and how sure that is.
type stand struct {
	band float64
	note string
}

// family finds the curve for a protocol and a level: the exact one, else the same protocol on another level, else
// NFSv3 on Extreme, with one step for each stand-in. NFSv4.1 goes by NFSv3: it was not measured.
func (t *Table) family(protocol, level string) (curve, []stand, error) {
	var steps []stand
	if protocol == NFSv41 && len(t.of(protocol)) == 0 {
		steps = append(steps, stand{bandProtocol, "NFSv4.1 was not measured: NFSv3 stands in"})
		protocol = NFSv3
	}
	same := t.of(protocol)
	if i := slices.IndexFunc(same, func(c curve) bool { return c.level == level }); i >= 0 {
		return same[i], steps, nil
	}
	if len(same) > 0 {
		found := nearest(same, level)
		return found, append(steps, stand{bandLevel, fmt.Sprintf("%s was not measured on %s: %s stands in", protocol, level, found.level)}), nil
	}
	for _, c := range t.of(NFSv3) {
		if c.level == Extreme {
			note := fmt.Sprintf("%s was not measured on any level: %s stands in", protocol, c.name())
			return c, append(steps, stand{bandLevel, note}, stand{band: bandLevel}), nil
		}
	}
	return curve{}, nil, fmt.Errorf("no table for protocol %s on service level %s, and none of %s/%s to stand in", protocol, level, NFSv3, Extreme)
}

func (t *Table) of(protocol string) []curve {
	var found []curve
	for _, c := range t.curves {
		if c.protocol == protocol {
			found = append(found, c)
		}
	}
	return found
}

// nearest prefers a level of the same kind, because a Flex pool's ceiling is bought and not the hardware's; then Extreme.
func nearest(curves []curve, name string) curve {
	distance := func(c curve) int {
		d := 0
		if levelNamed(c.level).flex != levelNamed(name).flex {
			d += 2
		}
		if c.level != Extreme {
			d++
		}
		return d
	}
	return slices.MinFunc(curves, func(a, b curve) int { return distance(a) - distance(b) })
}
