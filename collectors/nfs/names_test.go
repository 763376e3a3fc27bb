package nfs

import (
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	tests := map[Options]string{
		"rw,vers=3,proto=tcp":                    "3",
		"rw,vers=4.0":                            "4.0",
		"rw,vers=4.1,nconnect=4":                 "4.1",
		"rw,vers=4.2":                            "4.2",
		"rw,vers=4,port=0,minorversion=0":        "4.0",
		"rw,vers=4, port=0, minorversion=1,rest": "4.1",
		"rw,vers=4":                              "4.0",
		"rw,mountvers=3":                         "",
		"":                                       "",
	}
	for options, want := range tests {
		if got := options.Version(); got != want {
			t.Errorf("version of %q is %q, not %q", options, got, want)
		}
	}
}

func TestOptions(t *testing.T) {
	options := Options("rw,nosharetransport,addr=192.0.2.1, rsize=1048576,wsize=big")
	if value, ok := options.Get("nosharetransport"); !ok || value != "" {
		t.Errorf("nosharetransport is %q, %t", value, ok)
	}
	if _, ok := options.Get("size"); ok {
		t.Error("an option that is not there was found")
	}
	if got := options.Number("rsize"); got != 1048576 {
		t.Errorf("rsize %d", got)
	}
	if options.Number("wsize").Known() || options.Number("timeo").Known() {
		t.Error("a number was made up")
	}
}

func TestBoundedOptions(t *testing.T) {
	tests := []struct {
		options Options
		limit   int
		want    string
	}{
		{"rw,hard", 7, "rw,hard"}, {"rw,hard", 6, "rw"}, {"rw,hard", 2, "rw"}, {"rw,hard", 1, ""}, {"", 0, ""},
	}
	for _, test := range tests {
		if got := test.options.bounded(test.limit); got != test.want {
			t.Errorf("%q in %d bytes is %q, not %q", test.options, test.limit, got, test.want)
		}
	}
}

func TestUnescape(t *testing.T) {
	tests := map[string]string{
		`/mnt/a`:                 "/mnt/a",
		`/mnt/with\040space`:     "/mnt/with space",
		`/mnt/tab\011here`:       "/mnt/tab\there",
		`/mnt/back\134slash#h`:   `/mnt/back\slash#h`,
		`\040\134040`:            ` \040`,
		`/δοκιμή\012`:            "/δοκιμή\n",
		`/half\04`:               `/half\04`,
		`/no\999octal\`:          `/no\999octal\`,
		`/above\400 \377`:        "/above\\400 \xff",
		`/mixed\0409\x41\043end`: `/mixed 9\x41#end`,
	}
	for text, want := range tests {
		if got := unescape(text); got != want {
			t.Errorf("unescape(%q) is %q, not %q", text, got, want)
		}
	}
}

func TestSplitSource(t *testing.T) {
	tests := map[string][2]string{
		"192.0.2.1:/srv/vol1":      {"192.0.2.1", "/srv/vol1"},
		"nfs.example.com:/data/":   {"nfs.example.com", "/data/"},
		"[2001:db8::2]:/srv/vol1":  {"2001:db8::2", "/srv/vol1"},
		"2001:db8::2:/srv/vol1":    {"2001:db8::2", "/srv/vol1"},
		"host:/odd:/path":          {"host", "/odd:/path"},
		"<nfsserver>:<nfsmount>":   {"<nfsserver>", "<nfsmount>"},
		"[2001:db8::2":             {"[2001", "db8::2"},
		"nothing":                  {"", "nothing"},
		"":                         {"", ""},
		"host:/srv/has space/deep": {"host", "/srv/has space/deep"},
	}
	for source, want := range tests {
		if host, path := splitSource(source); host != want[0] || path != want[1] {
			t.Errorf("%q is %q and %q, not %q", source, host, path, want)
		}
	}
}

func TestLabelText(t *testing.T) {
	for text, want := range map[string]string{"/δοκιμή": "/δοκιμή", "/caf\xe9/\xff": `/caf\351/\377`, "": ""} {
		if got := labelText(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

func TestMountPointList(t *testing.T) {
	many := strings.Fields(strings.Repeat("/m ", maxMountPoints+3))
	tests := []struct {
		mountPoints []string
		want        string
	}{
		{[]string{"/mnt/a"}, "/mnt/a"},
		{[]string{"/mnt/with space", "/mnt/tab\there", `/mnt/back\slash#h`}, `/mnt/with\040space /mnt/tab\011here /mnt/back\134slash#h`},
		{many[:maxMountPoints], strings.Join(many[:maxMountPoints], " ")},
		{many, strings.Join(many[:maxMountPoints], " ") + " +3"},
	}
	for _, test := range tests {
		if got := mountPointList(test.mountPoints); got != test.want {
			t.Errorf("%q is listed as %q, not %q", test.mountPoints, got, test.want)
		}
	}
}
