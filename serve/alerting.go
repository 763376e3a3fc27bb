package serve

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/nasight/nasight/alerting"
	"github.com/nasight/nasight/alerts"
	"github.com/nasight/nasight/config"
)

// LoadRules reads and checks the rules that a configuration asks for, and the Alertmanagers that it names. Its error has a line
// for each mistake, with the file and the line where it is.
func LoadRules(cfg config.Config) (*alerting.Loaded, error) {
	settings := alerting.Settings{
		Files: cfg.Alerting.RuleFiles, ExternalLabels: cfg.Alerting.ExternalLabels, Interval: ruleInterval(cfg),
	}
	for _, one := range cfg.Alerting.Alertmanagers {
		settings.Alertmanagers = append(settings.Alertmanagers, alerting.Alertmanager{
			URL: one.URL, Username: one.BasicAuth.Username, PasswordFile: one.BasicAuth.PasswordFile,
			BearerTokenFile: one.BearerTokenFile, CAFile: one.CAFile, Timeout: one.Within(),
		})
	}
	if cfg.Alerting.Enabled() && len(settings.Files) == 0 {
		own, err := alerts.YAML(alerts.Options{Interval: settings.Interval, Runbooks: alerts.Runbooks})
		if err != nil {
			return nil, fmt.Errorf("make the built-in rules: %w", err)
		}
		settings.BuiltIn = own
	}
	return alerting.Load(settings)
}

// ruleInterval is how often rules are evaluated: as often as findings are judged, as far as rules can be made for that.
func ruleInterval(cfg config.Config) time.Duration {
	return min(max(time.Duration(cfg.Detection.Interval), alerts.ShortestInterval), alerts.LongestInterval)
}

// newAlerting makes what evaluates rules over what /metrics shows and history has. It does nothing where no rules are asked for.
// It does nothing with a history in another server, which evaluates rules itself and can take them in.
func (s *Server) newAlerting(cfg config.Config, host string, opened database, process prometheus.Gatherer) (*alerting.Engine, error) {
	external, err := externalURL(cfg, host)
	if err != nil {
		return nil, &ConfigError{err}
	}
	loaded, err := LoadRules(cfg)
	if err != nil {
		return nil, &ConfigError{err}
	}
	// What rules record stays here: it goes around what sends samples on.
	own, _ := opened.(alerting.History)
	engine := alerting.New(alerting.Options{
		History: own, Metrics: []prometheus.Gatherer{s.store, process}, Instance: host,
		ExternalURL: external, ResendDelay: time.Duration(cfg.Alerting.ResendDelay), UserAgent: s.via.agent, Logger: s.log.With("part", "alerting"),
	})
	if err := engine.Use(loaded); err != nil {
		engine.Close()
		return nil, &ConfigError{err}
	}
	return engine, nil
}

// externalURL is where people reach this nasight.
func externalURL(cfg config.Config, host string) (*url.URL, error) {
	if cfg.Alerting.ExternalURL != "" {
		address, err := url.Parse(cfg.Alerting.ExternalURL)
		if err != nil {
			return nil, fmt.Errorf("alerting.external_url: %w", err)
		}
		return address, nil
	}
	_, port, err := net.SplitHostPort(cfg.Web.ListenAddress)
	if err != nil {
		return nil, fmt.Errorf("web.listen_address: %w", err)
	}
	return &url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: "/"}, nil
}

// evaluateRules runs the rules once the findings are those of now, until the context ends.
func (s *Server) evaluateRules(ctx context.Context) error {
	select {
	case <-s.evaluator.caughtUp:
	case <-ctx.Done():
	}
	return s.alerting.Run(ctx)
}

// reloadRules reads the rules of a configuration that is about to be used. With a mistake in it everything stays as it is.
func (s *Server) reloadRules(next config.Config) (*alerting.Loaded, error) {
	loaded, err := LoadRules(next)
	if err != nil {
		s.alerting.Reject()
	}
	return loaded, err
}

// keepFixedAlerting puts back what of alerting cannot change while nasight runs.
func keepFixedAlerting(before config.Config, next *config.Config) (changed []string) {
	if before.Alerting.ExternalURL != next.Alerting.ExternalURL {
		changed = append(changed, "alerting.external_url")
	}
	if before.Alerting.ResendDelay != next.Alerting.ResendDelay {
		changed = append(changed, "alerting.resend_delay")
	}
	next.Alerting.ExternalURL, next.Alerting.ResendDelay = before.Alerting.ExternalURL, before.Alerting.ResendDelay
	return changed
}
