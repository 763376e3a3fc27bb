package fleet

import "time"

// Usual tells how long operations usually take, in seconds, at a resource (an endpoint, a volume, a share) and a time, as the
// statistical baselines have it. It is Unknown where there is no baseline and while it learns; nil knows of none.
type Usual func(of Resource, at time.Time) Value

// usual is the usual latency of a resource: of its baseline, else what a look over days found.
func (p Profile) usual(of Resource, at time.Time, looked Value) Value {
	if value := p.baseline(of, at); value.Known() {
		return value
	}
	return looked
}

func (p Profile) baseline(of Resource, at time.Time) Value {
	if p.Usual == nil {
		return Unknown
	}
	return p.Usual(of, at)
}

// usually gives the volumes the usual latency of the hour that the view is of. The look over days is of another hour.
func (c *cloud) usually() {
	for _, pool := range c.pools {
		for _, volume := range pool.Volumes {
			volume.Days.Latency = c.profile.usual(volume.Identity, c.view.At, volume.Days.Latency)
		}
	}
}

// hides tells that a number is not the feature's, so that the feature's query would not give it.
func (p Profile) hides(feature string, of Resource, at time.Time) bool {
	return (feature == FeatureBaseline || feature == FeatureVolumeBaseline) && p.baseline(of, at).Known()
}
