package bundle

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
)

// redact records a capture with masks on and gives the plain archive too.
func redact(t testing.TB, root collectors.Root) (*Bundle, []byte) {
	t.Helper()
	b, packed := write(t, Capture{Root: root, Entries: append(list.Entries(), everything()), Tool: "nasight 1.2.3", Moments: 2, Redact: true})
	return b, unzipped(t, packed)
}

// everything is a collector that reads whatever there is, as one of a later version might.
func everything() collectors.Entry {
	return entryOf("everything", func(_ context.Context, root collectors.Root) error {
		for _, tree := range []fs.FS{root.Procfs, root.Sysfs, root.Netlink, root.Modules} {
			err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
				if err == nil && entry.Type().IsRegular() {
					_, err = fs.ReadFile(tree, name)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// spellings are the ways in which the kernel writes an address: text, hexadecimal in both orders, raw bytes.
func spellings(t testing.TB, text string) map[string][]byte {
	t.Helper()
	address, err := netip.ParseAddr(text)
	if err != nil {
		t.Fatal(err)
	}
	raw := address.AsSlice()
	found := map[string][]byte{"text": []byte(text), "raw": raw, "hexadecimal": fmt.Appendf(nil, "%x", raw), "HEXADECIMAL": fmt.Appendf(nil, "%X", raw)}
	if address.Is4() {
		found["number"] = fmt.Appendf(nil, "%08X", binary.NativeEndian.Uint32(raw))
	}
	return found
}

// Nothing that names the site is left in any byte of a redacted bundle, even if a collector reads all that there is.
func TestRedactLeavesNoName(t *testing.T) {
	cases := map[string]struct{ addresses, names []string }{
		"6.1/nfs-odd-paths-ipv6-v42-autofs-bind": {
			[]string{"10.10.1.2", "10.10.2.2", "10.10.2.4", "10.10.2.5", "10.10.3.2", "fd00:1::2", "fd00:2::2"},
			[]string{"10.10.", "fd00:", "example.test", "files-b", "/srv", "vol1", "vol2", "team-analytics", "has\\040", "with\\040", "δοκιμή", "here", "/mnt/", "back\\134", "slash#",
				"bound", "auto", "proj", "v6-41", "/dev/vda", "tmpfs", "netns", "rpcbind", "debian-kernel", "acme", "client"},
		},
		"6.12/smb-two-shares-two-servers": {
			[]string{"10.10.1.2", "10.10.2.2", "10.10.3.2"},
			[]string{"10.10.", "share1", "two", "9F276144", "0xb8301f27", "0x8f8a0d75", "r.0", "r.5", "/mnt/", "username=lab", "/dev/vda", "tmpfs", "debian-kernel", "acme", "client"},
		},
	}
	for scenario, c := range cases {
		t.Run(scenario, func(t *testing.T) {
			root := recorded(t, scenario)
			plain, packed := write(t, Capture{Root: root, Entries: append(list.Entries(), everything()), Moments: 1})
			_, redacted := redact(t, root)
			original := unzipped(t, packed)
			for _, address := range c.addresses {
				found := false
				for kind, spelling := range spellings(t, address) {
					if bytes.Contains(redacted, spelling) {
						t.Errorf("%s of %s is in the redacted bundle", kind, address)
					}
					found = found || bytes.Contains(original, spelling)
				}
				if !found {
					t.Errorf("%s is not even in the bundle with names", address)
				}
			}
			for _, name := range c.names {
				where := bytes.Index(redacted, []byte(name))
				if name == "client" || name == "auto" { // also our own word, and a setting of the kernel
					where = bytes.Index(redacted, []byte(`"`+name+`"`))
				}
				if where >= 0 {
					t.Errorf("%q is in the redacted bundle: %q", name, redacted[max(0, where-60):min(len(redacted), where+60)])
				}
			}
			if plain.Host != "client" {
				t.Errorf("host %q", plain.Host)
			}
		})
	}
}

// numbers are the values of each family in their order, without the labels.
func numbers(samples map[string]string) map[string][]string {
	found := map[string][]string{}
	for name, value := range samples {
		family, _, _ := strings.Cut(name, "client")
		found[family] = append(found[family], value)
	}
	for _, values := range found {
		slices.Sort(values)
	}
	return found
}

// The collectors find the same mounts, sessions and numbers in a redacted bundle, for every capture.
func TestRedactKeepsTheNumbers(t *testing.T) {
	scenarios := captures(t)
	if testing.Short() {
		scenarios = scenarios[:10]
	}
	for i, name := range scenarios {
		if i%4 != 0 && !strings.Contains(name, "odd-paths") && !strings.Contains(name, "two-s") {
			continue // a quarter of them shows it, from every kernel
		}
		opened, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		root := opened.Moments[1].Root
		root.Host, root.Modules = "client-1", modules()
		b, _ := write(t, Capture{Root: root, Entries: list.Entries(), Moments: 1, Redact: true})
		if diff := cmp.Diff(numbers(collect(t, root)), numbers(collect(t, b.Moments[0].Root))); diff != "" {
			t.Errorf("%s (-original +redacted):\n%s", name, diff)
		}
	}
}

// Every server keeps its own replacement over files and moments, and a directory below an export stays below it.
func TestRedactIsConsistent(t *testing.T) {
	b, _ := redact(t, recorded(t, "6.1/nfs-odd-paths-ipv6-v42-autofs-bind"))
	first, second := describe(t, trees(b)["t0"]), describe(t, trees(b)["t1"])
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("(-t0 +t1):\n%s", diff)
	}
	sessions := map[string]int{}
	for name := range collect(t, b.Moments[0].Root) {
		if labels, ok := strings.CutPrefix(name, "nasight_endpoint_sessions"); ok {
			sessions[strings.Split(labels, "|")[1]]++
		}
	}
	mounts := string(mustRead(t, b, "proc/self/mountinfo"))
	for server := range sessions {
		if !strings.Contains(mounts, "addr="+server) {
			t.Errorf("no mount of server %s, which has sessions:\n%s", server, mounts)
		}
	}
	if len(sessions) < 4 {
		t.Errorf("servers with sessions: %v", slices.Collect(maps.Keys(sessions)))
	}
	var long, bound string
	for line := range strings.Lines(mounts) {
		if fields := strings.Fields(line); fields[0] == "100" {
			long = fields[8]
		} else if fields[0] == "96" {
			bound = fields[8]
		}
	}
	if !strings.HasPrefix(bound, long+"/") || long == "" {
		t.Errorf("the bind mount's source %q is not below %q", bound, long)
	}
}

func mustRead(t testing.TB, b *Bundle, name string) []byte {
	t.Helper()
	data, err := fs.ReadFile(trees(b)["t0"], name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The settings of the NFS modules survive, under names that sort as the originals; what else the files say does not.
func TestRedactModules(t *testing.T) {
	b, _ := redact(t, recorded(t, "6.1/nfs-v3-idle"))
	want := map[string]string{".": "/", "options-0001.conf": "= options nfs max_session_slots=180\n", "options-0002.conf": "= options nfs max_session_slots=64\n"}
	if diff := cmp.Diff(want, describe(t, b.Moments[0].Root.Modules)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// masked gives what is left of one file.
func masked(t testing.TB, name, data string, before ...string) (string, bool) {
	t.Helper()
	m := newMask(true)
	members := []member{{name: name, data: []byte(data)}}
	for _, mountinfo := range before {
		members = append(members, member{name: "proc/self/mountinfo", data: []byte(mountinfo)})
	}
	for _, kept := range m.members(members) {
		if kept.name == name {
			return string(kept.data), true
		}
	}
	return "", false
}

// maskCase is a file and what is left of it.
type maskCase struct{ name, data, want string }

func (c maskCase) check(t *testing.T, before ...string) {
	t.Helper()
	got, kept := masked(t, c.name, c.data, before...)
	if diff := cmp.Diff(strings.SplitAfter(c.want, "\n"), strings.SplitAfter(got, "\n")); diff != "" || !kept {
		t.Errorf("kept %v (-want +got):\n%s", kept, diff)
	}
}

func TestMaskMounts(t *testing.T) {
	cases := map[string]maskCase{
		"mountinfo": {
			"proc/1/mountinfo",
			"1 0 254:0 / / rw - ext4 /dev/vda rw\n" +
				"9 1 0:40 / /net rw - autofs /etc/auto rw\n" +
				`20 1 0:41 /sub /mnt/with\040space/δοκιμή rw,relatime shared:5 odd:secret - nfs4 files.example.test:/srv/has\040space rw,vers=4.2,hard,proto=tcp,clientaddr=10.10.1.2,local_lock=none,addr=10.10.2.2,secret,secret=1,rsize=secret` + "\n",
			`20 1 0:41 /export-0001 /mnt-0001/mnt-0002/mnt-0003 rw,relatime shared:5 - nfs4 server-0001.example.com:/export-0002/export-0003 rw,vers=4.2,hard,proto=tcp,clientaddr=192.0.2.1,local_lock=none,addr=192.0.2.2` + "\n",
		},
		"other white space in a name": {
			"proc/self/mountinfo", "20 1 0:41 / /mnt/a\u00a0secret\u3000b rw - nfs 10.10.2.2:/a\vsecret rw\n",
			"20 1 0:41 / /mnt-0001/mnt-0002 rw - nfs 192.0.2.1:/export-0001 rw\n",
		},
		"cifs": {
			"proc/self/mountinfo",
			`20 1 0:41 / /mnt/s rw - cifs //files.acct.example.test/share\040two/sub rw,vers=3.1.1,username=lab,domain=CORP,unc=\134\134x,prefixpath=a/b,source=//x/y,addr=10.10.2.2,uid=0,max_channels=4,multichannel dom secret` + "\n",
			`20 1 0:41 / /mnt-0001/mnt-0002 rw - cifs //server-0001.example.com/share-0001/share-0002 rw,vers=3.1.1,username=masked,domain=masked,unc=masked,prefixpath=masked,source=masked,addr=192.0.2.1,max_channels=4` + "\n",
		},
		"sources of odd form": {
			"proc/self/mountinfo",
			"1 0 0:1 / /a rw - nfs secret rw\n2 0 0:2 / /a rw - cifs //secret rw\n3 0 0:3 / /a rw - nfs [fe80::1%eth0]:/x rw,addr=fe80::1%eth0\n" +
				"4 0 0:4 / /a rw - nfs acct.file.core.windows.net:/acct/share rw\n5 0 0:5 / /a rw - cifs \\134\\134secret\\134x rw\n6 0 0:6 / /a rw - nfs fd00::1:/x rw\n7 0 0:7 / /a rw - nfs host:relative/ rw\n",
			"1 0 0:1 / /mnt-0001 rw - nfs source-0001 rw\n2 0 0:2 / /mnt-0001 rw - cifs //server-0001.example.com rw\n3 0 0:3 / /mnt-0001 rw - nfs [2001:db8::1]:/export-0001 rw,addr=2001:db8::1\n" +
				"4 0 0:4 / /mnt-0001 rw - nfs server-0002.file.core.windows.net:/export-0002/export-0003 rw\n5 0 0:5 / /mnt-0001 rw - cifs source-0002 rw\n6 0 0:6 / /mnt-0001 rw - nfs 2001:db8::2:/export-0001 rw\n7 0 0:7 / /mnt-0001 rw - nfs server-0003.example.com:export-0004/ rw\n",
		},
		"line that was cut": {"proc/self/mountinfo", "1 0 0:1 / /a rw - nfs 10.10.2.2:/a rw,vers=3", "1 0 0:1 / /mnt-0001 rw - nfs 192.0.2.1:/export-0001 rw,vers=3"},
		"lines of another form": {
			"proc/self/mountinfo", "secret\n1 0 secret / /a rw - nfs a:/b rw\n1 0 0:1 / /a rw nfs a:/b rw\n1 0 0:1 / /a rw - nfs a:/b\n", "",
		},
		"mountstats": {
			"proc/self/mountstats",
			"device tmpfs mounted on /secret with fstype tmpfs\n\topts:\tsecret\nno device mounted on /secret with fstype nfs\n" +
				`device 10.10.2.2:/srv/vol1 mounted on /mnt/a\040b with fstype nfs statvers=1.1 secret` + "\n" +
				"\topts:\trw,vers=3,mountaddr=10.10.2.2,secret\n\tage:\t11\n\timpl_id:\tname='secret',domain='secret',date='0,0'\n\tcaps:\tcaps=0xf,wtmult=4096,secret=1\n" +
				"\tnfsv4:\tbm0=0xf8f3b77e,acl=0x0,sessions,pnfs=not configured\n\tsec:\tflavor=1,pseudoflavor=1\n\tevents:\t1 2 3 \n\tbytes:\t4 5\n" +
				"\tRPC iostats version: 1.1  p/v: 100003/3 (nfs)\n\txprt:\ttcp 831 1 1 0 0\n\txprt:\tsecret 1\n\tper-op statistics\n\t        NULL: 1 1 0 44\n\t        READ: 1 secret\n\tsecret: 1\n\n",
			localStanza + "device 192.0.2.1:/export-0001/export-0002 mounted on /mnt-0001/mnt-0002 with fstype nfs statvers=1.1\n" +
				"\topts:\trw,vers=3,mountaddr=192.0.2.1\n\tage:\t11\n\tcaps:\tcaps=0xf,wtmult=4096\n" +
				"\tnfsv4:\tbm0=0xf8f3b77e,acl=0x0,sessions,pnfs=not configured\n\tsec:\tflavor=1,pseudoflavor=1\n\tevents:\t1 2 3 \n\tbytes:\t4 5\n" +
				"\tRPC iostats version: 1.1  p/v: 100003/3 (nfs)\n\txprt:\ttcp 831 1 1 0 0\n\tper-op statistics\n\t        NULL: 1 1 0 44\n",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { c.check(t) })
	}
}

// An iSCSI capture keeps its targets apart, and loses the names of targets, initiators and addresses, whoever reads them.
func TestRedactISCSI(t *testing.T) {
	const scenario = "6.1/iscsi-4plus16sessions-idle"
	b, redacted := redact(t, recorded(t, scenario))
	_, packed := write(t, Capture{Root: recorded(t, scenario), Entries: append(list.Entries(), everything()), Moments: 1})
	original := unzipped(t, packed)
	for _, name := range []string{"test.example", "iqn.2026-01", "vol-1", "iqn.1993-08", "7612936ffb", "10.10.2.2", "10.10.1.2"} {
		if bytes.Contains(redacted, []byte(name)) {
			t.Errorf("%q is in the redacted bundle", name)
		}
		if !bytes.Contains(original, []byte(name)) {
			t.Errorf("%q is not even in the bundle with names", name)
		}
	}
	targets := map[string]bool{}
	for name := range collect(t, b.Moments[1].Root) {
		if strings.HasPrefix(name, "nasight_iscsi_sessions") {
			targets[name] = true
		}
	}
	if len(targets) != 2 {
		t.Errorf("targets %v, want 2", targets)
	}
}

// A mount on an iSCSI disk, or on a map above one, is kept without its names; one on a disk of the host itself is not.
func TestMaskMountsOfDisks(t *testing.T) {
	const device = "sys/devices/platform/host2/session1/target2:0:0/2:0:0:1/block/sdb"
	m := newMask(true)
	kept := m.members([]member{
		{name: "proc/self/mountinfo", data: []byte("24 1 254:0 / /secret rw - ext4 /dev/vda rw\n40 24 253:2 / /secret rw - xfs /dev/mapper/vg-secret rw,attr2\n" +
			"41 24 8:17 / /secret/logs rw - ext4 /dev/sdb1 rw\n42 24 8:17 / /secret rw - fuse.secret /dev/sdb1 rw\n43 24 253:2 / /secret rw - xfs /dev/vg/secret rw\n")},
		{name: device + "/dev", data: []byte("8:16\n")}, {name: device + "/sdb1/dev", data: []byte("8:17\n")},
		{name: "sys/devices/virtual/block/dm-2/dev", data: []byte("253:2\n")},
		{name: "sys/devices/virtual/block/dm-2/dm/name", data: []byte("vg-secret\n")},
		{name: "sys/devices/virtual/block/dm-2/dm/uuid", data: []byte("LVM-secret\n")},
		{name: "sys/devices/pci0000:00/virtio1/block/vda/dev", data: []byte("254:0\n")},
		{name: "sys/devices/platform/host2/session1/iscsi_session/session1/initiatorname", data: []byte("(null)\n")},
	})
	found := map[string]string{}
	for _, one := range kept {
		found[one.name] = string(one.data)
	}
	want := "40 24 253:2 / /mnt-0001 rw - xfs /dev/mapper/map-0001 rw\n41 24 8:17 / /mnt-0001/mnt-0002 rw - ext4 /dev/sdb1 rw\n43 24 253:2 / /mnt-0001 rw - xfs /dev/source-0001 rw\n"
	if diff := cmp.Diff(want, found["proc/self/mountinfo"]); diff != "" {
		t.Errorf("mounts (-want +got):\n%s", diff)
	}
	if name, uuid := found["sys/devices/virtual/block/dm-2/dm/name"], found["sys/devices/virtual/block/dm-2/dm/uuid"]; name != "map-0001\n" || uuid != "LVM-map-0002\n" {
		t.Errorf("map %q, uuid %q", name, uuid)
	}
	if got := found["sys/devices/platform/host2/session1/iscsi_session/session1/initiatorname"]; got != "(null)\n" {
		t.Errorf("initiator %q", got)
	}
}

func TestMaskOtherFiles(t *testing.T) {
	const mounts = "20 1 0:41 / /a rw - nfs 10.10.2.2:/a rw,addr=10.10.2.2\n21 1 0:42 / /b rw - nfs [fd00::2]:/b rw,addr=fd00::2\n"
	cases := map[string]maskCase{
		"version":       {"proc/version", "Linux version 6.12.1 (root@build.acme.example) #1\n", "Linux version 6.12.1\n"},
		"odd version":   {"proc/version", "secret\n", ""},
		"address":       {"sys/kernel/sunrpc/xprt-switches/switch-1/xprt-1-tcp/dstaddr", "10.10.2.2\n", "192.0.2.1\n"},
		"IPv6 address":  {"sys/kernel/sunrpc/xprt-switches/switch-1/xprt-1-tcp/srcaddr", "fd00::2\n", "2001:db8::1\n"},
		"socket":        {"sys/kernel/sunrpc/xprt-switches/switch-1/xprt-1-local/dstaddr", "/var/run/secret.sock\n", "/socket-0001\n"},
		"no socket":     {"sys/kernel/sunrpc/xprt-switches/switch-1/xprt-1-local/srcaddr", "<not a socket>\n", "<not a socket>\n"},
		"state":         {"sys/kernel/sunrpc/xprt-switches/switch-1/xprt-1-tcp/xprt_state", "state=LOCKED CONNECTED   BOUND       \n", "state=LOCKED CONNECTED   BOUND       \n"},
		"info":          {"sys/kernel/sunrpc/xprt-switches/switch-1/xprt-1-tcp/xprt_info", "last_used=4295000408\ndst_port=2049\n", "last_used=4295000408\ndst_port=2049\n"},
		"CPUs":          {"sys/devices/virtual/net/eth1/queues/rx-0/rps_cpus", "ff,ffffffff\n", "ff,ffffffff\n"},
		"iSCSI address": {"sys/devices/platform/host2/session1/connection1:0/iscsi_connection/connection1:0/persistent_address", "10.10.2.2\n", "192.0.2.1\n"},
		"iSCSI target":  {"sys/class/iscsi_session/session1/targetname", "iqn.2001-04.com.acme:a\n", "iqn.2001-04.com.example:target-0001\n"},
		"iSCSI state":   {"sys/class/iscsi_session/session1/state", "LOGGED_IN\n", "LOGGED_IN\n"},
		"disk counters": {"proc/diskstats", "   8      16 sdb 1 2 3\n", "   8      16 sdb 1 2 3\n"},
		"routes": {
			"proc/net/route",
			"Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\neth0\t00000000\t010A0A0A\t0003\t0\t0\t100\t00000000\t0\t0\t0\neth1\t00020A0A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\nodd\n",
			"eth1\t010200C0\t00000000\t0001\t0\t0\t0\tFFFFFFFF\t0\t0\t0\n",
		},
		"IPv6 routes": {
			"proc/net/ipv6_route",
			"fd000000000000000000000000000000 40 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth1\nodd\n",
			"20010db8000000000000000000000001 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000400 00000001 00000000 00000003 eth1\n",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(name, "routes") {
				c.check(t, mounts)
			} else {
				c.check(t)
			}
		})
	}
}

// Files that may name something are left out, wherever they are.
func TestMaskLeavesOut(t *testing.T) {
	for name, data := range map[string]string{
		"proc/sys/kernel/hostname": "acme-7\n", "proc/self/mounts": "a b nfs rw\n", "proc/fs/cifs/dfscache": "acme\n", "proc/net/tcp": "0100007F\n",
		"proc/self/environ": "USER=a", "proc/fs/nfsfs/servers": "v3 0a0a0202\n", "sys/class/net/eth0/ifalias": "to acme\n", "sys/class/net/eth0/address": "52:54:00:12:34:56\n",
		"sys/module/nfs/parameters/nfs4_unique_id": "acme-7\n", "sys/fs/nfs/net/nfs_client/identifier": "acme-7\n", "sys/class/iscsi_session/session1/username": "acme\n",
		"sys/kernel/debug/sunrpc/rpc_clnt/1/tasks": "1\n", "netlink/sock_diag_tcp4.req": "x", "etc/modprobe.d/a.conf": "alias acme nfs\n", "proc/sys/net/ipv4/tcp_congestion_control": "acme\n",
		"clock.json": "{}", "etc/passwd": "root\n", "sys/class/dmi/id/product_serial": "12345\n",
	} {
		if got, kept := masked(t, name, data); kept {
			t.Errorf("%s is kept as %q", name, got)
		}
	}
	m := newMask(true)
	kept := m.members([]member{
		{name: "proc/1234", dir: true}, {name: "sys/fs/cgroup/acme.slice", dir: true}, {name: "proc/self/cwd", target: "acme"},
		{name: "sys/class/net/eth0", target: "../../devices/virtual/net/eth0"}, {name: "sys/kernel/sunrpc", dir: true},
	})
	if len(kept) != 2 || kept[0].name != "sys/class/net/eth0" || kept[1].name != "sys/kernel/sunrpc" {
		t.Errorf("kept %v", kept)
	}
}

// Different addresses get different replacements, even when the small documentation network is used up.
func TestMaskAddresses(t *testing.T) {
	m := newMask(true)
	seen := map[netip.Addr]bool{}
	networks := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("2001:db8::/32")}
	for i := range uint32(140_000) {
		var raw [16]byte
		binary.BigEndian.PutUint32(raw[:], i+1<<24|0xa0000000)
		for _, original := range []netip.Addr{netip.AddrFrom4([4]byte(raw[:4])), netip.AddrFrom16(raw)} {
			got := m.address(original)
			if seen[got] || !slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(got) }) || m.address(original) != got {
				t.Fatalf("%s becomes %s", original, got)
			}
			seen[got] = true
		}
	}
	for _, kept := range []string{"127.0.0.1", "::1", "0.0.0.0", "::"} {
		if got := m.address(netip.MustParseAddr(kept)); got.String() != kept {
			t.Errorf("%s becomes %s", kept, got)
		}
	}
	if a, b := m.address(netip.MustParseAddr("::ffff:10.10.2.2")), m.address(netip.MustParseAddr("10.10.2.2")); a != b {
		t.Errorf("a mapped address becomes %s, the plain one %s", a, b)
	}
}

func TestMaskOff(t *testing.T) {
	m := newMask(false)
	members := []member{{name: "proc/self/environ", data: []byte("x")}}
	if got := m.members(members); len(got) != 1 || m.host("a") != "a" {
		t.Errorf("members %v, host %q", got, m.host("a"))
	}
}

// A host with a thousand mounts is masked in a moment.
func BenchmarkMask(b *testing.B) {
	opened, err := Open(capturePath("6.1/nfs-120-mounts"))
	if err != nil {
		b.Fatal(err)
	}
	r := newFlatRecorder(opened.Moments[0].Root.Procfs)
	for _, name := range []string{"self/mountinfo", "self/mountstats"} {
		if _, err := r.ReadFile(name); err != nil {
			b.Fatal(err)
		}
	}
	members := r.members("proc")
	for b.Loop() {
		newMask(true).members(members)
	}
}
