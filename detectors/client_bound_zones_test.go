package detectors

import (
	"strings"
	"testing"

	"github.com/nasight/nasight/fleet"
)

func zonesBetween(client, volume string, witness bool) PathZones {
	zones := PathZones{Client: fleet.PlaceOf(client), Volume: fleet.PlaceOf(volume), Witness: witness}
	zones.Distance = zones.Client.To(zones.Volume)
	return zones
}

const (
	zoneA, zoneB, farAway = "europe-west3-a", "europe-west3-b", "us-central1-a"
	wideA                 = "europe-west3"
)

// What the zones' names add to the truth table of 7c. Times are in milliseconds; service is 0.6 where nothing else is said.
func TestPathTableWithZones(t *testing.T) {
	none := fleet.Unknown
	for _, row := range []struct {
		name                             string
		operation, service, lowest, best fleet.Value
		client, volume                   string
		witness                          bool
		cause                            string
		factor                           bool
	}{
		{"same zone, nearer client: not the zone", 2.4, 0.6, 1.4, 0.3, zoneA, zoneA, true, PathUnclear, false},
		{"same zone, alone", 2.4, 0.6, 1.4, none, zoneA, zoneA, true, PathUnclear, false},
		{"other zone, nearer client", 2.4, 0.6, 1.4, 0.3, zoneB, zoneA, true, PathZone, true},
		{"other zone, alone", 2.4, 0.6, 1.4, none, zoneB, zoneA, false, PathZone, false},
		{"other zone, alone, round trip not known", 2.4, 0.6, none, none, zoneB, zoneA, false, PathZone, false},
		{"other zone, as far as all others", 2.4, 0.6, 1.4, 1.4, zoneB, zoneA, false, PathZone, false},
		{"other zone, as near as one inside", 2.4, 0.6, 0.4, 0.4, zoneB, zoneA, true, PathUnclear, false},
		{"other zone, round trip of the least a zone costs", 2.4, 0.6, 0.3001, none, zoneB, zoneA, false, PathZone, false},
		{"other zone, round trip below it", 2.4, 0.6, 0.2999, none, zoneB, zoneA, false, PathUnclear, false},
		{"other region, alone", 32, 0.6, 30, none, farAway, zoneA, false, PathZone, false},
		{"other region, the volume's zone not known", 32, 0.6, 30, none, farAway, wideA, false, PathZone, false},
		{"the volume's zone not known, alone", 2.4, 0.6, 1.4, none, zoneA, wideA, false, PathUnclear, false},
		{"the volume's zone not known, nearer client", 2.4, 0.6, 1.4, 0.3, zoneA, wideA, false, PathZone, true},
		{"the client's zone not known, alone", 2.4, 0.6, 1.4, none, "", zoneA, false, PathUnclear, false},
		{"the client's zone not known, nearer client", 2.4, 0.6, 1.4, 0.3, "", zoneA, true, PathZone, true},
		{"other zone, the service", 8, 7.2, 1.4, none, zoneB, zoneA, false, "", false},
		{"other zone, share .5 and .50 ms", 1.0, 0.5, 0.4, none, zoneB, zoneA, false, PathZone, false},
		{"other zone, .49 ms", 0.98, 0.49, 0.4, none, zoneB, zoneA, false, "", false},
		{"other zone, the service's time not known", 2.4, none, 1.4, none, zoneB, zoneA, false, "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			limits := DefaultSettings().Placement
			times := PathTimes{row.operation * ms, row.service * ms, row.lowest * ms, row.best * ms}
			v := JudgePath(times, limits).Located(times, zonesBetween(row.client, row.volume, row.witness), limits)
			if v.Cause != row.cause || v.Factor.Known() != row.factor {
				t.Errorf("cause %q, factor %v; want %q, a factor %v", v.Cause, v.Factor, row.cause, row.factor)
			}
		})
	}
}

// zonedView is a host whose operations take long and maybe a near one, with the volume's and the far host's zones.
func zonedView(volumeZone, farZone, nearZone string, alone bool) (*fleet.Fleet, *fleet.Volume) {
	far, volume := placed("far.example.com", 1.4*ms)
	near, _ := placed("near.example.com", 0.3*ms)
	near.Endpoints[0].Mounts[0].Classes["read"] = fleet.Class{Rate: 1_000, RTT: 0.9 * ms, Execute: 0.9 * ms, Errors: fleet.Unknown}
	volume.Zone = volumeZone
	far.Instance = fleet.Instance{Zone: farZone, MachineType: "n2-standard-32"}
	near.Instance.Zone = nearZone
	view := cloudView(volume.Of)
	view.Clients = []*fleet.Client{far, near}
	if alone {
		view.Clients = view.Clients[:1]
	}
	return view, volume
}

func TestPlacementFindingWithZones(t *testing.T) {
	for _, row := range []struct {
		name, volume, far, near string
		alone                   bool
		confidence              float64
		summary, remedy         string
	}{
		{"other zone, alone", zoneA, zoneB, "", true, 0.85,
			"The host is in europe-west3-b, the volume in europe-west3-a: the way between the zones is the likely cause.",
			"gcloud compute instances create INSTANCE --zone=europe-west3-a --machine-type=n2-standard-32"},
		{"other zone, nearer client", zoneA, zoneB, zoneA, false, 1,
			"from the nearest client 0.3 ms. The host is in europe-west3-b, the volume in europe-west3-a",
			"gcloud compute instances create INSTANCE --zone=europe-west3-a --machine-type=n2-standard-32"},
		{"other region, the volume's zone not known", "", farAway, "", true, 0.85,
			"The host is in us-central1-a, the volume in europe-west3: the way between the regions is the likely cause.",
			"gcloud compute zones list --filter=region:europe-west3"},
		{"same zone, nearer client", zoneA, zoneA, zoneA, false, 1, "Host and volume are both in europe-west3-a: the distance is not the cause.", "nasight check"},
		{"same region, the volume's zone not known", "", zoneB, "", true, 0.75, "are spent in the client or on the way.", "nasight check"},
	} {
		t.Run(row.name, func(t *testing.T) {
			view, _ := zonedView(row.volume, row.far, row.near, row.alone)
			found := only(t, Evaluate(view, DefaultSettings()), "client_bound/placement")
			if found.Resource.Host != "far.example.com" || found.Confidence != row.confidence {
				t.Errorf("%s with confidence %v, want far.example.com with %v", found.Resource.Host, found.Confidence, row.confidence)
			}
			if !strings.Contains(found.Summary, row.summary) || found.Remedy[0].Command != row.remedy {
				t.Errorf("summary %q and command %q, want %q and %q", found.Summary, found.Remedy[0].Command, row.summary, row.remedy)
			}
			if probably := strings.Contains(found.Summary, "probably"); probably {
				t.Errorf("summary %q guesses what the names tell", found.Summary)
			}
			if gain := found.Gain != nil; gain != (row.near != "" && row.far != zoneA) {
				t.Errorf("gain %+v: there is one where a nearer client shows it, and none within a zone", found.Gain)
			}
		})
	}
}

// A fleet in the wrong zone is equally far, all of it; a client in the volume's zone that is no nearer excludes the zone.
func TestPlacementOfAWholeFleet(t *testing.T) {
	for near, want := range map[string]string{zoneB: "is the likely cause", zoneA: "no longer for that"} {
		view, _ := zonedView(zoneA, zoneB, near, false)
		view.Clients[1].Endpoints[0].LowestRTT = 1.4 * ms
		found := only(t, Evaluate(view, DefaultSettings()), "client_bound/placement")
		if !strings.Contains(found.Summary, want) || found.Gain != nil {
			t.Errorf("the other client in %s: summary %q, gain %+v; want %q and none", near, found.Summary, found.Gain, want)
		}
	}
}

func TestZonesAreEvidence(t *testing.T) {
	view, _ := zonedView(zoneA, zoneB, "", true)
	view.Query = func(feature string, r fleet.Resource) string { return feature + " of " + r.Host }
	zones := func() (found []Evidence) {
		for _, evidence := range only(t, Evaluate(view, DefaultSettings()), "client_bound/placement").Evidence {
			if strings.HasPrefix(evidence.Name, "host in ") {
				found = append(found, evidence)
			}
		}
		return found
	}
	want := Evidence{Name: "host in europe-west3-b, volume in europe-west3-a", Value: 1, Unit: "boolean", Window: "now", Query: "gce_instance of far.example.com"}
	if got := zones(); len(got) != 1 || got[0] != want {
		t.Errorf("evidence %+v, want %+v", got, want)
	}
	view.Clients[0].Instance.Zone = "nowhere"
	if got := zones(); len(got) > 0 {
		t.Errorf("evidence of a zone that is not known: %+v", got)
	}
}

// What a host says of itself ends up in a command: it is quoted.
func TestCommandsQuoteWhatAHostSays(t *testing.T) {
	zones := zonesBetween(zoneB, "europe-west3-a;reboot", false)
	command := zones.remedy(fleet.Instance{MachineType: "n2 $(reboot)"})[0].Command
	if want := "gcloud compute instances create INSTANCE --zone='europe-west3-a;reboot' --machine-type='n2 $(reboot)'"; command != want {
		t.Errorf("command %s, want %s", command, want)
	}
}
