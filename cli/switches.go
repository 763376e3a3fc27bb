// Package cli holds what the command lines of nasight and nasight-agent share.
package cli

import (
	"fmt"
	"reflect"

	"github.com/nasight/nasight/collectors"
)

// Switches are the flags --collector.NAME and --no-collector.NAME. The command-line library reads flags from the fields
// of a struct, so one is made with a field for each collector: a pointer, which stays nil where nothing was said.
type Switches struct {
	entries []collectors.Entry
	fields  reflect.Value
}

// NewSwitches makes the switches of the listed collectors.
func NewSwitches(entries []collectors.Entry) Switches {
	fields := make([]reflect.StructField, len(entries))
	for i, entry := range entries {
		state := "off"
		if entry.Default {
			state = "on"
		}
		fields[i] = reflect.StructField{
			Name: fmt.Sprintf("Collector%d", i), Type: reflect.TypeFor[*bool](),
			Tag: reflect.StructTag(fmt.Sprintf(`name:%q negatable:"" help:%q`,
				"collector."+entry.Name, entry.Help+" Default: "+state+".")),
		}
	}
	return Switches{entries: entries, fields: reflect.New(reflect.StructOf(fields))}
}

// Target is the struct that the command-line library fills: use it as one of kong.Plugins.
func (s Switches) Target() any { return s.fields.Interface() }

// Set tells which collectors were switched on or off.
func (s Switches) Set() map[string]bool {
	set := make(map[string]bool)
	for i, entry := range s.entries {
		if on, _ := s.fields.Elem().Field(i).Interface().(*bool); on != nil {
			set[entry.Name] = *on
		}
	}
	return set
}
