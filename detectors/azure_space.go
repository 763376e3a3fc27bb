package detectors

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// mostSnapshots is what a share can have.
const mostSnapshots = 200

// SpaceVerdict is the judgement of a share's space.
type SpaceVerdict struct {
	Severity Severity    // 0: there is room, or it is not known
	Share    fleet.Value // used over size
	Left     fleet.Value // seconds until it is full; missing where it does not grow
}

// JudgeSpace grades how full a share is and when it will be full, by its growth in bytes per second.
func JudgeSpace(used, size, growth fleet.Value, hard HardSettings, limits ShareSettings) SpaceVerdict {
	v := SpaceVerdict{Left: fleet.Unknown}
	v.Share, v.Severity = JudgeFill(used, size, hard)
	if growth.Above(0) {
		v.Left = max(0, (size-used)/growth)
	}
	if v.Severity == 0 && v.Left.Known() && !v.Left.Above(limits.FullWithin) {
		v.Severity = Warning
	}
	return v
}

// JudgeSnapshots tells whether a share is about to have all the snapshots that it can have.
func JudgeSnapshots(count fleet.Value, limits ShareSettings) Severity {
	if count.AtLeast(limits.Snapshots) {
		return Warning
	}
	return 0
}

// shareSpace asks of every share whether its space or its snapshots run out.
func (p *pass) shareSpace() []draft {
	var drafts []draft
	for _, account := range p.view.Accounts {
		for _, share := range account.Shares {
			if v := p.spaceOf(share); v.Severity != 0 {
				drafts = append(drafts, p.shareSpaceDraft(share, v))
			}
			if v := p.fileVerdict(share); v.verdict.Severity != 0 {
				drafts = append(drafts, p.fileDraft(share, v))
			}
			if severity := JudgeSnapshots(share.Snapshots, p.settings.Share); severity != 0 {
				drafts = append(drafts, p.snapshotsDraft(share, severity))
			}
		}
	}
	return drafts
}

func (p *pass) spaceOf(share *fleet.Share) SpaceVerdict {
	return JudgeSpace(share.Used, share.Quota, share.Days.Growth, p.settings.Hard, p.settings.Share)
}

// spaceGiB leaves a fifth free, of what the share will hold when the time is over for which it must not be full.
func (p *pass) spaceGiB(share *fleet.Share) float64 {
	grown := share.Used + fleet.Value(max(0, share.Days.Growth.Or(0))*p.settings.Share.FullWithin)
	return math.Ceil(float64(grown) / gibibyte / p.settings.Hard.Warning)
}

func (p *pass) shareFill(share *fleet.Share, variant string, severity Severity, summary string, facts []fact, remedy []Remedy) draft {
	return draft{
		name: Name{HardLimit, variant}, severity: severity, resource: share.Resource(), coverage: 1, certainty: p.settings.Hard.Scan,
		summary: summary, evidence: p.evidence(share.Resource(), facts...), remedy: remedy, affects: mountsOfShares(share),
	}
}

func (p *pass) shareSpaceDraft(share *fleet.Share, v SpaceVerdict) draft {
	hard, limits := p.settings.Hard, p.settings.Share
	summary := fmt.Sprintf("Share %s of account %s is %s full: %s of %s GiB. Writes fail when it is full.",
		share.Identity.Volume, share.Identity.Pool, percent(v.Share), whole(share.Used/gibibyte), whole(share.Quota/gibibyte))
	if v.Left.Known() && !v.Left.Above(limits.FullWithin) {
		summary += fmt.Sprintf(" At the growth of the last days that is in %s.", inTime(v.Left))
	}
	enough := p.shareSize(share)
	caveat := "The service computes the used space a few times a day: it is hours old. "
	if share.Of.ByUse() {
		caveat += "Only what is used is billed."
	} else {
		caveat += "Costs money from the moment that it is set. " + lowerLater
	}
	return p.shareFill(share, VariantCapacity, v.Severity, summary, []fact{
		{"used space over size", v.Share, "ratio", atLeast(hard.Warning), ""},
		{"time until it is full", v.Left, "seconds", fmt.Sprintf("<= %g", limits.FullWithin), ""},
		{"used space", share.Used, "bytes", "", fleet.FeatureShareUsed},
		{"size", share.Quota, "bytes", "", fleet.FeatureShareQuota},
		{"growth", share.Days.Growth, "bytes per second", "", fleet.FeatureShareGrowth},
	}, []Remedy{
		shareOfSize(share, enough, fmt.Sprintf("Make the share %.0f GiB large.", enough), caveat),
		{ByHand: handData, What: "Or delete data.", Caveat: "Look at what grows first."},
	})
}

func (p *pass) snapshotsDraft(share *fleet.Share, severity Severity) draft {
	return p.shareFill(share, VariantSnapshots, severity,
		fmt.Sprintf("Share %s of account %s has %s of the %d snapshots that a share can have. Backups fail when it has all of them.",
			share.Identity.Volume, share.Identity.Pool, whole(share.Snapshots), mostSnapshots),
		[]fact{{"snapshots", share.Snapshots, "snapshots", atLeast(p.settings.Share.Snapshots), fleet.FeatureShareSnapshots}},
		[]Remedy{{
			What: "Delete snapshots that nobody needs, and let the backup keep fewer.",
			Command: ofShare(share, fmt.Sprintf("az storage share-rm list --subscription %s -g %s --storage-account %s --include-snapshot\n%s",
				quote(share.Identity.Project), groupOf(share.Of), quote(share.Identity.Pool), deleteSnapshot(share))),
			Caveat: "A snapshot that is deleted is gone. Those of a backup belong to its policy: change that.",
		}})
}

func deleteSnapshot(share *fleet.Share) string {
	return fmt.Sprintf("# and for each that nobody needs, with the time that the list shows of it in place of TIME:\naz storage share-rm delete --subscription %s -g %s --storage-account %s --name %s --snapshot TIME",
		quote(share.Identity.Project), groupOf(share.Of), quote(share.Identity.Pool), quote(share.Identity.Volume))
}
