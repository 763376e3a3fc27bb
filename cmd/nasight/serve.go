package main

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/serve"
)

type serveCommand struct {
	hostFlags
	Listen    string `name:"web.listen-address" placeholder:"ADDRESS" help:"Address to serve HTTP on; :9877 if the configuration sets none."`
	WebConfig string `name:"web.config.file" placeholder:"FILE" help:"TLS and basic auth, in the format of the Prometheus exporter toolkit."`
	History   string `name:"history.path" placeholder:"DIR" help:"Where samples and state are kept; ./data if the configuration sets none."`
}

// Help shows examples below the flags.
func (serveCommand) Help() string {
	return `Examples:
  nasight serve                                     this host, history under ./data, http://localhost:9877
  nasight serve --config.file=nasight.yml           what the file says
  nasight serve --path.procfs=/host/proc --path.sysfs=/host/sys --host=client-1
                                                    the host, from inside a container

Flags win over the file. The host flags (--path.*, --host) describe the one host that is read where the file lists none.
SIGHUP and POST /-/reload read the file again.`
}

// Run serves until the process is told to end.
func (c *serveCommand) Run(ctx context.Context, to streams) error {
	cfg := config.Default()
	if c.ConfigFile != "" {
		loaded, err := config.Load(c.ConfigFile)
		if err != nil {
			return usageError("%w", err)
		}
		cfg = loaded
	}
	if _, err := collectors.Select(list.Entries(), collectors.Selection{Set: c.switches.Set(), DisableDefaults: c.NoDefaults}); err != nil {
		return usageError("%w", err)
	}
	c.override(&cfg)
	logger := slog.New(cfg.Log.Handler(to.err))
	server, err := serve.New(ctx, serve.Options{
		Config: cfg, ConfigFile: c.ConfigFile, Override: c.override, Build: build(), Logger: logger,
		Listening: func(address net.Addr) { logger.Info("listening", "address", address.String()) },
	})
	if err != nil {
		return served(err)
	}
	return served(server.Run(ctx))
}

func served(err error) error {
	var configuration *serve.ConfigError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &configuration):
		return usageError("%w", err)
	}
	return collectError("%w", err)
}

// override puts what the flags say over what a configuration says, at the start and at every reload.
func (c *serveCommand) override(cfg *config.Config) {
	set := func(value *string, flag string) {
		if flag != "" {
			*value = flag
		}
	}
	set(&cfg.Web.ListenAddress, c.Listen)
	set(&cfg.Web.ConfigFile, c.WebConfig)
	set(&cfg.History.Path, c.History)
	if len(cfg.Hosts) == 1 && cfg.Hosts[0] == config.Default().Hosts[0] {
		cfg.Hosts[0] = config.Host{Name: c.Host, Procfs: c.Procfs, Sysfs: c.Sysfs, Netlink: c.Netlink, Modprobe: c.Modprobe}
	}
	for _, entry := range list.Entries() {
		on, said := c.switches.Set()[entry.Name]
		if !said && !c.NoDefaults {
			continue
		}
		if cfg.Collectors == nil {
			cfg.Collectors = map[string]config.Collector{}
		}
		collector := cfg.Collectors[entry.Name]
		collector.Enabled = &on
		cfg.Collectors[entry.Name] = collector
	}
}
