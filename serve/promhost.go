package serve

import (
	"fmt"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/promhost"
	"github.com/nasight/nasight/config"
)

// readExporters makes the readers of what each configured Prometheus knows of other hosts. Their health is that of this
// host.
func (c *crew) readExporters(cfg config.Config, here string, from *collecting) error {
	for i, one := range cfg.PromHost {
		source, err := promhost.New(one, from.agent)
		if err != nil {
			return fmt.Errorf("promhost[%d]: %w", i, err)
		}
		c.exporters = append(c.exporters, source)
		runner, err := collectors.NewRunner(collectors.RunnerConfig{
			Roots:   []collectors.Root{{Host: here}},
			Entries: []collectors.Entry{source.Entry(exporterName(i, len(cfg.PromHost)))}, Output: from.output, Watch: from.watch, Logger: from.log,
		})
		if err != nil {
			return fmt.Errorf("promhost[%d]: %w", i, err)
		}
		c.runners = append(c.runners, runner)
	}
	return nil
}

// exporterName is promhost, with a number where there are several.
func exporterName(i, count int) string {
	if count == 1 {
		return "promhost"
	}
	return fmt.Sprintf("promhost_%d", i+1)
}
