package smb

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/collectors/internal/kernel"
	"github.com/nasight/nasight/schema"
)

// identity are the labels that tell one mount from another.
func identity(sink *capturetest.Sink) map[string]float64 {
	return of(sink, schema.SMBMountInfo, schema.Server, schema.Export, schema.Device, "mountpoints")
}

const options = "rw,vers=3.0,sec=krb5,username=lab,domain=CORP,addr=192.0.2.7"

// TestMountsOfOneShareAreOne: by other directories of it, by bind mounts, by another name of the server.
func TestMountsOfOneShareAreOne(t *testing.T) {
	info := mountLine("31", "0:42", "/mnt/b", "//files.example.com/data\\040(old)\\040#1\\040[x]\\040é/sub/dir", options) +
		mountLine("30", "0:41", "/mnt/a\\040a", "//files.example.com/data\\040(old)\\040#1\\040[x]\\040é", options) +
		mountLine("90", "0:41", "/bind", "//192.0.2.7/DATA\\040(old)\\040#1\\040[x]\\040é", options) +
		mountLine("91", "0:50", "/other", "//files.example.com/other", options)
	sink := collect(t, hostWith(files{debugFile: own(t, "debug-multiuser"), mountFile: info}))
	want := map[string]float64{
		`192.0.2.7 data (old) #1 [x] é 0:41 /mnt/a\\040a /mnt/b /bind`: 1,
		"192.0.2.7 other 0:50 /other":                                  1,
	}
	if diff := cmp.Diff(want, identity(sink)); diff != "" {
		t.Error(diff)
	}
	facts := of(sink, schema.SMBMountInfo, schema.Device, schema.Version, "transport", "security", "server_name", "options")
	if diff := cmp.Diff(map[string]float64{
		"0:41 3.0.2 tcp krb5 files.example.com rw,vers=3.0,sec=krb5,addr=192.0.2.7": 1, // the dialect in use, and no name of a person
		"0:50 3.0 tcp krb5 files.example.com rw,vers=3.0,sec=krb5,addr=192.0.2.7":   1,
	}, facts); diff != "" {
		t.Error(diff)
	}
}

// TestUsersOfOneServer: sessions share the first connection, whose requests are told under each of them.
func TestUsersOfOneServer(t *testing.T) {
	sink := collect(t, hostWith(files{debugFile: own(t, "debug-multiuser")}))
	for family, want := range map[*schema.Family]float64{
		schema.SMBSessions: 2, schema.SMBChannels: 1, schema.SMBChannelsUp: 1, schema.SMBChannelsDown: 2,
		schema.SMBPending: 2, // a read and a write; the waits for changes are none
		schema.SMBCredits: 9,
	} {
		if diff := cmp.Diff(map[string]float64{"192.0.2.7": want}, of(sink, family, schema.Server)); diff != "" {
			t.Errorf("%s: %s", family.Name, diff)
		}
	}
}

func TestServersOfOldKernels(t *testing.T) {
	info := mountLine("30", "0:41", "/a", "//FILES.example.com/one", "rw,vers=2.0,addr=192.0.2.8") +
		mountLine("31", "0:42", "/b", "//192.0.2.9/two", "rw,vers=1.0,addr=192.0.2.9")
	for name, c := range map[string]struct{ file, servers, pending string }{
		"3.17":    {"debug-3.17", "192.0.2.8=1 192.0.2.9=0", "192.0.2.8=1 192.0.2.9=0"},
		"4.15":    {"debug-4.15", "192.0.2.8=1", "192.0.2.8=0"},
		"5.4":     {"debug-5.4", "192.0.2.8=2", "192.0.2.8=5"}, // one of the list, without the wait, and four of the other channel
		"no info": {"debug-5.4", "192.0.2.7=2", "192.0.2.7=5"}, // the address of the interface in use
	} {
		f := files{debugFile: own(t, c.file), mountFile: info}
		if name == "no info" {
			delete(f, mountFile)
		}
		sink := collect(t, hostWith(f))
		for family, want := range map[*schema.Family]string{schema.SMBChannelsUp: c.servers, schema.SMBPending: c.pending} {
			if got := pairs(of(sink, family, schema.Server)); got != want {
				t.Errorf("%s: %s is %s, not %s", name, family.Name, got, want)
			}
		}
	}
}

func TestInfoOfOldKernels(t *testing.T) {
	for file, want := range map[string]string{
		"debug-3.17":      "192.0.2.9  unknown unknown unknown=1 files.example.com  unknown unknown unknown=1",
		"debug-4.15":      "files.example.com  unknown unknown unknown=1",
		"debug-5.4":       "192.0.2.7 3.1.1 true true true=1",
		"debug-multiuser": "192.0.2.7 3.0.2 true unknown false=1",
		"debug-dfs":       "fd00::7 3.1.1 true unknown false=1 fe80::9 2.1 unknown unknown true=1",
	} {
		sink := collect(t, hostWith(files{debugFile: own(t, file)}))
		if got := pairs(of(sink, schema.SMBEndpointInfo, schema.Server, schema.Version, "multichannel", "server_rss", "encryption")); got != want {
			t.Errorf("%s: %s\nnot %s", file, got, want)
		}
	}
}

// A kernel that does not list the interfaces of servers leaves open whether there are several channels.
func TestLackOfInterfaces(t *testing.T) {
	text := strings.Replace(own(t, "debug-dfs"), "0x30006f\tSession", "0x300067\tSession", 1)
	text = strings.Replace(text, "capabilities: 0x30006f", "capabilities: 0x300067", 1)
	old := strings.NewReplacer("Number of credits: 500,1,1 Dialect 0x302 signed", "Number of credits: 500 Dialect 0x302",
		"CIFS Version 2.51", "CIFS Version 2.10").Replace(own(t, "debug-4.15"))
	old = strings.Replace(old, "Number of credits: 12", "Number of credits: 12 Dialect 0x311", 1)
	for want, text := range map[string]string{
		"fd00::7 false=1 fe80::9 unknown=1": text,
		"files.example.com unknown=1":       old,
		"files.example.com false=1":         strings.Replace(old, "CIFS Version 2.10", "CIFS Version 2.29", 1),
	} {
		sink := collect(t, hostWith(files{debugFile: text}))
		if got := pairs(of(sink, schema.SMBEndpointInfo, schema.Server, "multichannel")); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

// TestDFS: a link of a name space is the share that it leads to, by the link that the kernel names, or as the only one
// at the mount's address. An address has one form, and a link-local one its zone.
func TestDFS(t *testing.T) {
	info := mountLine("30", "0:41", "/team", "//corp.example.com/dfs/team\\040one/sub", "rw,addr=fd00:0000:0000:0000:0000:0000:0000:0007") +
		mountLine("31", "0:42", "/projects", "//corp.example.com/dfs/projects", "rw,addr=fe80:0000:0000:0000:0000:0000:0000:0009%2")
	stats := "1) \\\\nas1.example.com\\team$\nReads: 5 total 0 failed\nOplockBreaks: 0 sent 0 failed\n" +
		"2) \\\\corp.example.com\\dfs\nReads: 6 total 0 failed\nOplockBreaks: 0 sent 0 failed\n" +
		"3) \\\\nas2.example.com\\Projects\nReads: 7 total 0 failed\nOplockBreaks: 0 sent 0 failed\n"
	sink := collect(t, hostWith(files{debugFile: own(t, "debug-dfs"), mountFile: info, statsFile: stats}))
	want := "fd00::7 dfs =6 fd00::7 team$ 0:41=5 fe80::9%2 Projects 0:42=7"
	if got := pairs(of(sink, schema.SMBOperations, schema.Server, schema.Export, schema.Device)); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if got := pairs(of(sink, schema.SMBMountInfo, schema.Device, "transport")); got != " tcp=1 0:41 tcp=1 0:42 rdma=1" {
		t.Error(got)
	}
}

// TestSharesWithoutAMount: a share that is mounted where we do not see it has no device, but it is there.
func TestSharesWithoutAMount(t *testing.T) {
	sink := collect(t, hostWith(files{statsFile: own(t, "stats-mixed")}))
	want := "files.example.com new (one) #2 [x] é =17 files.example.com old one =900"
	if got := pairs(of(sink, schema.SMBReadBytes, schema.Server, schema.Export, schema.Device)); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	sink = collect(t, hostWith(files{
		statsFile: own(t, "stats-mixed"), mountFile: mountLine("3", "0:41", "/a", "//Files.Example.com/Old\\040One", "rw,addr=192.0.2.7"),
	}))
	want = "192.0.2.7 Old One 0:41=900 192.0.2.7 new (one) #2 [x] é =17"
	if got := pairs(of(sink, schema.SMBReadBytes, schema.Server, schema.Export, schema.Device)); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	for family, want := range map[*schema.Family]float64{schema.SMBSessionReconnects: 7, schema.SMBShareReconnects: 3} {
		if got := of(sink, family)[""]; got != want {
			t.Errorf("%s is %v", family.Name, got)
		}
	}
}

// TestFormatsOfStats: SMB 1 does not count queries nor failures, and old SMB 2 no bytes.
func TestFormatsOfStats(t *testing.T) {
	sink := collect(t, hostWith(files{statsFile: own(t, "stats-mixed")}))
	if got := pairs(of(sink, schema.SMBErrors, schema.Export, schema.Class)); got != "new (one) #2 [x] é data=26 new (one) #2 [x] é metadata=61" {
		t.Error(got)
	}
	if got := pairs(of(sink, schema.SMBOpenFiles, schema.Export)); got != "new (one) #2 [x] é=2" {
		t.Error(got)
	}
	ops := of(sink, schema.SMBOperations, schema.Export, schema.Class)
	if _, ok := ops["old one attr"]; ok || ops["new (one) #2 [x] é attr"] != 13 || ops["old one dir"] != 11 {
		t.Error(ops)
	}
	if sink.Series(schema.SMBEndpointOperations)+sink.Series(schema.SMBEndpointRTT)+sink.Series(schema.SMBMaxInFlight) > 0 {
		t.Error("there is a load of connections without their tables")
	}
}

func TestAskedChannels(t *testing.T) {
	for options, want := range map[string]string{
		"rw": "1", "rw,max_channels=4": "1", "rw,multichannel,max_channels=4": "4", "rw,multichannel": "", "rw,multichannel,max_channels=x": "",
	} {
		if got := Options(options).channels(); want != "" && got != kernel.ParseNumber(want) || want == "" && got.Known() {
			t.Errorf("%s: %d", options, got)
		}
	}
}

// TestFilesInUse: users of a share may have the same file open; a share that open_files does not tell of has none.
func TestFilesInUse(t *testing.T) {
	const heading = "# <tree id> <ses id> <persistent fid> <flags> <count> <pid> <uid> <filename>\n"
	open := heading + "0x5 0x70 0x1 0x0 1 1 0 a\n0x5 0x71 0x1 0x0 1 1 0 a\n0x5 0x71 0x1 0x0 1 1 0 b\n0x5 0x72 0x1 0x0 1 1 0 c\n"
	info := mountLine("30", "0:41", "/a", "//files.example.com/data\\040(old)\\040#1\\040[x]\\040é", "rw,addr=192.0.2.7")
	for want, f := range map[string]files{
		"0:41=2": {openFiles: open},
		"0:41=0": {openFiles: heading},
		"":       {},
	} {
		f[debugFile], f[mountFile] = own(t, "debug-multiuser"), info
		if got := pairs(of(collect(t, hostWith(f)), schema.SMBFilesInUse, schema.Device)); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	noID := files{openFiles: open, mountFile: info, debugFile: strings.ReplaceAll(own(t, "debug-multiuser"), "tid: 0x5", "x")}
	if got := of(collect(t, hostWith(noID)), schema.SMBFilesInUse); len(got) > 0 {
		t.Errorf("files in use without a share's number: %v", got)
	}
}

// TestCutFileIsNotTheWhole: a server that the file ends within has no channels that could be too few.
func TestCutFileIsNotTheWhole(t *testing.T) {
	text := own(t, "debug-dfs")
	end := strings.LastIndex(text, "Security type")
	sink := collect(t, hostWith(files{debugFile: text[:end+5]}))
	if got := pairs(of(sink, schema.SMBChannelsUp, schema.Server)); got != "fd00::7=1" || sink.Skips[skipDebugCut] != 1 {
		t.Errorf("%s, skipped %v", got, sink.Skips)
	}
}
