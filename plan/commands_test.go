package plan

import (
	"encoding/json"
	"net/url"
	"os/exec"
	"strings"
	"testing"
)

func TestCommands(t *testing.T) {
	c := commands("example", "europe-west3", "home", 480)
	for _, pair := range [][2]string{
		{c.Gcloud, "gcloud netapp volumes update home --project=example --location=europe-west3 --throughput-mibps=480"},
		{c.REST.Method, "PATCH"},
		{c.REST.URL, "https://netapp.googleapis.com/v1/projects/example/locations/europe-west3/volumes/home?updateMask=throughputMibps"},
		{c.REST.Body, `{"throughputMibps": 480}`},
		{c.Curl, `curl --fail-with-body -X PATCH -H "Authorization: Bearer $(gcloud auth print-access-token)" ` +
			`-H 'Content-Type: application/json' -d '{"throughputMibps": 480}' ` +
			`'https://netapp.googleapis.com/v1/projects/example/locations/europe-west3/volumes/home?updateMask=throughputMibps'`},
		{c.Terraform, "resource \"google_netapp_volume\" \"home\" {\n  name             = \"home\"\n  location         = \"europe-west3\"\n" +
			"  throughput_mibps = 480\n  # the other arguments stay as they are\n}"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("got  %s\nwant %s", pair[0], pair[1])
		}
	}
}

// oddNames are names that a careless command would run, split or print raw.
func oddNames() []string {
	return []string{
		"a b", "it's", `"quoted"`, "$(touch x)", "`id`", "a;b", "a\nb", "\x1b[2J", "café", "${var.x}", "%{if}", `back\slash`, "-rf",
		"../other", "a?b#c&d", "", "\xff\xfe", "tab\t", "1st", "\u202eabc",
	}
}

// TestShellTakesNamesAsTheyAre runs a real shell over every odd name.
func TestShellTakesNamesAsTheyAre(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed: there is no shell to ask")
	}
	for _, name := range oddNames() {
		out, err := exec.CommandContext(t.Context(), bash, "-c", "printf '%s|' "+shell(name)).Output()
		if err != nil || string(out) != name+"|" {
			t.Errorf("%q became %q (%v) as %s", name, out, err, shell(name))
		}
	}
}

func TestOddNamesStayNames(t *testing.T) {
	for _, name := range oddNames() {
		c := commands("example", "europe-west3", name, 64)
		for _, text := range []string{c.Gcloud, c.Curl, strings.ReplaceAll(c.Terraform, "\n", "")} {
			if printable(text) != text {
				t.Errorf("%q: a character that cannot be seen is in %q", name, text)
			}
		}
		if strings.HasPrefix(name, "-") && !strings.Contains(c.Gcloud, "update projects/example/locations/europe-west3/volumes/-rf ") {
			t.Errorf("the name is an option in %q", c.Gcloud)
		}
		address, err := url.Parse(c.REST.URL)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if want := "/v1/projects/example/locations/europe-west3/volumes/" + name; address.Path != want || address.RawQuery != "updateMask=throughputMibps" {
			t.Errorf("%q: the path is %q, the query %q", name, address.Path, address.RawQuery)
		}
		if !json.Valid([]byte(c.REST.Body)) {
			t.Errorf("%q: %s is no JSON", name, c.REST.Body)
		}
	}
}

func TestTerraformStrings(t *testing.T) {
	for text, want := range map[string]string{
		"plain": `"plain"`, `a"b\c`: `"a\"b\\c"`, "${var.x}": `"$${var.x}"`, "%{if}": `"%%{if}"`, "a\nb": `"a\u000ab"`, "é": `"é"`,
		"\U000e0001": `"\U000e0001"`,
	} {
		if got := hcl(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	for name, want := range map[string]string{"home-1_a": "home-1_a", "1st": "_1st", "-x": "_-x", "": "_", "a b.c": "a_b_c", "é": "_"} {
		if got := label(name); got != want {
			t.Errorf("label of %q is %q, want %q", name, got, want)
		}
	}
}
