package otlp

import (
	"maps"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/nasight/nasight/export"
)

// Identity is what a process truly knows of itself. What is empty is not told.
type Identity struct {
	Version  string // of the program
	Instance string // tells this process from others that are nasight, and is the same after a restart
	Host     string // name of the machine
	Cloud    string // where the machine runs: gce, azure, or empty
}

// agent is what requests say who they are of.
func (i Identity) agent() string { return export.Build{Version: i.Version}.Agent("nasight") }

// resource is the identity in the words of the semantic conventions, with what the configuration adds or replaces.
func (i Identity) resource(more map[string]string) *resource.Resource {
	all := map[attribute.Key]attribute.KeyValue{}
	set := func(pair attribute.KeyValue) {
		if pair.Value.AsString() != "" {
			all[pair.Key] = pair
		}
	}
	set(semconv.ServiceName("nasight"))
	set(semconv.ServiceVersion(i.Version))
	set(semconv.ServiceInstanceID(i.Instance))
	set(semconv.HostName(i.Host))
	switch i.Cloud {
	case "gce":
		set(semconv.CloudProviderGCP)
	case "azure":
		set(semconv.CloudProviderAzure)
	}
	for name, value := range more {
		delete(all, attribute.Key(name)) // an empty value takes one away
		set(attribute.String(name, value))
	}
	return resource.NewWithAttributes(semconv.SchemaURL, slices.Collect(maps.Values(all))...)
}
