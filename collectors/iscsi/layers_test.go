package iscsi

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

// info gives the info family's values of one label by server and target.
func info(t *testing.T, sink *capturetest.Sink, label string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for series := range sink.All() {
		if !strings.HasPrefix(series, schema.ISCSIMountInfo.Name+"{") {
			continue
		}
		of := func(name string) string {
			_, after, _ := strings.Cut(series, name+`="`)
			text, _, _ := strings.Cut(after, `"`)
			return text
		}
		found[of("server")+" "+of("export")] = of(label)
	}
	return found
}

// Two portals of one target with a multipath map over both, a partition of it and LVM above; a disk of another target
// with a file system right on its partition.
func multipath() *host {
	h := newHost()
	h.session(1, iqn, address)
	h.session(2, iqn, "192.0.2.11")
	h.session(3, iqn+"-b", address)
	first, second := h.disk(1, "sdb", "8:16", stat(1, 2, 3, 4)), h.disk(2, "sdaa", "65:160", stat(1, 2, 3, 4))
	third := h.disk(3, "sdc", "8:32", stat(1, 2, 3, 4))
	h.sys(third+"/sdc1/dev", "8:33\n")
	h.sys(third+"/sdc1/partition", "1\n")
	h.sys(third+"/queue/nr_requests", "256\n")
	h.dm("dm-0", "253:0", "mpatha", "mpath-36001405", first, second)
	h.dm("dm-1", "253:1", "mpatha1", "part1-mpath-36001405", "devices/virtual/block/dm-0")
	h.dm("dm-2", "253:2", "vg-data", "LVM-abcdef", "devices/virtual/block/dm-1")
	h.dm("dm-3", "253:3", "loop", "mpath-loop", "devices/virtual/block/dm-3") // holds itself
	h.link(third+"/sdc1/holders/dm-3", "/nowhere")
	h.proc(mountinfo, strings.Join([]string{
		`24 1 254:0 / / rw,noatime - ext4 /dev/vda rw`,
		`40 24 253:2 / /data rw,relatime shared:5 master:1 - xfs /dev/mapper/vg-data rw,attr2`,
		`41 24 253:2 /sub /srv/with\040blank rw - xfs /dev/mapper/vg-data rw`,
		`42 24 8:33 / /logs rw - ext4 /dev/sdc1 rw`,
		`43 24 0:55 /@ /pool rw - btrfs /dev/mapper/vg-data rw,space_cache`,
		`44 24 0:56 / /other rw - btrfs /dev/sdz rw`,
		`45 24 0:57 / /mnt rw - nfs4 192.0.2.1:/vol rw`,
		`46 24 253:2 / /odd`,
		`47 24 253:2 / /cut rw - xfs /dev/mapper/vg-da`,
	}, "\n"))
	return h
}

func TestWhatLiesAboveTheDisks(t *testing.T) {
	sink := run(t, New(multipath().root()))
	const other = "192.0.2.11 " + iqn
	for label, want := range map[string]map[string]string{
		"disks":     {address + " " + iqn: "sdb", other: "sdaa", address + " " + iqn + "-b": "sdc"},
		"multipath": {address + " " + iqn: "mpatha", other: "mpatha", address + " " + iqn + "-b": "loop"},
		"mountpoints": {
			address + " " + iqn: `/data /pool /srv/with\\040blank`, other: `/data /pool /srv/with\\040blank`, address + " " + iqn + "-b": "/logs",
		},
	} {
		if diff := cmp.Diff(want, info(t, sink, label)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", label, diff)
		}
	}
	if sink.Skips["odd_mountinfo_line"] != 1 || sink.Skips["mountinfo_cut"] != 1 {
		t.Errorf("skips %v", sink.Skips)
	}
}

// A disk of a session that is not listed belongs to nobody.
func TestDiskWithoutSession(t *testing.T) {
	h := multipath()
	h.remove("class/iscsi_session/session2")
	h.link("block/sdq", "../devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0/block/sdq") // of no session, and none is missing
	sink := run(t, New(h.root()))
	if sink.Skips["disk_without_session"] != 1 || sink.Series(schema.ISCSISessions) != 2 {
		t.Errorf("skips %v, samples:\n%s", sink.Skips, sink.Text())
	}
}

// A tree that was copied without its links has the device beside the session's attributes.
func TestTreeWithoutLinks(t *testing.T) {
	h := newHost()
	h.sys("class/iscsi_session/session7/targetname", iqn)
	h.sys("class/iscsi_session/session7/state", loggedIn)
	h.sys("class/iscsi_session/session7/device/target7:0:0/7:0:0:1/block/sdg/dev", "8:96")
	h.sys("class/iscsi_session/session7/device/target7:0:0/7:0:0:0/type", "12") // a controller
	h.sys("class/iscsi_session/session7/device/target7:0:0/power/control", "auto")
	h.sys("class/iscsi_connection/connection7:0/address", address)
	h.proc(diskstats, "8 96 sdg "+stat(1, 2, 3, 4)+"\n")
	sink := run(t, New(h.root()))
	if got := value(t, sink, schema.ISCSISessionBytes, "session7"); got != 1024 {
		t.Errorf("%v bytes", got)
	}
}

func TestListedNamesAreBounded(t *testing.T) {
	names := slices.Repeat([]string{"sda"}, maxListed+3)
	if got := listed(names); !strings.HasSuffix(got, " sda +3") || strings.Count(got, "sda") != maxListed {
		t.Errorf("listed %s", got)
	}
	if got := compareNames("sdb", "sdaa"); got >= 0 {
		t.Error("sdaa before sdb")
	}
}

func TestOptionsAreWords(t *testing.T) {
	for value, want := range map[string]bool{
		"262144": true, "CRC32C": true, "": false, "a,b": false, "a=b": false, "a b": false, strings.Repeat("9", 65): false, "\xff": false,
	} {
		if isWord(value) != want {
			t.Errorf("%q: %t", value, !want)
		}
	}
}
