package otlp

import "github.com/nasight/nasight/schema"

// units are how the schema's units are written by the conventions of UCUM. Prometheus' translators, the collector's exporter among
// them, put a unit behind the name of a metric unless the name has it; a text in braces they leave alone. So that every name stays
// as it is, rates are in braces.
var units = map[schema.Unit]string{
	schema.Bytes:               "By",
	schema.Seconds:             "s",
	schema.BytesPerSecond:      "{byte_per_second}",
	schema.Operations:          "{operation}",
	schema.OperationsPerSecond: "{operation_per_second}",
	schema.Segments:            "{segment}",
	schema.Requests:            "{request}",
	schema.Slots:               "{slot}",
	schema.USD:                 "{USD}",
	schema.USDPerMonth:         "{USD_per_month}",
}

// families are the schema's rows by name.
func families() map[string]*schema.Family {
	byName := map[string]*schema.Family{}
	for _, family := range schema.All() {
		byName[family.Name] = family
	}
	return byName
}
