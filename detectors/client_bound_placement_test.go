package detectors

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nasight/nasight/fleet"
)

// The truth table of detectors.md §7, 7c. Times are in milliseconds.
func TestPathTable(t *testing.T) {
	for i, row := range []struct {
		operation, service, lowest, best fleet.Value
		cause                            string
		outside, share                   float64
	}{
		{2.4, 0.6, 1.4, 0.3, PathZone, 1.8, 0.75},
		{0.9, 0.6, 0.25, 0.25, "", 0.3, 0.333},
		{1.0, 0.5, 0.3, 0.3, PathUnclear, 0.5, 0.5},
		{0.98, 0.49, 0.3, 0.3, "", 0.49, 0.5},
		{8.0, 7.2, 0.3, 0.3, "", 0.8, 0.1},
		{6.0, 0.8, 0.3, 0.3, PathUnclear, 5.2, 0.867},
	} {
		t.Run(fmt.Sprintf("7c row %d", i+1), func(t *testing.T) {
			v := JudgePath(PathTimes{row.operation * ms, row.service * ms, row.lowest * ms, row.best * ms}, DefaultSettings().Placement)
			if v.Cause != row.cause {
				t.Errorf("cause %q, want %q", v.Cause, row.cause)
			}
			closeTo(t, "time outside", v.Outside/ms, row.outside)
			closeTo(t, "share", v.Share, row.share)
		})
	}
}

func TestPathWithoutHalfOfTheNumbers(t *testing.T) {
	limits := DefaultSettings().Placement
	if v := JudgePath(PathTimes{2.4 * ms, 0.6 * ms, 1.4 * ms, fleet.Unknown}, limits); v.Cause != PathUnclear || v.Factor.Known() {
		t.Errorf("without another client: %+v, want that it is not told apart", v)
	}
	for _, times := range []PathTimes{
		{fleet.Unknown, 0.6 * ms, 1.4 * ms, 0.3 * ms}, {2.4 * ms, fleet.Unknown, 1.4 * ms, 0.3 * ms},
	} {
		if v := JudgePath(times, limits); v.Cause != "" {
			t.Errorf("%+v: %+v, want nothing", times, v)
		}
	}
	if v := JudgePath(PathTimes{2.4 * ms, 0.6 * ms, 1.4 * ms, 0.3 * ms}, limits); v.Factor < 1.84 || v.Factor > 1.85 {
		t.Errorf("factor %v, want 2.4 / (2.4 - 1.1) = 1.846", v.Factor)
	}
}

// placed is a client whose operations take 2.4 ms while the service takes 0.6 ms.
func placed(host string, lowest fleet.Value) (*fleet.Client, *fleet.Volume) {
	client, endpoint, transport := healthy()
	volume := quiet("home")
	volume.Recent = steady(12, 100*mebibyte, 512*mebibyte, 0.6*ms)
	aPool(levelPremium, "auto", volume)
	endpoint.LowestRTT, transport.Rate = lowest, 1_000
	mount := aMount()
	mount.Classes["read"] = fleet.Class{Rate: 1_000, RTT: 2.4 * ms, Execute: 2.5 * ms, Errors: fleet.Unknown}
	mount.ReadRate = 10 * mebibyte
	mountOn(volume, mount)
	endpoint.Mounts, client.Mounts = []*fleet.Mount{mount}, []*fleet.Mount{mount}
	client.Host, endpoint.Host, mount.Host = host, host, host
	return client, volume
}

func TestPlacementFinding(t *testing.T) {
	far, volume := placed("far.example.com", 1.4*ms)
	nearby, _ := placed("near.example.com", 0.3*ms)
	nearby.Endpoints[0].Mounts[0].Classes["read"] = fleet.Class{Rate: 1_000, RTT: 0.9 * ms, Execute: 0.9 * ms, Errors: fleet.Unknown}
	view := cloudView(volume.Of)
	view.Clients = []*fleet.Client{far, nearby}
	found := only(t, Evaluate(view, DefaultSettings()), "client_bound/placement")
	if found.Resource.Host != "far.example.com" || found.Resource.Volume != "home" || found.Severity != Info || found.Confidence != 0.9 {
		t.Errorf("%+v, %s, %v: want the far host's mount of home, info, 0.9 (the zone's name is not known)", found.Resource, found.Severity, found.Confidence)
	}
	if !strings.Contains(found.Summary, "probably in another zone") || found.Gain == nil || found.Gain.High < 1.8 {
		t.Errorf("summary %q, gain %+v", found.Summary, found.Gain)
	}
	view.Clients = []*fleet.Client{far}
	if alone := only(t, Evaluate(view, DefaultSettings()), "client_bound/placement"); strings.Contains(alone.Summary, "zone") || alone.Confidence != 0.75 || alone.Gain != nil {
		t.Errorf("alone: %q, %v, %+v; want no word of zones, 0.75, no gain", alone.Summary, alone.Confidence, alone.Gain)
	}
	far.Endpoints[0].Baseline = 1.2 * ms
	if slow := only(t, Evaluate(view, DefaultSettings()), "client_bound/placement"); slow.Severity != Warning {
		t.Errorf("twice the usual time: %s, want a warning", slow.Severity)
	}
	volume.Recent[9].Latency = 2 * ms
	if found := Evaluate(view, DefaultSettings()); !without(found, "client_bound/placement") {
		t.Errorf("the service was as slow lately: %v", names(found))
	}
}

// What a client waits for at a volume that is at its limit is no time of the path, though the service's latency of minutes ago
// has none of it. Another zone is still one.
func TestPlacementBehindAFullVolume(t *testing.T) {
	for _, row := range []struct {
		name         string
		use, nearest fleet.Value
		want         int
	}{
		{"room", 0.84, 1.4 * ms, 1}, {"full", 0.85, 1.4 * ms, 0}, {"full, with a nearer client", 0.85, 0.3 * ms, 1}, {"unknown", fleet.Unknown, 1.4 * ms, 1},
	} {
		client, volume := placed("far.example.com", 1.4*ms)
		client.Endpoints[0].VolumeUtilisation = row.use
		nearby, _ := placed("near.example.com", row.nearest)
		nearby.Endpoints[0].Mounts[0].Classes["read"] = fleet.Class{Rate: 1_000, RTT: 0.9 * ms, Execute: 0.9 * ms, Errors: fleet.Unknown}
		view := cloudView(volume.Of)
		view.Clients = []*fleet.Client{client, nearby}
		found := 0
		for _, f := range Evaluate(view, DefaultSettings()) {
			if f.Variant == VariantPlacement {
				found++
			}
		}
		if found != row.want {
			t.Errorf("%s: %d findings, want %d", row.name, found, row.want)
		}
	}
}
