package azurenetapp

import (
	"strings"
	"testing"
	"time"
)

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
	for name, test := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"a name for an id":        {func(c *Config) { c.Subscriptions = []string{"production"} }, "subscriptions[0]: \"production\" is no subscription id"},
		"no expression":           {func(c *Config) { c.Exclude = []string{"("} }, "exclude[0]: \"(\" is no regular expression"},
		"another cloud":           {func(c *Config) { c.Cloud = "moon" }, "cloud: \"moon\" is not known; write public, usgov, china"},
		"another identity":        {func(c *Config) { c.Identity.Kind = "key" }, "identity.kind: "},
		"plain HTTP":              {func(c *Config) { c.Endpoints.Metrics = "http://192.0.2.1/" }, "endpoints.metrics: "},
		"every second":            {func(c *Config) { c.Tiers.Performance = time.Second }, "tiers.performance: 1s is out of range; write 1m0s to 6h0m0s"},
		"an inventory too often":  {func(c *Config) { c.Tiers.Inventory = time.Minute }, "tiers.inventory: "},
		"later than it is judged": {func(c *Config) { c.Tiers.Delay = time.Hour }, "tiers.delay: "},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.Subscriptions = []string{testSubscription}
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

func TestRequestsHaveNames(t *testing.T) {
	const account = "/subscriptions/s/resourceGroups/g/providers/Microsoft.NetApp/netAppAccounts/a"
	for path, want := range map[string]string{
		"/subscriptions/s/providers/Microsoft.NetApp/netAppAccounts":                "netAppAccounts.read",
		account + "/capacityPools":                                                  "capacityPools.read",
		account + "/capacityPools/p/volumes":                                        "volumes.read",
		account + "/capacityPools/p/volumes/v/providers/Microsoft.Insights/metrics": "metrics.get",
		"/": "other",
	} {
		if got := apiOf(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}
