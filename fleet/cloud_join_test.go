package fleet_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// place is where a volume is.
type place struct{ project, location, pool, volume string }

func home() place { return place{"files-example", "europe-west3", "pool-a", "home"} }

func (p place) labels(more ...string) []string {
	return append([]string{"gcp", "gcnv", p.project, p.location, p.pool, p.volume}, more...)
}

func (p place) poolLabels(more ...string) []string {
	return append([]string{"gcp", "gcnv", p.project, p.location, p.pool}, more...)
}

func (r *recorder) pool(p place, level, qos string) {
	r.add(schema.PoolInfo, 1, p.poolLabels(level, qos, "file", "default", "default", "false", "false", "ready", "")...)
}

func (r *recorder) volume(p place, endpoints ...[3]string) {
	r.add(schema.VolumeInfo, 1, p.labels("premium", "auto", "nfsv3,smb", "ready", "false", "false", "", "volume")...)
	for _, e := range endpoints {
		r.add(schema.VolumeEndpointInfo, 1, p.labels(e[0], e[1], e[2])...)
	}
}

// mountOf adds a mount that is known and does nothing.
func (r *recorder) mountOf(host, server, name, export, protocol string) {
	r.add(schema.NFSMountInfo, 1, host, server, export, protocol, "0:"+export, name, "3", "tcp", "/mnt", "sys", "1", "rw")
}

// joins lists the volume of each mount, empty for none, and why what is not joined is not.
func joins(view *fleet.Fleet) (joined map[string]string, reasons map[string]string) {
	joined, reasons = map[string]string{}, map[string]string{}
	for _, client := range view.Clients {
		for _, mount := range client.Mounts {
			key := mount.Server + " " + mount.Export
			if mount.Volume != nil {
				joined[key] = mount.Volume.Identity.Location + "/" + mount.Volume.Identity.Volume
			}
		}
	}
	for _, u := range view.Unjoined {
		key := u.Resource.Server + " " + u.Resource.Export
		if u.Resource.Host == "" {
			key = u.Resource.Location + "/" + u.Resource.Volume
		}
		reasons[key] = u.Reason
	}
	return joined, reasons
}

func TestJoin(t *testing.T) {
	const unseen = "no host that nasight sees mounts it"
	elsewhere := place{"files-example", "us-central1", "pool-b", "home"}
	for _, row := range []struct {
		name    string
		record  func(*recorder)
		joined  map[string]string
		reasons map[string]string
	}{
		{"address and export", func(r *recorder) {
			r.volume(home(), [3]string{"192.0.2.10", "/home", "nfsv3"})
			r.mountOf("h", "192.0.2.10", "192.0.2.10", "/home", "nfs")
		}, map[string]string{"192.0.2.10 /home": "europe-west3/home"}, map[string]string{}},
		{"a slash at the end, none at the beginning", func(r *recorder) {
			r.volume(home(), [3]string{"192.0.2.10", "home", "nfsv4"})
			r.mountOf("h", "192.0.2.10", "", "/home/", "nfs")
		}, map[string]string{"192.0.2.10 /home/": "europe-west3/home"}, map[string]string{}},
		{"IPv6 in two ways", func(r *recorder) {
			r.volume(home(), [3]string{"2001:DB8:0:0::10", "/home", "nfsv3"})
			r.mountOf("h", "2001:db8::10", "[2001:db8::10]", "/home", "nfs")
		}, map[string]string{"2001:db8::10 /home": "europe-west3/home"}, map[string]string{}},
		{"IPv4 in IPv6", func(r *recorder) {
			r.volume(home(), [3]string{"192.0.2.10", "/home", "nfsv3"})
			r.mountOf("h", "::ffff:192.0.2.10", "", "/home", "nfs")
		}, map[string]string{"::ffff:192.0.2.10 /home": "europe-west3/home"}, map[string]string{}},
		{"a directory of the volume", func(r *recorder) {
			r.volume(home(), [3]string{"192.0.2.10", "/home", "nfsv3"})
			r.mountOf("h", "192.0.2.10", "", "/home/ann/src", "nfs")
		}, map[string]string{"192.0.2.10 /home/ann/src": "europe-west3/home"}, map[string]string{}},
		{"another export that begins alike", func(r *recorder) {
			r.volume(home(), [3]string{"192.0.2.10", "/home", "nfsv3"})
			r.mountOf("h", "192.0.2.10", "", "/home2", "nfs")
		}, map[string]string{}, map[string]string{
			"192.0.2.10 /home2": "the server's address is known, the export is not: a volume made since the inventory was read, or one of a project that is not read",
			"europe-west3/home": unseen,
		}},
		{"several addresses of a large volume", func(r *recorder) {
			r.volume(home(), [3]string{"192.0.2.10", "/home", "nfsv3"}, [3]string{"192.0.2.11", "/home", "nfsv3"})
			r.mountOf("h", "192.0.2.10", "", "/home", "nfs")
			r.mountOf("i", "192.0.2.11", "", "/home", "nfs")
		}, map[string]string{"192.0.2.10 /home": "europe-west3/home", "192.0.2.11 /home": "europe-west3/home"}, map[string]string{}},
		{"one export in two locations", func(r *recorder) {
			r.volume(home(), [3]string{"192.0.2.10", "/home", "nfsv3"})
			r.volume(elsewhere, [3]string{"192.0.2.20", "/home", "nfsv3"})
			r.mountOf("h", "192.0.2.20", "", "/home", "nfs")
		}, map[string]string{"192.0.2.20 /home": "us-central1/home"}, map[string]string{"europe-west3/home": unseen}},
		{"one address and export in two networks", func(r *recorder) {
			r.volume(home(), [3]string{"192.0.2.10", "/home", "nfsv3"})
			r.volume(elsewhere, [3]string{"192.0.2.10", "/home", "nfsv3"})
			r.mountOf("h", "192.0.2.10", "", "/home", "nfs")
		}, map[string]string{}, map[string]string{
			"192.0.2.10 /home":  "several volumes have this address and export: files-example/europe-west3/home, files-example/us-central1/home",
			"europe-west3/home": unseen, "us-central1/home": unseen,
		}},
		{"server and share, in any case, over another address", func(r *recorder) {
			r.volume(home(), [3]string{"Files-1a2b.example.com.", "Home", "smb"})
			r.mountOf("h", "192.0.2.30", "files-1A2B.example.com", `\home`, "smb")
		}, map[string]string{`192.0.2.30 \home`: "europe-west3/home"}, map[string]string{}},
		{"portal and target", func(r *recorder) {
			r.volume(home(), [3]string{"192.0.2.40", "iqn.2008-05.com.example:sn.1/0", "iscsi"})
			r.mountOf("h", "192.0.2.40:3260", "", "IQN.2008-05.com.example:sn.1/0", "iscsi")
		}, map[string]string{"192.0.2.40:3260 IQN.2008-05.com.example:sn.1/0": "europe-west3/home"}, map[string]string{}},
		{"NFS does not join a share of the same name", func(r *recorder) {
			r.volume(home(), [3]string{"192.0.2.10", "/home", "smb"})
			r.mountOf("h", "192.0.2.10", "", "/home", "nfs")
		}, map[string]string{}, map[string]string{
			"192.0.2.10 /home": "no volume of the inventory has this server's address", "europe-west3/home": unseen,
		}},
		{"the root of the server's tree", func(r *recorder) {
			r.volume(home(), [3]string{"192.0.2.10", "/home", "nfsv4"})
			r.mountOf("h", "192.0.2.10", "", "/", "nfs")
		}, map[string]string{}, map[string]string{
			"192.0.2.10 /": "mounts the root of the server's tree, which is no single volume's", "europe-west3/home": unseen,
		}},
		{"no address, and samples of a volume that is not there", func(r *recorder) {
			r.volume(home())
			r.now = r.now.Add(-schema.GCNVDelay) // as late as the service is
			r.add(schema.VolumeTotalThroughput, 1, elsewhere.labels()...)
		}, map[string]string{}, map[string]string{
			"europe-west3/home": "the inventory gives no address under which it is mounted",
			"us-central1/home":  "has samples and is not in the inventory",
		}},
		{"no inventory: nothing to join", func(r *recorder) {
			r.mountOf("h", "192.0.2.10", "", "/home", "nfs")
		}, map[string]string{}, map[string]string{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRecorder(t)
			r.at(0)
			now := r.now
			row.record(r)
			r.now = now
			joined, reasons := joins(r.build(fleet.Moments(r.times)))
			if diff := cmp.Diff(row.joined, joined); diff != "" {
				t.Errorf("joined (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(row.reasons, reasons); diff != "" {
				t.Errorf("not joined (-want +got):\n%s", diff)
			}
		})
	}
}

// What is at a volume's address belongs to the service, even a mount of an export that the inventory does not know.
func TestJoinGivesTheProvider(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	r.volume(home(), [3]string{"192.0.2.10", "/home", "nfsv3"})
	r.mountOf("h", "192.0.2.10", "", "/new", "nfs")
	r.mountOf("h", "192.0.2.99", "", "/home", "nfs")
	endpoints := r.build(fleet.Moments(r.times)).Clients[0].Endpoints
	if endpoints[0].Provider != fleet.ProviderGCNV || endpoints[1].Provider != fleet.ProviderUnknown {
		t.Errorf("providers %q and %q, want gcnv and none", endpoints[0].Provider, endpoints[1].Provider)
	}
}

// Every mount is either joined or listed, and no volume is listed that a mount was joined to.
func TestEveryMountIsJoinedOrListed(t *testing.T) {
	servers := []string{"192.0.2.10", "192.0.2.11", "2001:db8::1", "files.example.com", ""}
	exports := []string{"/", "/home", "/home/", "/home/a", "home", "//", "", "/other"}
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(list []string) string { return rapid.SampledFrom(list).Draw(rt, "pick") }
		r := newRecorder(t)
		r.at(0)
		for i := range rapid.IntRange(1, 3).Draw(rt, "volumes") {
			p := home()
			p.volume = string(rune('a' + i))
			r.volume(p, [3]string{pick(servers), pick(exports), pick([]string{"nfsv3", "smb", "iscsi"})})
		}
		for i := range rapid.IntRange(0, 3).Draw(rt, "mounts") {
			r.mountOf(string(rune('h'+i)), pick(servers), pick(servers), pick(exports), pick([]string{"nfs", "smb"}))
		}
		view := r.build(fleet.Moments(r.times))
		listed := map[fleet.Resource]bool{}
		for _, u := range view.Unjoined {
			if listed[u.Resource] || u.Reason == "" {
				rt.Fatalf("%+v is listed twice or without a reason", u)
			}
			listed[u.Resource] = true
		}
		for _, client := range view.Clients {
			for _, mount := range client.Mounts {
				if (mount.Volume == nil) != listed[mount.Resource()] {
					rt.Fatalf("%+v: joined %v, listed %v", mount.Resource(), mount.Volume != nil, listed[mount.Resource()])
				}
			}
		}
		for _, pool := range view.Pools {
			for _, volume := range pool.Volumes {
				if (len(volume.Mounts) == 0) != listed[volume.Identity] || len(volume.Mounts) != len(volume.MountedBy) {
					rt.Fatalf("%+v: %d mounts, listed %v", volume.Identity, len(volume.Mounts), listed[volume.Identity])
				}
			}
		}
	})
}

// TestClientsTellNewerUseThanTheService: 100 reads of 64 KiB a second are 6.25 MiB/s of a limit of 8, while the service's newest
// sample, minutes old, shows nothing. Where it shows more than the clients, others use the volume.
func TestClientsTellNewerUseThanTheService(t *testing.T) {
	for _, row := range []struct{ told, want float64 }{{0, 0.78125}, {7.2 * (1 << 20), 0.9}} {
		r := newRecorder(t)
		for _, seconds := range []float64{0, 10, 20} {
			r.at(time.Duration(seconds * float64(time.Second)))
			r.mount(100*seconds, seconds, seconds, 100*65536*seconds, 300+seconds)
		}
		r.pool(home(), "premium", "auto")
		r.volume(home(), [3]string{"192.0.2.10", "/vol", "nfsv3"})
		r.hour(home(), constant(row.told), constant(8<<20), constant(1), constant(0.001))
		view := r.build(fleet.Moments(r.times))
		volume := view.Pools[0].Volumes[0]
		within(t, "told by the service", volume.Utilisation(), row.told/(8<<20))
		within(t, "moved by the clients", volume.ClientUse, 0.78125)
		within(t, "of the endpoint", view.Clients[0].Endpoints[0].VolumeUtilisation, row.want)
	}
}
