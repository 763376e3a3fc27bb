package alerting

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// Loaded is rules and Alertmanagers in which no mistake was found.
type Loaded struct {
	settings Settings
	names    []string
	groups   map[string]*rulefmt.RuleGroups // by file
}

// Rules are how many there are.
func (l *Loaded) Rules() (count int) {
	for _, file := range l.groups {
		for _, group := range file.Groups {
			count += len(group.Rules)
		}
	}
	return count
}

// Files are how many files they are in; the built-in rules are one.
func (l *Loaded) Files() int { return len(l.names) }

// Load reads and checks everything that settings name. Its error has a line for each mistake: file, line, rule, what is wrong.
func Load(settings Settings) (*Loaded, error) {
	sources, err := settings.sources()
	errs := []error{err, settings.checkAll()}
	loaded := &Loaded{settings: settings, groups: map[string]*rulefmt.RuleGroups{}}
	for _, one := range sources {
		groups, err := parse(one)
		errs = append(errs, err)
		loaded.names = append(loaded.names, one.name)
		loaded.groups[one.name] = groups
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(settings.Files) > 0 && loaded.Rules() == 0 {
		return nil, fmt.Errorf("alerting.rule_files: there is no rule in %s; write some with nasight rules export, or leave the key out for the built-in ones", strings.Join(loaded.names, ", "))
	}
	return loaded, nil
}

// parse reads one file as Prometheus does, and holds it to what history asks for.
func parse(from source) (*rulefmt.RuleGroups, error) {
	quiet := slog.New(slog.DiscardHandler)
	groups, mistakes := rulefmt.Parse(from.text, false, model.UTF8Validation, parser.NewParser(parser.Options{}), quiet)
	place := newPlaces(from)
	var errs []error
	for _, mistake := range mistakes {
		errs = append(errs, place.of(mistake)...)
	}
	if groups == nil {
		return nil, errors.Join(distinct(errs)...)
	}
	for i, group := range groups.Groups {
		if every := time.Duration(group.Interval); every != 0 && every < shortestInterval {
			errs = append(errs, place.group(i, "interval %s of group %q is too short; write 1s or more", every, group.Name))
		}
		for j, rule := range group.Rules {
			if reserved(rule.Record) {
				errs = append(errs, place.rule(i, j, "rule %q of group %q: names that begin with %s or %s are nasight's own; record under another, such as team:%s",
					rule.Record, group.Name, ownPrefix, scraped, rule.Record))
			}
		}
	}
	return groups, errors.Join(errs...)
}

// distinct leaves out what is said twice, as the library says of text that is no YAML.
func distinct(errs []error) []error {
	seen := map[string]bool{}
	return slices.DeleteFunc(errs, func(err error) bool {
		twice := seen[err.Error()]
		seen[err.Error()] = true
		return twice
	})
}

const (
	shortestInterval = time.Second
	ownPrefix        = "nasight_"
)

// reserved tells a name under which nasight itself keeps samples. What rules record has others, which neither /metrics nor
// remote write carry.
func reserved(name string) bool {
	return strings.HasPrefix(name, ownPrefix) || strings.HasPrefix(name, scraped)
}

// loader gives the rule manager what was loaded, so that taking it over reads nothing and cannot fail.
type loader struct {
	parser parser.Parser
	loaded atomic.Pointer[Loaded]
}

func newLoader() *loader { return &loader{parser: parser.NewParser(parser.Options{})} }

func (l *loader) set(loaded *Loaded) { l.loaded.Store(loaded) }

// Load implements rules.GroupLoader.
func (l *loader) Load(name string, _ bool, _ model.ValidationScheme) (*rulefmt.RuleGroups, []error) {
	if loaded := l.loaded.Load(); loaded != nil && loaded.groups[name] != nil {
		return loaded.groups[name], nil
	}
	return nil, []error{fmt.Errorf("%s: not loaded", name)}
}

// Parse implements rules.GroupLoader.
func (l *loader) Parse(query string) (parser.Expr, error) { return l.parser.ParseExpr(query) }
