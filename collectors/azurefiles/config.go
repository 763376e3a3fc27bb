package azurefiles

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// Config is the part of the configuration file that is about Azure Files.
type Config struct {
	// Subscriptions are subscription ids. Without any the collector is off.
	Subscriptions []string `yaml:"subscriptions"`
	// Include and Exclude are regular expressions, anchored at both ends, that are matched against SUBSCRIPTION,
	// SUBSCRIPTION/ACCOUNT and SUBSCRIPTION/ACCOUNT/SHARE. What an account is excluded by excludes its shares. Without
	// Include everything is in. An account without a wanted share is not asked for metrics.
	Include []string `yaml:"include"`
	Exclude []string `yaml:"exclude"`
	// Cloud is public, usgov or china.
	Cloud     string    `yaml:"cloud"`
	Identity  Identity  `yaml:"identity"`
	Endpoints Endpoints `yaml:"endpoints"`
	Tiers     Tiers     `yaml:"tiers"`
	// BackfillDays is how many days of the past are read at the first start; 0 for nothing.
	BackfillDays int `yaml:"backfill_days"`
	// Batch asks for up to 50 accounts of a region in one request. What refuses that is asked one by one.
	Batch bool `yaml:"batch"`
	// APINames are names of operations that are kept beside those that nasight knows; all others become "other".
	APINames []string `yaml:"api_names"`
	Logs     Logs     `yaml:"logs"`
}

// Identity is who asks, as for all sources in Azure.
type Identity = azureapi.Identity

// Endpoints are other addresses than the cloud's, as for all sources in Azure.
type Endpoints = azureapi.Endpoints

// access is where the source asks and as whom.
func (c Config) access() azureapi.Access {
	return azureapi.Access{Cloud: c.Cloud, Identity: c.Identity, Endpoints: c.Endpoints}
}

// Tiers are how often things are read. One read brings all points since the last one.
type Tiers struct {
	Performance time.Duration `yaml:"performance"` // throughput, operations, latency
	Capacity    time.Duration `yaml:"capacity"`    // space, files, snapshots
	Inventory   time.Duration `yaml:"inventory"`   // configuration
	// Delay is after what time a minute is taken for settled; 0 for 3 min.
	Delay time.Duration `yaml:"delay"`
}

// DefaultConfig is what holds for the keys that a file leaves out.
func DefaultConfig() Config {
	return Config{
		Cloud: "public", Identity: Identity{Kind: azureapi.IdentityDefault},
		Tiers: Tiers{Performance: time.Minute, Capacity: time.Hour, Inventory: time.Hour}, BackfillDays: 15,
		Logs: Logs{Window: 5 * time.Minute, Period: 15 * time.Minute, Clients: 8},
	}
}

// Enabled tells whether there is anything to read.
func (c Config) Enabled() bool { return len(c.Subscriptions) > 0 }

// The bounds of what can be set.
const (
	shortestTier      = time.Minute
	longestTier       = 6 * time.Hour
	shortestInventory = 10 * time.Minute
	longestDelay      = time.Hour
	mostBackfill      = 92 // days; the service keeps one more
	mostNames         = 100
)

var wordLike = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// Validate says everything that is wrong, each with the key and what to write instead.
func (c Config) Validate() error {
	var errs []error
	fail := func(key, format string, arguments ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, arguments...)))
	}
	azureapi.ValidateScope(fail, c.Subscriptions, c.Include, c.Exclude)
	c.access().Validate(fail)
	c.Tiers.validate(fail)
	c.Logs.validate(fail)
	if c.BackfillDays < 0 || c.BackfillDays > mostBackfill {
		fail("backfill_days", "%d is out of range; write 0 to %d", c.BackfillDays, mostBackfill)
	}
	for i, name := range c.APINames {
		if !wordLike.MatchString(name) {
			fail(fmt.Sprintf("api_names[%d]", i), "%q is no name of an operation; write letters and digits, as Nfs3Read", name)
		}
	}
	if len(c.APINames) > mostNames {
		fail("api_names", "%d are too many; write %d at most", len(c.APINames), mostNames)
	}
	return errors.Join(errs...)
}

func (t Tiers) validate(fail azureapi.FailFunc) {
	for key, interval := range map[string]time.Duration{"performance": t.Performance, "capacity": t.Capacity} {
		if interval < shortestTier || interval > longestTier {
			fail("tiers."+key, "%s is out of range; write %s to %s", interval, shortestTier, longestTier)
		}
	}
	if t.Inventory < shortestInventory || t.Inventory > longestTier {
		fail("tiers.inventory", "%s is out of range; write %s to %s", t.Inventory, shortestInventory, longestTier)
	}
	if t.Delay < 0 || t.Delay > longestDelay {
		fail("tiers.delay", "%s is out of range; write 0 to %s", t.Delay, longestDelay)
	}
}
