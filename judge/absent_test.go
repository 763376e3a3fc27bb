package judge

import (
	"testing"

	"github.com/nasight/nasight/fleet"
)

func TestLostInventories(t *testing.T) {
	ours := fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "one", Location: "europe-west3", Pool: "pool-a", Volume: "home"}
	for _, row := range []struct {
		name string
		told inventories
		want bool
	}{
		{"nobody read it", inventories{}, true},
		{"all were read", inventories{ran: true, success: true}, false},
		{"all were read after a failure", inventories{ran: true, success: true, failed: []fleet.Resource{{Project: "one"}}}, false},
		{"this project failed", inventories{ran: true, failed: []fleet.Resource{{Project: "two"}, {Project: "one"}}}, true},
		{"another failed", inventories{ran: true, failed: []fleet.Resource{{Project: "two"}}}, false},
		{"its location failed", inventories{ran: true, failed: []fleet.Resource{{Project: "one", Location: "europe-west3"}}}, true},
		{"another location failed", inventories{ran: true, failed: []fleet.Resource{{Project: "one", Location: "us-east4"}}}, false},
		{"the projects of a folder are not known", inventories{ran: true, failed: []fleet.Resource{{}}}, true},
		{"it failed without saying where", inventories{ran: true}, true},
	} {
		if got := row.told.lost(ours); got != row.want {
			t.Errorf("%s: lost %v, want %v", row.name, got, row.want)
		}
	}
}
