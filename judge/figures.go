package judge

import (
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/diagnose"
	"github.com/nasight/nasight/envelope"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/plan"
	"github.com/nasight/nasight/schema"
)

// Figures are what dashboards show of a view and no source tells: how full the steps of each active mount are, what pools
// are granted, and of volumes and shares what looks over days found, what can be reached at all, and what a plan would give.
func Figures(view *fleet.Fleet, findings []detectors.Finding, settings detectors.Settings) []schema.Sample {
	return append(ladders(view, settings), slowFigures(view, findings, settings)...)
}

// due tells whether what follows from looks over days is written back with a look: it hardly changes.
func due(at time.Time) bool { return at.Sub(at.Truncate(schema.FiguresGrain)) < time.Minute }

// ladders are the steps whose load and capacity are known. Of an idle mount there is nothing to say.
func ladders(view *fleet.Fleet, settings detectors.Settings) []schema.Sample {
	figures, seen := figures{at: view.At}, map[fleet.Resource]bool{}
	for _, client := range view.Clients {
		for _, endpoint := range client.Endpoints {
			if detectors.EndpointIdle(endpoint, settings) {
				continue
			}
			for _, mount := range endpoint.Mounts {
				figures.ladder(mount, diagnose.Ladder(mount, endpoint, client, nil), seen)
			}
		}
	}
	return figures.samples
}

// ladder leaves out a mount that has the names of one before: the steps that they do not share are told of the first.
func (f *figures) ladder(mount *fleet.Mount, steps []diagnose.Step, seen map[fleet.Resource]bool) {
	of := mount.Cloud()
	of.Host, of.Server, of.Export, of.Protocol = mount.Host, mount.Server, mount.Export, mount.Protocol
	if seen[of] {
		return
	}
	seen[of] = true
	for _, step := range steps {
		f.add(schema.MountStepUtilisation, step.Utilisation, append(identity(of), of.Host, of.Server, of.Export, of.Protocol, step.Step)...)
	}
}

func slowFigures(view *fleet.Fleet, findings []detectors.Finding, settings detectors.Settings) []schema.Sample {
	figures := figures{at: view.At}
	table, err := envelope.Load()
	for _, pool := range view.Pools {
		figures.add(schema.PoolGrantedThroughput, Granted(pool), identity(pool.Identity)[:len(schema.PoolGrantedThroughput.Labels)]...)
		for _, volume := range pool.Volumes {
			figures.days(volume.Identity, volume.Days.P99, volume.Days.Highest())
			if err == nil { // the program's own table; its tests fail before it can be missing
				figures.add(schema.VolumeEnvelope, detectors.Reach(volume, table, settings), identity(volume.Identity)...)
			}
		}
	}
	for _, account := range view.Accounts {
		for _, share := range account.Shares {
			figures.days(share.Identity, share.Days.Throughput.P99, share.Days.Throughput.Highest())
			figures.add(schema.ShareMetadataCeiling, detectors.MetadataCeiling(share, settings), identity(share.Identity)...)
		}
	}
	figures.planned(view, findings, settings)
	return figures.samples
}

// Granted is the throughput of a pool. Of one with manual QoS the service may tell its parts alone, and on Flex it tells it as
// the limit of each of its volumes.
func Granted(pool *fleet.Pool) fleet.Value {
	total := plan.Throughput(pool)
	switch {
	case total.Known():
		return total
	case pool.Manual():
		return pool.Assigned() + pool.Available
	case !pool.Flex():
		return fleet.Unknown
	}
	for _, volume := range pool.Volumes {
		if volume.Limit.Known() && !total.AtLeast(float64(volume.Limit)) {
			total = volume.Limit
		}
	}
	return total
}

// figures collects the samples of one moment.
type figures struct {
	at      time.Time
	samples []schema.Sample
}

// add keeps a value that is known.
func (f *figures) add(family *schema.Family, value fleet.Value, labels ...string) {
	if value.Known() {
		f.samples = append(f.samples, schema.Sample{Family: family, Labels: labels, Value: float64(value), Time: f.at})
	}
}

func (f *figures) days(of fleet.Resource, p99, peak fleet.Value) {
	f.add(schema.VolumeWeekP99, p99, identity(of)...)
	f.add(schema.VolumePeak, peak, identity(of)...)
}

// identity are the labels of a volume or a share.
func identity(r fleet.Resource) []string {
	return []string{r.Cloud, r.Service, r.Project, r.Location, r.Pool, r.Volume}
}

// planned are the proposals for volumes of pools whose QoS is manual. A plan that fails has none; asked for by hand, it says
// why.
func (f *figures) planned(view *fleet.Fleet, findings []detectors.Finding, settings detectors.Settings) {
	if view.DaysAt.IsZero() {
		return
	}
	answer, err := plan.NewRequest(settings).Given(view, findings)
	if err != nil {
		return
	}
	type place struct{ project, location, pool, volume string }
	proposed := map[place]fleet.Value{}
	for _, pool := range answer.Pools {
		if pool.Status != plan.Proposed && pool.Status != plan.Unchanged {
			continue
		}
		for _, volume := range pool.Volumes {
			if volume.State == plan.Planned {
				proposed[place{pool.Project, pool.Location, pool.Pool, volume.Name}] = volume.Propose
			}
		}
	}
	for _, pool := range view.Pools {
		for _, volume := range pool.Volumes {
			id := volume.Identity
			if mibs, ok := proposed[place{pool.Identity.Project, pool.Identity.Location, pool.Identity.Pool, id.Volume}]; ok {
				f.add(schema.VolumePlanned, mibs*(1<<20), identity(id)...)
			}
		}
	}
}
