package gcnv

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/netapp/v1"

	"github.com/nasight/nasight/schema"
)

func TestDecodeKeepsWhatMakesSense(t *testing.T) {
	raw := json.RawMessage(`{"name":"projects/p/locations/l/storagePools/s","capacityGib":"many","totalIops":"16000",
		"availableThroughputMibps":0,"serviceLevel":"LUDICROUS","fieldOfALaterAPI":{"a":[1]},"volumeCount":{"a":1},"qosType":null}`)
	p, fields, odd, err := decode[netapp.StoragePool](raw)
	if err != nil {
		t.Fatal(err)
	}
	if p.TotalIops != 16000 || p.ServiceLevel != "LUDICROUS" || odd != 2 {
		t.Errorf("got %+v, %d odd", p, odd)
	}
	for name, want := range map[string]bool{
		"availableThroughputMibps": true, "totalThroughputMibps": false, "capacityGib": false, "qosType": false,
	} {
		if fields.has(name) != want {
			t.Errorf("%s is told: %t", name, !want)
		}
	}
	for _, text := range []string{`[]`, `"x"`, `{`, ``} {
		if _, _, _, err := decode[netapp.Volume](json.RawMessage(text)); err == nil {
			t.Errorf("%q was decoded", text)
		}
	}
}

func FuzzInventory(f *testing.F) {
	f.Add([]byte(`{"volumes":[{"name":"projects/p/locations/l/volumes/v","storagePool":"x","mountOptions":[null,{"exportFull":"\\\\s\\e"}]}],"unreachable":["a"]}`))
	f.Add([]byte(`{"volumes":[null,1,{"capacityGib":-1,"throughputMibps":"NaN"}],"nextPageToken":"x"}`))
	f.Fuzz(func(_ *testing.T, body []byte) {
		p, err := parsePage(body, "volumes")
		if err != nil {
			return
		}
		inv := &inventory{pools: map[key]*pool{}, volumes: map[key]*volume{}, odd: map[string]int{}}
		for _, item := range p.items {
			inv.addVolume(item)
			inv.addPool(item)
		}
		inv.choose("p", selection{})
		for _, v := range inv.volumes {
			for _, option := range v.MountOptions {
				v.endpoints(option)
			}
			inv.find(key{regionOf(v.key.location), v.key.name})
		}
	})
}

func TestEndpoints(t *testing.T) {
	v := &volume{Volume: &netapp.Volume{Protocols: []string{"ISCSI"}}}
	for _, test := range []struct {
		option netapp.MountOption
		want   [][3]string
	}{
		{netapp.MountOption{ExportFull: "192.0.2.1:/data", Export: "/data", Protocol: "NFSV3"}, [][3]string{{"192.0.2.1", "/data", "nfsv3"}}},
		{netapp.MountOption{ExportFull: "[2001:db8::1]:/data", Protocol: "NFSV4"}, [][3]string{{"2001:db8::1", "/data", "nfsv4"}}},
		{netapp.MountOption{ExportFull: `\\files.example.com\share`, Protocol: "SMB"}, [][3]string{{"files.example.com", "share", "smb"}}},
		{netapp.MountOption{ExportFull: "nas:/data", IpAddress: "192.0.2.2", Protocol: "NFSV3"}, [][3]string{{"192.0.2.2", "/data", "nfsv3"}}},
		{netapp.MountOption{IpAddress: "192.0.2.3, 192.0.2.4"}, [][3]string{{"192.0.2.3", "", "iscsi"}, {"192.0.2.4", "", "iscsi"}}},
		{netapp.MountOption{Instructions: "mount it"}, nil},
	} {
		if diff := cmp.Diff(test.want, v.endpoints(&test.option)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.option, diff)
		}
	}
	if v.endpoints(nil) != nil {
		t.Error("an option that is not there has an endpoint")
	}
}

func TestFindAcrossRegionAndZone(t *testing.T) {
	inv := &inventory{volumes: map[key]*volume{}}
	for _, k := range []key{{"us-central1-a", "one"}, {"us-central1-a", "two"}, {"us-central1-b", "two"}, {"europe-west3", "one"}} {
		inv.volumes[k] = &volume{key: k}
	}
	for k, want := range map[key]string{
		{"us-central1-a", "one"}: "us-central1-a", {"us-central1", "one"}: "us-central1-a", {"europe-west3-c", "one"}: "europe-west3",
		{"us-central1", "two"}: "", {"asia-east1", "one"}: "",
	} {
		got := ""
		if v := inv.find(k); v != nil {
			got = v.key.location
		}
		if got != want {
			t.Errorf("%v is found in %q, want %q", k, got, want)
		}
	}
}

// The projects of folders, and of folders in folders, are read; deleted ones are not.
func TestFolders(t *testing.T) {
	answers := map[string]string{
		"/v3/projects folders/1": `{"projects":[{"projectId":"alpha","state":"ACTIVE"},{"projectId":"gone","state":"DELETE_REQUESTED"},7]}`,
		"/v3/folders folders/1":  `{"folders":[{"name":"folders/2"},{"name":"folders/1"}]}`,
		"/v3/projects folders/2": `{"projects":[{"projectId":"beta","state":"ACTIVE"}]}`,
		"/v3/folders folders/2":  `{}`,
	}
	forbidden := false
	manager := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if forbidden {
			http.Error(w, `{"error":{"code":403,"message":"no"}}`, http.StatusForbidden)
			return
		}
		answer, ok := answers[r.URL.Path+" "+r.URL.Query().Get("parent")]
		if !ok {
			t.Errorf("asked for %s", r.URL)
		}
		_, _ = fmt.Fprint(w, answer)
	}))
	t.Cleanup(manager.Close)
	l := newLab(t, fleetOf("alpha", "beta"), nil)
	l.source.Close()
	l.config.Projects, l.config.Folders = nil, []string{"1"}
	l.config.Endpoints = Endpoints{Monitoring: l.server.GRPCAddress(), NetApp: l.server.URL(), ResourceManager: manager.URL, Insecure: true}
	source, err := New(l.config, Options{Clock: l.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(source.Close)
	l.source = source
	if got := of(l.good("gcnv_performance").Samples, schema.VolumeTotalThroughput); len(got) != 4 {
		t.Errorf("volumes are %v", sortedKeys(got))
	}
	forbidden = true
	l.clock.add(l.config.Tiers.Inventory)
	result := l.run("gcnv_inventory")
	if got := of(result.Samples, schema.CloudUnreachable); got[",,projects,permission"] != 1 {
		t.Errorf("unreachable are %v", got)
	}
	if got := of(result.Samples, schema.VolumeInfo); len(got) != 4 {
		t.Errorf("volumes are %v", sortedKeys(got))
	}
	if result.Err == nil || !strings.Contains(result.Err.Error(), "folder 1") {
		t.Errorf("the error is %v", result.Err)
	}
}
