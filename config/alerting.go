package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/collectors/promhost"
)

// Alerting is how serve evaluates rules and notifies Alertmanagers by itself, without a Prometheus. It does so where it names
// an Alertmanager or rule files. With neither nothing is evaluated: the built-in rules are there to notify somebody, and where a
// Prometheus evaluates them a second evaluation would do nothing but fill history.
type Alerting struct {
	Alertmanagers  []Alertmanager    `yaml:"alertmanagers"`   // each is told of every alert
	RuleFiles      []string          `yaml:"rule_files"`      // patterns; none for the rules that nasight brings along
	ExternalLabels map[string]string `yaml:"external_labels"` // put on every alert that does not have them
	ExternalURL    string            `yaml:"external_url"`    // where people reach nasight; empty for this machine's name and port
	ResendDelay    Duration          `yaml:"resend_delay"`    // how often an alert that goes on is sent again
}

// Alertmanager is a receiver of alerts. Its files are read again for every request.
type Alertmanager struct {
	URL             string             `yaml:"url"`        // http or https, with the path that its API is below, if any
	BasicAuth       promhost.BasicAuth `yaml:"basic_auth"` // a user whose password is in a file
	BearerTokenFile string             `yaml:"bearer_token_file"`
	CAFile          string             `yaml:"ca_file"` // empty for the system's authorities
	Timeout         Duration           `yaml:"timeout"` // of one request; 0 for 10 seconds
}

// Enabled tells whether rules are evaluated.
func (a Alerting) Enabled() bool { return len(a.Alertmanagers) > 0 || len(a.RuleFiles) > 0 }

const (
	defaultSend    = 10 * time.Second
	longestSend    = time.Minute
	shortestResend = time.Second
	mostReceivers  = 32
)

func defaultAlerting() Alerting { return Alerting{ResendDelay: Duration(time.Minute)} }

// Within is the time that one request may take.
func (a Alertmanager) Within() time.Duration {
	if a.Timeout > 0 {
		return time.Duration(a.Timeout)
	}
	return defaultSend
}

// alerting checks all but the rule files, which have mistakes and lines of their own.
func (c *check) alerting(a Alerting) {
	c.within("alerting.resend_delay", a.ResendDelay, shortestResend)
	if len(a.Alertmanagers) > mostReceivers {
		c.fail("alerting.alertmanagers", "%d are more than %d; let the Alertmanagers of a cluster tell each other", len(a.Alertmanagers), mostReceivers)
	}
	first := map[string]int{}
	for i, one := range a.Alertmanagers {
		key := fmt.Sprintf("alerting.alertmanagers[%d]", i)
		c.alertmanager(key, one)
		address := strings.TrimRight(one.URL, "/")
		if before, twice := first[address]; twice {
			c.fail(key+".url", "%s is alertmanagers[%d] already; leave one out", one.URL, before)
		}
		first[address] = i
	}
	for i, pattern := range a.RuleFiles {
		c.ruleFile(fmt.Sprintf("alerting.rule_files[%d]", i), pattern)
	}
	c.externalLabels(a.ExternalLabels)
	if a.ExternalURL != "" {
		c.bareAddress("alerting.external_url", a.ExternalURL, "https://nasight.example.com/")
	}
}

// ruleFile wants a pattern to match something. That a plain name has a file is found with the mistakes in it.
func (c *check) ruleFile(key, pattern string) {
	found, err := filepath.Glob(pattern)
	switch {
	case strings.TrimSpace(pattern) == "":
		c.fail(key, "is empty; write the path of a file, or a pattern such as /etc/nasight/rules/*.yml")
	case err == nil && len(found) == 0 && strings.ContainsAny(pattern, `*?[`):
		c.fail(key, "no file matches %s; correct the pattern, or write a file with nasight rules export", pattern)
	}
}

func (c *check) alertmanager(key string, a Alertmanager) {
	c.bareAddress(key+".url", a.URL, "http://alertmanager.example.com:9093")
	c.credentials(key, a.BasicAuth, a.BearerTokenFile)
	if within := time.Duration(a.Timeout); within != 0 && (within < shortestTimeout || within > longestSend) {
		c.fail(key+".timeout", "%s is out of range; write %s to %s", within, shortestTimeout, longestSend)
	}
	c.authority(key+".ca_file", a.CAFile)
}

func (c *check) externalLabels(labels map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		switch {
		case !c.labelName("alerting.external_labels", name):
		case name == "alertname":
			c.fail("alerting.external_labels", "alertname names the alert; take another name")
		case labels[name] == "":
			c.fail("alerting.external_labels", "%s is empty; give it a value, or leave it out", name)
		}
	}
}
