package azurenetapp

import (
	"errors"
	"fmt"
	"time"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// Identity is who asks, as for all sources in Azure.
type Identity = azureapi.Identity

// Endpoints are other addresses than the cloud's, as for all sources in Azure.
type Endpoints = azureapi.Endpoints

// Config is the part of the configuration file that is about Azure NetApp Files.
type Config struct {
	// Subscriptions are subscription ids. Without any the collector is off.
	Subscriptions []string `yaml:"subscriptions"`
	// Include and Exclude are regular expressions, anchored at both ends, that are matched against SUBSCRIPTION,
	// SUBSCRIPTION/ACCOUNT, SUBSCRIPTION/ACCOUNT/POOL and SUBSCRIPTION/ACCOUNT/POOL/VOLUME. What a pool is excluded by
	// excludes its volumes. Without Include everything is in.
	Include []string `yaml:"include"`
	Exclude []string `yaml:"exclude"`
	// Cloud is public, usgov or china.
	Cloud     string    `yaml:"cloud"`
	Identity  Identity  `yaml:"identity"`
	Endpoints Endpoints `yaml:"endpoints"`
	Tiers     Tiers     `yaml:"tiers"`
	// BackfillDays is how many days of the past are read at the first start; 0 for nothing.
	BackfillDays int `yaml:"backfill_days"`
}

// Tiers are how often things are read. One read brings all points since the last one.
type Tiers struct {
	Performance time.Duration `yaml:"performance"` // throughput, operations, latency
	Capacity    time.Duration `yaml:"capacity"`    // space, inodes
	Inventory   time.Duration `yaml:"inventory"`   // configuration, limits
	// Delay is after what time five minutes are taken for settled; 0 for 5 min.
	Delay time.Duration `yaml:"delay"`
}

// DefaultConfig is what holds for the keys that a file leaves out.
func DefaultConfig() Config {
	return Config{
		Cloud: "public", Identity: Identity{Kind: azureapi.IdentityDefault},
		Tiers: Tiers{Performance: 5 * time.Minute, Capacity: time.Hour, Inventory: 15 * time.Minute}, BackfillDays: 15,
	}
}

// Enabled tells whether there is anything to read.
func (c Config) Enabled() bool { return len(c.Subscriptions) > 0 }

// access is where the source asks and as whom.
func (c Config) access() azureapi.Access {
	return azureapi.Access{Cloud: c.Cloud, Identity: c.Identity, Endpoints: c.Endpoints}
}

// The bounds of what can be set. History is asked for what is 15 minutes old: a longer delay would leave gaps in it.
const (
	shortestTier      = time.Minute
	longestTier       = 6 * time.Hour
	shortestInventory = 10 * time.Minute
	longestDelay      = 10 * time.Minute
	mostBackfill      = 92 // days; the service keeps one more
)

// Validate says everything that is wrong, each with the key and what to write instead.
func (c Config) Validate() error {
	var errs []error
	fail := func(key, format string, arguments ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, arguments...)))
	}
	azureapi.ValidateScope(fail, c.Subscriptions, c.Include, c.Exclude)
	c.access().Validate(fail)
	if c.BackfillDays < 0 || c.BackfillDays > mostBackfill {
		fail("backfill_days", "%d is out of range; write 0 to %d", c.BackfillDays, mostBackfill)
	}
	for _, one := range []struct {
		key                      string
		value, shortest, longest time.Duration
	}{
		{"performance", c.Tiers.Performance, shortestTier, longestTier},
		{"capacity", c.Tiers.Capacity, shortestTier, longestTier},
		{"inventory", c.Tiers.Inventory, shortestInventory, longestTier},
		{"delay", c.Tiers.Delay, 0, longestDelay},
	} {
		if one.value < one.shortest || one.value > one.longest {
			fail("tiers."+one.key, "%s is out of range; write %s to %s", one.value, one.shortest, one.longest)
		}
	}
	return errors.Join(errs...)
}
