package nfs

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// statsOf writes the stanza of a mount that read so many bytes.
func statsOf(source, mountPoint string, read int) string {
	return fmt.Sprintf("device %s mounted on %s with fstype nfs statvers=1.1\n\topts:\trw,vers=3,proto=tcp,mountaddr=192.0.2.9\n"+
		"\tage:\t%d\n\tbytes:\t0 0 0 0 %d 0 0 0\n\txprt:\ttcp 700 1 2 0 0 %d 5 0 0 0 2 0 0\n"+
		"\tper-op statistics\n\tREAD: %d 0 0 0 0 0 0 0 0\n\n", source, mountPoint, read, read, read, read)
}

func infoOf(device, source, mountPoint string) string {
	return fmt.Sprintf("90 24 %s / %s rw - nfs %s rw,vers=3,rsize=65536,proto=tcp,addr=192.0.2.1\n", device, mountPoint, source)
}

func hostOf(stats, info string) collectors.Root {
	files := map[string]string{"proc/self/mountstats": stats}
	if info != "" {
		files["proc/self/mountinfo"] = info
	}
	return hostWith(files)
}

func TestSuperblockIsOneMount(t *testing.T) {
	r := collect(t, hostOf(
		statsOf("h:/a", "/mnt/a", 10)+statsOf("h:/a/deep", "/mnt/bound", 11)+statsOf("h:/b", "/mnt/b", 20),
		infoOf("0:50", "h:/a", "/mnt/a")+infoOf("0:51", "h:/b", "/mnt/b")+infoOf("0:50", "h:/a/deep", "/mnt/bound")))
	want := map[string]float64{"/a 0:50": 10, "/b 0:51": 20}
	if diff := cmp.Diff(want, r.values(schema.NFSReadBytes, schema.Export, schema.Device)); diff != "" {
		t.Error(diff)
	}
	points := map[string]string{"0:50": "/mnt/a /mnt/bound", "0:51": "/mnt/b"}
	if diff := cmp.Diff(points, r.infoLabels("mountpoints")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]float64{"192.0.2.1 3": 20}, r.values(schema.NFSSends, schema.Server, schema.Version)); diff != "" {
		t.Errorf("the transport under all three is one: %s", diff)
	}
}

// TestShortestSourceNamesTheSuperblock: the name must not hang on which mount was made first.
func TestShortestSourceNamesTheSuperblock(t *testing.T) {
	lines := []string{infoOf("0:50", "h:/a/deep", "/1"), infoOf("0:50", "h:/b", "/2"), infoOf("0:50", "h:/a", "/3")}
	for _, order := range [][3]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		r := collect(t, hostOf(statsOf("h:/a", "/3", 1), lines[order[0]]+lines[order[1]]+lines[order[2]]))
		if diff := cmp.Diff(map[string]float64{"/a": 1}, r.values(schema.NFSMountInfo, schema.Export)); diff != "" {
			t.Errorf("order %v: %s", order, diff)
		}
	}
}

// TestMountsOverEachOther: the same source on the same mount point twice; both files list them in the same order.
func TestMountsOverEachOther(t *testing.T) {
	r := collect(t, hostOf(statsOf("h:/a", "/mnt", 10)+statsOf("h:/a", "/mnt", 20),
		infoOf("0:50", "h:/a", "/mnt")+infoOf("0:51", "h:/a", "/mnt")))
	if diff := cmp.Diff(map[string]float64{"0:50": 10, "0:51": 20}, r.values(schema.NFSReadBytes, schema.Device)); diff != "" {
		t.Error(diff)
	}
}

// TestMountChangedBetweenTheReads: such a mount waits for the next round.
func TestMountChangedBetweenTheReads(t *testing.T) {
	r := collect(t, hostOf(statsOf("h:/a", "/a", 1)+statsOf("h:/gone", "/gone", 2),
		infoOf("0:50", "h:/a", "/a")+infoOf("0:51", "h:/new", "/new")))
	if diff := cmp.Diff(map[string]float64{"/a": 1}, r.values(schema.NFSReadBytes, schema.Export)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{skipMountChanged: 2}, r.skipped); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutMountinfo(t *testing.T) {
	stats := statsOf("h.example.com:/a/", "/mnt/a", 1) + statsOf("h.example.com:/a/", "/mnt/a", 2)
	for name, info := range map[string]string{"no file": "", "no NFS line": "24 1 254:0 / / rw - ext4 /dev/vda rw\n"} {
		t.Run(name, func(t *testing.T) {
			r := collect(t, hostOf(stats, info))
			want := map[string]float64{
				"192.0.2.9 /a/ h.example.com:/a/@/mnt/a": 1, "192.0.2.9 /a/ h.example.com:/a/@/mnt/a#2": 2,
			}
			got := r.values(schema.NFSReadBytes, schema.Server, schema.Export, schema.Device)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			for device, server := range r.infoLabels("server_name") {
				if server != "h.example.com" {
					t.Errorf("server name of %s is %q", device, server)
				}
			}
		})
	}
}

func TestServerWithoutAnyAddressIsItsName(t *testing.T) {
	stats := strings.ReplaceAll(statsOf("[2001:db8::2]:/a", "/mnt/a", 1), ",mountaddr=192.0.2.9", "")
	r := collect(t, hostOf(stats, ""))
	if diff := cmp.Diff(map[string]float64{"2001:db8::2": 1}, r.values(schema.NFSReadBytes, schema.Server)); diff != "" {
		t.Error(diff)
	}
}

func TestNoMountIsNoData(t *testing.T) {
	r := &recorder{}
	root := hostOf("device sunrpc mounted on /run/rpc_pipefs with fstype rpc_pipefs\n", infoOf("0:1", "h:/a", "/a"))
	if err := New(root).Collect(t.Context(), r); !errors.Is(err, collectors.ErrNoData) || len(r.samples) > 0 {
		t.Errorf("%d samples, error %v", len(r.samples), err)
	}
}

// TestUnreadableMountstatsIsNoHostWithoutMounts: what cannot be looked at must not read as nothing to see.
func TestUnreadableMountstatsIsNoHostWithoutMounts(t *testing.T) {
	for name, root := range map[string]collectors.Root{
		"nothing":       hostWith(nil),
		"only settings": hostWith(map[string]string{"proc/" + slotTablePath: "65536\n"}),
		"empty":         hostOf("", ""),
		"zeros":         hostOf(strings.Repeat("\x00", 500), ""),
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			if err := New(root).Collect(t.Context(), r); err == nil || errors.Is(err, collectors.ErrNoData) || len(r.samples) > 0 {
				t.Errorf("%d samples, error %v", len(r.samples), err)
			}
		})
	}
}
