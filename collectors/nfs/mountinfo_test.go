package nfs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMountinfo(t *testing.T) {
	text := "24 1 254:0 / / rw,noatime - ext4 /dev/vda rw\n" +
		"31 30 0:4 net:[4026532195] /run/netns/rt rw shared:2 - nsfs nsfs rw\n" +
		"125 98 0:56 / /net/auto/with\\040space rw,relatime shared:7 master:3 - nfs4 " +
		"nfs.example.com:/srv/has\\040space rw,vers=4.2,addr=192.0.2.5\n" +
		"\n" +
		"98 24 0:50 / /net/auto rw,relatime - autofs /etc/auto.lab rw,fd=5\n" +
		"95 24 0:48 /sub /mnt/v6 rw - nfs [2001:db8::2]:/srv/vol1 rw,vers=3\n" +
		"96 24 0:38 / /proc/fs/nfsd rw - nfsd nfsd rw\n"
	want := []Mount{
		{"0:56", "/", "/net/auto/with space", "nfs.example.com:/srv/has space", "nfs4", "rw,vers=4.2,addr=192.0.2.5"},
		{"0:48", "/sub", "/mnt/v6", "[2001:db8::2]:/srv/vol1", "nfs", "rw,vers=3"},
	}
	skipped, skip := counts()
	if diff := cmp.Diff(want, ParseMountinfo([]byte(text), skip)); diff != "" {
		t.Error(diff)
	}
	if len(skipped) > 0 {
		t.Errorf("skipped %v", skipped)
	}
}

func TestOddMountinfoLines(t *testing.T) {
	const good = "95 24 0:48 / /mnt/a rw - nfs 192.0.2.1:/a rw,addr=192.0.2.1\n"
	tests := map[string]struct{ text, reason string }{
		"no separator":         {"24 1 254:0 / / rw,noatime ext4 /dev/vda rw\n" + good, skipMountinfoLine},
		"short":                {"95 24 0:48 / - nfs 192.0.2.1:/a rw\n" + good, skipMountinfoLine},
		"no options":           {"95 24 0:48 / /mnt/b rw - nfs 192.0.2.1:/b\n" + good, skipMountinfoLine},
		"device is no number":  {"95 24 ../..:1 / /mnt/b rw - nfs 192.0.2.1:/b rw\n" + good, skipMountinfoLine},
		"cut within the addr":  {good + "96 24 0:49 / /mnt/b rw - nfs 192.0.2.1:/b rw,addr=192.0.", skipMountinfoCut},
		"cut before the type":  {good + "96 24 0:49 / /mnt/b rw - ", skipMountinfoCut},
		"cut after the device": {good + "96 24 0:49", skipMountinfoCut},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			skipped, skip := counts()
			mounts := ParseMountinfo([]byte(test.text), skip)
			if len(mounts) != 1 || mounts[0].MountPoint != "/mnt/a" {
				t.Errorf("mounts %v", mounts)
			}
			if diff := cmp.Diff(map[string]int{test.reason: 1}, skipped); diff != "" {
				t.Error(diff)
			}
		})
	}
}
