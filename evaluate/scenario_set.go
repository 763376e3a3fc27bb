package evaluate

import (
	"errors"
	"fmt"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// instant is a moment as the file writes it.
type instant time.Time

// UnmarshalYAML reads a moment, and points at it where it is wrong.
func (t *instant) UnmarshalYAML(node ast.Node) error {
	value, err := time.Parse(time.RFC3339, node.GetToken().Value)
	if err != nil || value.Year() < 2000 || value.Year() > 2100 || value.Second() != 0 || value.Nanosecond() != 0 {
		message := fmt.Sprintf("%q is no moment: write a whole minute such as 2026-01-05T08:00:00Z", node.GetToken().Value)
		return &yaml.SyntaxError{Message: message, Token: node.GetToken()}
	}
	*t = instant(value.UTC())
	return nil
}

// step is one step down into the fleet: an entry of a list, by the value of a key.
type step struct{ list, key, value string }

// way leads from the fleet to what a target names.
func (t Target) way() ([]step, error) {
	var steps []step
	for _, row := range [][]step{
		{{"hosts", "name", t.Host}, {"mounts", "path", t.Mount}},
		{{"projects", "id", t.Project}, {"pools", "name", t.Pool}, {"volumes", "name", t.Volume}},
		{{"subscriptions", "id", t.Subscription}, {"accounts", "name", t.Account}, {"shares", "name", t.Share}},
	} {
		named := 0
		for i, s := range row {
			if s.value == "" {
				continue
			}
			if named != i {
				return nil, fmt.Errorf("names %q without what holds it", s.value)
			}
			named++
		}
		if named > 0 && steps != nil {
			return nil, errors.New("names two things: a change is about one of them")
		}
		if named > 0 {
			steps = row[:named]
		}
	}
	if steps == nil {
		return nil, errors.New("names nothing: write host and mount, or project, pool and volume, or subscription, account and share")
	}
	return steps, nil
}

// set puts the keys of a mapping over those of what the target names.
func (t Target) set(root, values ast.Node) error {
	keys, ok := plainNode(values).(*ast.MappingNode)
	if !ok || len(keys.Values) == 0 {
		return errors.New("sets nothing: write set: {KEY: VALUE}")
	}
	way, err := t.way()
	if err != nil {
		return err
	}
	if name := way[len(way)-1].key; valueOf(keys, name) != nil {
		return fmt.Errorf("sets %s: what is named so cannot be renamed", name)
	}
	at, _ := plainNode(root).(*ast.MappingNode)
	for _, s := range way {
		if at, ok = s.down(at); !ok {
			return fmt.Errorf("there is no %q in the fleet's %s", s.value, s.list)
		}
	}
	merge(at, keys)
	return nil
}

func (s step) down(from *ast.MappingNode) (*ast.MappingNode, bool) {
	if from == nil {
		return nil, false
	}
	list, ok := valueOf(from, s.list).(*ast.SequenceNode)
	if !ok {
		return nil, false
	}
	for _, entry := range list.Values {
		mapping, ok := plainNode(entry).(*ast.MappingNode)
		if !ok {
			continue
		}
		if key := valueOf(mapping, s.key); key != nil && key.GetToken().Value == s.value {
			return mapping, true
		}
	}
	return nil, false
}

func valueOf(mapping *ast.MappingNode, key string) ast.Node {
	for _, entry := range mapping.Values {
		if entry.Key.GetToken().Value == key {
			return plainNode(entry.Value)
		}
	}
	return nil
}

// plainNode is a node without its anchor.
func plainNode(node ast.Node) ast.Node {
	if anchor, ok := node.(*ast.AnchorNode); ok {
		return anchor.Value
	}
	return node
}

// merge puts keys over those of a mapping: mappings key by key, everything else as a whole.
func merge(into, from *ast.MappingNode) {
	for _, entry := range from.Values {
		key := entry.Key.GetToken().Value
		below, isMapping := plainNode(entry.Value).(*ast.MappingNode)
		present, ok := valueOf(into, key).(*ast.MappingNode)
		switch {
		case isMapping && ok:
			merge(present, below)
		case valueOf(into, key) != nil:
			for _, old := range into.Values {
				if old.Key.GetToken().Value == key {
					old.Value = entry.Value
				}
			}
		default:
			into.Values = append(into.Values, entry)
		}
	}
}
