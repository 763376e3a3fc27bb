package plan

import (
	"strings"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// Input is a pool of a view as Build takes it.
type Input struct {
	Pool    Pool
	Volumes []Volume
}

// FromPool gives one pool of a view, whatever its QoS: Build refuses what it cannot plan and says why. The findings say
// which volumes are throttled and which are held back by their clients; the options give a replication source's need.
func FromPool(view *fleet.Fleet, pool *fleet.Pool, findings []detectors.Finding, options Options) Input {
	m := mapper{view: view, findings: findings, options: options}
	input := Input{Pool: Pool{
		Project: pool.Identity.Project, Location: pool.Identity.Location, Name: pool.Identity.Pool, QoSType: pool.QoS,
		TotalMiBps: mebibytes(Throughput(pool)), AvailableMiBps: mebibytes(pool.Available),
	}}
	if fleet.Provider(pool.Identity.Service) == fleet.ProviderAzureNetApp {
		input.Pool.Azure = &Azure{ResourceGroup: pool.ResourceGroup}
	}
	for _, volume := range pool.Volumes {
		input.Volumes = append(input.Volumes, m.volume(volume))
	}
	return input
}

// Throughput is the pool's throughput in bytes per second. The API tells it of custom pools alone, and leaves out what is
// available once that is nothing: then it follows from capacity and service level. With auto-tiering it does not.
func Throughput(pool *fleet.Pool) fleet.Value {
	if pool.Total.Above(0) || pool.Available.Known() || pool.Custom || pool.AutoTiering {
		return pool.Total
	}
	return pool.Capacity / (1 << 40) * perTiB(pool.ServiceLevel) * (1 << 20)
}

// perTiB is the throughput that a TiB of a pool brings, in MiB/s; missing where it is bought apart from capacity.
func perTiB(level string) fleet.Value {
	switch level {
	case "standard":
		return 16
	case "premium":
		return 64
	case "extreme", "ultra":
		return 128
	}
	return fleet.Unknown
}

// mapper turns volumes of a view into those of a plan.
type mapper struct {
	view     *fleet.Fleet
	findings []detectors.Finding
	options  Options
}

// The role of a volume that another one is copied to, as the inventory writes it.
const destination = "destination"

func (m mapper) volume(v *fleet.Volume) Volume {
	mapped := m.alone(v)
	for _, replication := range v.Replications {
		if replication.Role != destination {
			continue
		}
		mapped.ReplicationDestination = true
		if need := m.needOf(replication.Source); !mapped.SourceNeedMiBps.AtLeast(need.Or(0)) {
			mapped.SourceNeedMiBps = need
		}
	}
	return mapped
}

// alone is a volume without what replication adds.
func (m mapper) alone(v *fleet.Volume) Volume {
	return Volume{
		Name: v.Identity.Volume, Location: v.Identity.Location, LargeCapacity: v.LargeCapacity,
		CurrentMiBps: mebibytes(limitOf(v)),
		P99:          mebibytes(v.Days.P99), PreviousP99: mebibytes(v.Days.Before), Peak: mebibytes(v.Days.Highest()), PeakDays: v.Days.PeakDays,
		Coverage: v.Days.Coverage, Days: daysOf(v.Days),
		Bound: m.boundOf(v), Throttled: m.throttled(v), SourceNeedMiBps: fleet.Unknown,
	}
}

// limitOf is what was assigned to a volume, else what the service grants it. On Flex the latter is the pool's.
func limitOf(v *fleet.Volume) fleet.Value {
	if v.Assigned.Known() || v.Of != nil && v.Of.Flex() {
		return v.Assigned
	}
	return v.Limit
}

// daysOf is how many days of history there are, at least: the look reaches back a week.
func daysOf(d fleet.VolumeDays) fleet.Value {
	const week = 7
	if d.Full {
		return week
	}
	return week * d.Coverage
}

// throttled tells whether a finding says that the volume is at its limit.
func (m mapper) throttled(v *fleet.Volume) bool {
	for _, finding := range m.findings {
		if finding.Detector == detectors.LimitReached && finding.State != detectors.Resolved && finding.Resource == v.Identity {
			return true
		}
	}
	return false
}

// boundOf is what lifting the limit of a client that mounts the volume would bring at least: the largest factor that a
// finding promises. Missing where no client is known to be held back.
func (m mapper) boundOf(v *fleet.Volume) fleet.Value {
	bound := fleet.Unknown
	for _, finding := range m.findings {
		gain := finding.Gain
		if finding.Detector != detectors.SessionSaturated || finding.State == detectors.Resolved || gain == nil || gain.Unit != "factor" {
			continue
		}
		for _, mount := range v.Mounts {
			r := finding.Resource
			if r.Host == mount.Host && r.Server == mount.Server && r.Protocol == mount.Protocol && gain.Low > bound.Or(1) {
				bound = fleet.Value(gain.Low)
			}
		}
	}
	return bound
}

// needOf is the need of a replication's source by its full resource name. Missing where the view does not have it or its
// data are thin.
func (m mapper) needOf(name string) fleet.Value {
	parts := strings.Split(name, "/") // projects/P/locations/L/volumes/V
	if len(parts) != 6 {
		return fleet.Unknown
	}
	for _, pool := range m.view.Pools {
		for _, volume := range pool.Volumes {
			id := volume.Identity
			if id.Project != parts[1] || id.Location != parts[3] || id.Volume != parts[5] {
				continue
			}
			source := m.alone(volume)
			if unfit(source, m.options) != "" {
				return fleet.Unknown
			}
			return fleet.Value(look(source, m.options).need)
		}
	}
	return fleet.Unknown
}

// mebibytes turns bytes per second into MiB/s; missing stays missing.
func mebibytes(v fleet.Value) fleet.Value { return v / (1 << 20) }
