package detectors

import "github.com/nasight/nasight/fleet"

// unknown are the conditions of every minute of which a number is missing while their resource is there: as when the service
// tells a volume's throughput and not its space, or when a mount's volume is not known for want of an inventory.
func (p *pass) unknown(due []Clock) []string {
	if !(Round{Due: due}).due(Minute) {
		return nil
	}
	var ids []string
	for _, pool := range p.view.Pools {
		if now := newest(pool.Recent); pool.Flex() && !now.Throughput.Known() {
			ids = append(ids, id(Name{LimitReached, VariantThroughput}, pool.Resource()), id(Name{LimitReached, VariantIOPS}, pool.Resource()))
		}
		for _, volume := range pool.Volumes {
			if p.thin(volume, Minute) {
				continue // not judged as a whole
			}
			if !volume.Used.Over(volume.Capacity).Known() {
				ids = append(ids, id(Name{HardLimit, VariantCapacity}, volume.Resource()))
			}
			if !volume.InodeUsed.Over(volume.InodeLimit).Known() {
				ids = append(ids, id(Name{HardLimit, VariantInodes}, volume.Resource()))
			}
		}
	}
	for _, endpoint := range p.endpoints() {
		for _, mount := range endpoint.Mounts {
			if !p.serviceTime(mount).Known() {
				ids = append(ids, id(Name{ClientBound, VariantPlacement}, mount.Resource()))
			}
		}
	}
	return append(ids, p.unknownShares()...)
}

// newest is the newest sample, whether or not it is known. Without samples nothing of it is.
func newest(moments []fleet.Moment) fleet.Moment {
	if len(moments) == 0 {
		return fleet.Moment{Throughput: fleet.Unknown, Limit: fleet.Unknown, Operations: fleet.Unknown, Latency: fleet.Unknown}
	}
	return moments[len(moments)-1]
}
