package evaluate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/nasight/nasight/internal/strictyaml"
	"github.com/nasight/nasight/simulator/model"
)

// The bounds of a scenario. They bound time and memory, not what is possible.
const (
	maxScenario  = 4 << 20 // bytes of a file
	maxScenarios = 10_000
	maxDuration  = 14 * 24 * time.Hour
	maxPast      = 35 * 24 * time.Hour
	maxNoise     = 0.5
	maxRows      = 1_000 // of changes, and of truths

	defaultNoise = 0.05
)

// defaultStart is a Monday morning: of workdays, and long enough ago that no clock of the present is mixed with it.
func defaultStart() time.Time { return time.Date(2026, time.January, 5, 8, 0, 0, 0, time.UTC) }

// ReadScenarios reads every file NAME.yml or NAME.yaml beneath a directory, in the order of their paths. An error is one line
// with the file and the line in it.
func ReadScenarios(directory string) ([]*Scenario, error) {
	files, err := scenarioFiles(directory)
	if err != nil {
		return nil, err
	}
	var scenarios []*Scenario
	for _, file := range files {
		data, err := readScenario(file)
		if err != nil {
			return nil, err
		}
		scenario, err := ParseScenario(file, data)
		if err != nil {
			return nil, err
		}
		scenarios = append(scenarios, scenario)
	}
	return scenarios, checkTogether(scenarios)
}

// readScenario reads a file. A pipe, which nobody may ever write to, is none.
func readScenario(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxScenario {
		return nil, fmt.Errorf("%s:1: is no file of at most %d bytes", file, maxScenario)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	return data, nil
}

func scenarioFiles(directory string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(directory, func(path string, entry os.DirEntry, err error) error {
		extension := filepath.Ext(path)
		if err == nil && !entry.IsDir() && (extension == ".yml" || extension == ".yaml") {
			files = append(files, path)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("read scenarios: %w", err)
	case len(files) == 0:
		return nil, fmt.Errorf("read scenarios: %s holds no file that ends in .yml or .yaml", directory)
	case len(files) > maxScenarios:
		return nil, fmt.Errorf("read scenarios: %s holds %d files, at most %d are read", directory, len(files), maxScenarios)
	}
	slices.Sort(files)
	return files, nil
}

// ParseScenario reads one scenario; file stands for it in errors.
func ParseScenario(file string, data []byte) (*Scenario, error) {
	if len(data) > maxScenario {
		return nil, fmt.Errorf("%s:1: more than %d bytes", file, maxScenario)
	}
	p := &scenarioParser{file: file, data: data}
	if err := strictyaml.Unmarshal(file, data, &p.document); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	return p.scenario()
}

// scenarioParser reads one file.
type scenarioParser struct {
	file     string
	data     []byte
	document document
	hosts    named
}

// failf is an error about a key.
func (p *scenarioParser) failf(key, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s: %s", p.file, strictyaml.LineOf(p.data, key), key, fmt.Sprintf(format, args...))
}

// scenario makes the fleets of a document that was checked.
func (p *scenarioParser) scenario() (*Scenario, error) {
	d := p.document
	s := &Scenario{
		File: p.file, Name: d.Name, About: d.About, Start: time.Time(d.Start), Seed: d.Seed, Noise: defaultNoise,
		Duration: time.Duration(d.Duration), Past: time.Duration(d.Past), Twin: d.Twin, Cause: d.Cause,
		line: func(key string) int { return strictyaml.LineOf(p.data, key) },
	}
	if d.Noise != nil {
		s.Noise = *d.Noise
	}
	if s.Start.IsZero() {
		s.Start = defaultStart()
	}
	var err error
	if s.Fleet, s.Changes, err = p.fleets(nil, ""); err != nil {
		return nil, err
	}
	for i, row := range d.Truth {
		promise := Promise{Truth: p.truth(row)}
		if err := p.checkThere(fmt.Sprintf("truth[%d].resource", i), promise.Resource, s.Fleet); err != nil {
			return nil, err
		}
		if len(row.Remedy) > 0 {
			if promise.Remedied, err = p.remedied(row, fmt.Sprintf("truth[%d].remedy", i)); err != nil {
				return nil, err
			}
		}
		s.Truths = append(s.Truths, promise)
	}
	return s, nil
}

func (p *scenarioParser) truth(row truthRow) Truth {
	t := Truth{
		Name: row.name(), Resource: row.Resource.fleet(), Cause: row.Cause,
		From: time.Duration(row.From), To: p.end(row),
	}
	if row.LimitAt != nil {
		limit := time.Duration(*row.LimitAt)
		t.Limit = &limit
	}
	return t
}

// end is when a truth ends.
func (p *scenarioParser) end(row truthRow) time.Duration {
	if row.To == nil {
		return time.Duration(p.document.Duration)
	}
	return time.Duration(*row.To)
}

func (p *scenarioParser) remedied(row truthRow, key string) (*Remedied, error) {
	fleet, changes, err := p.fleets(row.Remedy, key)
	if err != nil {
		return nil, err
	}
	remedied := &Remedied{Fleet: fleet, Changes: changes}
	for _, remedy := range row.Remedy {
		for _, path := range p.hosts.paths(remedy.Target) {
			if mount := (MountName{remedy.Host, path}); !slices.Contains(remedied.Mounts, mount) {
				remedied.Mounts = append(remedied.Mounts, mount)
			}
		}
	}
	if len(remedied.Mounts) == 0 {
		return nil, p.failf(key, "names no mount: what it brings could not be measured")
	}
	return remedied, nil
}

// fleets are the fleet at the start and after every change, with remedies applied to all of them.
func (p *scenarioParser) fleets(remedies []remedyRow, key string) (*model.Fleet, []Change, error) {
	var changes []Change
	first, err := p.fleet(nil, remedies, key)
	if err != nil {
		return nil, nil, err
	}
	for i, row := range p.document.Changes {
		fleet, err := p.fleet(p.document.Changes[:i+1], remedies, key)
		if err != nil {
			return nil, nil, err
		}
		changes = append(changes, Change{At: time.Duration(row.At), Fleet: fleet})
	}
	return first, changes, nil
}

// fleet is the described fleet after changes and with remedies. The file is parsed anew for each, since they change what was
// parsed.
func (p *scenarioParser) fleet(changes []changeRow, remedies []remedyRow, remedyKey string) (*model.Fleet, error) {
	root, err := p.parseFleet()
	if err != nil {
		return nil, err
	}
	last := "fleet"
	apply := func(to Target, set part, key string) error {
		last = key
		if err := to.set(root, set.node); err != nil {
			return p.failf(key, "%s", err)
		}
		return nil
	}
	for i, change := range changes {
		if err := apply(change.Target, change.Set, fmt.Sprintf("changes[%d]", i)); err != nil {
			return nil, err
		}
	}
	for i, remedy := range remedies {
		if err := apply(remedy.Target, remedy.Set, fmt.Sprintf("%s[%d]", remedyKey, i)); err != nil {
			return nil, err
		}
	}
	fleet := &model.Fleet{}
	if err := strictyaml.Decode(p.file, root, fleet); err != nil {
		return nil, err
	}
	return fleet, p.complete(fleet, last)
}

// complete checks a fleet. What is wrong with it was written there where it was described, or where it was set last.
func (p *scenarioParser) complete(fleet *model.Fleet, last string) error {
	err := fleet.Complete()
	var at keyed
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &at):
		return p.failf(last, "%s", err)
	case last == "fleet":
		return fmt.Errorf("%s:%d: fleet.%w", p.file, strictyaml.LineOf(p.data, "fleet."+at.Key()), err)
	}
	return p.failf(last, "makes %s", err)
}

// keyed is an error that knows where the description of a fleet has what is wrong.
type keyed interface {
	error
	Key() string
}

func (p *scenarioParser) parseFleet() (ast.Node, error) {
	file, err := strictyaml.Parse(p.file, p.data)
	if err != nil {
		return nil, err
	}
	path, err := yaml.PathString("$.fleet")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.file, err)
	}
	node, err := path.FilterFile(file)
	if err != nil {
		return nil, p.failf("fleet", "cannot be read")
	}
	return node, nil
}
