package detectors

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// JudgeFill grades how full something is that refuses work when it is full. 0: there is room, or it is not known.
func JudgeFill(used, limit fleet.Value, limits HardSettings) (share fleet.Value, severity Severity) {
	share = used.Over(limit)
	switch {
	case share.AtLeast(limits.Critical):
		return share, Critical
	case share.AtLeast(limits.Warning):
		return share, Warning
	}
	return share, 0
}

// hardLimit asks of every volume and share whether its space, its inodes or its snapshots run out.
func hardLimit(p *pass) []draft {
	var drafts []draft
	for _, pool := range p.view.Pools {
		for _, volume := range pool.Volumes {
			if share, severity := JudgeFill(volume.Used, volume.Capacity, p.settings.Hard); severity != 0 {
				drafts = append(drafts, p.spaceDraft(volume, share, severity))
			}
			if share, severity := JudgeFill(volume.InodeUsed, volume.InodeLimit, p.settings.Hard); severity != 0 {
				drafts = append(drafts, p.inodeDraft(volume, share, severity))
			}
		}
	}
	return append(drafts, p.shareSpace()...)
}

func (p *pass) fillDraft(volume *fleet.Volume, variant string, severity Severity, summary string, facts []fact, remedy []Remedy) draft {
	return draft{
		name: Name{HardLimit, variant}, severity: severity, resource: volume.Resource(), coverage: 1, certainty: p.settings.Hard.Scan,
		summary: summary, evidence: p.evidence(volume.Resource(), facts...), remedy: remedy, affects: mountsOf(volume),
	}
}

func (p *pass) spaceDraft(volume *fleet.Volume, share fleet.Value, severity Severity) draft {
	enough, others := p.size(volume, p.dataGiB(volume))
	larger := p.enlarge(volume, enough)
	larger.What = fmt.Sprintf("Make the volume %.0f GiB large.", enough)
	larger.Caveat += asWell(others) + " Snapshots count as used space."
	if volume.Of.Flex() {
		larger.Caveat += " A Flex pool cannot be made smaller again."
	}
	return p.fillDraft(volume, VariantCapacity, severity,
		fmt.Sprintf("Volume %s is %s full: %s of %s GiB. Writes fail when it is full.",
			volume.Identity.Volume, percent(share), whole(volume.Used/gibibyte), whole(volume.Capacity/gibibyte)),
		[]fact{
			{"used space over size", share, "ratio", atLeast(p.settings.Hard.Warning), ""},
			{"used space", volume.Used, "bytes", "", fleet.FeatureVolumeUsed},
			{"size", volume.Capacity, "bytes", "", fleet.FeatureVolumeCapacity},
		},
		[]Remedy{
			larger,
			{ByHand: handData, What: "Or delete data and old snapshots.", Caveat: "Space that a snapshot holds comes back only when the snapshot is gone."},
		})
}

// inodesGiB is how large a volume has to be for its inodes to leave a fifth free: one comes with each 32 KiB, beyond the size up to
// which their number is fixed.
func (p *pass) inodesGiB(volume *fleet.Volume) float64 {
	return max(fixedInodesGiB+1, gibs(float64(volume.InodeUsed)/p.settings.Hard.Warning*inodeGiB*gibibyte), math.Ceil(volume.Capacity.Or(0)/gibibyte)+1)
}

const (
	inodeGiB       = 32.0 / (1 << 20) // of a volume's size, in GiB, for each inode
	fixedInodesGiB = 683              // up to this size the number of inodes is fixed
)

func (p *pass) inodeDraft(volume *fleet.Volume, share fleet.Value, severity Severity) draft {
	enough, others := p.size(volume, p.inodesGiB(volume))
	larger := p.enlarge(volume, enough)
	larger.What = fmt.Sprintf("Make the volume %.0f GiB large: inodes come with size, one for each 32 KiB.", enough)
	larger.Caveat += asWell(others) + " Small volumes have a fixed number up to 683 GiB, except on Flex."
	return p.fillDraft(volume, VariantInodes, severity,
		fmt.Sprintf("Volume %s has used %s of its %s inodes, %s. No file can be made when none is left, however much space there is.",
			volume.Identity.Volume, whole(volume.InodeUsed), whole(volume.InodeLimit), percent(share)),
		[]fact{
			{"used inodes over limit", share, "ratio", atLeast(p.settings.Hard.Warning), ""},
			{"used inodes", volume.InodeUsed, "inodes", "", fleet.FeatureVolumeInodeUsed},
			{"most inodes", volume.InodeLimit, "inodes", "", fleet.FeatureVolumeInodeLimit},
		},
		[]Remedy{
			larger,
			{ByHand: handWork, What: "Or keep fewer, larger files.", Caveat: "A change to the application."},
		})
}
