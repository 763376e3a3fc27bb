package evaluate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/internal/strictyaml"
	"github.com/nasight/nasight/simulator/model"
)

var scenarioName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,98}[a-z0-9])?$`)

var oneWord = regexp.MustCompile(`^[a-z0-9][-_a-z0-9]{0,62}$`)

// check refuses what makes no sense in the parts that are not the fleet's own.
func (p *scenarioParser) check() error {
	d := p.document
	switch {
	case !scenarioName.MatchString(d.Name):
		return p.failf("name", "%q is no name: use lower-case letters, digits and hyphens, at most 100", d.Name)
	case strings.TrimSpace(d.About) == "":
		return p.failf("about", "is empty: say in a sentence what the scenario shows")
	case d.Noise != nil && !(*d.Noise >= 0 && *d.Noise <= maxNoise):
		return p.failf("noise", "%g is out of range: 0 to %g", *d.Noise, maxNoise)
	case d.Cause != "" && !oneWord.MatchString(d.Cause):
		return p.failf("cause", "%q is not one word of lower-case letters, digits, hyphens and underscores", d.Cause)
	case d.Twin == d.Name:
		return p.failf("twin", "the scenario is its own twin")
	case d.Twin != "" && len(d.Truth) > 0:
		return p.failf("twin", "a scenario with truths is no near-miss of another: leave twin out, or the truths")
	case d.Twin != "" && d.Cause == "":
		return p.failf("twin", "say with cause in a word what differs from %s", d.Twin)
	case len(d.Changes) > maxRows || len(d.Truth) > maxRows:
		return p.failf("name", "%d changes and %d truths: at most %d of each are possible", len(d.Changes), len(d.Truth), maxRows)
	}
	if err := p.checkSpan("duration", d.Duration, time.Minute, maxDuration); err != nil {
		return err
	}
	if err := p.checkSpan("past", d.Past, 0, maxPast); err != nil {
		return err
	}
	if err := p.checkHosts(); err != nil {
		return err
	}
	if err := p.checkChanges(); err != nil {
		return err
	}
	return p.checkTruths()
}

// checkSpan takes whole ticks of the hosts' sources, in which the simulated clock goes.
func (p *scenarioParser) checkSpan(key string, span model.Span, least, most time.Duration) error {
	if value := time.Duration(span); value < least || value > most || value%tick != 0 {
		return p.failf(key, "%s is out of range: %s to %s in steps of %s", span, least, most, tick)
	}
	return nil
}

// named are the hosts of a fleet and where they mount something.
type named struct {
	Hosts *[]*struct {
		Name   string `yaml:"name"`
		Mounts []*struct {
			Path string `yaml:"path"`
		} `yaml:"mounts"`
	} `yaml:"hosts"`
}

// checkHosts refuses a fleet without clients where it speaks of them.
func (p *scenarioParser) checkHosts() error {
	if p.document.Fleet.node == nil {
		return p.failf("fleet", "is missing")
	}
	if _, ok := p.document.Fleet.node.(*ast.MappingNode); !ok {
		return p.failf("fleet", "is no description of a fleet")
	}
	if !strictyaml.Loose(p.document.Fleet.node, &p.hosts) {
		return nil // the fleet's own checks say it better
	}
	if p.hosts.Hosts != nil && len(*p.hosts.Hosts) == 0 {
		return p.failf("fleet.hosts", "there is no client: describe one, or leave hosts out where only the cloud is judged")
	}
	return nil
}

// paths are where a host, or the one mount of it that is meant, mounts something.
func (n named) paths(of Target) []string {
	var paths []string
	if n.Hosts == nil {
		return nil
	}
	for _, host := range *n.Hosts {
		if host == nil || host.Name != of.Host {
			continue
		}
		for _, mount := range host.Mounts {
			if mount != nil && (of.Mount == "" || mount.Path == of.Mount) {
				paths = append(paths, mount.Path)
			}
		}
	}
	return paths
}

func (n named) has(host string) bool {
	for _, one := range *n.Hosts {
		if one != nil && one.Name == host {
			return true
		}
	}
	return false
}

func (p *scenarioParser) checkChanges() error {
	for i, change := range p.document.Changes {
		key := fmt.Sprintf("changes[%d]", i)
		if err := p.checkSpan(key+".at", change.At, tick, time.Duration(p.document.Duration)-tick); err != nil {
			return err
		}
		if i > 0 && change.At < p.document.Changes[i-1].At {
			return p.failf(key+".at", "%s comes after %s: write changes in the order of time", change.At, p.document.Changes[i-1].At)
		}
	}
	return nil
}

func (p *scenarioParser) checkTruths() error {
	for i, row := range p.document.Truth {
		if err := p.checkTruth(fmt.Sprintf("truth[%d]", i), row); err != nil {
			return err
		}
		for j, other := range p.document.Truth[:i] {
			if p.clash(row, other) {
				return p.failf(fmt.Sprintf("truth[%d]", i), "overlaps truth[%d] of the same %s and resource", j, row.name())
			}
		}
	}
	return nil
}

// clash tells whether one finding could be about either of two truths at one time.
func (p *scenarioParser) clash(a, b truthRow) bool {
	one, other := p.truth(a), p.truth(b)
	return one.Name == other.Name && one.From <= other.To && other.From <= one.To && one.agrees(other.Resource)
}

func (p *scenarioParser) checkTruth(key string, row truthRow) error {
	end, from := p.end(row), time.Duration(row.From)
	for at, span := range map[string]time.Duration{"from": from, "to": end} {
		if span%tick != 0 {
			return p.failf(key+"."+at, "%s is no multiple of %s, in which the simulated clock goes", span, tick)
		}
	}
	duration := time.Duration(p.document.Duration)
	switch {
	case !slices.Contains(detectors.Names(), row.name()):
		return p.failf(key+".variant", "there is no detector %q with a variant %q", row.Detector, row.Variant)
	case row.Resource.fleet() == fleet.Resource{}:
		return p.failf(key+".resource", "names nothing: name the host, pool or volume that the finding is about")
	case row.Cause != "" && !oneWord.MatchString(row.Cause):
		return p.failf(key+".cause", "%q is not one word of lower-case letters, digits, hyphens and underscores", row.Cause)
	case from < 0 || from >= duration:
		return p.failf(key+".from", "%s is not within the duration of %s", row.From, p.document.Duration)
	case end > duration:
		return p.failf(key+".to", "%s is not within the duration of %s", row.To, p.document.Duration)
	case end <= from:
		return p.failf(key+".to", "%s is not after %s, when the truth begins", end, row.From)
	case row.LimitAt != nil && time.Duration(*row.LimitAt) < from:
		return p.failf(key+".limit_at", "%s is before %s, when the truth begins", row.LimitAt, row.From)
	}
	if host := row.Resource.Host; host != "" && (p.hosts.Hosts == nil || !p.hosts.has(host)) {
		return p.failf(key+".resource.host", "there is no host %q in the fleet", host)
	}
	return nil
}

// checkThere refuses a truth about a project, pool or volume that is not there; on Azure a subscription, account or share.
func (p *scenarioParser) checkThere(key string, r fleet.Resource, in *model.Fleet) error {
	there := map[string]bool{"": true}
	add := func(kind string, names ...string) {
		for _, name := range names {
			there[kind+name] = true
		}
	}
	for _, project := range in.Projects {
		add("project ", project.ID)
		for _, pool := range project.Pools {
			add("pool ", pool.Name)
			for _, volume := range pool.Volumes {
				add("volume ", volume.Name)
			}
		}
	}
	for _, subscription := range in.Subscriptions {
		add("project ", subscription.ID)
		for _, account := range subscription.Accounts {
			add("pool ", account.Name)
			for _, share := range account.Shares {
				add("volume ", share.Name)
			}
		}
	}
	for _, row := range [][2]string{{"project", r.Project}, {"pool", r.Pool}, {"volume", r.Volume}} {
		if row[1] != "" && !there[row[0]+" "+row[1]] {
			return p.failf(key+"."+row[0], "there is no %s %q in the fleet", row[0], row[1])
		}
	}
	return nil
}

// checkTogether refuses scenarios that do not go together: one name for two, or a twin that is not there.
func checkTogether(scenarios []*Scenario) error {
	byName := map[string]*Scenario{}
	for _, s := range scenarios {
		if other := byName[s.Name]; other != nil {
			return fmt.Errorf("%s:%d: name: %s is a scenario of %s already", s.File, s.line("name"), s.Name, other.File)
		}
		byName[s.Name] = s
	}
	for _, s := range scenarios {
		if s.Twin == "" {
			continue
		}
		twin := byName[s.Twin]
		if twin == nil {
			return fmt.Errorf("%s:%d: twin: there is no scenario %q", s.File, s.line("twin"), s.Twin)
		}
		if len(twin.Truths) == 0 {
			return fmt.Errorf("%s:%d: twin: %s has no truth, so that nothing can be its near-miss", s.File, s.line("twin"), s.Twin)
		}
	}
	return nil
}
