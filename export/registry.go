package export

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	process "github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/nasight/nasight/schema"
)

// Build says which program this is.
type Build struct {
	Version  string
	Revision string
}

// Agent is what the requests of a program say who they are of: to receivers, to clouds and to whoever else it asks.
func (b Build) Agent(program string) string {
	if b.Version == "" {
		return program
	}
	return program + "/" + b.Version
}

// BuildInfo is the one family of ours that is not in the schema: it belongs to the process and not to a host.
var BuildInfo = &schema.Family{
	Name: "nasight_build_info", Type: schema.Info, Labels: []string{"version", "revision", "goversion"},
	Help: "The running program; always 1.", Source: "nasight", Grain: schema.HostGrain,
}

// NewRegistry makes a registry of what the process tells of itself: the Go runtime, the process, and
// nasight_build_info.
func NewRegistry(build Build) (*prometheus.Registry, error) {
	info := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: BuildInfo.Name, Help: BuildInfo.Help,
		ConstLabels: prometheus.Labels{
			"version": build.Version, "revision": build.Revision, "goversion": runtime.Version(),
		},
	}, func() float64 { return 1 })
	registry := prometheus.NewRegistry()
	err := errors.Join(
		registry.Register(info),
		registry.Register(process.NewGoCollector()),
		registry.Register(process.NewProcessCollector(process.ProcessCollectorOpts{})),
	)
	if err != nil {
		return nil, fmt.Errorf("register the process's own metrics: %w", err)
	}
	return registry, nil
}
