package azurefiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const testSubscription = "11111111-2222-3333-4444-555555555555"

func validConfig() Config {
	cfg := DefaultConfig()
	cfg.Subscriptions = []string{testSubscription}
	return cfg
}

func TestDefaultConfigIsValidAndOff(t *testing.T) {
	cfg := DefaultConfig()
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
	if cfg.Enabled() {
		t.Error("without subscriptions it is on")
	}
}

func TestConfigNamesTheKeyThatIsWrong(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"a name for an id":  {func(c *Config) { c.Subscriptions = []string{"production"} }, "subscriptions[0]: \"production\" is no subscription id"},
		"one twice":         {func(c *Config) { c.Subscriptions = []string{testSubscription, testSubscription} }, "subscriptions[1]: "},
		"no expression":     {func(c *Config) { c.Exclude = []string{"("} }, "exclude[0]: \"(\" is no regular expression"},
		"another cloud":     {func(c *Config) { c.Cloud = "moon" }, "cloud: \"moon\" is not known; write public, usgov, china"},
		"another identity":  {func(c *Config) { c.Identity.Kind = "key" }, "identity.kind: "},
		"a principal alone": {func(c *Config) { c.Identity.Kind = "service_principal" }, "identity.secret_file: missing"},
		"an empty secret": {
			func(c *Config) {
				c.Identity = Identity{Kind: "service_principal", Tenant: someTenant, ClientID: someClient, SecretFile: empty}
			}, "identity.secret_file: no secret in",
		},
		"a secret for nobody":     {func(c *Config) { c.Identity.SecretFile = empty }, "identity.secret_file: is for service_principal alone"},
		"no such file":            {func(c *Config) { c.Endpoints.CAFile = "/nowhere/ca.pem" }, "endpoints.ca_file: cannot be read"},
		"no client id":            {func(c *Config) { c.Identity.ClientID = "app" }, "identity.client_id: "},
		"plain HTTP":              {func(c *Config) { c.Endpoints.Metrics = "http://192.0.2.1/" }, "endpoints.metrics: "},
		"nobody asks the cloud":   {func(c *Config) { c.Identity.Kind = "none" }, "identity.kind: none is for an emulator"},
		"every second":            {func(c *Config) { c.Tiers.Performance = time.Second }, "tiers.performance: 1s is out of range; write 1m0s to 6h0m0s"},
		"an inventory too often":  {func(c *Config) { c.Tiers.Inventory = time.Minute }, "tiers.inventory: "},
		"a day late":              {func(c *Config) { c.Tiers.Delay = 24 * time.Hour }, "tiers.delay: "},
		"a name that is a filter": {func(c *Config) { c.APINames = []string{"Read' or"} }, "api_names[0]: "},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := validConfig()
			test.change(&cfg)
			err := cfg.Validate()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if _, err := New(cfg, Options{}); err == nil {
				t.Error("a source is made of it")
			}
		})
	}
}
