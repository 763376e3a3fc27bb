package fleet_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

func TestPlaceOf(t *testing.T) {
	for name, want := range map[string]fleet.Place{
		"us-central1-a":             {Region: "us-central1", Zone: "us-central1-a"},
		"us-south1-ai1b":            {Region: "us-south1", Zone: "us-south1-ai1b"},
		"europe-west12-b":           {Region: "europe-west12", Zone: "europe-west12-b"},
		"northamerica-northeast1-c": {Region: "northamerica-northeast1", Zone: "northamerica-northeast1-c"},
		"u-germany-northeast1-a":    {Region: "u-germany-northeast1", Zone: "u-germany-northeast1-a"},
		"us-central1":               {Region: "us-central1"}, "u-germany-northeast1": {Region: "u-germany-northeast1"},
		"": {}, "-": {}, "--": {}, "-a": {}, "global": {}, "us": {}, "eastus2": {}, "us-1": {}, "1-1": {}, "-central1": {},
		"us-central1-": {}, "us-central": {}, "us-central-a": {}, "us-Central1": {},
	} {
		if got := fleet.PlaceOf(name); got != want {
			t.Errorf("place of %q is %+v, want %+v", name, got, want)
		}
	}
}

func TestDistanceOfPlaces(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want fleet.Distance
	}{
		{"us-central1-a", "us-central1-a", fleet.SameZone},
		{"us-central1-a", "us-central1-b", fleet.OtherZone},
		{"us-central1-a", "us-central2-a", fleet.OtherRegion},
		{"us-central1-a", "europe-west3", fleet.OtherRegion},
		{"us-central1", "europe-west3", fleet.OtherRegion},
		{"us-central1-a", "us-central1", fleet.DistanceUnknown},
		{"us-central1", "us-central1", fleet.DistanceUnknown},
		{"us-central1-a", "", fleet.DistanceUnknown},
		{"", "", fleet.DistanceUnknown},
	} {
		a, b := fleet.PlaceOf(row.a), fleet.PlaceOf(row.b)
		if there, back := a.To(b), b.To(a); there != row.want || back != row.want {
			t.Errorf("%s to %s is %d, and back %d; want %d", row.a, row.b, there, back, row.want)
		}
		if row.want.Apart() != (row.want > fleet.SameZone) {
			t.Errorf("distance %d: apart %v", row.want, row.want.Apart())
		}
	}
}

func TestZoneLiesInItsRegion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z]{0,4}(-[a-z0-9]{0,4}){0,3}`)).Draw(t, "name")
		place := fleet.PlaceOf(name)
		switch {
		case place.Region == "" && place.Zone != "":
			t.Errorf("%q is in the zone %q of no region", name, place.Zone)
		case place.Zone != "" && (place.Zone != name || !strings.HasPrefix(name, place.Region+"-")):
			t.Errorf("%q gives %+v", name, place)
		case place.Region != "" && fleet.PlaceOf(place.Region).Region == "":
			t.Errorf("the region of %q, %q, is none", name, place.Region)
		}
	})
}

func TestPlaceOfAVolume(t *testing.T) {
	for _, row := range []struct{ name, cloud, location, pool, volume, want string }{
		{"a regional pool", "gcp", "us-central1", "", "", "us-central1"},
		{"a pool in a zone", "gcp", "us-central1-a", "", "", "us-central1-a"},
		{"the pool's active zone", "gcp", "us-central1", "us-central1-b", "", "us-central1-b"},
		{"the volume's active zone", "gcp", "us-central1", "us-central1-b", "us-central1-c", "us-central1-c"},
		{"an odd zone", "gcp", "us-central1", "us-central1", "somewhere", "us-central1"},
		{"another cloud", "azure", "us-central1-a", "", "", ""},
	} {
		volume := &fleet.Volume{Identity: fleet.Resource{Cloud: row.cloud, Location: row.location}, Zone: row.volume, Of: &fleet.Pool{Zone: row.pool}}
		if got := volume.Place().String(); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
	alone := &fleet.Volume{Identity: fleet.Resource{Cloud: "gcp", Location: "us-central1-a"}}
	if got := alone.Place().Zone; got != "us-central1-a" {
		t.Errorf("a volume without a pool: %q", got)
	}
}

// The machine is read hourly and the view looks at minutes. What a host was before it was made anew does not stay.
func TestInstancesOfTheView(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	r.add(schema.GCEInstanceInfo, 1, "moved", "us-central1-a", "n2-standard-8", "VIRTIO_NET")
	r.add(schema.GCEInstanceInfo, 1, "steady", "us-central1-f", "", "")
	r.at(time.Hour)
	r.add(schema.GCEInstanceInfo, 1, "moved", "us-central1-b", "n2-standard-16", "GVNIC")
	r.add(schema.GCEInstanceInfo, 1, "steady", "us-central1-f", "", "")
	r.add(schema.CPUCores, 8, "elsewhere")
	r.at(time.Hour + 50*time.Minute)
	r.add(schema.CPUCores, 8, "elsewhere")
	profile := fleet.Spacing(time.Minute, 15*time.Second)
	profile.Cloud = "azure"
	view := r.build(profile)
	clouds, instances := map[string]string{}, map[string]fleet.Instance{}
	for _, client := range view.Clients {
		clouds[client.Host], instances[client.Host] = client.Cloud, client.Instance
	}
	if diff := cmp.Diff(map[string]string{"moved": "gce", "steady": "gce", "elsewhere": "azure"}, clouds); diff != "" {
		t.Errorf("clouds (-want +got):\n%s", diff)
	}
	want := map[string]fleet.Instance{
		"moved":  {Zone: "us-central1-b", MachineType: "n2-standard-16", NICType: "GVNIC"},
		"steady": {Zone: "us-central1-f"}, "elsewhere": {},
	}
	if diff := cmp.Diff(want, instances); diff != "" {
		t.Errorf("instances (-want +got):\n%s", diff)
	}
	query := view.Query(fleet.FeatureGCEInstance, fleet.Resource{Host: "moved", Volume: "home"})
	points, err := r.memory.Instant(t.Context(), query, r.now)
	if err != nil || len(points) != 1 || points[0].Labels["zone"] != "us-central1-b" {
		t.Errorf("%s gives %+v, %v; want the zone of the host now", query, points, err)
	}
}

func TestInstanceThatIsLongGone(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	r.add(schema.GCEInstanceInfo, 1, "gone", "us-central1-a", "n2-standard-8", "GVNIC")
	r.at(5 * time.Hour)
	r.add(schema.CPUCores, 8, "gone")
	if got := r.build(fleet.Spacing(time.Minute, 15*time.Second)).Clients[0]; got.Instance != (fleet.Instance{}) || got.Cloud != "" {
		t.Errorf("cloud %q, instance %+v: want none of what was told five hours ago", got.Cloud, got.Instance)
	}
}
