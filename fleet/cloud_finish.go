package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

func (c *cloud) buildReplications() {
	for key, labels := range resources(c.answers[FeatureReplicationInfo], schema.ReplicationInfo, replicationOf) {
		c.replications[key] = &Replication{
			Identity: identityOf(labels), Name: labels[schema.Replication], Role: labels["role"], State: labels["state"],
			MirrorState: labels["mirror_state"], Schedule: labels["schedule"], Source: labels["source_volume"],
			Destination: labels["destination_volume"], Healthy: Unknown, Lag: Unknown, LastBytes: Unknown, LastDuration: Unknown,
		}
	}
	for feature, field := range map[string]func(*Replication) *Value{
		FeatureReplicationHealthy:  func(r *Replication) *Value { return &r.Healthy },
		FeatureReplicationLag:      func(r *Replication) *Value { return &r.Lag },
		FeatureReplicationBytes:    func(r *Replication) *Value { return &r.LastBytes },
		FeatureReplicationDuration: func(r *Replication) *Value { return &r.LastDuration },
	} {
		for _, point := range c.answers[feature] {
			if r, ok := c.replications[replicationOf(point.Labels)]; ok {
				*field(r) = Value(point.Value)
			}
		}
	}
}

// buildRecent reads the newest samples of the volumes, one by one.
func (c *cloud) buildRecent(ctx context.Context) error {
	fields := map[string]func(*Moment) *Value{
		FeatureVolumeThroughput: func(m *Moment) *Value { return &m.Throughput },
		FeatureVolumeLimit:      func(m *Moment) *Value { return &m.Limit },
		FeatureVolumeOperations: func(m *Moment) *Value { return &m.Operations },
		FeatureVolumeLatency:    func(m *Moment) *Value { return &m.Latency },
	}
	for _, feature := range volumeSampleFeatures() {
		field, asked := fields[feature.Name]
		if !asked && feature.Name != FeatureVolumeHeld {
			continue
		}
		first := c.view.At.Add(-time.Duration(feature.Steps-1) * feature.Step)
		lines, err := c.reader.Range(ctx, feature.expand(c.profile, ""), first, c.view.At, feature.Step)
		if err != nil {
			return fmt.Errorf("feature %s: %w", feature.Name, err)
		}
		for _, line := range lines {
			switch volume := c.volume(line.Labels); {
			case volume == nil:
			case asked:
				c.fill(volume, feature, line, first, field)
			default:
				c.fillHeld(volume, feature, line, first)
			}
		}
	}
	return nil
}

// fill puts a series' values at the moments that they were asked for, less the source's delay.
func (c *cloud) fill(volume *Volume, feature Feature, line history.Series, first time.Time, field func(*Moment) *Value) {
	if volume.Recent == nil {
		volume.Recent = make([]Moment, feature.Steps)
		for i := range volume.Recent {
			volume.Recent[i] = unknownMoment(first.Add(time.Duration(i)*feature.Step - schema.GCNVDelay))
		}
	}
	for i, at := range line.Times {
		if step := int(at.Sub(first).Round(feature.Step) / feature.Step); step >= 0 && step < len(volume.Recent) {
			assign(field(&volume.Recent[step]), Value(line.Values[i]), line.Labels, volume)
		}
	}
}

// fillHeld puts what the service says of its holding back into the samples.
func (c *cloud) fillHeld(volume *Volume, feature Feature, line history.Series, first time.Time) {
	for i, at := range line.Times {
		if step := int(at.Sub(first).Round(feature.Step) / feature.Step); step >= 0 && step < len(volume.Recent) {
			volume.Recent[step].Held = HeldNot
			if line.Values[i] > 0 {
				volume.Recent[step].Held = HeldBack
			}
		}
	}
}

// finish hangs volumes and replications where they belong and sorts everything.
func (c *cloud) finish() {
	for _, volume := range c.volumes {
		identity := volume.Identity
		identity.Volume = ""
		volume.Of = c.pool(identity)
		volume.Of.Volumes = append(volume.Of.Volumes, volume)
		volume.Throughput = mean(volume.Recent, func(m Moment) Value { return m.Throughput })
		volume.Operations = mean(volume.Recent, func(m Moment) Value { return m.Operations })
		volume.Latency = mean(volume.Recent, func(m Moment) Value { return m.Latency })
		volume.Limit = newestOf(volume.Recent, func(m Moment) Value { return m.Limit })
		slices.SortFunc(volume.Endpoints, compareEndpoints)
	}
	for key, replication := range c.replications {
		if volume, ok := c.volumes[key.volumeKey]; ok {
			replication.Identity = volume.Identity
			volume.Replications = append(volume.Replications, replication)
		}
		c.view.Replications = append(c.view.Replications, replication)
	}
	for _, pool := range c.pools {
		slices.SortFunc(pool.Volumes, func(a, b *Volume) int { return compareIdentities(a.Identity, b.Identity) })
		pool.Recent = pool.Moments()
		c.view.Pools = append(c.view.Pools, pool)
	}
	slices.SortFunc(c.view.Pools, func(a, b *Pool) int { return compareIdentities(a.Identity, b.Identity) })
	slices.SortFunc(c.view.Replications, compareReplications)
	for _, volume := range c.volumes {
		slices.SortFunc(volume.Replications, compareReplications)
	}
}

func compareReplications(a, b *Replication) int {
	return cmp.Or(compareIdentities(a.Identity, b.Identity), cmp.Compare(a.Name, b.Name))
}

func compareEndpoints(a, b VolumeEndpoint) int {
	return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Export, b.Export))
}

func compareIdentities(a, b Resource) int {
	return cmp.Or(
		cmp.Compare(a.Cloud, b.Cloud), cmp.Compare(a.Service, b.Service), cmp.Compare(a.Project, b.Project),
		cmp.Compare(a.Location, b.Location), cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Volume, b.Volume),
		cmp.Compare(a.Host, b.Host), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Export, b.Export), cmp.Compare(a.Protocol, b.Protocol),
	)
}

// mean is that of the newest samples that are there.
func mean(moments []Moment, field func(Moment) Value) Value {
	sum, count := Unknown, Value(0)
	for _, moment := range moments[max(0, len(moments)-shortWindow):] {
		if value := field(moment); value.Known() {
			sum, count = sum.Plus(value), count+1
		}
	}
	return sum.Over(count)
}

func newestOf(moments []Moment, field func(Moment) Value) Value {
	for i := len(moments) - 1; i >= 0; i-- {
		if value := field(moments[i]); value.Known() {
			return value
		}
	}
	return Unknown
}
