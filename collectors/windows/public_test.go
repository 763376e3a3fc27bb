package windows

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/collectors/windows/psout"
)

// facts are what a published text says, beyond what becomes samples.
type facts struct {
	Channels, Selected, Servers, Connections, Opens, Interfaces, Unknown int
	Current                                                              float64
}

func TestPublishedTexts(t *testing.T) {
	for name, want := range map[string]facts{
		"smbmc-table-three-servers-rdma.txt":   {Channels: 6, Selected: 6, Servers: 3},
		"smbmc-list-two-connections.txt":       {Channels: 2, Selected: 2, Servers: 1, Current: 4},
		"smbmc-table-include-not-selected.txt": {Channels: 10, Selected: 2, Servers: 1},
		"smbconnection-table-truncated.txt":    {Connections: 7, Servers: 3, Opens: 14},
		"smbconnection-list.txt":               {Connections: 2, Servers: 1, Opens: 6},
		"smbclientconfig-2025-list.txt":        {},
		"smbclientnic-table.txt":               {Interfaces: 9},
		"smbclientnic-list.txt":                {Interfaces: 2},
		"smbservernic-table-scopes.txt":        {Unknown: 14}, // the server's interfaces are not asked for
		"smbmc-constraint-list.txt":            {Unknown: 2},
	} {
		data := capturetest.Public(t, "windows/"+name)
		skips := map[string]int{}
		found := newAnswers(func(reason string, count int) { skips[reason] += count })
		found.file(name, data)
		found.resolve()
		got := facts{
			Channels: len(found.channels), Connections: len(found.connections), Interfaces: len(found.interfaces),
			Servers: len(found.servers()), Unknown: skips["unknown_record"],
		}
		for _, row := range found.channels {
			got.Current += row.current
			if row.isSelected {
				got.Selected++
			}
		}
		for _, row := range found.connections {
			got.Opens += int(row.opens)
		}
		if diff := cmp.Diff(want, got); diff != "" || skips["odd_text"] != 0 || skips["odd_name"] != 0 {
			t.Errorf("%s: skips %v (-want +got):\n%s", name, skips, diff)
		}
	}
}

func TestPublishedScopesAreFourInterfaces(t *testing.T) {
	records, odd := psout.Parse(capturetest.Public(t, "windows/smbservernic-table-scopes.txt"))
	distinct := map[string]bool{}
	for _, record := range records {
		distinct[record.Text("InterfaceIndex")] = true
	}
	if len(records) != 14 || len(distinct) != 4 || odd != 0 {
		t.Errorf("%d rows, interfaces %v, odd %d", len(records), distinct, odd)
	}
}
