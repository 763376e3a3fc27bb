package collectors

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Selection is what the operator says about which collectors run.
type Selection struct {
	Set             map[string]bool // switched on or off by name
	DisableDefaults bool            // none runs unless switched on
}

// Select returns the entries that are to run, in their order. A name that no entry has is an error that lists those
// that there are.
func Select(entries []Entry, selection Selection) ([]Entry, error) {
	known := make([]string, len(entries))
	for i, entry := range entries {
		known[i] = entry.Name
	}
	for _, name := range slices.Sorted(maps.Keys(selection.Set)) {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no collector %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	var selected []Entry
	for _, entry := range entries {
		on, said := selection.Set[entry.Name]
		if said && on || !said && entry.Default && !selection.DisableDefaults {
			selected = append(selected, entry)
		}
	}
	if len(selected) == 0 {
		return nil, fmt.Errorf("every collector is switched off; there are %s", strings.Join(known, ", "))
	}
	return selected, nil
}
