package judge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// absentHosts are the hosts that findings are about and that the view says nothing of.
func absentHosts(view *fleet.Fleet, findings []detectors.Finding) []fleet.Resource {
	present := map[string]bool{}
	for _, client := range view.Clients {
		present[client.Host] = true
	}
	var absent []fleet.Resource
	for _, finding := range findings {
		if host := finding.Resource.Host; host != "" && !present[host] {
			absent = append(absent, fleet.Resource{Host: host})
		}
	}
	return absent
}

// AbsentClouds are the pools and volumes that are missing because their inventory could not be read. One that is missing from
// an inventory that was read is gone, and its findings end. For four hours after the last reading the view has them all.
func (t Terms) AbsentClouds(ctx context.Context, reader history.Reader, view *fleet.Fleet, findings []detectors.Finding) ([]fleet.Resource, error) {
	missing := missingFrom(view, findings)
	if len(missing) == 0 || !t.Cloud {
		return nil, nil
	}
	told := map[string]inventories{}
	var absent []fleet.Resource
	for _, resource := range missing {
		of, asked := told[resource.Service]
		if !asked {
			var err error
			if of, err = askInventories(ctx, reader, view.At, resource.Service); err != nil {
				return nil, err
			}
			told[resource.Service] = of
		}
		if of.lost(resource) {
			absent = append(absent, resource)
		}
	}
	return absent, nil
}

// missingFrom are the pools and volumes that findings are about and that the view does not list, where it lists nothing else
// of their location either: of a location that was read it has everything.
func missingFrom(view *fleet.Fleet, findings []detectors.Finding) []fleet.Resource {
	present := map[fleet.Resource]bool{}
	for _, pool := range view.Pools {
		present[placeOf(pool.Identity)] = true
	}
	for _, account := range view.Accounts {
		present[placeOf(account.Identity)] = true
	}
	var missing []fleet.Resource
	for _, finding := range findings {
		if r := finding.Resource; r.Host == "" && r.Pool != "" && !present[placeOf(r)] {
			missing = append(missing, r)
		}
	}
	return missing
}

func placeOf(r fleet.Resource) fleet.Resource {
	return fleet.Resource{Cloud: r.Cloud, Service: r.Service, Project: r.Project, Location: r.Location}
}

// inventories is how the last readings of inventories went.
type inventories struct {
	ran, success bool
	failed       []fleet.Resource // projects, or single locations of them; nothing but the cloud: which projects there are
}

const (
	inventoryLook      = schema.ConfigGrain + 10*time.Minute // holds a reading at the usual pace
	inventoryCollector = "_inventory"                        // follows the service in the collector's name
)

// askInventories asks how the last readings of a service went.
func askInventories(ctx context.Context, reader history.Reader, at time.Time, service string) (inventories, error) {
	ask := func(family *schema.Family, matchers string) ([]history.Point, error) {
		query := fmt.Sprintf("last_over_time(%s{%s}[%dms])", family.Name, matchers, inventoryLook.Milliseconds())
		points, err := reader.Instant(ctx, query, at)
		if err != nil {
			return nil, fmt.Errorf("ask whether the inventory was read: %w", err)
		}
		return points, nil
	}
	runs, err := ask(schema.CollectorSuccess, fmt.Sprintf("%s=%q", schema.Collector, service+inventoryCollector))
	if err != nil {
		return inventories{}, err
	}
	told := inventories{ran: len(runs) > 0, success: true}
	for _, run := range runs {
		told.success = told.success && run.Value != 0
	}
	failures, err := ask(schema.CloudUnreachable, fmt.Sprintf(`%s=~"inventory|projects",service=%q`, schema.API, service))
	for _, failure := range failures {
		told.failed = append(told.failed, fleet.Resource{Project: failure.Labels["project"], Location: failure.Labels["location"]})
	}
	return told, err
}

// lost tells whether the inventory that would list a resource could not be read. A reading that failed without saying where
// read nothing.
func (i inventories) lost(r fleet.Resource) bool {
	switch {
	case !i.ran:
		return true
	case i.success:
		return false
	}
	return len(i.failed) == 0 || slices.ContainsFunc(i.failed, func(f fleet.Resource) bool {
		return (f.Project == "" || f.Project == r.Project) && (f.Location == "" || f.Location == r.Location)
	})
}
