package fleet_test

import (
	"context"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// usually answers of one resource and one moment alone.
func usually(of fleet.Resource, when time.Time, value fleet.Value) fleet.Usual {
	return func(r fleet.Resource, at time.Time) fleet.Value {
		if r == of && at.Equal(when) {
			return value
		}
		return fleet.Unknown
	}
}

// TestUsualOfEndpoint: what the baseline has learnt stands before the median, which stays for an endpoint that is learning. No
// query gives the baseline's number, so none is named.
func TestUsualOfEndpoint(t *testing.T) {
	here := fleet.Resource{Host: "client", Server: "192.0.2.10", Protocol: "nfs"}
	for name, row := range map[string]struct {
		usual fleet.Usual
		want  float64
		query bool
	}{
		"none":     {nil, 0.002, true},
		"learning": {usually(here, start.Add(24*time.Hour), fleet.Unknown), 0.002, true},
		"another":  {usually(fleet.Resource{Host: "other"}, start.Add(24*time.Hour), 0.005), 0.002, true},
		"learnt":   {usually(here, start.Add(24*time.Hour), 0.005), 0.005, false},
	} {
		r := newRecorder(t)
		r.at(23 * time.Hour)
		r.add(schema.EndpointOperationRTT, 0.002, "client", "192.0.2.10", "nfs")
		r.at(24 * time.Hour)
		r.mount(1, 1, 1, 1, 1)
		profile := fleet.Spacing(time.Minute, 15*time.Second)
		learnt, err := fleet.Learn(context.Background(), r.memory, r.now, profile)
		if err != nil {
			t.Fatal(err)
		}
		profile.Learnt, profile.Usual = learnt, row.usual
		view := r.build(profile)
		endpoint := view.Clients[0].Endpoints[0]
		within(t, name, endpoint.Baseline, row.want)
		within(t, name+", unloaded", endpoint.BaseLatency, 0.002)
		if asked := view.Query(fleet.FeatureBaseline, endpoint.Resource()) != ""; asked != row.query {
			t.Errorf("%s: a query for the usual latency: %v, want %v", name, asked, row.query)
		}
		if view.Query(fleet.FeatureBaseLatency, endpoint.Resource()) == "" {
			t.Errorf("%s: no query for the latency of the unloaded service", name)
		}
	}
}

// TestUsualOfVolume: likewise, with the hour of the view and not of the look over days.
func TestUsualOfVolume(t *testing.T) {
	r := weeks(t, "premium")
	profile := fleet.Moments(r.times)
	profile.Days = r.learn()
	volume := r.build(profile).Pools[0].Volumes[0]
	within(t, "median", volume.Days.Latency, 0.001)
	for name, row := range map[string]struct {
		usual fleet.Usual
		want  float64
	}{
		"learning":     {usually(volume.Identity, r.now, fleet.Unknown), 0.001},
		"another time": {usually(volume.Identity, r.now.Add(-time.Hour), 0.004), 0.001},
		"learnt":       {usually(volume.Identity, r.now, 0.004), 0.004},
	} {
		profile.Usual = row.usual
		view := r.build(profile)
		within(t, name, view.Pools[0].Volumes[0].Days.Latency, row.want)
		within(t, name+", the week's highest", view.Pools[0].Volumes[0].Days.Max, 400)
		if asked, want := view.Query(fleet.FeatureVolumeBaseline, volume.Identity) != "", row.want == 0.001; asked != want {
			t.Errorf("%s: a query for the usual latency: %v, want %v", name, asked, want)
		}
	}
	// Before the first look over days there is the baseline alone.
	profile.Days, profile.Usual = nil, usually(volume.Identity, r.now, 0.004)
	days := r.build(profile).Pools[0].Volumes[0].Days
	within(t, "without days", days.Latency, 0.004)
	unknown(t, "the week's highest without days", days.Max)
}
