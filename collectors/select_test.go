package collectors

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSelect(t *testing.T) {
	entries := []Entry{{Name: "nfs", Default: true}, {Name: "tcp", Default: true}, {Name: "deep"}}
	for name, test := range map[string]struct {
		selection Selection
		want      []string
		err       string
	}{
		"defaults":         {want: []string{"nfs", "tcp"}},
		"one more":         {selection: Selection{Set: map[string]bool{"deep": true}}, want: []string{"nfs", "tcp", "deep"}},
		"one less":         {selection: Selection{Set: map[string]bool{"nfs": false}}, want: []string{"tcp"}},
		"default said too": {selection: Selection{Set: map[string]bool{"nfs": true}}, want: []string{"nfs", "tcp"}},
		"only": {
			selection: Selection{Set: map[string]bool{"tcp": true}, DisableDefaults: true}, want: []string{"tcp"},
		},
		"unknown": {
			selection: Selection{Set: map[string]bool{"nfsd": true}},
			err:       `no collector "nfsd"; there are nfs, tcp, deep`,
		},
		"none": {selection: Selection{DisableDefaults: true}, err: "every collector is switched off"},
	} {
		t.Run(name, func(t *testing.T) {
			selected, err := Select(entries, test.selection)
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("got error %v, want %q", err, test.err)
			}
			var names []string
			for _, entry := range selected {
				names = append(names, entry.Name)
			}
			if diff := cmp.Diff(test.want, names); diff != "" {
				t.Errorf("selected (-want +got):\n%s", diff)
			}
		})
	}
}
