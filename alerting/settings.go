package alerting

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	client "github.com/prometheus/common/config"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"github.com/prometheus/prometheus/model/labels"
)

// Settings are what a configuration says of alerting.
type Settings struct {
	Alertmanagers  []Alertmanager
	Files          []string          // patterns of the rule files, in the place of BuiltIn
	BuiltIn        []byte            // the rules where no file is named; empty for none
	Interval       time.Duration     // between evaluations of a group that names none
	ExternalLabels map[string]string // put on every alert that does not have them
}

// Alertmanager is a receiver of alerts.
type Alertmanager struct {
	URL             string // http or https, with the path that its API is below, if any
	Username        string
	PasswordFile    string // read again for every request, as is BearerTokenFile
	BearerTokenFile string
	CAFile          string        // empty for the system's authorities
	Timeout         time.Duration // of one request
}

// check wants the files to be there and the address to be one.
func (a Alertmanager) check() error {
	if _, err := url.Parse(a.URL); err != nil {
		return fmt.Errorf("alertmanager %s: %w", a.URL, err)
	}
	for _, file := range []string{a.PasswordFile, a.BearerTokenFile} {
		if file == "" {
			continue
		}
		if _, err := os.ReadFile(file); err != nil {
			return fmt.Errorf("alertmanager %s: credentials: %w", a.URL, err)
		}
	}
	made, err := client.NewClientFromConfig(a.client(), "alertmanager")
	if err != nil {
		return fmt.Errorf("alertmanager %s: %w", a.URL, err)
	}
	made.CloseIdleConnections()
	return nil
}

// client is how it is spoken to, in the words of the HTTP library.
func (a Alertmanager) client() client.HTTPClientConfig {
	settings := client.HTTPClientConfig{
		EnableHTTP2: true,
		TLSConfig:   client.TLSConfig{CAFile: a.CAFile},
		ProxyConfig: client.ProxyConfig{ProxyFromEnvironment: true},
	}
	if a.Username != "" {
		settings.BasicAuth = &client.BasicAuth{Username: a.Username, PasswordFile: a.PasswordFile}
	}
	if a.BearerTokenFile != "" {
		settings.Authorization = &client.Authorization{Type: "Bearer", CredentialsFile: a.BearerTokenFile}
	}
	return settings
}

// notifier is the same in the words of the notifier: a set of targets for each way of speaking to them. Two that differ in
// the address alone are one set, as the notifier tells sets apart by all the rest.
func (s Settings) notifier() (*config.Config, map[string][]*targetgroup.Group) {
	known := &config.Config{GlobalConfig: config.GlobalConfig{
		ExternalLabels: labels.FromMap(s.ExternalLabels), MetricNameValidationScheme: model.UTF8Validation,
	}}
	sets := map[Alertmanager]*targetgroup.Group{}
	targets := map[string][]*targetgroup.Group{}
	for _, one := range s.Alertmanagers {
		address, err := url.Parse(one.URL)
		if err != nil {
			continue // check has refused it
		}
		target := model.LabelSet{model.AddressLabel: model.LabelValue(address.Host)}
		one.URL = address.Scheme + "://" + strings.TrimRight(address.Path, "/")
		if set, there := sets[one]; there {
			set.Targets = append(set.Targets, target)
			continue
		}
		name := fmt.Sprintf("config-%d", len(known.AlertingConfig.AlertmanagerConfigs)) // as the configuration's own ToMap names it
		sets[one] = &targetgroup.Group{Targets: []model.LabelSet{target}, Source: name}
		targets[name] = []*targetgroup.Group{sets[one]}
		known.AlertingConfig.AlertmanagerConfigs = append(known.AlertingConfig.AlertmanagerConfigs, &config.AlertmanagerConfig{
			HTTPClientConfig: one.client(), Scheme: address.Scheme, PathPrefix: address.Path,
			Timeout: model.Duration(one.Timeout), APIVersion: config.AlertmanagerAPIVersionV2,
		})
	}
	return known, targets
}

// checkAll checks every Alertmanager.
func (s Settings) checkAll() error {
	errs := make([]error, 0, len(s.Alertmanagers))
	for _, one := range s.Alertmanagers {
		errs = append(errs, one.check())
	}
	return errors.Join(errs...)
}
