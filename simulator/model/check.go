package model

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
)

// invalid is a value that makes no sense, by the key under which the description has it.
type invalid struct{ key, message string }

// Error names the key and what is wrong.
func (e *invalid) Error() string { return e.key + ": " + e.message }

// Key is where the description has the value, such as projects[0].pools[1].name.
func (e *invalid) Key() string { return e.key }

// The most that a description may hold. They bound the memory of the emulator, not the service.
const (
	maxProjects = 1_000
	maxVolumes  = 200_000
	maxGiB      = 10 << 20 // the largest pool, 10 PiB
	maxMiBps    = 1 << 20
	maxSpan     = 10 * 365 * 24 * time.Hour
)

var (
	namePattern     = regexp.MustCompile(`^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`)
	locationPattern = regexp.MustCompile(`^[a-z]+-[a-z]+[0-9]+(-[a-z])?$`)
)

// checker collects the first problem, so that each rule is one line.
type checker struct{ err *invalid }

func (c *checker) failf(key, format string, args ...any) {
	if c.err == nil {
		c.err = &invalid{key, fmt.Sprintf(format, args...)}
	}
}

func (c *checker) name(key, value string) {
	if !namePattern.MatchString(value) {
		c.failf(key, "%q is no name: use lower-case letters, digits and hyphens, at most 63", value)
	}
}

func (c *checker) location(key, value string) {
	if !locationPattern.MatchString(value) {
		c.failf(key, "%q is no region or zone, such as europe-west3 or europe-west3-a", value)
	}
}

// within refuses NaN too: it compares false with everything.
func (c *checker) within(key string, value, low, high float64) {
	if !(value >= low && value <= high) {
		c.failf(key, "%g is out of range: %g to %g", value, low, high)
	}
}

func (c *checker) oneOf(key, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		c.failf(key, "%q is none of %s", value, strings.Join(allowed, ", "))
	}
}

// span takes multiples of the grain, which is the finest that the metrics can show.
func (c *checker) span(key string, span Span, low time.Duration) {
	if value := time.Duration(span); value < low || value > maxSpan || value%Grain != 0 {
		c.failf(key, "%s is out of range: %s to %s in steps of %s", value, low, maxSpan, Grain)
	}
}

// Complete fills defaults in and checks the description. The error, if any, names the first key that is wrong.
func (f *Fleet) Complete() error {
	c := &checker{}
	f.checkComplete(c)
	if c.err == nil { // the rest relies on every entry being there
		f.checkProjects(c)
		f.checkInstances(c)
		f.checkSubscriptions(c)
		f.checkHosts(c)
		f.checkTruth(c)
	}
	if c.err != nil {
		return c.err
	}
	return nil
}

// checkComplete refuses too many entries, and empty ones.
func (f *Fleet) checkComplete(c *checker) {
	if len(f.Projects)+len(f.Subscriptions)+len(f.Hosts) == 0 || len(f.Projects) > maxProjects {
		c.failf("projects", "%d projects: 1 to %d are possible", len(f.Projects), maxProjects)
	}
	f.checkSharesComplete(c)
	volumes := 0
	for i, project := range f.Projects {
		key := fmt.Sprintf("projects[%d]", i)
		if project == nil {
			c.failf(key, "is empty")
			continue
		}
		for j, pool := range project.Pools {
			poolKey := fmt.Sprintf("%s.pools[%d]", key, j)
			if pool == nil {
				c.failf(poolKey, "is empty")
				continue
			}
			if at := slices.Index(pool.Volumes, nil); at >= 0 {
				c.failf(fmt.Sprintf("%s.volumes[%d]", poolKey, at), "is empty")
			}
			volumes += len(pool.Volumes)
		}
	}
	if volumes > maxVolumes {
		c.failf("projects", "%d volumes: at most %d are possible", volumes, maxVolumes)
	}
	if at := slices.Index(f.Instances, nil); at >= 0 {
		c.failf(fmt.Sprintf("instances[%d]", at), "is empty")
	}
}

func (f *Fleet) checkProjects(c *checker) {
	seen := map[string]bool{}
	once := func(key, path string) {
		if seen[path] {
			c.failf(key, "%s is there twice", path)
		}
		seen[path] = true
	}
	for i, project := range f.Projects {
		project.check(c, fmt.Sprintf("projects[%d]", i), once)
	}
}

func (f *Fleet) checkInstances(c *checker) {
	for i, instance := range f.Instances {
		key := fmt.Sprintf("instances[%d]", i)
		c.name(key+".name", instance.Name)
		c.location(key+".zone", instance.Zone)
		c.name(key+".machine_type", instance.MachineType)
		c.oneOf(key+".nic_type", instance.NICType, "", "GVNIC", "VIRTIO_NET")
		if _, err := netip.ParseAddr(instance.IPAddress); err != nil {
			c.failf(key+".address", "%q is no IP address", instance.IPAddress)
		}
		if f.project(instance.Project) == nil {
			c.failf(key+".project", "there is no project %q", instance.Project)
		}
	}
}

func (f *Fleet) project(id string) *Project {
	for _, project := range f.Projects {
		if project.ID == id {
			return project
		}
	}
	return nil
}

// checkTruth refuses a finding about something that is not there.
func (f *Fleet) checkTruth(c *checker) {
	known := f.plantable()
	for _, project := range f.Projects {
		for _, pool := range project.Pools {
			known[Planted{Project: project.ID, Location: pool.Location, Pool: pool.Name}] = true
			for _, volume := range pool.Volumes {
				at := (&Placement{Pool: pool, Volume: volume}).Location()
				known[Planted{Project: project.ID, Location: at, Pool: pool.Name, Volume: volume.Name}] = true
			}
		}
	}
	for kind, planted := range map[string][]Planted{"findings": f.Truth.Findings, "healthy": f.Truth.Healthy} {
		for i, row := range planted {
			key := fmt.Sprintf("truth.%s[%d]", kind, i)
			resource := row
			resource.Detector, resource.Variant = "", ""
			if row.Detector == "" || row.Variant == "" {
				c.failf(key, "names no detector or no variant")
			}
			if !known[resource] {
				c.failf(key, "there is no pool or volume, account or share %s/%s/%s/%s", row.Project, row.Location, row.Pool, row.Volume)
			}
		}
	}
}
