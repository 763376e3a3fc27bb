package gcnv

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Config is the part of the configuration file that is about Google Cloud NetApp Volumes.
type Config struct {
	// Projects are project ids. Folders are numeric folder ids, of which every project beneath is read. Without both the
	// collector is off.
	Projects []string `yaml:"projects"`
	Folders  []string `yaml:"folders"`
	// Include and Exclude are regular expressions, anchored at both ends, that are matched against PROJECT,
	// PROJECT/LOCATION/POOL and PROJECT/LOCATION/POOL/VOLUME. What a pool is excluded by excludes its volumes. Without
	// Include everything is in. They choose what is kept: the monitoring API bills for what they leave out as well,
	// whole projects apart.
	Include []string `yaml:"include"`
	Exclude []string `yaml:"exclude"`
	// Impersonate is the service account that the credentials of the environment act as; empty for themselves.
	Impersonate string `yaml:"impersonate"`
	// QuotaProject is the project that requests are accounted to; empty for the one of the credentials.
	QuotaProject string       `yaml:"quota_project"`
	Endpoints    Endpoints    `yaml:"endpoints"`
	Tiers        Tiers        `yaml:"tiers"`
	Budget       BudgetConfig `yaml:"budget"`
	BackfillDays int          `yaml:"backfill_days"` // what is read of the past at the first start; 0 for nothing
	Pacing       Pacing       `yaml:"pacing"`
}

// Endpoints replace the addresses of the APIs, for tests and private access. Empty is Google's.
type Endpoints struct {
	Monitoring      string `yaml:"monitoring"`       // HOST:PORT of gRPC
	NetApp          string `yaml:"netapp"`           // URL
	ResourceManager string `yaml:"resource_manager"` // URL
	// Insecure is for an emulator: no TLS, no credentials.
	Insecure bool `yaml:"insecure"`
}

// Tiers are how often things are read. One read brings all points since the last one for the same price.
type Tiers struct {
	Performance time.Duration `yaml:"performance"` // throughput, operations, latency, limits
	Capacity    time.Duration `yaml:"capacity"`    // space, inodes, tiers, backups
	Inventory   time.Duration `yaml:"inventory"`   // configuration; costs nothing
	// TotalsOnly has the service add up the types of operations: a third of the price, no latency and no split.
	TotalsOnly bool `yaml:"totals_only"`
	// Delay replaces the ingest delay of the metric descriptors; 0 keeps it.
	Delay time.Duration `yaml:"delay"`
	// Off are metrics that are not read, as volume/snapshot_bytes.
	Off []string `yaml:"off"`
}

// BudgetConfig limits what a calendar month may cost. 0 is no limit.
type BudgetConfig struct {
	SoftUSD float64     `yaml:"soft_usd"` // a projection above it slows the tiers
	HardUSD float64     `yaml:"hard_usd"` // spending that reaches it stops the performance tier
	Price   PriceConfig `yaml:"price"`
}

// PriceConfig is the list price of the monitoring API.
type PriceConfig struct {
	USDPerMillion float64 `yaml:"usd_per_million"` // time series returned
	FreePerMonth  float64 `yaml:"free_per_month"`  // time series, per billing account
	Date          string  `yaml:"date"`
	Source        string  `yaml:"source"`
}

// Pacing is how requests are spread.
type Pacing struct {
	CallsPerSecond float64 `yaml:"calls_per_second"` // evenly spaced, all projects together
	Concurrency    int     `yaml:"concurrency"`      // requests under way at a time
}

// DefaultConfig is what holds for the keys that a file leaves out.
func DefaultConfig() Config {
	return Config{
		Tiers: Tiers{Performance: 5 * time.Minute, Capacity: time.Hour, Inventory: time.Hour},
		Budget: BudgetConfig{Price: PriceConfig{
			USDPerMillion: 0.50, FreePerMonth: 1e6, Date: "2026-11-30",
			Source: "https://cloud.google.com/stackdriver/pricing (time series returned, since 2025-10-02)",
		}},
		BackfillDays: 15,
		Pacing:       Pacing{CallsPerSecond: 10, Concurrency: 4},
	}
}

// Enabled tells whether there is anything to read.
func (c Config) Enabled() bool { return len(c.Projects)+len(c.Folders) > 0 }

// The bounds of what can be set.
const (
	shortestTier  = time.Minute
	longestTier   = 6 * time.Hour
	longestDelay  = time.Hour
	mostBackfill  = 42 // days; what the service keeps
	mostCalls     = 1000
	mostProjects  = 10_000
	mostPatterns  = 1000
	shortestEmail = 3
)

var (
	projectID = regexp.MustCompile(`^([a-z0-9.-]+:)?[a-z0-9][a-z0-9-]{0,62}$`)
	folderID  = regexp.MustCompile(`^[0-9]{1,20}$`)
)

// Validate says everything that is wrong, each with the key and what to write instead.
func (c Config) Validate() error {
	var errs []error
	fail := func(key, format string, arguments ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, arguments...)))
	}
	c.validateScope(fail)
	c.validateEndpoints(fail)
	c.validateTiers(fail)
	c.validateBudget(fail)
	if c.BackfillDays < 0 || c.BackfillDays > mostBackfill {
		fail("backfill_days", "%d is out of range; write 0 to %d", c.BackfillDays, mostBackfill)
	}
	if calls := c.Pacing.CallsPerSecond; !(calls > 0 && calls <= mostCalls) {
		fail("pacing.calls_per_second", "%g is out of range; write more than 0 and at most %d", calls, mostCalls)
	}
	if c.Pacing.Concurrency < 1 || c.Pacing.Concurrency > 64 {
		fail("pacing.concurrency", "%d is out of range; write 1 to 64", c.Pacing.Concurrency)
	}
	return errors.Join(errs...)
}

type failFunc func(key, format string, arguments ...any)

func (c Config) validateScope(fail failFunc) {
	if len(c.Projects) > mostProjects {
		fail("projects", "%d are too many; write %d at most, or folders", len(c.Projects), mostProjects)
	}
	seen := map[string]bool{}
	for i, project := range c.Projects {
		switch key := fmt.Sprintf("projects[%d]", i); {
		case isNumber(project):
			fail(key, "%q is a project's number; write its project id, as example-prod", project)
		case !projectID.MatchString(project):
			fail(key, "%q is no project id; write it as the console shows it, without projects/", project)
		case seen[project]:
			fail(key, "%q is there twice; leave one out", project)
		}
		seen[project] = true
	}
	for i, folder := range c.Folders {
		if !folderID.MatchString(folder) {
			fail(fmt.Sprintf("folders[%d]", i), "%q is no folder id; write its digits, without folders/", folder)
		}
	}
	validatePatterns(fail, "include", c.Include)
	validatePatterns(fail, "exclude", c.Exclude)
	if c.Impersonate != "" && (len(c.Impersonate) < shortestEmail || !strings.Contains(c.Impersonate, "@")) {
		fail("impersonate", "%q is no service account; write its e-mail address", c.Impersonate)
	}
}

func (c Config) validateEndpoints(fail failFunc) {
	if e := c.Endpoints; e.Insecure && (e.Monitoring == "" || e.NetApp == "") {
		fail("endpoints.insecure", "Google's own addresses take no request without TLS and credentials; write endpoints.monitoring and endpoints.netapp of an emulator, or leave it out")
	}
	if e := c.Endpoints.Monitoring; strings.Contains(e, "/") {
		fail("endpoints.monitoring", "%q is not HOST:PORT; write it without https:// and a path, as monitoring.example.com:443", e)
	}
	for key, text := range map[string]string{"netapp": c.Endpoints.NetApp, "resource_manager": c.Endpoints.ResourceManager} {
		address, err := url.Parse(text)
		if text != "" && (err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https") {
			fail("endpoints."+key, "%q is no URL; write https://HOST/", text)
		}
	}
}

func (c Config) validateTiers(fail failFunc) {
	for key, interval := range map[string]time.Duration{
		"performance": c.Tiers.Performance, "capacity": c.Tiers.Capacity, "inventory": c.Tiers.Inventory,
	} {
		if interval < shortestTier || interval > longestTier {
			fail("tiers."+key, "%s is out of range; write %s to %s", interval, shortestTier, longestTier)
		}
	}
	if c.Tiers.Delay < 0 || c.Tiers.Delay > longestDelay {
		fail("tiers.delay", "%s is out of range; write 0 to %s", c.Tiers.Delay, longestDelay)
	}
	for i, name := range c.Tiers.Off {
		if rowOf(name) == nil {
			fail(fmt.Sprintf("tiers.off[%d]", i), "no metric %q; write it as volume/snapshot_bytes", name)
		}
	}
}

func (c Config) validateBudget(fail failFunc) {
	b := c.Budget
	for key, value := range map[string]float64{
		"soft_usd": b.SoftUSD, "hard_usd": b.HardUSD,
		"price.usd_per_million": b.Price.USDPerMillion, "price.free_per_month": b.Price.FreePerMonth,
	} {
		if !(value >= 0 && value < 1e9) {
			fail("budget."+key, "%g is out of range; write 0 or more", value)
		}
	}
	if b.HardUSD > 0 && b.SoftUSD > b.HardUSD {
		fail("budget.soft_usd", "%g is above the hard limit of %g; write less", b.SoftUSD, b.HardUSD)
	}
}
