package gcnv

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"google.golang.org/api/netapp/v1"
)

// inventory is what the service's API told of one project at one moment. It is immutable once it is complete.
type inventory struct {
	at           time.Time
	pools        map[key]*pool
	volumes      map[key]*volume
	replications []*replication
	poolsRead    bool
	volumesRead  bool
	unreachable  []string       // locations that the service could not reach: what is known of them is from before
	odd          map[string]int // fields and items that made no sense, by reason
	number       string         // project number, where resource names carry it
}

type pool struct {
	*netapp.StoragePool
	key    key
	fields object
	wanted bool
	at     time.Time
}

type volume struct {
	*netapp.Volume
	key    key
	pool   string
	fields object
	wanted bool
	at     time.Time
}

type replication struct {
	*netapp.Replication
	name   string
	volume *volume
	fields object
	at     time.Time
}

const (
	oddItem  = "odd_item"
	oddField = "odd_field"
)

// readInventory asks the API for everything of a project. What it says is read is good also where there is an error.
func readInventory(ctx context.Context, api *rest, project string, wanted selection, now time.Time) (*inventory, error) {
	inv := newInventory(now)
	_, poolsErr := inv.readPools(ctx, api, project)
	_, volumesErr := inv.readVolumes(ctx, api, project)
	inv.choose(project, wanted)
	return inv, join(poolsErr, volumesErr, inv.readReplications(ctx, api, project))
}

func newInventory(now time.Time) *inventory {
	return &inventory{at: now, pools: map[key]*pool{}, volumes: map[key]*volume{}, odd: map[string]int{}}
}

// readPools asks for the pools. It returns the locations that could not be reached.
func (inv *inventory) readPools(ctx context.Context, api *rest, project string) (unreachable []string, err error) {
	unreachable, err = inv.list(ctx, api, project, "storagePools", inv.addPool)
	inv.poolsRead = err == nil
	return unreachable, err
}

// readVolumes asks for the volumes. It returns the locations that could not be reached.
func (inv *inventory) readVolumes(ctx context.Context, api *rest, project string) (unreachable []string, err error) {
	unreachable, err = inv.list(ctx, api, project, "volumes", inv.addVolume)
	inv.volumesRead = err == nil
	return unreachable, err
}

func (inv *inventory) list(ctx context.Context, api *rest, project, what string, add func(json.RawMessage)) ([]string, error) {
	path := "v1/projects/" + url.PathEscape(project) + "/locations/-/" + what
	far, err := api.list(ctx, project, what+".list", path, what, nil, add)
	if err != nil {
		return nil, fmt.Errorf("list the %s: %w", what, err)
	}
	inv.unreachable = append(inv.unreachable, far...)
	return far, nil
}

func (inv *inventory) note(odd int, err error) {
	if err != nil {
		inv.odd[oddItem]++
	}
	if odd > 0 {
		inv.odd[oddField] += odd
	}
}

// availableField is what no volume of a pool of manual QoS has.
const availableField = "availableThroughputMibps"

func (inv *inventory) addPool(raw json.RawMessage) {
	value, fields, odd, err := decode[netapp.StoragePool](raw)
	inv.note(odd, err)
	if err != nil {
		return
	}
	k, ok := keyOf(value.Name, "storagePools")
	if !ok || inv.pools[k] != nil {
		inv.odd[oddItem]++
		return
	}
	inv.learn(value.Name)
	if odd == 0 && word(value.QosType) == "manual" && !fields.has(availableField) {
		// The version of the API that first told of QoS tells of this too, and leaves out a number that is zero. Without the
		// zero a pool that is given out in full would look as if it had always had what becomes free later.
		fields[availableField] = json.RawMessage("0")
	}
	inv.pools[k] = &pool{StoragePool: value, key: k, fields: fields, at: inv.at}
}

func (inv *inventory) addVolume(raw json.RawMessage) {
	value, fields, odd, err := decode[netapp.Volume](raw)
	inv.note(odd, err)
	if err != nil {
		return
	}
	k, ok := keyOf(value.Name, "volumes")
	if !ok || inv.volumes[k] != nil {
		inv.odd[oddItem]++
		return
	}
	inv.learn(value.Name)
	inv.volumes[k] = &volume{Volume: value, key: k, pool: lastOf(value.StoragePool), fields: fields, at: inv.at}
}

// learn takes the project's number from a resource name that carries it.
func (inv *inventory) learn(name string) {
	if project := segment(name, "projects"); isNumber(project) {
		inv.number = project
	}
}

func isNumber(text string) bool { return folderID.MatchString(text) }

// choose marks what the configuration wants. A pool of a wanted volume is wanted.
func (inv *inventory) choose(project string, wanted selection) {
	for _, p := range inv.pools {
		p.wanted = wanted.pool(project, p.key)
	}
	for _, v := range inv.volumes {
		v.wanted = wanted.volume(project, v.pool, v.key)
		if p := inv.poolOf(v); v.wanted && p != nil {
			p.wanted = true
		}
	}
}

func (inv *inventory) poolOf(v *volume) *pool {
	if k, ok := keyOf(v.StoragePool, "storagePools"); ok {
		return inv.pools[k]
	}
	return inv.pools[key{v.key.location, v.pool}]
}

// readReplications asks for the replications of the volumes that have some: the API lists them by volume.
func (inv *inventory) readReplications(ctx context.Context, api *rest, project string) error {
	var errs []error
	for _, v := range inv.volumes {
		if !v.HasReplication || !v.wanted || ctx.Err() != nil {
			continue
		}
		if _, err := inv.readReplicationsOf(ctx, api, project, v); err != nil {
			errs = append(errs, err)
			if !retryable(err) {
				break // the others would be refused alike
			}
		}
	}
	return join(errs...)
}

// readReplicationsOf asks for the replications of one volume. It returns the locations that could not be reached.
func (inv *inventory) readReplicationsOf(ctx context.Context, api *rest, project string, v *volume) (unreachable []string, err error) {
	path := fmt.Sprintf("v1/projects/%s/locations/%s/volumes/%s/replications",
		url.PathEscape(project), url.PathEscape(v.key.location), url.PathEscape(v.key.name))
	unreachable, err = api.list(ctx, project, "replications.list", path, "replications", nil, func(raw json.RawMessage) {
		value, fields, odd, err := decode[netapp.Replication](raw)
		inv.note(odd, err)
		if err == nil {
			inv.replications = append(inv.replications, &replication{value, lastOf(value.Name), v, fields, inv.at})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("list the replications of volume %s in %s: %w", v.key.name, v.key.location, err)
	}
	return unreachable, nil
}

// keep takes over from an earlier inventory what is in locations that could not be reached now.
func (inv *inventory) keep(before *inventory) {
	if before == nil {
		return
	}
	if !inv.poolsRead {
		inv.pools = before.pools
	}
	far := map[string]bool{}
	for _, location := range inv.unreachable {
		far[lastOf(location)] = true
	}
	for k, p := range before.pools {
		if inv.poolsRead && far[k.location] && inv.pools[k] == nil {
			inv.pools[k] = p
		}
	}
	for k, v := range before.volumes {
		if far[k.location] && inv.volumes[k] == nil {
			inv.volumes[k] = v
		}
	}
}

// find looks up the volume of a time series. The series may name the region of a zone's volume, or the other way round;
// such a match has to be the only one.
func (inv *inventory) find(k key) *volume {
	if v := inv.volumes[k]; v != nil {
		return v
	}
	var found *volume
	for other, v := range inv.volumes {
		if other.name != k.name || regionOf(other.location) != k.location && other.location != regionOf(k.location) {
			continue
		}
		if found != nil {
			return nil
		}
		found = v
	}
	return found
}
