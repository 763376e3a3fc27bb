package smb

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitShare(t *testing.T) {
	for source, want := range map[string][3]string{
		"//h/s": {"h", "s", ""}, "//h/s/": {"h", "s", ""}, "//h/s/a b/c": {"h", "s", "a b/c"}, `\\h\s`: {"h", "s", ""}, `\\h\s\d`: {"h", "s", "d"},
		"//h": {"h", "", ""}, "": {"", "", ""}, "//fd00::1/s (1) #2": {"fd00::1", "s (1) #2", ""}, "//h/a\\b": {"h", `a\b`, ""},
	} {
		host, share, rest := splitShare(source)
		if got := [3]string{host, share, rest}; got != want {
			t.Errorf("%q is %q, not %q", source, got, want)
		}
	}
}

func TestMountServer(t *testing.T) {
	for options, want := range map[string]string{
		"rw,addr=192.0.2.7": "192.0.2.7", "rw,addr=2001:0db8:0000:0000:0000:0000:0000:0007": "2001:db8::7", "addr=::ffff:192.0.2.7": "192.0.2.7",
		"addr=fe80:0000:0000:0000:0000:0000:0000:0007%3": "fe80::7%3", "addr=2001:db8::7%3": "2001:db8::7", "addr=odd": "odd",
		"rw": "files.example.com", "rw,addr=": "files.example.com", "rw,ip=192.0.2.8": "192.0.2.8",
	} {
		if got := mountServer(&Mount{Source: "//files.example.com/s", Options: Options(options)}); got != want {
			t.Errorf("%s: %s, not %s", options, got, want)
		}
	}
}

func TestVersions(t *testing.T) {
	for options, want := range map[string]string{
		"vers=1.0": "1.0", "vers=2.0": "2.0.2", "vers=2.1": "2.1", "vers=3.0": "3.0", "vers=3.02": "3.0.2", "vers=3.0.2": "3.0.2",
		"vers=3.1.1": "3.1.1", "vers=3.11": "3.1.1", "vers=default": "", "vers=3": "", "rw": "",
	} {
		if got := Options(options).version(); got != want {
			t.Errorf("%s: %q, not %q", options, got, want)
		}
	}
	for dialect, want := range map[Number]string{0x202: "2.0.2", 0x210: "2.1", 0x300: "3.0", 0x302: "3.0.2", 0x311: "3.1.1", 0: "", 0x2ff: "", Absent: ""} {
		if got := dialectName(dialect); got != want {
			t.Errorf("%x: %q, not %q", dialect, got, want)
		}
	}
}

// TestPublicOptions: no name of a person gets into a label, and what is too long ends at a comma.
func TestPublicOptions(t *testing.T) {
	options := Options("rw,username=lab,domain=CORP,password=x,uid=5,gid=6,cruid=7,vers=3.0,addr=192.0.2.7,,soft")
	for limit, want := range map[int]string{100: "rw,vers=3.0,addr=192.0.2.7,soft", 20: "rw,vers=3.0", 2: "", 0: ""} {
		if got := options.public(limit); got != want {
			t.Errorf("%d: %q, not %q", limit, got, want)
		}
	}
}

func TestMountinfo(t *testing.T) {
	skipped, skip := counts()
	text := "36 25 8:1 / / rw - ext4 /dev/a rw\n\n" +
		"90 1 0:41 /dir /mnt/a\\040\u00a0b rw shared:1 master:2 - cifs //h/s\\040#\u00a0é\\134x rw,vers=3.0\n" +
		"7 1 0:42 / /m rw - smb3 //h/t rw\n" +
		"odd line of no form\n8 1 zero / /m rw - cifs //h/t rw\n9 1 0:43 / /m rw - cifs //h/t\n10 1 0:44 / /m rw - cifs //h/u rw"
	want := []Mount{
		{ID: 7, Device: "0:42", MountPoint: "/m", Source: "//h/t", Options: "rw"},
		{ID: 90, Device: "0:41", MountPoint: "/mnt/a \u00a0b", Source: "//h/s #\u00a0é\\x", Options: "rw,vers=3.0"},
	}
	if diff := cmp.Diff(want, ParseMountinfo([]byte(text), skip)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{skipMountinfoLine: 3, skipMountinfoCut: 1}, skipped); diff != "" {
		t.Error(diff)
	}
}

func TestNumbers(t *testing.T) {
	for word, want := range map[string]Number{
		"0x0": 0, "0x311": 0x311, "0xFf": 255, "0x7fffffffffffffff": 1<<63 - 1, "0x8000000000000000": Absent, "0x": Absent, "311": Absent,
		"0xg": Absent, "0x00000000000000001": Absent,
	} {
		if got := parseHex([]byte(word)); got != want {
			t.Errorf("%q is %x, not %x", word, uint64(got), uint64(want))
		}
	}
	if id, ok := parseID([]byte("0xffffffffffffffff")); !ok || id != 1<<64-1 {
		t.Errorf("identifier %x, %t", id, ok)
	}
}
