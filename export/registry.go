package export

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	process "github.com/prometheus/client_golang/prometheus/collectors"
)

// Build says which program this is.
type Build struct {
	Version  string
	Revision string
}

// NewRegistry makes a registry of what the process tells of itself: the Go runtime, the process, and
// nasight_build_info.
func NewRegistry(build Build) (*prometheus.Registry, error) {
	info := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "nasight_build_info", Help: "The running program; always 1.",
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
