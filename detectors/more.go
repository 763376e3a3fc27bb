package detectors

import "github.com/nasight/nasight/fleet"

// MoreThroughput is what helps a volume or share that is at its throughput limit, as limit_reached advises it, the best first. It is
// for those of which samples tell, and no finding. Nothing is said of what the view does not have, or whose limit it does not know.
func MoreThroughput(view *fleet.Fleet, settings Settings, of fleet.Resource) []Remedy {
	p := &pass{view: view, settings: settings}
	for _, pool := range view.Pools {
		for _, volume := range pool.Volumes {
			if volume.Identity == of {
				return p.moreForVolume(volume)
			}
		}
	}
	for _, account := range view.Accounts {
		for _, share := range account.Shares {
			if share.Identity == of && share.ThroughputCeiling().Known() {
				return p.moreForShare(share, VariantThroughput)
			}
		}
	}
	return nil
}
