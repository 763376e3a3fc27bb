package judge

import (
	"strings"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// Samples are the series of the findings that fire, as of a view: identity in the labels, numbers in the values. A finding
// that is no longer true but not yet resolved counts as firing.
func Samples(view *fleet.Fleet, findings []detectors.Finding, settings detectors.Settings) []schema.Sample {
	var samples []schema.Sample
	seen := map[string]bool{}
	for _, finding := range findings {
		labels := findingLabels(finding)
		key := strings.Join(labels, "\xff")
		if finding.State != detectors.Firing && finding.State != detectors.Keep || seen[key] {
			continue
		}
		seen[key] = true
		add := func(family *schema.Family, value fleet.Value) {
			if value.Known() {
				samples = append(samples, schema.Sample{Family: family, Labels: labels, Value: float64(value), Time: view.At})
			}
		}
		add(schema.FindingActive, 1)
		add(schema.FindingSeverity, fleet.Value(finding.Severity))
		add(schema.FindingConfidence, fleet.Value(finding.Confidence))
		if !finding.Since.IsZero() {
			add(schema.FindingSince, fleet.Value(seconds(finding.Since)))
			add(schema.FindingSinceAtLeast, flag(finding.SinceAtLeast))
		}
		if finding.Quiet != "" {
			add(schema.FindingQuiet, 1)
		}
		add(schema.FindingGain, gain(view, finding, settings))
		if finding.WasteUSDPerMonth != nil {
			add(schema.FindingWaste, fleet.Value(*finding.WasteUSDPerMonth))
		}
	}
	return samples
}

func findingLabels(finding detectors.Finding) []string {
	r := finding.Resource
	return []string{
		finding.Detector, finding.Variant,
		r.Cloud, r.Service, r.Project, r.Location, r.Pool, r.Volume, r.Host, r.Server, r.Export, r.Protocol,
	}
}

// gain is the middle of a finding's bracket in bytes per second; missing where it gains something else. A factor is one of what the endpoint moves while the
// finding is true. Where that is not known there is no number: not for a finding that is kept, and not while the endpoint
// is idle, where a factor of nothing would look as if the remedy brought nothing.
func gain(view *fleet.Fleet, finding detectors.Finding, settings detectors.Settings) fleet.Value {
	if finding.Gain == nil {
		return fleet.Unknown
	}
	middle := fleet.Value((finding.Gain.Low + finding.Gain.High) / 2)
	switch finding.Gain.Unit {
	case "bytes per second":
		return middle
	case "factor":
	default: // a share of the operations or of the latency saved
		return fleet.Unknown
	}
	endpoint := endpointOf(view, finding.Resource)
	if endpoint == nil || finding.State == detectors.Keep || detectors.EndpointIdle(endpoint, settings) {
		return fleet.Unknown
	}
	if rate := endpoint.Rate(); rate > 0 { // false if unknown
		return rate * (middle - 1)
	}
	return fleet.Unknown
}

func endpointOf(view *fleet.Fleet, resource fleet.Resource) *fleet.Endpoint {
	for _, client := range view.Clients {
		for _, endpoint := range client.Endpoints {
			if endpoint.Host == resource.Host && endpoint.Server == resource.Server && endpoint.Protocol == resource.Protocol {
				return endpoint
			}
		}
	}
	return nil
}
