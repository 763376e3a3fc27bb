package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// volumeKey names a volume without its pool: names are unique in a location, and a sample taken before the inventory was
// read has no pool. In Azure NetApp Files names are unique in a pool alone, and samples always have one.
type volumeKey struct{ cloud, service, project, location, volume, pool string }

type replicationKey struct {
	volumeKey
	name string
}

func identityOf(labels map[string]string) Resource {
	return Resource{
		Cloud: labels["cloud"], Service: labels["service"], Project: labels["project"], Location: labels["location"],
		Pool: labels["pool"], Volume: labels["volume"],
	}
}

func volumeOf(labels map[string]string) volumeKey {
	key := volumeKey{cloud: labels["cloud"], service: labels["service"], project: labels["project"], location: labels["location"], volume: labels["volume"]}
	if namedInPool(key.service) {
		key.pool = labels["pool"]
	}
	return key
}

// namedInPool tells whether two pools of a location may have volumes of one name.
func namedInPool(service string) bool { return Provider(service) == ProviderAzureNetApp }

func replicationOf(labels map[string]string) replicationKey {
	return replicationKey{volumeOf(labels), labels[schema.Replication]}
}

// cloud builds the cloud's side of a view.
type cloud struct {
	reader  history.Reader
	view    *Fleet
	profile Profile
	answers map[string][]history.Point

	pools        map[Resource]*Pool
	volumes      map[volumeKey]*Volume
	replications map[replicationKey]*Replication
	strangers    map[volumeKey]Resource // volumes that have samples and are not in the inventory
}

// addCloud asks for the cloud's side of a view and joins it with the clients'. Where no inventory is known it asks no more
// than that.
func addCloud(ctx context.Context, reader history.Reader, view *Fleet, profile Profile) error {
	c := &cloud{
		reader: reader, view: view, profile: profile, answers: map[string][]history.Point{}, pools: map[Resource]*Pool{},
		volumes: map[volumeKey]*Volume{}, replications: map[replicationKey]*Replication{}, strangers: map[volumeKey]Resource{},
	}
	pools, err := c.addPools(ctx)
	if err != nil {
		return err
	}
	azure, err := c.addAccounts(ctx)
	if err == nil && (pools || azure != nil) {
		c.join(azure)
	}
	return err
}

// addPools asks for the side of Google Cloud NetApp Volumes, and tells whether its inventory is known.
func (c *cloud) addPools(ctx context.Context) (bool, error) {
	if known, err := c.inventory(ctx); err != nil || !known {
		return false, err
	}
	if err := c.ask(ctx); err != nil {
		return false, err
	}
	c.buildPools()
	c.buildVolumes()
	c.buildReplications()
	if err := c.buildRecent(ctx); err != nil {
		return false, err
	}
	c.finish()
	c.applyDays()
	c.usually()
	return true, nil
}

// inventory asks what pools and volumes there are.
func (c *cloud) inventory(ctx context.Context) (bool, error) {
	for _, feature := range cloudFeatures() {
		if feature.Name != FeaturePoolInfo && feature.Name != FeatureVolumeInfo {
			continue
		}
		if err := c.instant(ctx, feature); err != nil {
			return false, err
		}
	}
	return len(c.answers[FeaturePoolInfo])+len(c.answers[FeatureVolumeInfo]) > 0, nil
}

func (c *cloud) ask(ctx context.Context) error {
	for _, feature := range cloudFeatures() {
		if _, asked := c.answers[feature.Name]; asked || feature.Slow || feature.Only || feature.Steps > 0 {
			continue
		}
		if err := c.instant(ctx, feature); err != nil {
			return err
		}
	}
	return nil
}

func (c *cloud) instant(ctx context.Context, feature Feature) error {
	at := c.view.At
	if feature.Config && c.profile.Inventory.After(at) {
		at = c.profile.Inventory
	}
	points, err := c.reader.Instant(ctx, feature.expand(c.profile, ""), at)
	if err != nil {
		return fmt.Errorf("feature %s: %w", feature.Name, err)
	}
	c.answers[feature.Name] = points
	return nil
}

// resources gives the labels of each resource of an info family. Of two series of one resource, which a change leaves for
// a while, the last in the order of their labels counts: in every process the same.
func resources[K comparable](points []history.Point, family *schema.Family, key func(map[string]string) K) map[K]map[string]string {
	found := map[K]map[string]string{}
	for _, point := range points {
		k := key(point.Labels)
		if other, twice := found[k]; !twice || after(point.Labels, other, family) {
			found[k] = point.Labels
		}
	}
	return found
}

func after(a, b map[string]string, family *schema.Family) bool {
	for _, label := range family.Labels {
		if order := cmp.Compare(a[label], b[label]); order != 0 {
			return order > 0
		}
	}
	return false
}

func (c *cloud) buildPools() {
	for identity, labels := range resources(c.answers[FeaturePoolInfo], schema.PoolInfo, identityOf) {
		pool := c.pool(identity)
		pool.ServiceLevel, pool.QoS, pool.Type = labels["service_level"], labels["qos_type"], labels["type"]
		pool.Mode, pool.ScaleType, pool.State, pool.Zone = labels["mode"], labels["scale_type"], labels["state"], labels["zone"]
		pool.Custom, pool.AutoTiering = labels["custom_performance"] == "true", labels["auto_tiering"] == "true"
	}
	for feature, field := range map[string]func(*Pool) *Value{
		FeaturePoolCapacity:      func(p *Pool) *Value { return &p.Capacity },
		FeaturePoolAllocated:     func(p *Pool) *Value { return &p.Allocated },
		FeaturePoolHotTier:       func(p *Pool) *Value { return &p.HotTier },
		FeaturePoolTotal:         func(p *Pool) *Value { return &p.Total },
		FeaturePoolAvailable:     func(p *Pool) *Value { return &p.Available },
		FeaturePoolAvailableLow:  func(p *Pool) *Value { return &p.AvailableLow },
		FeaturePoolAvailableThen: func(p *Pool) *Value { return &p.AvailableThen },
		FeaturePoolIOPS:          func(p *Pool) *Value { return &p.IOPS },
	} {
		for _, point := range c.answers[feature] {
			if pool, ok := c.pools[identityOf(point.Labels)]; ok {
				*field(pool) = Value(point.Value)
			}
		}
	}
	for identity, labels := range resources(c.answers[FeaturePoolResource], schema.PoolResourceInfo, identityOf) {
		if pool, ok := c.pools[identity]; ok {
			pool.ResourceGroup = labels["resource_group"]
		}
	}
}

func (c *cloud) pool(identity Resource) *Pool {
	pool, ok := c.pools[identity]
	if !ok {
		pool = &Pool{Identity: identity, Days: PoolDays{P99: Unknown, Max: Unknown, IOPSP99: Unknown, IOPSMax: Unknown}}
		for _, value := range []*Value{
			&pool.Capacity, &pool.Allocated, &pool.HotTier, &pool.Total, &pool.Available, &pool.AvailableLow, &pool.AvailableThen, &pool.IOPS,
		} {
			*value = Unknown
		}
		c.pools[identity] = pool
	}
	return pool
}

func (c *cloud) buildVolumes() {
	for key, labels := range resources(c.answers[FeatureVolumeInfo], schema.VolumeInfo, volumeOf) {
		c.volumes[key] = newVolume(labels)
	}
	for feature, field := range map[string]func(*Volume) *Value{
		FeatureVolumeAssigned:   func(v *Volume) *Value { return &v.Assigned },
		FeatureVolumeCapacity:   func(v *Volume) *Value { return &v.Capacity },
		FeatureVolumeUsed:       func(v *Volume) *Value { return &v.Used },
		FeatureVolumeInodeLimit: func(v *Volume) *Value { return &v.InodeLimit },
		FeatureVolumeInodeUsed:  func(v *Volume) *Value { return &v.InodeUsed },
	} {
		for _, point := range c.answers[feature] {
			if volume := c.volume(point.Labels); volume != nil {
				assign(field(volume), Value(point.Value), point.Labels, volume)
			}
		}
	}
	for _, point := range c.answers[FeatureVolumeEndpoint] {
		if volume := c.volume(point.Labels); volume != nil {
			endpoint := VolumeEndpoint{point.Labels["server"], point.Labels["export"], point.Labels["protocol"]}
			if !slices.Contains(volume.Endpoints, endpoint) {
				volume.Endpoints = append(volume.Endpoints, endpoint)
			}
		}
	}
}

// volume finds the inventory's volume for a series, and notes it where there is none.
func (c *cloud) volume(labels map[string]string) *Volume {
	key := volumeOf(labels)
	volume, ok := c.volumes[key]
	if !ok {
		c.strangers[key] = identityOf(labels)
	}
	return volume
}

// assign prefers the series whose pool is the volume's: after a change both are there for a while.
func assign(field *Value, value Value, labels map[string]string, volume *Volume) {
	if labels["pool"] == volume.Identity.Pool || !field.Known() {
		*field = value
	}
}

func newVolume(labels map[string]string) *Volume {
	volume := &Volume{
		Identity: identityOf(labels), ServiceLevel: labels["service_level"], QoS: labels["qos_type"], State: labels["state"],
		Zone: labels["zone"], Kind: labels["kind"], LargeCapacity: labels["large_capacity"] == "true",
		MultipleEndpoints: labels["multiple_endpoints"] == "true",
	}
	if protocols := labels["protocols"]; protocols != "" {
		volume.Protocols = strings.Split(protocols, ",")
	}
	for _, value := range []*Value{
		&volume.ClientUse,
		&volume.Capacity, &volume.Used, &volume.InodeLimit, &volume.InodeUsed, &volume.Assigned, &volume.Limit,
		&volume.Throughput, &volume.Operations, &volume.Latency,
	} {
		*value = Unknown
	}
	volume.Days = unknownDays()
	return volume
}
