package demo

import (
	"testing"

	"github.com/nasight/nasight/simulator/model"
)

// The fleet has what the documentation says of it.
func TestFleet(t *testing.T) {
	fleet, err := Fleet()
	if err != nil {
		t.Fatal(err)
	}
	pools, volumes, linux, windows := 0, 0, 0, 0
	for _, project := range fleet.Projects {
		pools += len(project.Pools)
		for _, pool := range project.Pools {
			volumes += len(pool.Volumes)
		}
	}
	for _, subscription := range fleet.Subscriptions {
		for _, account := range subscription.Accounts {
			volumes += len(account.Shares)
		}
	}
	for _, host := range fleet.Hosts {
		if host.OS == model.Windows {
			windows++
		} else {
			linux++
		}
	}
	got := [6]int{len(fleet.Projects), len(fleet.Subscriptions), pools, volumes, linux, windows}
	if want := [6]int{2, 2, 13, 68, 40, 15}; got != want {
		t.Errorf("projects, subscriptions, pools, volumes and shares, Linux and Windows hosts: %v, want %v", got, want)
	}
}
