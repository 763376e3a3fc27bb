package kernel

import (
	"strings"
	"testing"
)

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
		if got := Unescape(text); got != want {
			t.Errorf("Unescape(%q) is %q, not %q", text, got, want)
		}
	}
}

func TestLabelText(t *testing.T) {
	for text, want := range map[string]string{"/δοκιμή": "/δοκιμή", "/caf\xe9/\xff": `/caf\351/\377`, "": ""} {
		if got := LabelText(text); got != want {
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
		if got := MountPoints(test.mountPoints); got != test.want {
			t.Errorf("%q is listed as %q, not %q", test.mountPoints, got, test.want)
		}
	}
}

func TestEscapes(t *testing.T) {
	for text, want := range map[string]string{`a\040b`: "a b", `a\134040`: `a\040`, `\`: `\`, `\4`: `\4`, `\400`: `\400`, `\08`: `\08`, "é": "é"} {
		if got := Unescape(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
	if got := LabelText("a\xffé"); got != `a\377é` {
		t.Errorf("%q", got)
	}
}
