package cli

import (
	"maps"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/nasight/nasight/collectors"
)

func TestSwitches(t *testing.T) {
	entries := []collectors.Entry{{Name: "nfs", Default: true, Help: "NFS."}, {Name: "iscsi", Help: "iSCSI."}}
	for _, c := range []struct {
		args []string
		want map[string]bool
	}{
		{nil, map[string]bool{}},
		{[]string{"--collector.iscsi"}, map[string]bool{"iscsi": true}},
		{[]string{"--no-collector.nfs"}, map[string]bool{"nfs": false}},
		{[]string{"--no-collector.nfs", "--collector.iscsi"}, map[string]bool{"nfs": false, "iscsi": true}},
	} {
		switches := NewSwitches(entries)
		var flags struct{ kong.Plugins }
		flags.Plugins = kong.Plugins{switches.Target()}
		parser, err := kong.New(&flags)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(c.args); err != nil {
			t.Fatalf("%v: %v", c.args, err)
		}
		if got := switches.Set(); !maps.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.args, got, c.want)
		}
	}
}

func TestBuildPrefersTheRelease(t *testing.T) {
	if got := Build("v1.2.3").Version; got != "v1.2.3" {
		t.Errorf("version %q", got)
	}
	if b := Build(""); b.Version == "" || b.Revision == "" {
		t.Errorf("build without a release: %+v", b)
	}
}
