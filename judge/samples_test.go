package judge

import (
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

func TestGain(t *testing.T) {
	endpoint := &fleet.Endpoint{Host: "a", Server: "192.0.2.1", Protocol: "nfs", Sessions: []*fleet.Session{{Rate: 1000}}}
	still := &fleet.Endpoint{Host: "c", Server: "192.0.2.1", Protocol: "nfs", Sessions: []*fleet.Session{{Rate: 0}}}
	slow := &fleet.Endpoint{Host: "d", Server: "192.0.2.1", Protocol: "nfs", Sessions: []*fleet.Session{{Rate: 999}}}
	view := &fleet.Fleet{Clients: []*fleet.Client{{Endpoints: []*fleet.Endpoint{endpoint, still, slow}}}}
	var settings detectors.Settings
	settings.Activity = detectors.ActivitySettings{Operations: 50, Bytes: 1000, Outstanding: 1}
	at := func(host string) fleet.Resource {
		return fleet.Resource{Host: host, Server: "192.0.2.1", Protocol: "nfs"}
	}
	factor := &detectors.Gain{Low: 1, High: 4, Unit: "factor"}
	here := fleet.Resource{Host: "a", Server: "192.0.2.1", Protocol: "nfs"}
	for name, test := range map[string]struct {
		resource fleet.Resource
		gain     *detectors.Gain
		want     fleet.Value
		state    detectors.State
	}{
		"a source that stands still": {resource: at("c"), gain: factor, want: fleet.Unknown, state: detectors.Firing},
		"idle":                       {resource: at("d"), gain: factor, want: fleet.Unknown, state: detectors.Firing},
		"kept":                       {resource: here, gain: factor, want: fleet.Unknown, state: detectors.Keep},
		"kept, in bytes":             {resource: here, gain: &detectors.Gain{Low: 10, High: 30, Unit: "bytes per second"}, want: 20, state: detectors.Keep},
		"factor":                     {here, factor, 1500, detectors.Firing},
		"bytes":                      {fleet.Resource{}, &detectors.Gain{Low: 10, High: 30, Unit: "bytes per second"}, 20, detectors.Firing},
		"a share saved":              {here, &detectors.Gain{Low: 0, High: 0.3, Unit: "share of the operations saved"}, fleet.Unknown, detectors.Firing},
		"none":                       {here, nil, fleet.Unknown, detectors.Firing},
		"of an unknown rate":         {fleet.Resource{Host: "b"}, factor, fleet.Unknown, detectors.Firing},
	} {
		got := gain(view, detectors.Finding{Resource: test.resource, Gain: test.gain, State: test.state}, settings)
		if got.Known() != test.want.Known() || got.Known() && got != test.want {
			t.Errorf("%s: gain %v, want %v", name, got, test.want)
		}
	}
}

func TestFindingSamples(t *testing.T) {
	waste := 12.5
	finding := detectors.Finding{
		Since: time.UnixMilli(1_700_000_000_250), Detector: "session_saturated", Variant: "flow", State: detectors.Firing, Severity: detectors.Warning, Confidence: 0.7,
		Resource: fleet.Resource{Host: "a", Server: "192.0.2.1", Protocol: "nfs"}, WasteUSDPerMonth: &waste,
	}
	kept, pending, over := finding, finding, finding
	kept.State, kept.Variant, kept.SinceAtLeast = detectors.Keep, "skew", true
	pending.State, pending.Variant = detectors.Pending, "cpu"
	over.State, over.Variant = detectors.Resolved, "sender"
	findings := []detectors.Finding{finding, finding, kept, pending, over}
	values := map[string]float64{}
	for _, sample := range Samples(&fleet.Fleet{At: time.Now()}, findings, detectors.Settings{}) {
		if len(sample.Labels) != len(sample.Family.Labels) {
			t.Fatalf("%s has %d labels, want %d", sample.Family.Name, len(sample.Labels), len(sample.Family.Labels))
		}
		key := sample.Family.Name + "/" + sample.Labels[1]
		if _, twice := values[key]; twice {
			t.Errorf("%s is there twice", key)
		}
		values[key] = sample.Value
	}
	want := map[string]float64{
		"nasight_finding/flow": 1, "nasight_finding_severity/flow": 2, "nasight_finding_confidence/flow": 0.7,
		"nasight_finding_waste_usd_per_month/flow": 12.5,
		"nasight_finding/skew":                     1, "nasight_finding_severity/skew": 2, "nasight_finding_confidence/skew": 0.7,
		"nasight_finding_waste_usd_per_month/skew":     12.5,
		"nasight_finding_since_timestamp_seconds/flow": 1_700_000_000.25, "nasight_finding_since_at_least/flow": 0,
		"nasight_finding_since_timestamp_seconds/skew": 1_700_000_000.25, "nasight_finding_since_at_least/skew": 1,
	}
	if len(values) != len(want) {
		t.Errorf("samples %v, want %v", values, want)
	}
	for key, value := range want {
		if values[key] != value {
			t.Errorf("%s is %g, want %g", key, values[key], value)
		}
	}
}
