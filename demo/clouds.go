package demo

import (
	"context"
	"errors"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/model"
)

// clouds are the emulators; one is nil where the fleet has nothing there.
type clouds struct {
	google *simulator.Server
	azure  *azure.Server
}

func startClouds(ctx context.Context, m *model.Model) (c *clouds, err error) {
	c = &clouds{}
	if len(m.Fleet().Projects) > 0 {
		if c.google, err = simulator.Start(ctx, simulator.Options{Model: m}); err != nil {
			return nil, err
		}
	}
	if len(m.Fleet().Subscriptions) > 0 {
		if c.azure, err = azure.Start(ctx, nil, azure.Options{Model: m}); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	return c, nil
}

func (c *clouds) close() error {
	var errs []error
	if c.google != nil {
		errs = append(errs, c.google.Close())
	}
	if c.azure != nil {
		errs = append(errs, c.azure.Close())
	}
	return errors.Join(errs...)
}

// callsPerSecond is more than a real cloud is asked: the emulators are on this machine.
const callsPerSecond = 200

// configure makes a configuration read all of them.
func (c *clouds) configure(cfg *config.Config) {
	if c.google != nil {
		g := &cfg.GCNV
		for _, project := range c.google.Model().Fleet().Projects {
			g.Projects = append(g.Projects, project.ID)
		}
		g.Endpoints.Monitoring, g.Endpoints.NetApp, g.Endpoints.Insecure = c.google.GRPCAddress(), c.google.URL(), true
		g.Pacing.CallsPerSecond = callsPerSecond
		g.BackfillDays = int(past.Hours() / 24)
	}
	if c.azure != nil {
		a := &cfg.AzureFiles
		for _, subscription := range c.azure.Model().Fleet().Subscriptions {
			a.Subscriptions = append(a.Subscriptions, subscription.ID)
		}
		a.Identity.Kind, a.BackfillDays = "none", int(past.Hours()/24)
		a.Endpoints.ResourceManager, a.Endpoints.Metrics, a.Endpoints.Batch = c.azure.URL(), c.azure.URL(), c.azure.URL()
		a.Endpoints.Logs, a.Endpoints.CAFile = c.azure.LogsURL(), c.azure.CAFile()
	}
}

// configuration is that of serve.
func (s *simulation) configuration(options Options) config.Config {
	cfg := config.Default()
	cfg.Web.ListenAddress, cfg.History.Path = options.Address, options.History
	cfg.Export, cfg.Alerting = options.Export, options.Alerting
	cfg.Hosts = s.hosts.configured()
	if s.hosts.anyWindows() {
		cfg.Windows = config.Windows{Directory: s.hosts.windows(), Interval: config.Duration(grain)}
	}
	off := false
	cfg.Collectors = map[string]config.Collector{"gce": {Enabled: &off}} // the hosts have no metadata server of their own
	s.clouds.configure(&cfg)
	return cfg
}
