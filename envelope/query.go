package envelope

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxBlockBytes is the largest block a query may ask for.
const MaxBlockBytes = 16 * mib

// maxCapacityGiB is the largest pool the service offers, 10 PiB.
const maxCapacityGiB = 10 << 20

// Query asks for the ceiling of one volume.
type Query struct {
	Protocol   string  `json:"protocol"`      // one of Protocols
	Level      string  `json:"service_level"` // one of Levels
	BlockBytes float64 `json:"block_bytes"`   // mean bytes of an operation, 1 to MaxBlockBytes
	ReadShare  float64 `json:"read_share"`    // of the operations, 0 to 1
	// CapacityGiB bounds levels whose throughput comes with capacity: the volume's, or the pool's on Flex. 0 is not
	// known. Leave it out where throughput is assigned by hand: capacity then bounds the pool, not the volume.
	CapacityGiB   float64 `json:"capacity_gib,omitempty"`
	LargeCapacity bool    `json:"large_capacity,omitempty"` // a large-capacity volume, used over all its addresses
}

// String is the query in words.
func (q Query) String() string {
	large := ""
	if q.LargeCapacity {
		large = " (large capacity)"
	}
	return fmt.Sprintf("%s on %s%s, %s blocks, %s reads", q.Protocol, q.Level, large, blockText(q.BlockBytes), percent(q.ReadShare))
}

// Check says in one line which field is out of its range and what is allowed.
func (q Query) Check() error {
	switch {
	case !slices.Contains(Protocols(), q.Protocol):
		return fmt.Errorf("protocol %q is not known: use %s", q.Protocol, strings.Join(Protocols(), ", "))
	case !slices.Contains(Levels(), q.Level):
		return fmt.Errorf("service level %q is not known: use %s", q.Level, strings.Join(Levels(), ", "))
	case !(q.BlockBytes >= 1 && q.BlockBytes <= MaxBlockBytes): // NaN fails both
		return fmt.Errorf("block of %g bytes is out of range: 1 byte to 16 MiB", q.BlockBytes)
	case !(q.ReadShare >= 0 && q.ReadShare <= 1):
		return fmt.Errorf("read share %g is out of range: 0 (all writes) to 1 (all reads)", q.ReadShare)
	case q.CapacityGiB != 0 && !(q.CapacityGiB >= 1 && q.CapacityGiB <= maxCapacityGiB):
		return fmt.Errorf("capacity of %g GiB is out of range: 1 to %d, or 0 for not known", q.CapacityGiB, maxCapacityGiB)
	case q.LargeCapacity && !levelNamed(q.Level).large:
		return fmt.Errorf("large capacity on service level %q has no published benchmark: use %s, %s", q.Level, Premium, Extreme)
	}
	return nil
}

// ParseProtocol reads a protocol as people and the cloud's API write it: NFSv3, nfs4.1, NFSV4, SMB.
func ParseProtocol(text string) (string, error) {
	name := strings.ToLower(strings.TrimSpace(text))
	switch name {
	case "nfs3":
		name = NFSv3
	case "nfsv4", "nfs4", "nfsv41", "nfs4.1", "nfs41": // 4.1 is the only version 4 the service has
		name = NFSv41
	}
	if !slices.Contains(Protocols(), name) {
		return "", fmt.Errorf("protocol %q is not known: use %s", text, strings.Join(Protocols(), ", "))
	}
	return name, nil
}

// ParseLevel reads a service level in any case, with - or _: Extreme, FLEX-FILE, flex_unified. Flex Unified without
// more is the one with custom performance: it has no other.
func ParseLevel(text string) (string, error) {
	name := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), "-", "_")
	if name == "flex_unified" {
		name = FlexUnifiedCustom
	}
	if !slices.Contains(Levels(), name) {
		return "", fmt.Errorf("service level %q is not known: use %s", text, strings.Join(Levels(), ", "))
	}
	return name, nil
}

// ParseBlock reads a block size in bytes: 65536, 64KiB, 64k, 1MiB, 0.5m. Units are binary; kB and MB, which mean two
// things, are refused.
func ParseBlock(text string) (float64, error) {
	value, ok := quantity(text, map[string]float64{"": 1, "b": 1, "k": kib, "kib": kib, "m": mib, "mib": mib})
	if !ok || !(value >= 1 && value <= MaxBlockBytes) {
		return 0, fmt.Errorf("block %q is not a size of 1 byte to 16 MiB: write bytes or a binary unit, as 65536, 64KiB or 1MiB", text)
	}
	return value, nil
}

// ParseReadShare reads the share of reads among the operations, 0 to 1: 0.75 or 75%.
func ParseReadShare(text string) (float64, error) {
	value, ok := quantity(text, map[string]float64{"": 1, "%": 0.01})
	if !ok || value > 1 {
		return 0, fmt.Errorf("read share %q is not a share: write 0 (all writes) to 1 (all reads), or 0%% to 100%%", text)
	}
	return value, nil
}

// ParseCapacity reads a capacity in GiB: 1500, 1500GiB, 75TiB, 1PiB.
func ParseCapacity(text string) (float64, error) {
	value, ok := quantity(text, map[string]float64{"": 1, "g": 1, "gib": 1, "t": kib, "tib": kib, "p": mib, "pib": mib})
	if !ok || !(value >= 1 && value <= maxCapacityGiB) {
		return 0, fmt.Errorf("capacity %q is not a size of 1 GiB to 10 PiB: write GiB or a unit, as 1500GiB or 75TiB", text)
	}
	return value, nil
}

// quantity reads plain decimal digits and one of the units: no sign, no exponent, no hexadecimal, no "inf".
func quantity(text string, units map[string]float64) (float64, bool) {
	text = strings.TrimSpace(text)
	digits := text
	if end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); end >= 0 {
		digits = text[:end]
	}
	value, err := strconv.ParseFloat(digits, 64)
	unit, known := units[strings.ToLower(strings.TrimSpace(text[len(digits):]))]
	return value * unit, err == nil && known
}
