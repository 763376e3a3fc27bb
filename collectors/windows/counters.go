package windows

import (
	"regexp"
	"strings"

	"github.com/nasight/nasight/collectors/windows/psout"
	"github.com/nasight/nasight/schema"
)

// counterRow says which family a counter of "SMB Client Shares" fills.
type counterRow struct {
	property string // of Win32_PerfRawData_Counters_SMBClientShares; the counter's own name reads the same
	family   *schema.Family
	class    string // empty for a family without classes
	unit     float64
}

// ticks are the parts of a second that queue lengths are summed in: requests under way, times 100 nanoseconds.
const ticks = 1e7

var counterRows = []counterRow{
	{"ReadBytesPersec", schema.SMBReadBytes, "", 1},
	{"WriteBytesPersec", schema.SMBWriteBytes, "", 1},
	{"ReadRequestsPersec", schema.SMBOperations, "read", 1},
	{"WriteRequestsPersec", schema.SMBOperations, "write", 1},
	{"MetadataRequestsPersec", schema.SMBOperations, "metadata", 1},
	{"AvgReadQueueLength", schema.SMBRTT, "read", ticks},
	{"AvgWriteQueueLength", schema.SMBRTT, "write", ticks},
	{"CreditStallsPersec", schema.SMBCreditStalls, "", 1},
	{"CurrentDataQueueLength", schema.SMBQueued, "", 1},
}

// value is a number that may be missing.
type value struct {
	sum   float64
	known bool
}

// counters are the values of one share, in the order of counterRows.
type counters struct {
	server, share string // as they are written
	values        [9]value
}

// instance is what one record says of one instance.
type instance struct {
	name          string
	server, share string
	values        [9]value
}

func instanceOf(record psout.Record) instance {
	one := instance{name: record.Text("Name")}
	for i, row := range counterRows {
		one.values[i].sum, one.values[i].known = record.Integer(row.property)
	}
	return one
}

// counterPath is the path of one counter. The object has an English name, or the counter is not known by it either.
var counterPath = regexp.MustCompile(`(?i)\\smb client shares\((.*)\)\\([^\\]+)$`)

// sample takes one counter of Get-Counter. Its raw value is the running count; a computed one is a rate, of which only
// a gauge has use.
func (a *answers) sample(record psout.Record) {
	parts := counterPath.FindStringSubmatch(record.Text("Path"))
	if parts == nil {
		a.skip("unknown_record", 1)
		return
	}
	one := instance{name: parts[1]}
	named := psout.Named(parts[2])
	for i, row := range counterRows {
		if named != psout.Named(row.property) {
			continue
		}
		number, ok := record.Integer("RawValue")
		if !ok && row.family.Type == schema.Gauge {
			number, ok = record.Decimal("CookedValue")
		}
		if !ok {
			a.skip("computed_value", 1)
		}
		one.values[i] = value{number, ok}
	}
	a.instances = append(a.instances, one)
}

var repeated = regexp.MustCompile(`^(.+)#[0-9]{1,6}$`)

// totalInstance is the one that every host has beside those of its shares.
const totalInstance = "_Total"

// uniqueInstances splits the names of the instances. What is no share costs itself, and the total is left out: it says
// nothing of its own. A name that comes twice has a number behind the second: both are the same share.
func (a *answers) uniqueInstances() []instance {
	names := map[string]bool{}
	for _, one := range a.instances {
		names[strings.ToLower(one.name)] = true
	}
	var kept []instance
	for _, one := range a.instances {
		name := one.name
		if strings.EqualFold(name, totalInstance) {
			continue
		}
		if parts := repeated.FindStringSubmatch(name); parts != nil && names[strings.ToLower(parts[1])] {
			name = parts[1]
		}
		var ok bool
		if one.server, one.share, ok = cutInstance(name); !ok {
			a.skip("odd_instance", 1)
			continue
		}
		kept = append(kept, one)
	}
	return kept
}

// sum adds up the instances of each share.
func (a *answers) sum(instances []instance) {
	for _, one := range instances {
		key := shareOf(one.server, one.share)
		total, ok := a.counters[key]
		if !ok {
			total = &counters{server: one.server, share: one.share}
			a.counters[key] = total
		}
		for i, part := range one.values {
			if part.known {
				total.values[i] = value{total.values[i].sum + part.sum, true}
			}
		}
	}
}
