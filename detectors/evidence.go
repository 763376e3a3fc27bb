package detectors

import (
	"fmt"
	"time"

	"github.com/nasight/nasight/fleet"
)

// fact is a number that a rule judged, or shows as context.
type fact struct {
	name      string
	value     fleet.Value
	unit      string
	threshold string // empty for context
	feature   string // the feature that gives the number again; empty where it is made of several
}

// evidence writes facts down for a resource. A number that is missing is shown where it was to be judged, as missing,
// and left out where it is mere context. A threshold stands beside a number that is beyond it, or that could not be judged.
func (p *pass) evidence(resource fleet.Resource, facts ...fact) []Evidence {
	list := make([]Evidence, 0, len(facts))
	for _, f := range facts {
		if !f.value.Known() && f.threshold == "" {
			continue
		}
		if f.value.Known() && !met(float64(f.value), f.threshold) {
			f.threshold = "" // another one decided: beside this number it would read as a contradiction
		}
		query := p.query(f.feature, resource)
		list = append(list, Evidence{
			Name: f.name, Value: f.value, Unit: f.unit, Threshold: f.threshold,
			Window: p.window(f.feature, query), Query: query,
		})
	}
	return list
}

func (p *pass) query(feature string, resource fleet.Resource) string {
	if p.view.Query == nil || feature == "" {
		return ""
	}
	return p.view.Query(feature, resource)
}

// usualWindow is what a baseline's number covers: what it has learnt of the half hour of the day. No query gives it.
const usualWindow = "this half hour, as learnt"

// window says what time a number covers.
func (p *pass) window(feature, query string) string {
	switch feature {
	case fleet.FeatureBaseline, fleet.FeatureVolumeBaseline:
		if p.view.Query != nil && query == "" {
			return usualWindow
		}
	}
	switch feature {
	case fleet.FeatureCompletions, fleet.FeatureTimeouts, fleet.FeatureReceives, fleet.FeatureConnecting,
		fleet.FeaturePendingFloor, fleet.FeatureClockAdvance:
		return "last interval"
	case fleet.FeatureConnected, fleet.FeatureDisconnected, fleet.FeaturePending, fleet.FeatureTransportCount,
		fleet.FeatureSlotLimit, fleet.FeatureSessionSlots, fleet.FeatureSlotTable, fleet.FeatureGCEInstance:
		return "now"
	case fleet.FeatureCeiling, fleet.FeatureBaseLatency, fleet.FeatureBaseline:
		return "7 days"
	}
	if window := cloudWindow(feature); window != "" {
		return window
	}
	return fmt.Sprintf("%.0f s", p.view.Window.Round(time.Second).Seconds())
}
