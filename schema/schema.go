// Package schema is the table of every metric family that nasight knows. Collectors fill these families, history
// stores them, fleet queries them, /metrics renders them and docs/metrics.md is generated from the same rows.
package schema

import "time"

// Type is how a family's values behave over time.
type Type uint8

const (
	// Counter only rises, apart from resets; its name ends in _total.
	Counter Type = iota
	// Gauge is a momentary value.
	Gauge
	// Info is a gauge that is always 1 and whose labels carry the facts.
	Info
)

// String names the type as the generated documentation prints it.
func (t Type) String() string {
	return [...]string{"counter", "gauge", "info"}[t]
}

// Unit is the base unit of a family's values; the family's name carries it as a suffix where it has one.
type Unit string

// The units in use. Rates are bytes or operations per second, shares are ratios from 0 to 1.
const (
	None                Unit = ""
	Bytes               Unit = "bytes"
	BytesPerSecond      Unit = "bytes per second"
	Seconds             Unit = "seconds"
	Operations          Unit = "operations"
	OperationsPerSecond Unit = "operations per second"
	Segments            Unit = "segments"
	Requests            Unit = "requests"
	Slots               Unit = "slots"
	USD                 Unit = "USD"
	USDPerMonth         Unit = "USD per month"
)

// Grain is how often a source renews its values, unless the operator sets another interval.
const (
	HostGrain   = 15 * time.Second
	ConfigGrain = time.Hour
)

// Family is one metric family: one row of the table.
type Family struct {
	Name   string
	Type   Type
	Unit   Unit
	Labels []string // fixed set, in the order in which Sample.Values carries them
	Help   string
	Source string        // the file, socket or API that the value comes from
	Grain  time.Duration // how often the source renews the value
	Delay  time.Duration // how late the source delivers a settled value
}

// Sample is one value of one series at one moment.
type Sample struct {
	Family *Family
	Labels []string // values, in the order of Family.Labels
	Value  float64
	Time   time.Time
}

// The identity labels, and those that tell one series of a resource from another.
const (
	Host        = "host"
	Server      = "server"
	Export      = "export"
	Protocol    = "protocol"
	Device      = "device"
	Class       = "class"
	Session     = "session"
	Interface   = "interface"
	CPU         = "cpu"
	Mode        = "mode"
	Direction   = "direction"
	Collector   = "collector"
	Reason      = "reason"
	Version     = "version"
	Detector    = "detector"
	Variant     = "variant"
	Outcome     = "outcome"
	Receiver    = "receiver"
	Kind        = "type"
	Tier        = "tier"
	Metric      = "metric"
	API         = "api"
	Code        = "code"
	Limit       = "limit"
	Replication = "replication"
	Quantity    = "quantity"
	Response    = "response"
	Scope       = "scope"
	Signal      = "signal"
	Step        = "step"
	State       = "state"
)

// IdentityLabels are the labels that name a resource anywhere in nasight, the same for every cloud and protocol. On
// Azure the project is the subscription, the pool is the account and the volume is the share.
var IdentityLabels = []string{
	"cloud", "service", "project", "location", "pool", "volume", Host, Server, Export, Protocol,
}

// The label sets that families share.
var (
	hostLabels        = []string{Host}
	mountLabels       = []string{Host, Server, Export, Protocol, Device}
	classLabels       = with(mountLabels, Class)
	endpointLabels    = []string{Host, Server, Protocol}
	transportLabels   = with(endpointLabels, Version)
	sessionLabels     = with(endpointLabels, Session)
	interfaceLabels   = []string{Host, Interface}
	cloudLabels       = []string{"cloud", "service"}
	projectLabels     = with(cloudLabels, "project")
	locationLabels    = with(projectLabels, "location")
	poolLabels        = with(locationLabels, "pool")
	volumeLabels      = with(poolLabels, "volume")
	replicationLabels = with(volumeLabels, Replication)
	findingLabels     = append([]string{Detector, Variant}, IdentityLabels...)
)

func with(labels []string, more ...string) []string {
	return append(append([]string(nil), labels...), more...)
}
