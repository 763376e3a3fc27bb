package gcnv

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

func TestDefaultConfigIsValid(t *testing.T) {
	config := DefaultConfig()
	if err := config.Validate(); err != nil {
		t.Error(err)
	}
	if config.Enabled() {
		t.Error("enabled without a project")
	}
}

func TestConfigFromYAML(t *testing.T) {
	config := DefaultConfig()
	const text = `
projects: [example-prod, "example.com:example-test"]
folders: ["123456789012"]
include: [".*/europe-west3/.*"]
impersonate: reader@example-prod.iam.gserviceaccount.com
tiers: {performance: 10m, totals_only: true, off: [volume/snapshot_bytes]}
budget: {soft_usd: 5, hard_usd: 20, price: {usd_per_million: 0.4}}
backfill_days: 7
`
	if err := yaml.UnmarshalWithOptions([]byte(text), &config, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if err := config.Validate(); err != nil {
		t.Error(err)
	}
	if config.Tiers.Performance != 10*time.Minute || config.Tiers.Capacity != time.Hour || config.Budget.Price.FreePerMonth != 1e6 {
		t.Errorf("got %+v", config)
	}
	if !config.Enabled() || len(chosen(config.Tiers)) != len(rows())-2 {
		t.Errorf("%d rows are chosen", len(chosen(config.Tiers)))
	}
}

func TestValidate(t *testing.T) {
	for key, change := range map[string]func(*Config){
		"projects[0]":                  func(c *Config) { c.Projects = []string{"projects/example"} },
		"projects[2]":                  func(c *Config) { c.Projects = []string{"example-prod", "1example", "123456789012"} },
		"endpoints.insecure":           func(c *Config) { c.Endpoints = Endpoints{Insecure: true, NetApp: "http://127.0.0.1:1"} },
		"projects[1]":                  func(c *Config) { c.Projects = []string{"example", "example"} },
		"folders[0]":                   func(c *Config) { c.Folders = []string{"folders/1"} },
		"exclude[0]":                   func(c *Config) { c.Exclude = []string{"("} },
		"impersonate":                  func(c *Config) { c.Impersonate = "reader" },
		"endpoints.monitoring":         func(c *Config) { c.Endpoints.Monitoring = "https://example.com" },
		"endpoints.netapp":             func(c *Config) { c.Endpoints.NetApp = "example.com" },
		"tiers.performance":            func(c *Config) { c.Tiers.Performance = time.Second },
		"tiers.delay":                  func(c *Config) { c.Tiers.Delay = -1 },
		"tiers.off[0]":                 func(c *Config) { c.Tiers.Off = []string{"volume/nothing"} },
		"budget.soft_usd":              func(c *Config) { c.Budget.SoftUSD, c.Budget.HardUSD = 2, 1 },
		"budget.hard_usd":              func(c *Config) { c.Budget.HardUSD = math.NaN() },
		"budget.price.usd_per_million": func(c *Config) { c.Budget.Price.USDPerMillion = -1 },
		"backfill_days":                func(c *Config) { c.BackfillDays = 100 },
		"pacing.calls_per_second":      func(c *Config) { c.Pacing.CallsPerSecond = 0 },
		"pacing.concurrency":           func(c *Config) { c.Pacing.Concurrency = 0 },
	} {
		config := DefaultConfig()
		change(&config)
		err := config.Validate()
		if err == nil || !strings.HasPrefix(err.Error(), key+": ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error is %v", key, err)
		}
		if _, err := New(config, Options{}); err == nil {
			t.Errorf("%s: a source was made", key)
		}
	}
}
