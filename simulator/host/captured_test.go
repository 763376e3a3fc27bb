package host_test

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/bundle"
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/iscsi"
	"github.com/nasight/nasight/simulator/host"
)

// captures are the moments of real hosts, by scenario.
func captures(t *testing.T, pattern string) []collectors.Root {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "testdata", "captures", pattern, "moments.tar.gz"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d captures, error %v", pattern, len(names), err)
	}
	var roots []collectors.Root
	for _, name := range names {
		opened, err := bundle.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, moment := range opened.Moments {
			roots = append(roots, moment.Root)
		}
	}
	return roots
}

var variable = []struct {
	found *regexp.Regexp
	as    string
}{
	{regexp.MustCompile(`\\\\.*?( Mounts:|\tDISCONNECTED|$)`), `PATH$1`},
	{regexp.MustCompile(`(Hostname:|Address:|IPv4:) \S+`), `$1 ADDRESS`},
	{regexp.MustCompile(`ClientGUID: [-0-9A-F]{36}$`), `ClientGUID: ID`},
	{regexp.MustCompile(`cbdata: [0-9a-f]{16}`), `cbdata: ID`},
	{regexp.MustCompile(`0x[0-9a-f]+`), `HEX`},
	{regexp.MustCompile(`\d+-\d+-\d+ \d+:\d+:\d+ UTC`), `TIME`},
	{regexp.MustCompile(`\b\d+`), `NUMBER`},
}

// shapes are the lines of a text without their numbers and names.
func shapes(text string) map[string]bool {
	lines := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		for _, one := range variable {
			line = one.found.ReplaceAllString(line, one.as)
		}
		lines[line] = true
	}
	return lines
}

// ofHost are lines that the captures happen not to have: another address family, speed or state than those hosts had.
var ofHost = regexp.MustCompile(` encrypted$|IPv6: |Speed: (NUMBERMbps|Unknown)|DISCONNECTED`)

// TestSMBShape: every line is one that a real host has written, up to numbers and names.
func TestSMBShape(t *testing.T) {
	known := map[string]map[string]bool{}
	files := []string{"fs/cifs/DebugData", "fs/cifs/Stats"}
	for _, root := range slices.Concat(captures(t, "6.12/smb*"), captures(t, "7.3/smb*")) {
		for _, name := range files {
			text, err := fs.ReadFile(root.Procfs, name)
			if err != nil {
				t.Fatal(err)
			}
			if known[name] == nil {
				known[name] = map[string]bool{}
			}
			for line := range shapes(string(text)) {
				known[name][line] = true
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		root := smbMachine(t).Root()
		for _, name := range files {
			text, err := fs.ReadFile(root.Procfs, name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range shapes(string(text)) {
				if !known[name][line] && !ofHost.MatchString(line) {
					t.Errorf("%s: no real host writes %q", name, line)
				}
			}
		}
	})
}

// optionNames are the names of the options of a host's cifs mounts.
func optionNames(t *testing.T, root collectors.Root) map[string]bool {
	t.Helper()
	text, err := fs.ReadFile(root.Procfs, "self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if _, behind, ok := strings.Cut(line, " - cifs "); ok {
			fields := strings.Fields(behind)
			for option := range strings.SplitSeq(fields[len(fields)-1], ",") {
				name, _, _ := strings.Cut(option, "=")
				names[name] = true
			}
		}
	}
	return names
}

// TestSMBMountOptions: the options of a mount with several channels are those of a real one.
func TestSMBMountOptions(t *testing.T) {
	got := optionNames(t, linuxClient().Root())
	for name := range optionNames(t, captures(t, "6.12/smb311-4ch-16files-64k")[0]) {
		if !got[name] {
			t.Errorf("no option %s", name)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("options %v that a real mount does not have", got)
	}
}

var numbers = regexp.MustCompile(`\d+|\bsd[a-z]+|\bmpath[a-z]+`)

// paths are the names below some directories of sysfs without the numbers in them.
func paths(t *testing.T, sysfs fs.FS, directories ...string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, directory := range directories {
		err := fs.WalkDir(sysfs, directory, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				found[numbers.ReplaceAllString(name, "N")] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// TestISCSIShape: sysfs has the names that a real host with sessions has, and beside them those of block devices, which the
// captures leave out.
func TestISCSIShape(t *testing.T) {
	directories := []string{"class/iscsi_session", "class/iscsi_connection", "class/iscsi_host", "devices/platform"}
	got := paths(t, linuxClient().Root().Sysfs, directories...)
	left := regexp.MustCompile(`/(creator|exp_statsn|stat|iocounterbits|io[a-z]+_cnt)$`)
	want := paths(t, captures(t, "6.12/iscsi-4sessions-idle")[0].Sysfs, directories...)
	for name := range want {
		if !got[name] && !left.MatchString(name) && (strings.Contains(name, "session") || strings.Contains(name, "iscsi") || strings.Contains(name, "scsi_host")) {
			t.Errorf("no %s", name)
		}
	}
	for name := range got {
		if !want[name] && !strings.Contains(name, "/holders/") {
			t.Errorf("%s is no name that a real host has", name)
		}
	}
}

// TestISCSILinks: what links lead to is there, from the disk to the map and back.
func TestISCSILinks(t *testing.T) {
	sysfs := linuxClient().Root().Sysfs
	for _, name := range []string{
		"block/sdc/dev", "block/dm-0/dm/name", "block/sdb/holders/dm-0/dm/uuid", "block/dm-0/slaves/sde/size", "class/iscsi_session/session1/targetname",
		"class/iscsi_host/host2/ipaddress", "class/iscsi_connection/connection3:0/address", "class/iscsi_transport/tcp/caps",
	} {
		if data, err := fs.ReadFile(sysfs, name); err != nil || len(data) < 2 {
			t.Errorf("%s is %q, error %v", path.Base(name), data, err)
		}
	}
}

// TestWrittenFiles: a directory says the same as the machine in memory, also behind links.
func TestWrittenFiles(t *testing.T) {
	m, dir := linuxClient(), t.TempDir()
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	root, closeRoot, err := collectors.OpenRoot(m.Name, collectors.Paths{Procfs: filepath.Join(dir, "proc"), Sysfs: filepath.Join(dir, "sys")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = closeRoot() }()
	same(t, "iSCSI", read(t, iscsi.New(m.Root()), m.Now), read(t, iscsi.New(root), m.Now))
}

// TestManyPaths: beyond one alphabet of maps, the paths are told apart and no device number is given twice.
func TestManyPaths(t *testing.T) {
	m := &host.Machine{Name: "app1", Boot: noon, Now: noon}
	for i := range 30 {
		target := linuxClient().ISCSI[0]
		target.Name, target.MountPoint = strings.Replace(target.Name, "lun1", fmt.Sprint("lun", i), 1), fmt.Sprint("/data", i)
		for at := range target.Sessions {
			target.Sessions[at].Disk = diskName(10*i + at)
		}
		m.ISCSI = append(m.ISCSI, target)
	}
	same(t, "iSCSI", wantManyPaths(m), read(t, iscsi.New(m.Root()), m.Now))
	text, err := fs.ReadFile(m.Root().Procfs, "diskstats")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		number := fields[0] + ":" + fields[1]
		if given[number] {
			t.Errorf("%s is given twice", number)
		}
		given[number] = true
	}
}

// wantManyPaths has the names of maps beyond the alphabet.
func wantManyPaths(m *host.Machine) readings {
	want := readings{}
	for name, value := range wantISCSI(m) {
		for i := 26; i < 30; i++ {
			name = strings.Replace(name, "mpath"+string(rune('a'+i)), "mpatha"+string(rune('a'+i-26)), 1)
		}
		want[name] = value
	}
	return want
}
