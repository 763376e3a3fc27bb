package evaluate

import (
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/simulator/model"
)

// Scenario is a fleet that the simulator plays, with what is true of it.
type Scenario struct {
	File string // that describes it

	Name     string
	About    string
	Start    time.Time
	Seed     uint64
	Noise    float64 // deviation of what hosts count, as a share
	Duration time.Duration
	Past     time.Duration // of the cloud's samples before the start, which history is filled with
	Twin     string        // the scenario of which this one is the near-miss; empty for none
	Cause    string        // a word: what differs from the twin

	Fleet   *model.Fleet
	Changes []Change // in the order of time
	Truths  []Promise

	line func(key string) int // of a key in the file
}

// Change is the fleet as it is from a time on.
type Change struct {
	At    time.Duration
	Fleet *model.Fleet
}

// setting is a world of the scenario with one of its fleets.
func (s *Scenario) setting(fleet *model.Fleet) Setting {
	return Setting{Start: s.Start, Seed: s.Seed, Noise: s.Noise, Past: s.Past, Fleet: fleet}
}

// Promise is a truth, and what its remedy makes of the fleet.
type Promise struct {
	Truth
	Remedied *Remedied // nil where no remedy is tried
}

// Remedied is a scenario's fleet with a remedy applied from the start, and the mounts by which its effect is measured.
type Remedied struct {
	Fleet   *model.Fleet
	Changes []Change
	Mounts  []MountName
}

// MountName names a mount of a host.
type MountName struct{ Host, Path string }

// document is a scenario as its file writes it.
type document struct {
	Name     string      `yaml:"name"`
	About    string      `yaml:"about"`
	Start    instant     `yaml:"start"`
	Seed     uint64      `yaml:"seed"`
	Noise    *float64    `yaml:"noise"`
	Duration model.Span  `yaml:"duration"`
	Past     model.Span  `yaml:"past"`
	Twin     string      `yaml:"twin"`
	Cause    string      `yaml:"cause"`
	Fleet    part        `yaml:"fleet"`
	Changes  []changeRow `yaml:"changes"`
	Truth    []truthRow  `yaml:"truth"`
}

// Target names one thing of the fleet: a host, one of its mounts, a pool or volume, an account or share.
type Target struct {
	Host         string `yaml:"host"`
	Mount        string `yaml:"mount"` // where it is mounted
	Project      string `yaml:"project"`
	Pool         string `yaml:"pool"`
	Volume       string `yaml:"volume"`
	Subscription string `yaml:"subscription"`
	Account      string `yaml:"account"`
	Share        string `yaml:"share"`
}

type changeRow struct {
	At     model.Span `yaml:"at"`
	Target `yaml:",inline"`
	Set    part `yaml:"set"`
}

type remedyRow struct {
	Target `yaml:",inline"`
	Set    part `yaml:"set"`
}

type truthRow struct {
	Detector string      `yaml:"detector"`
	Variant  string      `yaml:"variant"`
	Resource resource    `yaml:"resource"`
	Cause    string      `yaml:"cause"`
	From     model.Span  `yaml:"from"`
	To       *model.Span `yaml:"to"` // missing: the scenario's end
	LimitAt  *model.Span `yaml:"limit_at"`
	Remedy   []remedyRow `yaml:"remedy"`
}

func (r truthRow) name() detectors.Name {
	return detectors.Name{Detector: r.Detector, Variant: r.Variant}
}

// resource has the labels of findings as keys.
type resource struct {
	Cloud    string `yaml:"cloud"`
	Service  string `yaml:"service"`
	Project  string `yaml:"project"`
	Location string `yaml:"location"`
	Pool     string `yaml:"pool"`
	Volume   string `yaml:"volume"`
	Host     string `yaml:"host"`
	Server   string `yaml:"server"`
	Export   string `yaml:"export"`
	Protocol string `yaml:"protocol"`
}

func (r resource) fleet() fleet.Resource { return fleet.Resource(r) }

// part is a piece of the file that is read later, with its lines.
type part struct{ node ast.Node }

// UnmarshalYAML keeps the piece.
func (p *part) UnmarshalYAML(node ast.Node) error {
	p.node = node
	return nil
}
