package nfs

import (
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
