package detectors

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/nasight/nasight/fleet"
)

// Why nobody is notified of a finding.
const (
	QuietExplained = "explained" // another finding names the cause
	QuietRationed  = "rationed"  // there were as many notifications as there may be in a day
)

// explainedWithin is how far apart the beginnings of an anomaly and of what explains it may lie.
const explainedWithin = 30 * time.Minute

// explain attaches every anomaly to the findings that name a cause on its path and began at about the same time, the highest
// ranked of them: it is blocked by them, they have it in their evidence, and nobody is notified of it.
func explain(findings []Finding) {
	for i := range findings {
		anomaly := &findings[i]
		if anomaly.Detector != Anomaly {
			continue
		}
		anomaly.BlockedBy = []string{}
		for _, cause := range causesOf(anomaly, findings) {
			anomaly.BlockedBy, anomaly.Quiet = append(anomaly.BlockedBy, cause.ID), QuietExplained
			cause.Evidence = append(slices.Clip(cause.Evidence), attached(anomaly)...)
		}
	}
}

func causesOf(anomaly *Finding, findings []Finding) []*Finding {
	if anomaly.Resource.Pool == "" && anomaly.Resource.Host == "" {
		return nil // what reaches over a region is not explained by one path
	}
	var causes []*Finding
	for i := range findings {
		if cause := &findings[i]; explains(cause, anomaly) {
			causes = append(causes, cause)
		}
	}
	if len(causes) == 0 {
		return nil
	}
	best := slices.MinFunc(causes, func(a, b *Finding) int { return cmp.Compare(explanation(a.Name()), explanation(b.Name())) })
	return slices.DeleteFunc(causes, func(f *Finding) bool { return explanation(f.Name()) > explanation(best.Name()) })
}

// explanation is a finding's place among those that explain an anomaly, 1 the first; unranked where it explains none.
func explanation(name Name) int {
	switch name.Detector {
	case Anomaly:
		return unranked
	case MetadataHeavy, BeyondEnvelope:
		return rank(Name{Detector: Anomaly})
	}
	return rank(name)
}

// explains: what was so already when it was first looked at, as at a start, may have begun with any anomaly from before; and it has
// not just begun, so that it counts while it waits to be confirmed.
func explains(cause, anomaly *Finding) bool {
	return explanation(cause.Name()) != unranked && !cause.Hint && cause.State != Resolved && (cause.State != Pending || cause.SinceAtLeast) &&
		(beginningOf(*cause).couldBe(anomaly.Since, explainedWithin) || standing(cause, anomaly)) &&
		onPathOf(append(slices.Clip(anomaly.Affects), anomaly.Resource), cause)
}

// standing: what is held at its limit stands still there, however long.
func standing(cause, anomaly *Finding) bool {
	return anomaly.Variant == VariantFlatline && cause.Detector == LimitReached
}

// attached is an anomaly as evidence of its cause: its first number, which is the farthest value, or its name alone.
func attached(anomaly *Finding) []Evidence {
	if len(anomaly.Evidence) == 0 {
		return nil
	}
	shown := anomaly.Evidence[0]
	shown.Name, shown.Threshold = anomaly.Detector+"/"+anomaly.Variant+": "+shown.Name, ""
	return []Evidence{shown}
}

// OnPath tells whether a finding is about what an anomaly shows in: the same host, or the same pool and no other volume.
func OnPath(a fleet.Anomaly, finding Finding) bool { return onPathOf(anomalyAffects(a), &finding) }

func onPathOf(places []fleet.Resource, finding *Finding) bool {
	return slices.ContainsFunc(append(slices.Clip(finding.Affects), finding.Resource), func(r fleet.Resource) bool {
		return slices.ContainsFunc(places, func(place fleet.Resource) bool { return meets(place, r) })
	})
}

func meets(a, b fleet.Resource) bool {
	if a.Host != "" && a.Host == b.Host {
		return true
	}
	return a.Pool != "" && a.Cloud == b.Cloud && a.Service == b.Service && a.Project == b.Project && a.Location == b.Location && a.Pool == b.Pool &&
		(a.Volume == "" || b.Volume == "" || a.Volume == b.Volume)
}

// notice is one notification of an anomaly.
type notice struct {
	At       time.Time      `json:"at"`
	Resource fleet.Resource `json:"resource"`
}

const rationTime = 24 * time.Hour

// tell decides of every anomaly that begins to fire whether it is one of those of which people are notified, the most severe first.
// It stays decided. An explained one is decided when nothing explains it any more.
func (l *Lifecycle) tell(baselines int) {
	if !l.undecided() {
		return
	}
	l.told = slices.DeleteFunc(l.told, func(n notice) bool { return l.at.Sub(n.At) >= rationTime || n.At.After(l.at) })
	most := max(1, int(math.Ceil(l.ration.PerThousand*float64(baselines)/1000)))
	for _, finding := range l.Active() {
		t := l.tracks[finding.ID]
		if !t.undecided() || finding.Quiet != "" || finding.Hint {
			continue
		}
		same := 0
		for _, one := range l.told {
			if one.Resource == finding.Resource {
				same++
			}
		}
		if len(l.told) >= most || same >= l.ration.PerResource {
			t.Quiet = true
			continue
		}
		t.Told = true
		l.told = append(l.told, notice{l.at, finding.Resource})
	}
}

func (l *Lifecycle) undecided() bool {
	for _, t := range l.tracks {
		if t.undecided() {
			return true
		}
	}
	return false
}

func (t *track) undecided() bool {
	return t.Finding.Detector == Anomaly && t.Finding.State == Firing && !t.Told && !t.Quiet
}
