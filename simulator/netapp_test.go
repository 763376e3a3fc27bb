package simulator_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/googleapi"
	netapp "google.golang.org/api/netapp/v1"

	"github.com/nasight/nasight/simulator"
)

func (f fleet) volumes(parent string, size int64) []*netapp.Volume {
	f.t.Helper()
	var all []*netapp.Volume
	list := f.netapp.Projects.Locations.Volumes.List(parent).PageSize(size)
	if err := list.Pages(f.t.Context(), func(page *netapp.ListVolumesResponse) error {
		all = append(all, page.Volumes...)
		return nil
	}); err != nil {
		f.t.Fatal(err)
	}
	return all
}

func TestPools(t *testing.T) {
	f := start(t, simulator.Options{})
	got := map[string]*netapp.StoragePool{}
	for _, parent := range []string{prod + "/locations/-", files + "/locations/-"} {
		err := f.netapp.Projects.Locations.StoragePools.List(parent).PageSize(3).Pages(t.Context(), func(page *netapp.ListStoragePoolsResponse) error {
			if len(page.StoragePools) > 3 {
				t.Errorf("%d pools on a page of 3", len(page.StoragePools))
			}
			for _, pool := range page.StoragePools {
				got[pool.Name[strings.LastIndexByte(pool.Name, '/')+1:]] = pool
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := 0
	for _, project := range f.Model().Fleet().Projects {
		want += len(project.Pools)
	}
	if len(got) != want {
		t.Fatalf("%d pools, want %d", len(got), want)
	}
	manual, flex, auto, ontap := got["manual-unallocated"], got["flex-fitting"], got["extreme-idle"], got["flex-ontap"]
	if manual.QosType != "MANUAL" || manual.AvailableThroughputMibps != 212 || manual.CapacityGib != 8192 || manual.VolumeCount != 2 || manual.TotalThroughputMibps != 0 {
		t.Errorf("manual pool %+v", manual)
	}
	if !flex.CustomPerformanceEnabled || flex.TotalThroughputMibps != 256 || flex.TotalIops != 4096 || flex.Type != "UNIFIED" || flex.Zone != "us-central1-a" {
		t.Errorf("flex pool %+v", flex)
	}
	if auto.QosType != "AUTO" || auto.AvailableThroughputMibps != 0 || auto.Type != "" {
		t.Errorf("automatic pool %+v", auto)
	}
	if ontap.Mode != "ONTAP" {
		t.Errorf("pool in ONTAP mode %+v", ontap)
	}
}

// Every page size gives the same volumes, in every location or in one, with what a join to mounts needs.
func TestVolumes(t *testing.T) {
	f := start(t, simulator.Options{})
	whole := f.volumes(files+"/locations/-", 0)
	for _, size := range []int64{1, 4, 1000} {
		if diff := cmp.Diff(whole, f.volumes(files+"/locations/-", size)); diff != "" {
			t.Errorf("pages of %d: -whole +pages\n%s", size, diff)
		}
	}
	if inside := f.volumes(files+"/locations/us-central1-c", 0); len(inside) != 0 {
		t.Errorf("%d volumes inside ONTAP are listed", len(inside))
	}
	zonal := f.volumes(files+"/locations/us-central1-a", 0)
	if len(zonal) != 4 || zonal[0].Zone != "us-central1-a" || zonal[0].ThroughputMibps != 0 {
		t.Errorf("%d volumes in a zone", len(zonal))
	}
	if none := f.volumes(files+"/locations/europe-west9", 0); len(none) != 0 {
		t.Errorf("%d volumes in a location without", len(none))
	}
	at := slices.IndexFunc(whole, func(v *netapp.Volume) bool { return strings.HasSuffix(v.Name, "/chip-design") })
	large := whole[at]
	if !large.LargeCapacity || !large.MultipleEndpoints || len(large.MountOptions) != 6 || large.ThroughputMibps != 1280 || large.StoragePool != "premium-large" {
		t.Errorf("large volume %+v", large)
	}
	if mount := large.MountOptions[5]; mount.IpAddress != "203.0.113.15" || mount.ExportFull != "203.0.113.15:/chip-design" || mount.Protocol != "NFSV3" {
		t.Errorf("mount option %+v", mount)
	}
	manual, err := f.netapp.Projects.Locations.Volumes.Get(prod + "/locations/europe-west3/volumes/render").Context(t.Context()).Do()
	if err != nil || manual.ThroughputMibps != 200 || manual.UsedGib != 2300 || !slices.Equal(manual.Protocols, []string{"NFSV3"}) {
		t.Errorf("one volume: %+v, %v", manual, err)
	}
}

func TestReplicationsAndLocations(t *testing.T) {
	f := start(t, simulator.Options{})
	for _, parent := range []string{"/locations/-/volumes/-", "/locations/europe-west3/volumes/assets"} {
		page, err := f.netapp.Projects.Locations.Volumes.Replications.List(prod + parent).Context(t.Context()).Do()
		if err != nil || len(page.Replications) != 1 {
			t.Fatalf("replications of %s: %+v, %v", parent, page, err)
		}
		if got := page.Replications[0]; !got.Healthy || got.Role != "SOURCE" || got.ReplicationSchedule != "HOURLY" || !strings.HasSuffix(got.TransferStats.LagDuration, "s") {
			t.Errorf("replication %+v", got)
		}
	}
	page, err := f.netapp.Projects.Locations.List(files).Context(t.Context()).Do()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, location := range page.Locations {
		ids = append(ids, location.LocationId)
	}
	if want := []string{"us-central1", "us-central1-a", "us-central1-b", "us-central1-c"}; !slices.Equal(ids, want) {
		t.Errorf("locations %v, want %v", ids, want)
	}
}

// Errors are google.rpc.Status in JSON, as the client library reads them.
func TestNetAppErrors(t *testing.T) {
	f := start(t, simulator.Options{})
	volumes := f.netapp.Projects.Locations.Volumes
	for name, row := range map[string]struct {
		call func() error
		want int
	}{
		"unknown project": {func() error { _, err := volumes.List("projects/another/locations/-").Do(); return err }, 403},
		"unknown volume":  {func() error { _, err := volumes.Get(prod + "/locations/europe-west3/volumes/another").Do(); return err }, 404},
		"unknown token":   {func() error { _, err := volumes.List(prod + "/locations/-").PageToken("next").Do(); return err }, 400},
		"a filter":        {func() error { _, err := volumes.List(prod + "/locations/-").Filter("x").Do(); return err }, 501},
		"a change": {func() error {
			_, err := volumes.Delete(prod + "/locations/europe-west3/volumes/render").Do()
			return err
		}, 501},
		"another list": {func() error {
			_, err := f.netapp.Projects.Locations.KmsConfigs.List(prod + "/locations/-").Do()
			return err
		}, 404},
	} {
		var refused *googleapi.Error
		if err := row.call(); !errors.As(err, &refused) || refused.Code != row.want || refused.Message == "" {
			t.Errorf("%s: %v, want %d", name, err, row.want)
		}
	}
	var body struct {
		Error struct {
			Code    int
			Message string
			Status  string
		}
	}
	answer := f.get("/v1/projects/example-prod/locations/-/volumes?pageSize=many", nil, 400)
	if err := json.Unmarshal(answer, &body); err != nil || body.Error.Code != 400 || body.Error.Status != "INVALID_ARGUMENT" {
		t.Errorf("body %s: %v", answer, err)
	}
}

// get reads a path with the given headers and expects a status.
func (f fleet) get(path string, header map[string]string, want int) []byte {
	f.t.Helper()
	return f.do(http.MethodGet, path, "", header, want)
}

func (f fleet) do(method, path, body string, header map[string]string, want int) []byte {
	f.t.Helper()
	request, err := http.NewRequestWithContext(f.t.Context(), method, f.URL()+path, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	for key, value := range header {
		request.Header.Set(key, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	if response.StatusCode != want {
		f.t.Errorf("%s %s: status %d, want %d: %s", method, path, response.StatusCode, want, data)
	}
	return data
}

func TestMetadataServer(t *testing.T) {
	f := start(t, simulator.Options{Instance: "client-2"})
	g := start(t, simulator.Options{})
	flavor := map[string]string{"Metadata-Flavor": "Google"}
	const instance = "/computeMetadata/v1/instance/"
	for path, want := range map[string]string{
		"machine-type": "projects/100000000001/machineTypes/n2-standard-32", "zone": "projects/100000000001/zones/europe-west3-a",
		"network-interfaces/0/nic-type": "GVNIC", "name": "client-1",
	} {
		if got := string(g.get(instance+path, flavor, 200)); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := string(f.get(instance+"network-interfaces/0/nic-type", flavor, 200)); got != "" {
		t.Errorf("type of a default interface: %q", got)
	}
	if got := string(f.get("/computeMetadata/v1/project/project-id", flavor, 200)); got != "example-files" {
		t.Errorf("project %q", got)
	}
	f.get(instance+"name", nil, 403)
	f.get(instance+"bandwidth-tier", flavor, 404)
	if f.Usage().Of("metadata") != 4 {
		t.Errorf("usage %+v", f.Usage())
	}
}
