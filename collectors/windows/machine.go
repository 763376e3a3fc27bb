package windows

import (
	"regexp"
	"strings"

	"github.com/nasight/nasight/collectors/windows/psout"
	"github.com/nasight/nasight/schema"
)

const bitsPerByte = 8

// networks adds the interfaces that the SMB client may use, with the queues and counters of their adapters. Names of
// interfaces are those that people gave them; counters go by the adapter's description, which the settings of
// receive-side scaling tell for each name.
func (e emitter) networks(found *answers) {
	adapters := map[string]psout.Record{}
	for _, adapter := range found.adapters {
		adapters[strings.ToLower(adapter.Text("Name"))] = adapter
	}
	traffic := map[string]psout.Record{}
	for _, record := range found.traffic {
		traffic[CounterName(record.Text("Name"))] = record
	}
	seen := map[string]bool{}
	for _, one := range found.interfaces {
		if one.name == "" || seen[strings.ToLower(one.name)] {
			continue // an interface is listed once for every address in some versions
		}
		seen[strings.ToLower(one.name)] = true
		adapter := adapters[strings.ToLower(one.name)]
		description := adapter.Text("InterfaceDescription")
		labels := []string{e.host, one.name}
		e.sink.Add(schema.NICInfo, 1, e.host, one.name, description, found.leads(one))
		e.value(schema.NICSpeed, value{one.speed / bitsPerByte, one.speed > 0}, labels)
		if queues, ok := adapter.Integer("NumberOfReceiveQueues"); ok && adapter.Truth("Enabled") == "true" {
			e.sink.Add(schema.NICQueues, queues, e.host, one.name, "receive")
		}
		if record := traffic[CounterName(description)]; description != "" {
			received, ok := record.Integer("BytesReceivedPersec")
			e.value(schema.NICReceived, value{received, ok}, labels)
			sent, ok := record.Integer("BytesSentPersec")
			e.value(schema.NICTransmitted, value{sent, ok}, labels)
		}
	}
}

// leads tells whether channels leave by an interface.
func (a *answers) leads(one netInterface) string {
	selected := false
	for _, pair := range a.channels {
		if !pair.isSelected {
			continue
		}
		selected = true
		if pair.index == one.index || strings.EqualFold(pair.name, one.name) {
			return "true"
		}
	}
	if selected {
		return "false"
	}
	return unknown
}

// counterNames are what the names of counters have in the place of signs that mean something in a counter's path.
var counterNames = strings.NewReplacer("(", "[", ")", "]", "#", "_", "/", "_", `\`, "_")

// CounterName is how the counters of an adapter spell its description, in lower case.
func CounterName(description string) string {
	return strings.ToLower(counterNames.Replace(description))
}

// processorTimes says which times of a processor make up a mode. PercentProcessorTime counts, despite its name, the time
// that the processor was idle.
var processorTimes = []struct {
	mode       string
	isCore     bool // told of every core, too
	properties []string
}{
	{"busy", true, []string{"PercentUserTime", "PercentPrivilegedTime"}},
	{"softirq", true, []string{"PercentDPCTime"}},
	{"idle", false, []string{"PercentProcessorTime"}},
}

var coreNumber = regexp.MustCompile(`^[0-9]{1,4}$`)

// processors adds the times of the cores and their sums. The instance of all processors is a mean and is left out.
func (e emitter) processors(found *answers) {
	sums := make([]value, len(processorTimes))
	seen := map[string]bool{}
	for _, record := range found.processors {
		core := record.Text("Name")
		if !coreNumber.MatchString(core) || seen[core] {
			continue
		}
		seen[core] = true
		for i, row := range processorTimes {
			time := total(record, row.properties)
			sums[i] = value{sums[i].sum + time.sum, (sums[i].known || len(seen) == 1) && time.known}
			if row.isCore {
				e.value(schema.CPUCoreSeconds, time, []string{e.host, core, row.mode})
			}
		}
	}
	for i, row := range processorTimes {
		e.value(schema.CPUSeconds, sums[i], []string{e.host, row.mode})
	}
	if len(seen) > 0 {
		e.sink.Add(schema.CPUCores, float64(len(seen)), e.host)
	}
}

// total is the sum of some times in seconds, unknown if one of them is.
func total(record psout.Record, properties []string) value {
	sum := value{known: true}
	for _, property := range properties {
		part, ok := record.Integer(property)
		sum = value{sum.sum + part/ticks, sum.known && ok}
	}
	return sum
}
