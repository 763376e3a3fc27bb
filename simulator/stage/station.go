package stage

import (
	"context"
	"fmt"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/host"
)

// station is one host with its collectors. They live until nothing reads the host: some keep sums from run to run.
type station struct {
	stage      *collectors.Stage
	collectors map[string]collectors.Collector
	memory     *memory
}

func newStation() *station { return &station{memory: &memory{}} }

// stop ends the station's agent. The next one knows what the first wrote down, and nothing else of what it had read.
func (s *station) stop() { s.stage, s.collectors = nil, nil }

// rows are the host's collectors that read files. The place of a machine in the cloud is asked of a server of the cloud, which
// hosts on the stage do not have.
func rows() []collectors.Entry {
	var out []collectors.Entry
	for _, entry := range list.Entries() {
		if entry.Name != "gce" {
			out = append(out, entry)
		}
	}
	return out
}

func (s *station) collect(ctx context.Context, machine *host.Machine, at time.Time) ([]schema.Sample, error) {
	root := machine.Root()
	if s.collectors == nil {
		if err := s.open(root, float64(machine.NICs[0].SpeedMbit)*1e6/8); err != nil {
			return nil, fmt.Errorf("host %s: %w", machine.Name, err)
		}
	}
	s.stage.Set(root)
	var all []schema.Sample
	for _, entry := range rows() {
		result := collectors.Once(ctx, s.collectors[entry.Name], at)
		if !result.Success() {
			return nil, fmt.Errorf("host %s: collector %s: %w", machine.Name, entry.Name, result.Err)
		}
		all = append(all, result.Samples...)
	}
	return all, nil
}

func (s *station) open(root collectors.Root, network float64) error {
	s.stage = collectors.NewStage(root)
	s.collectors = map[string]collectors.Collector{}
	caps := map[string]float64{"receive": network, "transmit": network} // as an operator writes a machine's cap
	for _, entry := range rows() {
		c, err := entry.New(s.stage.Root, collectors.Settings{Memory: s.memory, NetworkCaps: caps})
		if err != nil {
			return fmt.Errorf("collector %s: %w", entry.Name, err)
		}
		s.collectors[entry.Name] = c
	}
	return nil
}
